/* SPDX-License-Identifier: Apache-2.0 */
#include "strategy/census.h"

static uint32_t held(const sgp_census *c, uint32_t member)
{
    return c->held[0][member] + c->held[1][member];
}

/* What it should hold. Where tasks with state cannot follow what should be, those without fill up beside what there will be;
 * then what it will hold is its quota, as far as that lies within its share. */
static uint32_t quota(const sgp_census *c, uint32_t member)
{
    uint32_t wanted = c->course->wanted[0][member] + c->course->wanted[1][member], will = c->will[member];
    if (c->share.floor == NULL || will == wanted) {
        return wanted;
    }
    uint32_t low = c->share.floor[member], high = c->share.ceiling[member];
    if (wanted >= low && wanted <= high) {
        return wanted;
    }
    return will < low ? low : will > high ? high : will;
}

sgp_numbers sgp_quota_of(const sgp_census *c, uint32_t to, uint32_t from)
{
    sgp_numbers n = {{held(c, to), quota(c, to), 0, 0}};
    if (from != SEGUE_NONE) {
        n.at[2] = held(c, from);
        n.at[3] = quota(c, from);
    }
    return n;
}

sgp_numbers sgp_quota_with_state(const sgp_census *c, uint32_t to, uint32_t from)
{
    const uint32_t *has = c->held[1], *wanted = c->course->wanted[1];
    return (sgp_numbers){{has[to], wanted[to], from == SEGUE_NONE ? 0 : has[from], from == SEGUE_NONE ? 0 : wanted[from]}};
}

/* Who will serve it when all that is learned or held back is done. */
static uint32_t target_of(const sgp_census *c, uint32_t task)
{
    uint32_t learner = c->plan->learner[task];
    int held_back = learner == SEGUE_NONE && c->course->roles.outcome[task] == SGP_HELD_BACK;
    return learner != SEGUE_NONE ? learner : held_back ? sgp_course_target(c->course, task) : c->plan->active[task];
}

/* Tasks outside floor and ceiling of a member's share of the subtopology. */
static int64_t outside(const sgp_census *c, uint32_t member, uint32_t has)
{
    uint64_t share = (uint64_t)c->cell_tasks * c->view->threads[member], low = share / c->view->capacity;
    uint64_t high = low + (share % c->view->capacity > 0);
    return (int64_t)(has < low ? low - has : has > high ? has - high : 0);
}

/* How much less is outside in the end, of a member that is looked at for the first time; its cells begin anew. */
static int64_t gain_of(sgp_census *c, uint32_t member)
{
    int64_t gain = outside(c, member, c->cell[member]) - outside(c, member, c->then[member]);
    c->then[member] = c->cell[member];
    return gain;
}

/* Counts who has what of the subtopology, now and in the end. */
static void count_subtopology(sgp_census *c)
{
    const uint32_t *start = c->view->subtopology_start, from = start[c->subtopology], to = start[c->subtopology + 1];
    int64_t gain = 0;
    c->cell_tasks = 0;
    for (uint32_t t = from; t < to; t++) {
        uint32_t tasks = (uint32_t)sgp_stateful(c->view, t);
        c->cell[c->plan->active[t]] += tasks;
        c->then[target_of(c, t)] += tasks;
        c->cell_tasks += tasks;
    }
    for (uint32_t t = from; t < to; t++) {
        gain += gain_of(c, c->plan->active[t]) + gain_of(c, target_of(c, t));
    }
    c->becomes_even = gain > 0;
}

static void clear_subtopology(sgp_census *c)
{
    const uint32_t *start = c->view->subtopology_start;
    for (uint32_t t = start[c->subtopology]; t < start[c->subtopology + 1]; t++) {
        c->cell[c->plan->active[t]] = c->then[c->plan->active[t]] = c->then[target_of(c, t)] = 0;
    }
}

/* Tasks come subtopology by subtopology. */
static void look_at_subtopology(sgp_census *c, uint32_t task)
{
    const uint32_t subtopology = c->view->group->task_subtopology[task];
    if (c->subtopology == subtopology) {
        return;
    }
    if (c->subtopology != SEGUE_NONE) {
        clear_subtopology(c);
    }
    c->subtopology = subtopology;
    count_subtopology(c);
}

int sgp_census_evens(sgp_census *c, uint32_t task, uint32_t from, uint32_t to)
{
    int by_racks = c->course->racks && c->view->config->rack_strategy == SEGUE_RACK_BALANCE_SUBTOPOLOGY;
    if (!c->course->buys_spread && !by_racks) {
        return 0;
    }
    look_at_subtopology(c, task);
    const uint32_t gives = c->cell[from], gets = c->cell[to];
    return c->becomes_even &&
           outside(c, from, gives - 1) + outside(c, to, gets + 1) < outside(c, from, gives) + outside(c, to, gets);
}

static void count_held(sgp_census *c)
{
    for (uint32_t t = 0; t < c->view->tasks; t++) {
        uint32_t active = c->plan->active[t], learner = c->plan->learner[t], target = target_of(c, t);
        c->held[sgp_stateful(c->view, t)][active]++;
        c->will[target]++;
        c->gives[active] |= target != active;
        c->gets[target] |= target != active;
        if (learner != SEGUE_NONE) {
            c->learning[learner]++;
            c->learners++;
        }
    }
}

static int32_t take_columns(sgp_census *c)
{
    const uint32_t members = c->view->members;
    sgp_region *region = c->course->region;
    for (int i = 0; i < 2; i++) {
        c->held[i] = SGP_TAKE_ZERO(region, uint32_t, members);
    }
    c->will = SGP_TAKE_ZERO(region, uint32_t, members);
    c->gives = SGP_TAKE_ZERO(region, uint8_t, members);
    c->gets = SGP_TAKE_ZERO(region, uint8_t, members);
    c->learning = SGP_TAKE_ZERO(region, uint32_t, members);
    c->cell = SGP_TAKE_ZERO(region, uint32_t, members);
    c->then = SGP_TAKE_ZERO(region, uint32_t, members);
    return region->failed ? SEGUE_E_MEMORY : SEGUE_OK;
}

/* Something could keep members from what they should hold: tasks with state may not follow, and others fill up. */
static int32_t take_share(sgp_census *c)
{
    const sgp_view *view = c->view;
    int is_mixed = view->stateful_tasks > 0 && view->stateful_tasks < view->tasks;
    if (!is_mixed || c->course->weights.of != NULL || c->course->strategy->solve != NULL) {
        return SEGUE_OK;
    }
    c->share.floor = SGP_TAKE(c->course->region, uint32_t, view->members);
    c->share.ceiling = SGP_TAKE(c->course->region, uint32_t, view->members);
    if (c->course->region->failed) {
        return SEGUE_E_MEMORY;
    }
    sgp_quota_share(view, view->tasks, &c->share);
    return SEGUE_OK;
}

int32_t sgp_census_take(sgp_census *c, const sgp_course *course, const segue_plan *plan)
{
    *c = (sgp_census){.course = course, .view = &course->view, .plan = plan, .subtopology = SEGUE_NONE};
    if (take_columns(c) != SEGUE_OK || take_share(c) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    c->by_weight = course->weights.of != NULL && sgp_weights_differ(c->view, &course->weights, 1);
    count_held(c);
    return SEGUE_OK;
}
