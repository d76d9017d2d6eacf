/* SPDX-License-Identifier: Apache-2.0 */
/* The figures that a plan's own columns say. */
#include <stdlib.h>

#include "error.h"
#include "group.h"
#include "known.h"
#include "plan.h"
#include "segue/host.h"

enum { CLAIMED = 1, KEPT = 2 };

static void note_claims(const segue_group *g, const segue_plan *p, uint8_t *task)
{
    for (uint32_t m = 0; m < g->member_count; m++) {
        for (uint32_t i = g->copy_start[m]; i < g->copy_start[m + 1]; i++) {
            uint32_t t = g->copy_task[i];
            if (g->copy_role[i] == SEGUE_ACTIVE) {
                task[t] |= (uint8_t)(CLAIMED | (p->active[t] == m ? KEPT : 0));
            }
        }
    }
}

/* Tasks with a claim that lose every claimant: one that several claim, and that stays with one of them, does not move. */
static void count_tasks(const segue_group *g, segue_plan *p, const uint8_t *task, uint32_t *load)
{
    for (uint32_t t = 0; t < g->task_count; t++) {
        p->moves += task[t] == CLAIMED;
        p->learners += p->learner[t] != SEGUE_NONE;
        if (p->active[t] < g->member_count) {
            load[p->active[t]]++;
        }
    }
}

static double spread_of(const segue_group *g, const uint32_t *load)
{
    double least = 0, most = 0;
    uint32_t seen = 0;
    for (uint32_t m = 0; m < g->member_count; m++) {
        if (g->member_threads[m] > 0 && !sgi_is_leaving(g, m)) {
            double per_thread = (double)load[m] / g->member_threads[m];
            least = seen == 0 || per_thread < least ? per_thread : least;
            most = seen == 0 || per_thread > most ? per_thread : most;
            seen++;
        }
    }
    return most - least;
}

static int32_t count(const segue_group *group, segue_plan *plan, segue_error *error)
{
    uint32_t *load = calloc((size_t)group->member_count + group->task_count / sizeof *load + 1, sizeof *load);
    if (load == NULL) {
        return sgi_fail(error, SEGUE_E_MEMORY, "no memory to count what a plan of %u tasks does", group->task_count);
    }
    uint8_t *task = (uint8_t *)(load + group->member_count);
    sgi_plan_clear(plan);
    note_claims(group, plan, task);
    count_tasks(group, plan, task, load);
    plan->task_count = group->task_count;
    plan->standby_count = plan->standby_start[group->task_count];
    plan->min_moves = plan->moves;
    plan->optimal = 1;
    plan->spread = spread_of(group, load);
    plan->followup_needed = plan->learners > 0;
    plan->followup_reason = plan->learners > 0 ? SEGUE_FOLLOWUP_LEARNERS_RESTORING : SEGUE_FOLLOWUP_NONE;
    free(load);
    return SEGUE_OK;
}

int32_t segue_plan_count(const segue_group *group, segue_plan *plan, segue_error *error)
{
    static const segue_bound any = {sizeof any, 0, 0, 0};
    segue_group group_room;
    segue_plan plan_room;
    const segue_group *g = sgi_known_group(group, &group_room);
    segue_plan *p = sgi_known_plan(plan, &plan_room);
    if (g == NULL || p == NULL || sgi_plan_ready(p, g->task_count, &any) != SEGUE_OK) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "counting needs a group, and a plan with its columns");
    }
    int32_t status = count(g, p, error);
    sgi_known_return(plan, p);
    return status;
}
