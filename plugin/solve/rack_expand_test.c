/* SPDX-License-Identifier: Apache-2.0 */
/* Which tasks are taken for the optimum's numbers: what rack_expand.h and rack_share.h say of them, read slowly. */
#include "solve/rack_expand.h"

#include "solve/nearness.h"
#include "solve/rack_solve.h"
#include "test/chance.h"
#include "test/rack_scene.h"
#include "test/testing.h"

enum { TASKS = 40, MEMBERS = 9 };

typedef struct expanded {
    rack_scene *t;
    uint64_t seed;
    uint32_t target[TASKS];
    int64_t measured[SGP_RACK_MEASURES]; /* by the flow */
} expanded;

static void measure(expanded *e)
{
    const sgp_rack_graph *g = &e->t->g;
    for (int i = 0; i < SGP_RACK_MEASURES; i++) {
        e->measured[i] = i == SGP_RACK_TRAFFIC ? g->traffic : 0;
        for (uint32_t a = 0; g->measure[i] != NULL && a < g->flow.arcs; a++) {
            e->measured[i] += g->measure[i][a] * g->flow.amount[a];
        }
    }
}

static expanded expand_draft(draft *d, rack_wish wish)
{
    expanded e = {.t = rack_scene_open(d, wish), .seed = d->seed};
    assert_int_equal(sgp_rack_graph_solve(&e.t->g, wish.moves_first), SGP_FLOW_OPTIMAL);
    measure(&e);
    assert_int_equal(sgp_rack_expand(&e.t->g, e.target), SEGUE_OK);
    return e;
}

static expanded expand(uint64_t seed, int copies)
{
    chance c = chance_of(seed ^ 0xea51e);
    rack_wish wish = {.moves_first = (int)chance_below(&c, 2), .newcomers = (int)chance_below(&c, 2)};
    return expand_draft(rack_scene_draft(seed, (rack_size){TASKS, MEMBERS, copies}), wish);
}

static uint32_t tasks_of(const expanded *e)
{
    return e->t->s->view.tasks;
}

static int leaves(const expanded *e, uint32_t task)
{
    uint32_t server = rack_scene_class(e->t, task)->server;
    return server == SEGUE_NONE || server != e->target[task];
}

/* ---- the numbers ---- */

static void expect_numbers(const expanded *e)
{
    const rack_scene *t = e->t;
    int64_t traffic = 0, moves = 0, ready = 0, started = 0;
    uint32_t held[MEMBERS] = {0};
    for (uint32_t task = 0; task < tasks_of(e); task++) {
        const sgp_rack_class *c = rack_scene_class(t, task);
        traffic += sgp_rack_traffic(t->s->view.group, task, e->target[task]);
        moves += c->server != SEGUE_NONE && c->server != e->target[task];
        ready += c->learner == e->target[task] && c->ready;
        started += c->learner == e->target[task];
        held[e->target[task]]++;
    }
    EXPECT(traffic == e->measured[SGP_RACK_TRAFFIC] && traffic == t->g.bound, "seed %llu: traffic %lld, by the flow %lld",
           (unsigned long long)e->seed, (long long)traffic, (long long)e->measured[SGP_RACK_TRAFFIC]);
    EXPECT(moves == e->measured[SGP_RACK_MOVES], "seed %llu: %lld moves", (unsigned long long)e->seed, (long long)moves);
    EXPECT(ready == -e->measured[SGP_RACK_READY], "seed %llu: %lld learners are done", (unsigned long long)e->seed,
           (long long)ready);
    EXPECT(started == -e->measured[SGP_RACK_STARTED], "seed %llu: %lld learners go on", (unsigned long long)e->seed,
           (long long)started);
    for (uint32_t m = 0; m < t->s->view.members; m++) {
        int stays = t->s->view.place[m] == SGP_STAYS;
        EXPECT(stays ? held[m] >= t->bounds.low[m] && held[m] <= t->bounds.high[m] : held[m] == 0,
               "seed %llu: %u has %u", (unsigned long long)e->seed, m, held[m]);
    }
}

static void targets_come_to_what_the_flow_says_and_keep_each_members_bounds(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        expanded e = expand(seed, seed % 2 == 0);
        expect_numbers(&e);
        rack_scene_close(e.t);
    }
}

/* ---- copies ---- */

/* A copy of the task, on the member's disk or anywhere. */
static const sgp_copy *copy_on(const expanded *e, uint32_t task, uint32_t member)
{
    uint32_t count;
    const sgp_copy *copies = sgp_copies(&e->t->s->view, task, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (copies[i].member == member) {
            return &copies[i];
        }
    }
    return NULL;
}

static int is_ready(const expanded *e, uint32_t task, uint32_t member)
{
    const sgp_copy *copy = copy_on(e, task, member);
    return copy != NULL && sgp_hot(&e->t->s->view, copy->lag);
}

static int differ_by_readiness_alone(const sgp_rack_class *c, const sgp_rack_class *d)
{
    return c->server == d->server && c->learner == d->learner && c->vector == d->vector && c->part == d->part;
}

/* Of tasks that are alike but for that, those that their learner has caught up with go to it before the others. */
static uint32_t expect_ready_first(const expanded *e)
{
    uint32_t chosen = 0;
    for (uint32_t a = 0; a < tasks_of(e); a++) {
        const sgp_rack_class *c = rack_scene_class(e->t, a);
        for (uint32_t b = 0; c->learner != SEGUE_NONE && b < tasks_of(e); b++) {
            int passed_over = differ_by_readiness_alone(c, rack_scene_class(e->t, b)) && e->target[a] == c->learner &&
                              e->target[b] != c->learner;
            EXPECT(!passed_over || is_ready(e, a, c->learner) || !is_ready(e, b, c->learner),
                   "seed %llu: %u goes before %u", (unsigned long long)e->seed, a, b);
            chosen += passed_over && is_ready(e, a, c->learner) && !is_ready(e, b, c->learner);
        }
    }
    return chosen;
}

/* How near the member is to the task's state; SEGUE_NONE for not at all. */
static uint64_t nearness(const expanded *e, uint32_t task, uint32_t member)
{
    const sgp_copy *copy = copy_on(e, task, member);
    if (copy == NULL || e->t->b.serve[task] == SEGUE_NONE || e->t->b.serve[task] == member) {
        return SEGUE_NONE;
    }
    uint64_t class = sgp_nearness_of(&e->t->s->view, copy, rack_scene_class(e->t, task)->server == SEGUE_NONE);
    return class << 8 | (class <= SGP_HOT ? 0 : sgp_magnitude(copy->lag));
}

/* Tasks that leave in each other's place without any difference to the flow: of one class, or of one lot where both leave. */
static int are_alike(const expanded *e, uint32_t a, uint32_t b)
{
    const sgp_rack_class *c = rack_scene_class(e->t, a), *d = rack_scene_class(e->t, b);
    return c == d || (leaves(e, a) && c->vector == d->vector && c->part == d->part &&
                      (c->server == SEGUE_NONE) == (d->server == SEGUE_NONE));
}

static int goes_on(const expanded *e, uint32_t task)
{
    return e->target[task] == rack_scene_class(e->t, task)->learner;
}

/* Nobody gets a task while it has a nearer copy of another one that might as well have come, and that is no nearer to where
 * it went. */
static uint32_t expect_nearest(const expanded *e)
{
    uint32_t taken = 0;
    for (uint32_t a = 0; a < tasks_of(e); a++) {
        uint32_t member = e->target[a];
        if (!leaves(e, a) || goes_on(e, a)) {
            continue;
        }
        taken += nearness(e, a, member) != SEGUE_NONE;
        for (uint32_t b = 0; b < tasks_of(e); b++) {
            if (goes_on(e, b) || e->target[b] == member || !are_alike(e, b, a)) {
                continue;
            }
            uint64_t its = nearness(e, b, member);
            EXPECT(its >= nearness(e, a, member) || (leaves(e, b) && its >= nearness(e, b, e->target[b])),
                   "seed %llu: %u has a nearer copy of %u than of %u", (unsigned long long)e->seed, member, b, a);
        }
    }
    return taken;
}

static void running_learners_and_the_nearest_copies_come_first(void **state)
{
    (void)state;
    uint32_t chosen = 0, taken = 0;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        expanded e = expand(seed, 1);
        chosen += expect_ready_first(&e);
        taken += expect_nearest(&e);
        rack_scene_close(e.t);
    }
    EXPECT(chosen > 30 && taken > 1000, "%u ready ones were chosen, %u copies taken", chosen, taken);
}

/* ---- without copies ---- */

/* So many of a class leave: each where the number of those gone falls behind its part of all. */
static void expect_from_all_over(const expanded *e)
{
    for (uint32_t i = 0; i < e->t->classes.count; i++) {
        const sgp_rack_class *c = &e->t->classes.list[i];
        const uint32_t *task = e->t->classes.task + c->first;
        uint32_t gone = 0;
        for (uint32_t k = 0; k < c->count; k++) {
            gone += (uint32_t)leaves(e, task[k]);
        }
        for (uint32_t k = 0; k < c->count; k++) {
            EXPECT(leaves(e, task[k]) == ((k + 1) * gone / c->count > k * gone / c->count), "seed %llu: task %u of %u",
                   (unsigned long long)e->seed, k, c->count);
        }
    }
}

static uint32_t hub_of(const expanded *e, uint32_t member)
{
    return e->t->groups.list[e->t->groups.of_member[member]].hub;
}

/* What comes to one hub of one part, task by task, goes round among those that still need something. */
static void expect_turns(const expanded *e, uint32_t hub, uint32_t part)
{
    uint32_t need[MEMBERS] = {0}, at = 0, count = 0;
    for (uint32_t i = 0; i < e->t->groups.count; i++) {
        count += e->t->groups.list[i].count;
    }
    for (uint32_t t = 0; t < tasks_of(e); t++) {
        int comes = leaves(e, t) && hub_of(e, e->target[t]) == hub && rack_scene_class(e->t, t)->part == part;
        need[e->target[t]] += (uint32_t)comes;
    }
    for (uint32_t t = 0; t < tasks_of(e); t++) {
        if (leaves(e, t) && hub_of(e, e->target[t]) == hub && rack_scene_class(e->t, t)->part == part) {
            while (need[e->t->groups.member[at % count]] == 0) {
                at++;
            }
            uint32_t turn = e->t->groups.member[at++ % count];
            EXPECT(e->target[t] == turn, "seed %llu: task %u goes to %u, and it is %u's turn", (unsigned long long)e->seed, t,
                   e->target[t], turn);
            need[turn]--;
        }
    }
}

static void tasks_leave_from_all_over_their_class_and_are_dealt_in_turns(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        expanded e = expand(seed, 0);
        expect_from_all_over(&e);
        for (uint32_t i = 0; i < e.t->groups.hubs * e.t->g.parts; i++) {
            expect_turns(&e, i / e.t->g.parts, i % e.t->g.parts);
        }
        rack_scene_close(e.t);
    }
}

/* ---- members that are alike ---- */

/* Three or more in one rack that serve the same numbers of tasks read in each of two others, where there is room for some. */
static draft *alike(uint64_t seed)
{
    chance c = chance_of(seed);
    draft *d = draft_new();
    d->seed = seed;
    uint32_t servers = 3 + chance_below(&c, 3), others = 2 + chance_below(&c, 3), each = 2 + chance_below(&c, 4);
    draft_tasks(d, servers * each, 1);
    for (uint32_t m = 0; m < servers + others; m++) {
        draft_member(d, m, 1);
    }
    draft_racks(d, 3);
    for (uint32_t t = 0; t < servers * each; t++) {
        draft_input(d, t, t / servers % 2 == 0 ? 2 : 4);
        draft_owns(d, t % servers, t, 1);
    }
    for (uint32_t m = 0; m < servers + others; m++) {
        d->member_rack[m] = m < servers ? 0 : 1 + m % 2;
    }
    d->config.rack_strategy = SEGUE_RACK_MIN_TRAFFIC;
    return d;
}

static void members_that_are_alike_give_in_turns(void **state)
{
    (void)state;
    uint32_t both = 0;
    for (uint64_t seed = chance_seed(), last = seed + 200; seed < last; seed++) {
        expanded e = expand_draft(alike(seed), (rack_wish){.moves_first = (int)(seed % 2)});
        uint32_t gives[2][MEMBERS] = {0}, servers = e.t->groups.list[0].count;
        for (uint32_t t = 0; t < tasks_of(&e); t++) {
            gives[t / servers % 2][t % servers] += (uint32_t)leaves(&e, t);
        }
        for (uint32_t m = 1; m < servers; m++) {
            int64_t all = (int64_t)gives[0][m] + gives[1][m], first = (int64_t)gives[0][0] + gives[1][0];
            EXPECT(all <= first && all + 1 >= first, "seed %llu: %lld of %u, %lld of the first", (unsigned long long)seed,
                   (long long)all, m, (long long)first);
            both += gives[0][m] != gives[0][0] && gives[1][m] != gives[1][0];
        }
        expect_numbers(&e);
        rack_scene_close(e.t);
    }
    EXPECT(both > 20, "only %u cases with something of both", both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_come_to_what_the_flow_says_and_keep_each_members_bounds),
        cmocka_unit_test(running_learners_and_the_nearest_copies_come_first),
        cmocka_unit_test(tasks_leave_from_all_over_their_class_and_are_dealt_in_turns),
        cmocka_unit_test(members_that_are_alike_give_in_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
