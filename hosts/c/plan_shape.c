/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_shape.h"

#include <math.h>

#include "error.h"
#include "group.h"

static int32_t check_scalars(const segue_group *g, const segue_plan *p, segue_error *error)
{
    if (p->task_count != g->task_count) {
        return sgi_fault(error, SEGUE_E_PLAN, 1, SEGUE_NONE, "R1: the plan is for %u tasks, the group has %u",
                         p->task_count, g->task_count);
    }
    if (p->standby_count > p->standby_capacity || p->decision_count > p->decision_capacity) {
        return sgi_fail(error, SEGUE_E_PLAN, "the plan claims %u standby rows of %u and %u decisions of %u",
                        p->standby_count, p->standby_capacity, p->decision_count, p->decision_capacity);
    }
    if (p->followup_needed > 1) {
        return sgi_fail(error, SEGUE_E_PLAN, "the plan's followup_needed is not 0 or 1");
    }
    if (!isfinite(p->spread) || !isfinite(p->imbalance) || !isfinite(p->min_imbalance)) {
        return sgi_fail(error, SEGUE_E_PLAN, "the plan's spread, imbalance or min_imbalance is no number");
    }
    return SEGUE_OK;
}

static int32_t check_owners(const segue_group *g, const segue_plan *p, segue_error *error)
{
    for (uint32_t t = 0; t < g->task_count; t++) {
        if (p->active[t] == SEGUE_NONE) {
            return sgi_fault(error, SEGUE_E_PLAN, 1, t, "R1: task %.*s is active on nobody", SGI_SHOW_TASK(g, t));
        }
        if (p->active[t] >= g->member_count) {
            return sgi_fault(error, SEGUE_E_PLAN, 1, t, "R1: task %.*s is active on member %u of %u",
                             SGI_SHOW_TASK(g, t), p->active[t], g->member_count);
        }
        if (p->learner[t] >= g->member_count && p->learner[t] != SEGUE_NONE) {
            return sgi_fault(error, SEGUE_E_PLAN, 1, t, "R1: task %.*s is learned by member %u of %u",
                             SGI_SHOW_TASK(g, t), p->learner[t], g->member_count);
        }
    }
    return SEGUE_OK;
}

static int32_t check_standby_row(const segue_group *g, const segue_plan *p, uint32_t t, segue_error *error)
{
    for (uint32_t i = p->standby_start[t]; i < p->standby_start[t + 1]; i++) {
        if (p->standby_member[i] == SEGUE_NONE) {
            return sgi_fault(error, SEGUE_E_PLAN, 1, t, "R1: task %.*s has a standby on nobody", SGI_SHOW_TASK(g, t));
        }
        if (p->standby_member[i] >= g->member_count) {
            return sgi_fault(error, SEGUE_E_PLAN, 1, t, "R1: task %.*s has a standby on member %u of %u",
                             SGI_SHOW_TASK(g, t), p->standby_member[i], g->member_count);
        }
        if (i > p->standby_start[t] && p->standby_member[i] <= p->standby_member[i - 1]) {
            return sgi_fault(error, SEGUE_E_PLAN, 1, t, "R1: the standbys of task %.*s do not ascend",
                             SGI_SHOW_TASK(g, t));
        }
    }
    return SEGUE_OK;
}

static int32_t check_standbys(const segue_group *g, const segue_plan *p, segue_error *error)
{
    if (p->standby_start[0] != 0 || p->standby_start[g->task_count] != p->standby_count) {
        return sgi_fail(error, SEGUE_E_PLAN, "standby_start runs from %u to %u: it must run from 0 to %u",
                        p->standby_start[0], p->standby_start[g->task_count], p->standby_count);
    }
    for (uint32_t t = 0; t < g->task_count; t++) {
        if (p->standby_start[t] > p->standby_start[t + 1] || p->standby_start[t + 1] > p->standby_count) {
            return sgi_fault(error, SEGUE_E_PLAN, 0, t, "standby_start does not ascend at task %.*s",
                             SGI_SHOW_TASK(g, t));
        }
        int32_t status = check_standby_row(g, p, t, error);
        if (status != SEGUE_OK) {
            return status;
        }
    }
    return SEGUE_OK;
}

static int is_member_or_none(const segue_group *g, uint32_t member)
{
    return member < g->member_count || member == SEGUE_NONE;
}

static int32_t check_decisions(const segue_group *g, const segue_plan *p, segue_error *error)
{
    for (uint32_t i = 0; i < p->decision_count; i++) {
        if (p->decision_task[i] >= g->task_count || !is_member_or_none(g, p->decision_from[i]) ||
            !is_member_or_none(g, p->decision_to[i])) {
            return sgi_fault(error, SEGUE_E_PLAN, 0, i, "decision %u names a task or member that there is not", i);
        }
    }
    return SEGUE_OK;
}

int32_t sgi_plan_shape(const segue_group *group, const segue_plan *plan, segue_error *error)
{
    int32_t (*const checks[])(const segue_group *, const segue_plan *, segue_error *) = {
        check_scalars, check_owners, check_standbys, check_decisions};
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        int32_t status = checks[i](group, plan, error);
        if (status != SEGUE_OK) {
            return status;
        }
    }
    return SEGUE_OK;
}
