/* SPDX-License-Identifier: Apache-2.0 */
#include "strategy/course.h"

#include "core/check.h"
#include "core/fault.h"
#include "solve/balance.h"
#include "solve/rack_target.h"
#include "solve/rounding.h"
#include "solve/serve.h"
#include "solve/weigh_shed.h"
#include "strategy/answer.h"
#include "strategy/settle.h"

#include <string.h>

static int32_t take_columns(sgp_course *c, uint32_t *active, uint32_t *learner)
{
    const uint32_t tasks = c->view.tasks, members = c->view.members;
    c->serve = SGP_TAKE(c->region, uint32_t, tasks);
    c->target = SGP_TAKE(c->region, uint32_t, tasks);
    c->wanted[0] = SGP_TAKE_ZERO(c->region, uint32_t, members);
    c->wanted[1] = SGP_TAKE_ZERO(c->region, uint32_t, members);
    c->roles = (sgp_roles){.serve = c->serve, .target = c->target};
    c->roles.active = active;
    c->roles.learner = learner;
    c->roles.outcome = c->decides ? SGP_TAKE(c->region, uint8_t, tasks) : NULL;
    return c->region->failed ? SEGUE_E_MEMORY : SEGUE_OK;
}

static int32_t take_quota(const sgp_course *c, sgp_quota *quota)
{
    quota->floor = SGP_TAKE(c->region, uint32_t, c->view.members);
    quota->ceiling = SGP_TAKE(c->region, uint32_t, c->view.members);
    return c->region->failed ? SEGUE_E_MEMORY : SEGUE_OK;
}

static int32_t count_promised(sgp_course *c)
{
    c->promised = SGP_TAKE_ZERO(c->region, uint32_t, c->view.members);
    for (uint32_t t = 0; c->promised != NULL && t < c->view.tasks; t++) {
        if (sgp_stateful(&c->view, t)) {
            c->promised[c->target[t]]++;
        }
    }
    return c->promised == NULL ? SEGUE_E_MEMORY : SEGUE_OK;
}

static uint8_t *receivers(const sgp_course *c)
{
    const uint32_t members = c->view.members;
    const uint8_t *place = c->view.place, *newcomer = c->view.newcomer;
    uint8_t *restrict receives = SGP_TAKE(c->region, uint8_t, members);
    const int everyone = c->strategy->everyone_receives;
    for (uint32_t m = 0; receives != NULL && m < members; m++) {
        receives[m] = (place[m] == SGP_STAYS) & (everyone | newcomer[m]);
    }
    return receives;
}

/* By member: the weight of the stateful tasks whose target it is. */
static uint64_t *weigh_stateful(const sgp_course *c)
{
    uint64_t *carried = SGP_TAKE_ZERO(c->region, uint64_t, c->view.members);
    for (uint32_t t = 0; carried != NULL && t < c->view.tasks; t++) {
        if (sgp_stateful(&c->view, t)) {
            carried[c->target[t]] += c->weights.of[t];
        }
    }
    return carried;
}

/* Weights decide about tasks that do not weigh the same, and about those that come on top of such. */
static int32_t balance_kind(sgp_course *c, sgp_balance *b, const sgp_quota *quota, const uint8_t *costly, uint32_t budget)
{
    sgp_scale scale;
    sgp_weighed *weighed = &c->weighed[b->stateful];
    *weighed = (sgp_weighed){.alone = 0};
    b->scale = NULL;
    if (c->weights.of == NULL || b->count == 0 || (b->stateful && !sgp_weights_differ(&c->view, &c->weights, 1))) {
        return sgp_balance_run(b, quota, costly, budget);
    }
    const uint64_t *carried = b->stateful ? NULL : weigh_stateful(c);
    if (c->region->failed || sgp_scale_open(&scale, b, &c->weights, carried) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    b->scale = &scale;
    int32_t status = sgp_balance_run(b, quota, costly, budget);
    weighed->alone = !scale.in_quota;
    b->scale = NULL;
    return status == SEGUE_OK && !c->is_echo ? sgp_shed_least(&scale, c->view.owner, &weighed->min_moves) : status;
}

/*
 * Members whose stateful rounding lifts them above their total floor use up room that the total's own roundings need:
 * at most as many of them may be rounded up as the total has roundings.
 */
static int32_t balance_stateful(sgp_course *c, sgp_balance *b)
{
    sgp_quota total;
    if (take_quota(c, &c->quota) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    sgp_quota_share(&c->view, c->view.stateful_tasks, &c->quota);
    b->stateful = 1;
    b->count = c->view.stateful_tasks;
    b->load = c->served;
    if (b->count == c->view.tasks) {
        return balance_kind(c, b, &c->quota, NULL, 0);
    }
    uint8_t *costly = SGP_TAKE(c->region, uint8_t, c->view.members);
    if (take_quota(c, &total) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    sgp_quota_share(&c->view, c->view.tasks, &total);
    for (uint32_t m = 0; m < c->view.members; m++) {
        costly[m] = c->quota.floor[m] == total.floor[m];
    }
    return balance_kind(c, b, &c->quota, costly, total.roundings);
}

/* Owners go on, where they are here. */
static void serve_stateless(sgp_course *c, uint32_t *load)
{
    for (uint32_t t = 0; t < c->view.tasks; t++) {
        uint32_t owner = c->view.owner[t];
        if (!sgp_stateful(&c->view, t)) {
            int serves = owner != SEGUE_NONE && c->view.place[owner] != SGP_GONE && !c->strategy->forgets;
            c->serve[t] = serves ? owner : SEGUE_NONE;
        }
    }
    for (uint32_t m = 0; m < c->view.members; m++) {
        load[m] = c->view.place[m] != SGP_GONE && !c->strategy->forgets ? c->view.owned[0][m] : 0;
    }
}

/* Who gives up state for others takes tasks without it in their place, where only newcomers take anything: else a member that
 * has only such tasks, and is new to state, would end with more than its quota, and who gave it up with less. */
static void take_in_place(const sgp_course *c, uint8_t *receives)
{
    for (uint32_t m = 0; m < c->view.members; m++) {
        receives[m] |= c->view.place[m] == SGP_STAYS && c->promised[m] < c->served[m];
    }
}

static int32_t balance_stateless(sgp_course *c, sgp_balance *b)
{
    sgp_quota quota;
    uint32_t *load = SGP_TAKE(c->region, uint32_t, c->view.members);
    b->stateful = 0;
    b->count = c->view.tasks - c->view.stateful_tasks;
    b->load = load;
    if (take_quota(c, &quota) != SEGUE_OK || sgp_quota_fill(&c->view, c->promised, b->count, &quota, c->region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    take_in_place(c, b->receives);
    serve_stateless(c, load);
    return balance_kind(c, b, &quota, NULL, 0);
}

/* Stateless tasks have nothing to learn: they are where they should be. */
static void move_stateless(sgp_course *c)
{
    for (uint32_t t = 0; t < c->view.tasks; t++) {
        if (!sgp_stateful(&c->view, t)) {
            c->roles.active[t] = c->target[t];
            c->roles.learner[t] = SEGUE_NONE;
            sgp_note_outcome(&c->roles, t, c->target[t] == c->view.owner[t] ? SGP_SETTLED : SGP_MOVED);
        }
    }
}

/* What a balance leaves behind besides the targets. */
static void note_balance(sgp_course *c, const sgp_balance *b)
{
    c->cut |= b->cut;
    c->min_traffic += b->min_traffic;
    c->wanted[b->stateful] = b->count > 0 ? b->want : c->wanted[b->stateful];
}

/* The proven least of one kind: by quota, by weight, or by both. */
static uint32_t least_moves(const sgp_course *c, int stateful, const sgp_quota *quota)
{
    const sgp_weighed *weighed = &c->weighed[stateful];
    uint32_t by_count = weighed->alone ? 0 : sgp_least_moves(&c->view, c->view.owned[stateful], quota);
    return by_count > weighed->min_moves ? by_count : weighed->min_moves;
}

/* The proven least, from the owners as they are now: see segue/plan.h. */
int32_t sgp_course_least_moves(sgp_course *c)
{
    const uint32_t stateless = c->view.tasks - c->view.stateful_tasks;
    sgp_quota quota;
    if (c->view.nobody_stays || c->is_echo) {
        return SEGUE_OK;
    }
    c->min_moves = least_moves(c, 1, &c->quota);
    if (stateless == 0) {
        return SEGUE_OK;
    }
    if (take_quota(c, &quota) != SEGUE_OK ||
        sgp_quota_fill(&c->view, c->promised, stateless, &quota, c->region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    c->min_moves += least_moves(c, 0, &quota);
    return SEGUE_OK;
}

static int32_t place_stateless(sgp_course *c, sgp_balance *b)
{
    if (count_promised(c) != SEGUE_OK || balance_stateless(c, b) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    note_balance(c, b);
    move_stateless(c);
    return SEGUE_OK;
}

static int32_t serve_stateful(sgp_course *c)
{
    if (!c->strategy->forgets && sgp_everybody_goes_on(&c->view)) {
        c->serve = c->view.owner;
        c->served = c->view.owned[1];
        return SEGUE_OK;
    }
    c->served = SGP_TAKE_ZERO(c->region, uint32_t, c->view.members);
    if (c->served == NULL) {
        return SEGUE_E_MEMORY;
    }
    if (c->strategy->forgets) {
        memset(c->serve, 0xff, c->view.tasks * sizeof *c->serve);
        return SEGUE_OK;
    }
    return sgp_serve(&c->view, c->strategy->cold, c->serve, c->served, c->region);
}

static int nobody_serves(const sgp_course *c)
{
    uint32_t any = 0;
    for (uint32_t m = 0; m < c->view.members; m++) {
        any |= c->served[m];
    }
    return any == 0;
}

/* Owners serve, and counts alone have decided about all tasks. */
static int is_by_counts(const sgp_course *c)
{
    return c->serve == c->view.owner && c->weights.of == NULL && !c->racks && !c->buys_spread && !c->view.nobody_stays;
}

/* Is there nobody behind the hand-over who looks at tasks that do not move, as long as everybody stays? Decisions do, standbys
 * and the echo. A step that is forgotten here finds no owners (`solve`). */
static int only_moves_count(const sgp_course *c, const segue_group *group, const segue_config *config)
{
    return !c->decides && config->num_standby_replicas == 0 && sgp_settles_anyway(c->strategy, group, config);
}

/* By counts targets are found in the place of the actives, which nearly all of them become. */
static int32_t find_targets(sgp_course *c, sgp_balance *b)
{
    b->serve_will_do = is_by_counts(c);
    if (!b->serve_will_do && sgp_course_part_owners(c) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    b->serve = c->serve;
    b->aside = c->target;
    b->by_blocks = b->serve_will_do && c->only_moves && c->view.staying == c->view.members;
    b->target = b->serve_will_do && !c->is_echo ? c->roles.active : c->target;
    if (balance_stateful(c, b) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    note_balance(c, b);
    if (b->serve != c->serve) {
        c->serve = c->view.owner = b->aside;
    }
    c->target = b->unchanged && b->serve_will_do ? c->view.owner : b->target;
    c->roles.serve = c->serve;
    c->roles.target = c->target;
    c->roles.marks = b->marks;
    c->roles.unchanged = b->unchanged;
    c->roles.nobody_serves = nobody_serves(c);
    return SEGUE_OK;
}

static int32_t hand_over(sgp_course *c)
{
    int32_t status = sgp_hand_over(&c->view, &c->roles, c->strategy->cold, c->region);
    c->target = c->roles.target;
    return status;
}

int32_t sgp_course_part_owners(sgp_course *c)
{
    uint32_t *owner = c->view.owner;
    if (owner != c->roles.active || c->view.tasks == 0) {
        return SEGUE_OK;
    }
    c->view.owner = SGP_TAKE(c->region, uint32_t, c->view.tasks);
    if (c->view.owner == NULL) {
        return SEGUE_E_MEMORY;
    }
    memcpy(c->view.owner, owner, c->view.tasks * sizeof *owner);
    c->serve = c->serve == owner ? c->view.owner : c->serve;
    return SEGUE_OK;
}

/* Where counts decide, the accounts say what everybody has with all targets; some of them have to wait. */
static int32_t count_held(sgp_course *c, const sgp_balance *b)
{
    const sgp_roles *r = &c->roles;
    const uint32_t members = c->view.members, *want = b->want, *surplus = b->surplus, *deficit = b->deficit;
    uint32_t *restrict held = SGP_TAKE(c->region, uint32_t, members);
    if (held == NULL) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t m = 0; m < members; m++) {
        held[m] = want[m] + surplus[m] - deficit[m];
    }
    for (uint32_t i = 0; i < r->waiting_count; i++) {
        held[sgp_course_target(c, r->waiting[i])]--;
        held[c->serve[r->waiting[i]]]++;
    }
    c->held = held;
    return SEGUE_OK;
}

static int32_t solve(sgp_course *c)
{
    sgp_balance b = {.view = &c->view, .region = c->region};
    b.deadline = c->deadline;
    b.receives = receivers(c);
    b.racks = c->racks;
    b.moves_first = !c->strategy->everyone_receives;
    b.buys_spread = c->buys_spread;
    b.costs = &c->costs;
    if (c->strategy->weighs && !c->view.nobody_stays && !c->is_echo) {
        sgp_weights_build(&c->weights, &c->view, c->region); /* a fault is found below */
    }
    if (c->region->failed || serve_stateful(c) != SEGUE_OK || find_targets(c, &b) != SEGUE_OK ||
        hand_over(c) != SEGUE_OK ||
        (is_by_counts(c) && count_held(c, &b) != SEGUE_OK) ||
        (c->view.stateful_tasks < c->view.tasks && place_stateless(c, &b) != SEGUE_OK)) {
        return SEGUE_E_MEMORY;
    }
    if (b.by_blocks && !b.unchanged) {
        c->serve = c->view.owner = NULL; /* whole only in blocks that are marked: nobody shall take them for more */
    }
    if (sgp_stand_by(&c->view, c->roles.active, c->roles.learner, &c->standbys, c->region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    return sgp_course_least_moves(c);
}

int32_t sgp_course_solve(sgp_course *c, uint32_t *active, uint32_t *learner)
{
    c->racks = c->strategy->solve == NULL && sgp_rack_wanted(&c->view);
    int32_t status = take_columns(c, active, learner);
    if (status != SEGUE_OK || c->view.tasks == 0) {
        return status;
    }
    if (c->strategy->solve == NULL) {
        return solve(c);
    }
    return sgp_course_part_owners(c) == SEGUE_OK ? c->strategy->solve(c) : SEGUE_E_MEMORY;
}

static int32_t run_settled(sgp_course *c, const segue_group *group, const segue_config *config, segue_plan *plan)
{
    int knows_leaving = (c->strategy->traits & (SEGUE_TRAIT_LEAVING | SEGUE_TRAIT_LOOSE)) != 0;
    /* Weights may lead to an echo, to which lags are of interest. */
    int only_moves = c->only_moves && (group->task_weight == NULL || !c->strategy->weighs);
    int32_t status = sgp_view_build(&c->view, group, config, knows_leaving, only_moves, plan->active, c->region);
    status = status == SEGUE_OK ? sgp_course_solve(c, plan->active, plan->learner) : status;
    return status == SEGUE_OK ? sgp_settle_plan(c) : status;
}

int32_t sgp_course_run(const sgp_strategy *strategy, const segue_group *group, const segue_config *config,
                       segue_plan *plan, sgp_region *region, segue_error *error)
{
    sgp_course c = {.strategy = strategy, .region = region};
    sgp_deadline deadline;
    int32_t status = sgp_check(group, config, error);
    if (status == SEGUE_OK) {
        status = sgp_answer_fits(group, config, plan, error);
    }
    if (status == SEGUE_OK) {
        deadline = sgp_deadline_start(config->max_compute_us);
        c.deadline = &deadline;
        c.decides = plan->decision_capacity > 0;
        c.only_moves = only_moves_count(&c, group, config);
        c.buys_spread = strategy->everyone_receives && config->spread_subtopologies;
        status = run_settled(&c, group, config, plan);
    }
    if (status == SEGUE_OK) {
        status = sgp_answer(&c, plan);
    }
    return status == SEGUE_E_MEMORY ? sgp_fault(error, status, SEGUE_NONE, "no memory for %u tasks and %u members",
                                                (unsigned)group->task_count, (unsigned)group->member_count)
                                    : status;
}
