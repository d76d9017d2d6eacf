/* SPDX-License-Identifier: Apache-2.0 */
#include "core/check.h"

#include "core/fault.h"
#include "core/scan.h"

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

/* One for each type of a field. What is no number at all is in no range. */
static int in_range_uint32_t(uint32_t value, uint32_t least, uint32_t greatest)
{
    return value >= least && value <= greatest;
}

static int in_range_int64_t(int64_t value, int64_t least, int64_t greatest)
{
    return value >= least && value <= greatest;
}

static int in_range_double(double value, double least, double greatest)
{
    return value >= least && value <= greatest;
}

static int32_t check_config(const segue_config *config, segue_error *error)
{
#define SGP_CHECK_FIELD(field, type, key, initial, least, greatest)                                                   \
    if (!in_range_##type(config->field, least, greatest)) {                                                           \
        return sgp_fault(error, SEGUE_E_CONFIG, SEGUE_NONE, key " is out of range");                                  \
    }
    SEGUE_CONFIG_FIELDS(SGP_CHECK_FIELD)
#undef SGP_CHECK_FIELD
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

/*
 * Whether rows are in order is asked twice: first of all of them at once, with passes that the compiler makes vectors of,
 * and only where something is wrong row by row, to name the first that is.
 */

/* What the highest bit says of a difference: numbers that are fit to be handles do not have it themselves. */
static int is_negative(uint32_t difference)
{
    return difference >> 31 != 0;
}

static uint32_t differences(const uint32_t *row, uint32_t from)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < SGP_SCAN_BLOCK; i++) {
        bits |= row[i] ^ from;
    }
    return bits;
}

/* Nearly all blocks of tasks are of the subtopology that the task before them has. */
static int tasks_are_in_order(const segue_group *g)
{
    const uint32_t tasks = g->task_count, *subtopology = g->task_subtopology;
    uint32_t bits = tasks > 0 ? subtopology[0] : 0;
    for (uint32_t t = 1; t < tasks;) {
        uint32_t end = sgp_scan_end(t, tasks);
        int same = end - t == SGP_SCAN_BLOCK && differences(subtopology + t, subtopology[t - 1]) == 0;
        for (t = same ? end : t; t < end; t++) {
            bits |= subtopology[t] | (subtopology[t] - subtopology[t - 1]);
        }
    }
    return !is_negative(bits) && (tasks == 0 || subtopology[tasks - 1] < g->subtopology_count);
}

static int32_t check_tasks(const segue_group *g, segue_error *error)
{
    if (tasks_are_in_order(g)) {
        return SEGUE_OK;
    }
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

static int members_are_in_range(const segue_group *g)
{
    uint32_t faults = 0;
    for (uint32_t m = 0; m < g->member_count; m++) {
        faults |= (uint32_t)(g->member_process[m] >= g->process_count) | (g->member_threads[m] > SEGUE_MAX_THREADS);
    }
    return faults == 0;
}

static int32_t check_members(const segue_group *g, segue_error *error)
{
    if (members_are_in_range(g)) {
        return SEGUE_OK;
    }
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

static int starts_are_in_order(const segue_group *g)
{
    uint32_t descents = 0;
    for (uint32_t m = 0; m < g->member_count; m++) {
        descents += g->copy_start[m + 1] < g->copy_start[m];
    }
    return descents == 0;
}

static int roles_are_known(const segue_group *g)
{
    uint8_t bits = 0;
    for (uint32_t r = 0; r < g->copy_count; r++) {
        bits |= g->copy_role[r];
    }
    return bits <= SEGUE_ACTIVE;
}

/* How many of a block's rows ascend from the one before; *bits gets theirs. */
static uint32_t block_ascents(const uint32_t *row, uint32_t *bits)
{
    const uint32_t *before = row - 1;
    uint32_t ascents = 0, any = 0;
    for (uint32_t i = 0; i < SGP_SCAN_BLOCK; i++) {
        ascents += (int32_t)row[i] > (int32_t)before[i];
        any |= row[i];
    }
    *bits |= any;
    return ascents;
}

/* Tasks may only descend where the next member's rows begin, so that counting descents is enough. */
static int copies_are_in_order(const segue_group *g)
{
    const uint32_t *start = g->copy_start, *task = g->copy_task, rows = g->copy_count;
    const uint32_t members = g->member_count, tasks = g->task_count;
    uint32_t ascents = 0, allowed = 0, beyond = 0, bits = rows > 0 ? task[0] : 0;
    uint32_t r = 1;
    for (; rows > r && rows - r >= SGP_SCAN_BLOCK; r += SGP_SCAN_BLOCK) {
        ascents += block_ascents(task + r, &bits);
    }
    for (; r < rows; r++) {
        ascents += (int32_t)task[r] > (int32_t)task[r - 1];
        bits |= task[r];
    }
    for (uint32_t m = 0; m < members; m++) {
        uint32_t at = start[m];
        if (at > 0 && at < start[m + 1]) {
            allowed += task[at] <= task[at - 1];
            beyond += task[at - 1] >= tasks;
        }
    }
    return !is_negative(bits) && ascents + allowed + (rows > 0) == rows && beyond == 0 &&
           (rows == 0 || task[rows - 1] < tasks);
}

static int32_t check_copies(const segue_group *g, segue_error *error)
{
    if (g->copy_start[0] != 0 || g->copy_start[g->member_count] != g->copy_count) {
        return sgp_fault(error, SEGUE_E_GROUP, SEGUE_NONE, "copy_start does not span the copies");
    }
    if (starts_are_in_order(g) && roles_are_known(g) && copies_are_in_order(g)) {
        return SEGUE_OK;
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

static int32_t check_task_racks(const segue_group *g, uint32_t task, segue_error *error)
{
    uint32_t from = g->task_rack_start[task], to = g->task_rack_start[task + 1];
    if (to < from || to > g->task_rack_count) {
        return sgp_fault(error, SEGUE_E_GROUP, task, "task_rack_start is out of order");
    }
    for (uint32_t i = from; i < to; i++) {
        if (g->task_rack[i] >= g->rack_count || (i > from && g->task_rack[i] <= g->task_rack[i - 1])) {
            return sgp_fault(error, SEGUE_E_GROUP, i, "task_rack is out of range or out of order");
        }
        if (g->task_rack_inputs[i] > g->task_inputs[task]) {
            return sgp_fault(error, SEGUE_E_GROUP, i, "task_rack_inputs is above task_inputs");
        }
    }
    return SEGUE_OK;
}

static int32_t check_racks(const segue_group *g, segue_error *error)
{
    int rows = g->task_rack != NULL && g->task_rack_inputs != NULL;
    for (uint32_t m = 0; g->member_rack != NULL && m < g->member_count; m++) {
        if (g->member_rack[m] != SEGUE_NONE && g->member_rack[m] >= g->rack_count) {
            return sgp_fault(error, SEGUE_E_GROUP, m, "member_rack is out of range");
        }
    }
    if (g->task_rack_start == NULL) {
        return SEGUE_OK;
    }
    if (g->task_inputs == NULL || (g->task_rack_count > 0 && !rows)) {
        return sgp_fault(error, SEGUE_E_GROUP, SEGUE_NONE, "the columns of task_rack come together or not at all");
    }
    if (g->task_rack_start[0] != 0 || g->task_rack_start[g->task_count] != g->task_rack_count) {
        return sgp_fault(error, SEGUE_E_GROUP, SEGUE_NONE, "task_rack_start does not span the racks");
    }
    int32_t status = SEGUE_OK;
    for (uint32_t t = 0; status == SEGUE_OK && t < g->task_count; t++) {
        status = check_task_racks(g, t, error);
    }
    return status;
}

int32_t sgp_check(const segue_group *group, const segue_config *config, segue_error *error)
{
    int32_t status = check_sizes(group, config, error);
    if (status == SEGUE_OK) {
        status = check_config(config, error);
    }
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
    if (status == SEGUE_OK) {
        status = check_racks(group, error);
    }
    return status;
}
