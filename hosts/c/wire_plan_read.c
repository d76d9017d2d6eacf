/* SPDX-License-Identifier: Apache-2.0 */
/* A plan message of an assignor as columns of somebody else's. */
#include <string.h>

#include "error.h"
#include "known.h"
#include "plan.h"
#include "segue/host.h"
#include "wire_message.h"

enum { FAULT_MOST = 4096 };

/* The text that stands in place of a plan; of a long one its beginning. */
static int32_t read_fault(const sgi_section *fault, segue_error *error)
{
    uint64_t count = fault->element_bytes == 1 ? fault->count : 0;
    int length = (int)(count < FAULT_MOST ? count : FAULT_MOST);
    return sgi_fail(error, SEGUE_E_INTERNAL, "%.*s", length, (const char *)fault->data);
}

static int32_t check_counts(const segue_group *group, const segue_plan *said, const segue_plan *plan, segue_error *error)
{
    if (said->task_count != group->task_count) {
        return sgi_fail(error, SEGUE_E_WIRE, "the plan is for %u tasks, the group has %u", said->task_count,
                        group->task_count);
    }
    if (said->standby_count > plan->standby_capacity) {
        return sgi_fail(error, SEGUE_E_SPACE, "there are %u standbys, and %u are the most wanted", said->standby_count,
                        plan->standby_capacity);
    }
    return SEGUE_OK;
}

static void copy_columns(const segue_plan *said, segue_plan *plan)
{
    memcpy(plan->standby_start, said->standby_start, ((size_t)said->task_count + 1) * sizeof *plan->standby_start);
    if (said->task_count > 0) {
        memcpy(plan->active, said->active, said->task_count * sizeof *plan->active);
        memcpy(plan->learner, said->learner, said->task_count * sizeof *plan->learner);
    }
    if (said->standby_count > 0) {
        memcpy(plan->standby_member, said->standby_member, said->standby_count * sizeof *plan->standby_member);
    }
}

/* What only the assignor knows. */
static void take_figures(const segue_plan *said, segue_plan *plan)
{
    plan->followup_needed = said->followup_needed;
    plan->followup_reason = said->followup_reason;
    plan->followup_at_ms = said->followup_at_ms;
    plan->min_moves = said->min_moves == SEGUE_NONE ? plan->moves : said->min_moves;
    plan->extra_moves = said->extra_moves;
    plan->held_back = said->held_back;
    plan->optimal = said->optimal;
}

int32_t segue_wire_read_plan(const segue_group *group, void *buffer, size_t size, segue_plan *plan, segue_error *error)
{
    static const segue_bound any = {sizeof any, 0, 0, 0};
    segue_group group_room;
    segue_plan plan_room;
    const segue_group *g = sgi_known_group(group, &group_room);
    segue_plan *p = sgi_known_plan(plan, &plan_room);
    if (g == NULL || p == NULL || sgi_plan_ready(p, g->task_count, &any) != SEGUE_OK) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "reading a plan needs its group, and columns to put it in");
    }
    segue_plan said = {.size = sizeof said};
    int32_t status = sgi_wire_check(SEGUE_WIRE_PLAN_MAGIC, NULL, 0, buffer, size, NULL);
    sgi_section fault = {0, 0, 0, NULL};
    if (status == SEGUE_OK) {
        fault = sgi_wire_find(buffer, SEGUE_WIRE_FAULT);
    }
    if (fault.data != NULL) {
        return read_fault(&fault, error);
    }
    status = segue_wire_decode_plan(buffer, size, &said, error);
    status = status == SEGUE_OK ? check_counts(g, &said, p, error) : status;
    if (status == SEGUE_OK) {
        copy_columns(&said, p);
        status = segue_plan_count(g, p, error);
    }
    if (status == SEGUE_OK) {
        take_figures(&said, p);
    }
    sgi_known_return(plan, p);
    return status;
}
