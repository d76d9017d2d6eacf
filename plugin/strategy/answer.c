/* SPDX-License-Identifier: Apache-2.0 */
#include "strategy/answer.h"

#include "core/fault.h"
#include "core/lighter.h"
#include "core/scan.h"
#include "solve/rack_cost.h"
#include "strategy/decide.h"

#include <string.h>

static uint32_t clip(uint64_t rows)
{
    return rows > UINT32_MAX ? UINT32_MAX : (uint32_t)rows;
}

segue_bound sgp_answer_bound(const segue_group *g, const segue_config *config)
{
    uint32_t others = g->process_count > 0 ? g->process_count - 1 : 0;
    uint32_t ranks = config->num_standby_replicas < others ? config->num_standby_replicas : others;
    uint64_t standbys = (uint64_t)g->task_count * ranks;
    return (segue_bound){.size = sizeof(segue_bound),
                         .standby_rows = clip(standbys),
                         .decision_rows = clip((uint64_t)g->task_count * 2 + standbys + g->copy_count)};
}

int32_t sgp_answer_fits(const segue_group *group, const segue_config *config, const segue_plan *plan,
                        segue_error *error)
{
    segue_bound bound = sgp_answer_bound(group, config);
    if (plan == NULL || plan->size < sizeof(segue_plan)) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, SEGUE_NONE, "plan is NULL or smaller than version 1");
    }
    if (plan->standby_start == NULL || (group->task_count > 0 && (plan->active == NULL || plan->learner == NULL))) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, SEGUE_NONE, "a plan column with a row for each task is NULL");
    }
    if (plan->standby_capacity < bound.standby_rows || (bound.standby_rows > 0 && plan->standby_member == NULL)) {
        return sgp_fault(error, SEGUE_E_SPACE, SEGUE_NONE, "standby_member has %u rows, %u are needed",
                         (unsigned)plan->standby_capacity, (unsigned)bound.standby_rows);
    }
    if (plan->decision_capacity > 0 && plan->decision_capacity < bound.decision_rows) {
        return sgp_fault(error, SEGUE_E_SPACE, SEGUE_NONE, "the decision columns have %u rows, %u are needed",
                         (unsigned)plan->decision_capacity, (unsigned)bound.decision_rows);
    }
    if (plan->decision_capacity > 0 && (plan->decision_task == NULL || plan->decision_kind == NULL ||
                                        plan->decision_reason == NULL || plan->decision_from == NULL ||
                                        plan->decision_to == NULL || plan->decision_number == NULL)) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, SEGUE_NONE, "a decision column is NULL");
    }
    return SEGUE_OK;
}

/* Ascending members inside each task. */
static void write_standbys(const sgp_course *c, segue_plan *plan)
{
    uint32_t count = 0, ranks = c->standbys.ranks;
    if (ranks == 0) {
        memset(plan->standby_start, 0, ((size_t)c->view.tasks + 1) * sizeof *plan->standby_start);
        plan->standby_count = 0;
        return;
    }
    for (uint32_t t = 0; t < c->view.tasks; t++) {
        const uint32_t *row = c->standbys.member + (size_t)t * ranks;
        plan->standby_start[t] = count;
        for (uint32_t i = 0; i < ranks && row[i] != SEGUE_NONE; i++) {
            uint32_t at = count++;
            for (; at > plan->standby_start[t] && plan->standby_member[at - 1] > row[i]; at--) {
                plan->standby_member[at] = plan->standby_member[at - 1];
            }
            plan->standby_member[at] = row[i];
        }
    }
    plan->standby_start[c->view.tasks] = count;
    plan->standby_count = count;
}

/* Input partitions that the targets read from another rack. */
static int64_t traffic_of_targets(const sgp_course *c)
{
    int64_t traffic = 0;
    for (uint32_t t = 0; sgp_racks_known(c->view.group) && t < c->view.tasks; t++) {
        traffic += sgp_rack_traffic(c->view.group, t, sgp_course_target(c, t));
    }
    return traffic;
}

/* Tasks that change owner on the way to their targets, beyond the least. Only what is bought can take such moves. */
static uint32_t extra_moves(const sgp_course *c)
{
    uint32_t moves = 0;
    for (uint32_t t = 0; (c->racks || c->buys_spread || c->weights.of != NULL) && t < c->view.tasks; t++) {
        moves += c->view.owner[t] != SEGUE_NONE && c->view.owner[t] != c->target[t];
    }
    return moves > c->min_moves ? moves - c->min_moves : 0;
}

static void count_placed(const sgp_view *view, const uint32_t *active, uint32_t *held)
{
    for (uint32_t from = 0, to; from < view->tasks; from = to) {
        to = sgp_scan_end(from, view->tasks);
        for (uint32_t t = sgp_scan_none(view->owner, from, to) ? from : to; t < to; t++) {
            held[active[t]] += view->owner[t] == SEGUE_NONE;
        }
    }
}

/* Counts what each member will own, from what it owns now: most tasks stay. Returns how many change their owner. */
static uint32_t count_held(const sgp_view *view, const uint32_t *active, uint32_t *held)
{
    uint32_t moves = 0, owned = 0;
    for (uint32_t m = 0; m < view->members; m++) {
        held[m] = view->owned[0][m] + view->owned[1][m];
        owned += held[m];
    }
    for (uint32_t t = 0; (t = sgp_scan_move(view->owner, active, t, view->tasks)) < view->tasks; t++, moves++) {
        held[view->owner[t]]--;
        held[active[t]]++;
    }
    if (owned < view->tasks) {
        count_placed(view, active, held);
    }
    return moves;
}

/* Everybody stays and has the same number of threads. */
static double spread_of_all(const sgp_view *view, const uint32_t *held)
{
    const uint32_t members = view->members;
    int32_t least = INT32_MAX, most = 0;
    for (uint32_t m = 0; m < members; m++) {
        int32_t holds = (int32_t)held[m];
        least = holds < least ? holds : least;
        most = holds > most ? holds : most;
    }
    return (double)most / view->threads_each - (double)least / view->threads_each;
}

/* Largest minus smallest count for each thread; compared by products, since divisions are slow. */
static double spread_of(const sgp_view *view, const uint32_t *held)
{
    if (view->threads_each > 0 && view->staying == view->members) {
        return spread_of_all(view, held);
    }
    uint32_t least = SEGUE_NONE, most = SEGUE_NONE;
    for (uint32_t m = 0; m < view->members; m++) {
        if (view->place[m] == SGP_STAYS) {
            least = least == SEGUE_NONE || sgp_lighter(held, view->threads, m, least) ? m : least;
            most = most == SEGUE_NONE || sgp_lighter(held, view->threads, most, m) ? m : most;
        }
    }
    return least == SEGUE_NONE ? 0
                               : (double)held[most] / view->threads[most] - (double)held[least] / view->threads[least];
}

static void write_figures(const sgp_course *c, const uint32_t *held, segue_plan *plan)
{
    plan->spread = spread_of(&c->view, held);
    plan->task_count = c->view.tasks;
    plan->learners = c->roles.learners;
    plan->min_moves = c->min_moves;
    plan->optimal = !c->deadline->passed && !c->cut;
    plan->traffic = traffic_of_targets(c);
    plan->min_traffic = c->min_traffic;
    plan->extra_moves = extra_moves(c);
    plan->held_back = c->roles.held_back;
}

/* By what the targets weigh. */
static int32_t write_imbalance(const sgp_course *c, segue_plan *plan)
{
    plan->imbalance = plan->min_imbalance = 0;
    return c->weights.of == NULL ? SEGUE_OK
                                 : sgp_weights_measure(&c->view, &c->weights, c->target, &plan->imbalance,
                                                       &plan->min_imbalance, c->region);
}

static int64_t later(int64_t now, int64_t wait)
{
    return now > INT64_MAX - wait ? INT64_MAX : now + wait;
}

/* The first deadline ahead of a member that still serves something; SEGUE_TIME_NONE when there is none. */
static int64_t first_deadline(const sgp_view *view, const uint32_t *held, int *serving)
{
    const int64_t *deadline = view->group->member_deadline_ms;
    int64_t first = SEGUE_TIME_NONE;
    *serving = 0;
    for (uint32_t m = 0; view->staying < view->members && m < view->members; m++) {
        if (view->place[m] != SGP_LINGERS || held[m] == 0) {
            continue;
        }
        *serving = 1;
        if (deadline != NULL && deadline[m] != SEGUE_TIME_NONE && (first == SEGUE_TIME_NONE || deadline[m] < first)) {
            first = deadline[m];
        }
    }
    return first;
}

static void write_followup(const sgp_course *c, const uint32_t *held, segue_plan *plan)
{
    int leaving, restoring = plan->learners > 0 || c->asks_again;
    int64_t at = first_deadline(&c->view, held, &leaving);
    plan->followup_needed = restoring || leaving;
    plan->followup_reason = SEGUE_FOLLOWUP_NONE;
    plan->followup_at_ms = at;
    if (restoring) {
        int64_t probe = later(c->view.group->now_ms, c->view.config->probing_rebalance_interval_ms);
        plan->followup_reason = SEGUE_FOLLOWUP_LEARNERS_RESTORING;
        plan->followup_at_ms = at == SEGUE_TIME_NONE || probe < at ? probe : at;
    } else if (leaving) {
        plan->followup_reason = SEGUE_FOLLOWUP_MEMBERS_LEAVING;
    }
}

int32_t sgp_answer(const sgp_course *c, segue_plan *plan)
{
    uint32_t *held = SGP_TAKE(c->region, uint32_t, c->view.members);
    if (held == NULL) {
        return SEGUE_E_MEMORY;
    }
    write_standbys(c, plan);
    plan->moves = c->held != NULL ? c->roles.moves : count_held(&c->view, plan->active, held);
    held = c->held != NULL ? c->held : held;
    write_figures(c, held, plan);
    write_followup(c, held, plan);
    if (write_imbalance(c, plan) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    plan->decision_count = 0;
    return plan->decision_capacity > 0 ? sgp_decide(c, plan) : SEGUE_OK;
}
