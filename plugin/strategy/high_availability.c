/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIP-441 as Kafka Streams 4.4 runs it by default, so that a group can be compared with what people have today: first a
 * balanced layout that looks at nobody's state, then as much of it as caught-up copies allow, with two warm-ups at a time.
 *
 *   clients    processes, their threads, and how near each is to each task
 *   layout     stateful tasks dealt out in turns, evened out over threads, and traded for the racks' sake; standbys
 *              dealt out and evened out likewise
 *   warm up    what cannot be had now goes to whoever is nearest, and warms up where it is meant to be
 *   stateless  each to the client with the fewest actives by threads; then traded
 *   seats      from processes to members
 *
 * Where it is not Kafka's, and why:
 *   - An unknown lag is worse than any known one, and of two that are equally far behind the owner is the nearer one: R4 and
 *     R5 hold for every assignor (clients.h).
 *   - A task has one learner; Kafka may warm up two clients for it in one round (warm_up.h).
 *   - acceptable.recovery.lag without bounds makes every copy caught up, in Kafka also clients without a copy.
 *   - A client without a copy is farther than any copy. In Kafka it is as far as the changelog is long, and caught up where
 *     that is short.
 *   - segue.max.learners.per.member holds as well.
 *   - Standbys are not traded for the racks' sake. In Kafka they are, by where the changelogs' replicas are, of which a
 *     group does not tell.
 *   - Of several trades that cost the same it may be another one; and what traffic and moves cost is Kafka's default,
 *     whatever rack.aware.assignment.traffic_cost and .non_overlap_cost say.
 *
 * Memory and time are proportional to tasks, copies and members but for the evening out, which looks at all pairs of
 * clients where capacities differ, and what racks take: their costs (tasks that are read alike, times racks), which the
 * budget ends, and their flow, which a count of steps ends as well (flow.h).
 */
#include "core/heap.h"
#include "solve/even_out.h"
#include "solve/rack_trade.h"
#include "solve/replicate.h"
#include "solve/seat.h"
#include "solve/warm_up.h"
#include "strategy/course.h"

#include <string.h>

/* Kafka's default of max.warmup.replicas. Without a word of the user's the others know no limit, and this one has it. */
#define WARM_UPS 2u

/* Kafka's defaults for this assignor, and what it takes for tasks without state. */
static const sgp_rack_prices prices[] = {[0] = {.traffic = 1, .move = 0}, [1] = {.traffic = 10, .move = 1}};

typedef struct planner {
    sgp_course *course;
    sgp_view *view;
    sgp_region *region;
    sgp_clients clients;
    sgp_layout layout;
    int trades;      /* for the racks' sake */
    uint32_t *meant; /* by task: the process that should serve it in the end */
} planner;

static int32_t limit_warm_ups(planner *p)
{
    segue_config *own = SGP_TAKE(p->region, segue_config, 1);
    if (own == NULL) {
        return SEGUE_E_MEMORY;
    }
    memcpy(own, p->view->config, sizeof *own);
    own->max_learners = own->max_learners == SEGUE_NO_LIMIT ? WARM_UPS : own->max_learners;
    p->view->config = own;
    return SEGUE_OK;
}

/* Kafka knows nobody who is leaving: with time left a member is one like any other, and later it is not there. */
static void count_the_leaving_in(sgp_view *view)
{
    for (uint32_t m = 0; m < view->members; m++) {
        if (view->place[m] == SGP_LINGERS) {
            view->place[m] = SGP_STAYS;
            view->staying++;
            view->capacity += view->threads[m];
        }
    }
    view->nobody_stays = 0;
}

static uint32_t standby_ranks(const planner *p)
{
    uint32_t others = p->view->idle || p->clients.present == 0 ? 0 : p->clients.present - 1;
    return p->view->config->num_standby_replicas < others ? p->view->config->num_standby_replicas : others;
}

static uint32_t next_client(const sgp_clients *c, uint32_t client)
{
    do {
        client = client + 1 < c->count ? client + 1 : 0;
    } while (c->threads[client] == 0);
    return client;
}

static void deal_stateful(planner *p)
{
    uint32_t client = p->clients.count - 1;
    for (uint32_t t = 0; t < p->view->tasks; t++) {
        if (sgp_stateful(p->view, t)) {
            client = next_client(&p->clients, client);
            p->layout.active[t] = client;
            p->clients.load[client]++;
        }
    }
}

static int32_t even_out(planner *p, enum sgp_evened role)
{
    return sgp_even_out(&p->clients, &p->layout, role, p->course->deadline, p->region);
}

/* Where racks count: all of them, before anybody has anything. */
static int32_t know_racks(planner *p)
{
    p->trades = sgp_rack_trade_wanted(&p->clients);
    return p->trades ? sgp_rack_cost_build(&p->course->costs, p->view, p->course->deadline, p->region) : SEGUE_OK;
}

static int32_t trade(planner *p, int stateful)
{
    return p->trades ? sgp_rack_trade(&p->clients, &p->course->costs, stateful, prices[stateful], p->course->deadline,
                                      &p->layout, p->region, &p->course->cut)
                     : SEGUE_OK;
}

static int32_t lay_out(planner *p)
{
    deal_stateful(p);
    if (even_out(p, SGP_EVEN_ACTIVES) != SEGUE_OK || trade(p, 1) != SEGUE_OK ||
        sgp_replicate(&p->clients, &p->layout, p->region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    memcpy(p->meant, p->layout.active, p->view->tasks * sizeof *p->meant);
    return p->layout.ranks == 0 ? SEGUE_OK : even_out(p, SGP_EVEN_STANDBYS);
}

static int32_t warm_up(planner *p)
{
    const segue_config *config = p->view->config;
    sgp_warm_ups ups = {.slots = config->max_learners, .slots_per_member = config->max_learners_per_member};
    int32_t status = sgp_warm_up(&p->clients, &p->layout, &ups, p->region);
    p->course->asks_again = ups.movements > 0;
    return status;
}

static int32_t deal_stateless(planner *p)
{
    uint32_t *serving = SGP_TAKE_ZERO(p->region, uint32_t, p->clients.count);
    sgp_heap lightest = {SGP_TAKE(p->region, uint32_t, p->clients.count), 0, serving, p->clients.threads};
    if (p->region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t t = 0; t < p->view->tasks; t++) {
        if (sgp_stateful(p->view, t)) {
            serving[p->layout.active[t]]++;
        }
    }
    for (uint32_t i = 0; i < p->clients.count; i++) {
        if (p->clients.threads[i] > 0) {
            sgp_heap_push(&lightest, i);
        }
    }
    for (uint32_t t = 0; t < p->view->tasks; t++) {
        if (!sgp_stateful(p->view, t)) {
            uint32_t client = sgp_heap_pop(&lightest);
            p->layout.active[t] = client;
            serving[client]++;
            sgp_heap_push(&lightest, client);
        }
    }
    return SEGUE_OK;
}

static int32_t place_stateless(planner *p)
{
    if (deal_stateless(p) != SEGUE_OK || trade(p, 0) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t t = 0; t < p->view->tasks; t++) {
        p->meant[t] = sgp_stateful(p->view, t) ? p->meant[t] : p->layout.active[t];
    }
    return SEGUE_OK;
}

/* ---- seats ------------------------------------------------------------------------------------------------------- */

/* Rows of one kind only: the other kind gets its seats for itself. */
static int32_t seat_actives(planner *p, const uint32_t *process, uint32_t *member)
{
    uint32_t *some = SGP_TAKE(p->region, uint32_t, p->view->tasks);
    int32_t status = p->region->failed ? SEGUE_E_MEMORY : SEGUE_OK;
    for (int stateful = 0; stateful <= 1 && status == SEGUE_OK; stateful++) {
        for (uint32_t t = 0; t < p->view->tasks; t++) {
            some[t] = sgp_stateful(p->view, t) == stateful ? process[t] : SEGUE_NONE;
        }
        status = sgp_seat(p->view, p->view->tasks, some, p->view->owner, SGP_BY_THREADS, member, p->region);
    }
    return status;
}

/* The first member of the process that has a copy and is there. */
static uint32_t find_holder(const sgp_view *view, uint32_t task, uint32_t process)
{
    uint32_t count;
    const sgp_copy *copy = sgp_copies(view, task, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (sgp_process(view, copy[i].member) == process && view->place[copy[i].member] != SGP_GONE) {
            return copy[i].member;
        }
    }
    return SEGUE_NONE;
}

/* `each` rows for every task. */
static int32_t seat_copies(planner *p, const uint32_t *process, uint32_t each, enum sgp_share share, uint32_t *member)
{
    size_t rows = (size_t)p->view->tasks * each;
    uint32_t *holder = SGP_TAKE(p->region, uint32_t, rows);
    if (p->region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (size_t i = 0; i < rows; i++) {
        member[i] = SEGUE_NONE;
        holder[i] = process[i] == SEGUE_NONE ? SEGUE_NONE : find_holder(p->view, (uint32_t)(i / each), process[i]);
    }
    return sgp_seat(p->view, rows, process, holder, share, member, p->region);
}

static int32_t take_seats(planner *p)
{
    sgp_course *c = p->course;
    c->promised = SGP_TAKE_ZERO(p->region, uint32_t, c->view.members);
    c->standbys.ranks = p->layout.ranks;
    c->standbys.member = SGP_TAKE(p->region, uint32_t, (size_t)p->view->tasks * p->layout.ranks);
    if (p->region->failed || seat_actives(p, p->layout.active, c->roles.active) != SEGUE_OK ||
        seat_actives(p, p->meant, c->target) != SEGUE_OK ||
        seat_copies(p, p->layout.learner, 1, SGP_BY_MEMBERS, c->roles.learner) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    return p->layout.ranks == 0 ? SEGUE_OK
                                : seat_copies(p, p->layout.standby, p->layout.ranks, SGP_BY_THREADS, c->standbys.member);
}

/* ---- what became of each task ------------------------------------------------------------------------------------ */

static enum sgp_outcome outcome(const planner *p, uint32_t task)
{
    const sgp_roles *roles = &p->course->roles;
    if (roles->learner[task] != SEGUE_NONE) {
        return SGP_LEARNS;
    }
    uint32_t meant = p->meant[task];
    if (p->layout.active[task] != meant) {
        return sgp_standby_place(&p->layout, task, meant) != NULL ? SGP_SETTLED : SGP_HELD_BACK;
    }
    return roles->active[task] == p->view->owner[task] ? SGP_SETTLED : SGP_MOVED;
}

/* A task that is served where it is meant to be has its target there, whatever the seats would be without warm-ups. */
static void note_outcomes(planner *p)
{
    sgp_course *c = p->course;
    for (uint32_t t = 0; t < p->view->tasks; t++) {
        enum sgp_outcome became = outcome(p, t);
        c->wanted[sgp_stateful(p->view, t)][c->target[t]]++; /* when all is warmed up */
        if (p->layout.learner[t] == p->meant[t]) {
            c->target[t] = c->roles.learner[t];
        } else if (p->layout.active[t] == p->meant[t]) {
            c->target[t] = c->roles.active[t];
        }
        c->serve[t] = c->roles.active[t];
        c->promised[c->target[t]] += (uint32_t)sgp_stateful(p->view, t);
        sgp_note_outcome(&c->roles, t, became);
        c->roles.learners += c->roles.learner[t] != SEGUE_NONE;
        c->roles.held_back += became == SGP_HELD_BACK;
    }
}

static int32_t count_least_moves(sgp_course *c)
{
    c->quota.floor = SGP_TAKE(c->region, uint32_t, c->view.members);
    c->quota.ceiling = SGP_TAKE(c->region, uint32_t, c->view.members);
    if (c->region->failed) {
        return SEGUE_E_MEMORY;
    }
    sgp_quota_share(&c->view, c->view.stateful_tasks, &c->quota);
    return sgp_course_least_moves(c);
}

static int32_t solve(sgp_course *c)
{
    planner p = {.course = c, .view = &c->view, .region = c->region};
    p.meant = SGP_TAKE(p.region, uint32_t, p.view->tasks);
    if (p.region->failed || limit_warm_ups(&p) != SEGUE_OK ||
        sgp_clients_build(&p.clients, p.view, p.region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    count_the_leaving_in(p.view);
    if (sgp_layout_clear(&p.layout, p.view->tasks, standby_ranks(&p), p.region) != SEGUE_OK ||
        know_racks(&p) != SEGUE_OK || lay_out(&p) != SEGUE_OK || warm_up(&p) != SEGUE_OK ||
        place_stateless(&p) != SEGUE_OK ||
        take_seats(&p) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    note_outcomes(&p);
    return count_least_moves(c);
}

const sgp_strategy sgp_high_availability = {
    .name = "high-availability",
    .version = "4.4",
    .summary = "KIP-441 as Kafka Streams 4.4 runs it; a baseline with two warm-ups at a time",
    .traits = SEGUE_TRAIT_LOOSE,
    .solve = solve,
};
