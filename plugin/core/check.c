/* SPDX-License-Identifier: Apache-2.0 */
#include "core/check.h"

#include "core/fault.h"

static int32_t check_sizes(const segue_group *g, const segue_config *config, segue_error *error)
{
    if (g == NULL || g->size < sizeof(segue_group)) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, SEGUE_NONE, "group is NULL or smaller than version 1");
    }
    if (config == NULL || config->size < sizeof(segue_config)) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, SEGUE_NONE, "configuration is NULL or smaller than version 1");
    }
    if (g->task_count > SEGUE_MAX_TASKS || g->member_count > SEGUE_MAX_MEMBERS || g->copy_count > SEGUE_MAX_COPIES) {
        return sgp_fault(error, SEGUE_E_GROUP, SEGUE_NONE, "more tasks, members or copies than the border allows");
    }
    if (g->process_count > g->member_count || g->subtopology_count > g->task_count) {
        return sgp_fault(error, SEGUE_E_GROUP, SEGUE_NONE, "more processes than members, or subtopologies than tasks");
    }
    if (g->member_count == 0 && g->task_count > 0) {
        return sgp_fault(error, SEGUE_E_GROUP, SEGUE_NONE, "there are tasks, but no members");
    }
    return SEGUE_OK;
}

#define SGP_NEED_REQUIRED(g, field, count) ((g)->field == NULL && (count) > 0)
#define SGP_NEED_OPTIONAL(g, field, count) 0

static int32_t check_columns(const segue_group *g, segue_error *error)
{
#define SGP_CHECK_COLUMN(id, field, type, count, need)                                                                \
    if (SGP_NEED_##need(g, field, count)) {                                                                           \
        return sgp_fault(error, SEGUE_E_GROUP, SEGUE_NONE, "column " #field " is missing");                           \
    }
    SEGUE_GROUP_COLUMNS(SGP_CHECK_COLUMN)
#undef SGP_CHECK_COLUMN
    return SEGUE_OK;
}

static int32_t check_tasks(const segue_group *g, segue_error *error)
{
    uint32_t before = 0;
    for (uint32_t t = 0; t < g->task_count; t++) {
        uint32_t subtopology = g->task_subtopology[t];
        if (subtopology >= g->subtopology_count || subtopology < before) {
            return sgp_fault(error, SEGUE_E_GROUP, t, "task_subtopology is out of range or out of order");
        }
        before = subtopology;
    }
    return SEGUE_OK;
}

static int32_t check_members(const segue_group *g, segue_error *error)
{
    for (uint32_t m = 0; m < g->member_count; m++) {
        if (g->member_process[m] >= g->process_count) {
            return sgp_fault(error, SEGUE_E_GROUP, m, "member_process is out of range");
        }
        if (g->member_threads[m] > SEGUE_MAX_THREADS) {
            return sgp_fault(error, SEGUE_E_GROUP, m, "member_threads is above the border's limit");
        }
    }
    return SEGUE_OK;
}

static int32_t check_copies(const segue_group *g, segue_error *error)
{
    if (g->copy_start[0] != 0 || g->copy_start[g->member_count] != g->copy_count) {
        return sgp_fault(error, SEGUE_E_GROUP, SEGUE_NONE, "copy_start does not span the copies");
    }
    for (uint32_t m = 0; m < g->member_count; m++) {
        uint32_t end = g->copy_start[m + 1];
        if (end < g->copy_start[m] || end > g->copy_count) {
            return sgp_fault(error, SEGUE_E_GROUP, m, "copy_start is out of order");
        }
        uint32_t least = 0;
        for (uint32_t r = g->copy_start[m]; r < end; r++) {
            if (g->copy_task[r] >= g->task_count || g->copy_task[r] < least) {
                return sgp_fault(error, SEGUE_E_GROUP, r, "copy_task is out of range or out of order");
            }
            if (g->copy_role[r] > SEGUE_ACTIVE) {
                return sgp_fault(error, SEGUE_E_GROUP, r, "copy_role is no role");
            }
            least = g->copy_task[r] + 1;
        }
    }
    return SEGUE_OK;
}

int32_t sgp_check(const segue_group *group, const segue_config *config, segue_error *error)
{
    int32_t status = check_sizes(group, config, error);
    if (status == SEGUE_OK) {
        status = check_columns(group, error);
    }
    if (status == SEGUE_OK) {
        status = check_tasks(group, error);
    }
    if (status == SEGUE_OK) {
        status = check_members(group, error);
    }
    if (status == SEGUE_OK) {
        status = check_copies(group, error);
    }
    return status;
}
