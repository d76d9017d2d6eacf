/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_exchange.h"

#include "solve/rack_target.h"
#include "solve/weigh_scale.h"
#include "test/chance.h"
#include "test/rack_scene.h"
#include "test/random_group.h"
#include "test/solver.h"
#include "test/testing.h"

#include <stdio.h>

/* A balance without racks, and what its targets come to. */
typedef struct scene {
    solver *s;
    sgp_balance b;
    sgp_rack_cost cost;
    sgp_rack_classes classes;
    const uint32_t *part; /* by task, NULL where they are not told apart */
    uint32_t parts;
} scene;

typedef struct outcome {
    uint64_t traffic;
    uint32_t moves;    /* tasks that leave a staying server */
    uint32_t wrong;    /* of them: to one that does not receive */
    uint32_t *held;    /* by member and part */
} outcome;

static void look(const scene *c, outcome *o)
{
    const sgp_view *view = &c->s->view;
    *o = (outcome){.held = SGP_TAKE_ZERO(&c->s->region, uint32_t, (size_t)view->members * c->parts)};
    for (uint32_t t = 0; t < view->tasks; t++) {
        if (sgp_is_kind(&c->b, t)) {
            uint32_t target = c->b.target[t], server = c->classes.list[c->classes.of_task[t]].server;
            o->traffic += sgp_rack_traffic(view->group, t, target);
            o->moves += server != SEGUE_NONE && server != target;
            o->wrong += server != SEGUE_NONE && server != target && !c->b.receives[target];
            o->held[target * c->parts + (c->part == NULL ? 0 : c->part[t])]++;
        }
    }
}

enum apart { NOTHING, SUBTOPOLOGIES, WEIGHTS };

static void tell_apart(scene *c, enum apart apart)
{
    const sgp_view *view = &c->s->view;
    chance dice = chance_of(c->s->draft->seed);
    uint32_t *weight = SGP_TAKE(&c->s->region, uint32_t, view->tasks);
    for (uint32_t t = 0; t < view->tasks; t++) {
        weight[t] = chance_below(&dice, 3);
    }
    c->part = apart == NOTHING ? NULL : (apart == SUBTOPOLOGIES ? view->group->task_subtopology : weight);
    c->parts = apart == NOTHING ? 1 : (apart == SUBTOPOLOGIES ? view->subtopologies : 3);
}

static void set_scene(scene *c, draft *d, enum apart apart)
{
    c->s = solver_open(d);
    const sgp_view *view = &c->s->view;
    sgp_quota quota = {SGP_TAKE(&c->s->region, uint32_t, view->members), SGP_TAKE(&c->s->region, uint32_t, view->members), 0};
    c->b = solver_balance(c->s, SGP_TAKE_ZERO(&c->s->region, uint32_t, view->members));
    for (uint32_t m = 0; m < view->members; m++) {
        c->b.receives[m] = view->place[m] == SGP_STAYS && view->newcomer[m];
    }
    tell_apart(c, apart);
    sgp_quota_share(view, view->stateful_tasks, &quota);
    assert_int_equal(sgp_balance_run(&c->b, &quota, NULL, 0), SEGUE_OK);
    assert_int_equal(sgp_rack_cost_build(&c->cost, view, NULL, &c->s->region), SEGUE_OK);
    assert_int_equal(sgp_rack_classes_build(&c->classes, &c->b, &c->cost, c->part, c->parts, NULL), SEGUE_OK);
}

static void exchange(scene *c)
{
    const uint32_t tasks = c->s->view.tasks;
    uint8_t *open = SGP_TAKE(&c->s->region, uint8_t, tasks);
    for (uint32_t t = 0; t < tasks; t++) {
        open[t] = (uint8_t)sgp_rack_is_open(&c->b, t);
    }
    assert_int_equal(sgp_rack_exchange(&c->b, &c->cost, &c->classes, c->parts, open), SEGUE_OK);
    for (uint32_t t = 0; t < tasks; t++) {
        assert_int_equal(open[t], sgp_rack_is_open(&c->b, t));
    }
}

/* Member 0, in a, serves four tasks, of which 1 and 3 are read in b; members 1 and 2 are new, in b and a. */
static draft *two_newcomers(void)
{
    draft *d = draft_new();
    draft_tasks(d, 6, 1);
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, m, 1);
    }
    draft_racks(d, 2);
    for (uint32_t t = 0; t < 6; t++) {
        draft_input(d, t, (uint64_t)1 << t % 2);
        draft_owns(d, 0, t, 1);
    }
    d->member_rack[0] = d->member_rack[2] = 0;
    d->member_rack[1] = 1;
    d->config.rack_strategy = SEGUE_RACK_MIN_TRAFFIC;
    return d;
}

static void newcomers_get_what_is_read_in_their_rack(void **state)
{
    (void)state;
    scene c;
    outcome before, after;
    set_scene(&c, two_newcomers(), NOTHING);
    look(&c, &before);
    exchange(&c);
    look(&c, &after);
    assert_int_equal(after.moves, before.moves);
    for (uint32_t t = 0; t < 6; t++) {
        assert_true(c.b.target[t] != 1 || t % 2 == 1);
    }
    assert_int_equal(after.traffic, 1); /* three are read in b, where two go */
    solver_close(c.s);
}

/* What the traffic changes by when the task goes there. */
static int64_t change(const scene *c, uint32_t task, uint32_t to)
{
    const segue_group *g = c->s->view.group;
    return (int64_t)sgp_rack_traffic(g, task, to) - sgp_rack_traffic(g, task, c->b.target[task]);
}

static int same_part(const scene *c, uint32_t a, uint32_t b)
{
    return sgp_is_kind(&c->b, a) && sgp_is_kind(&c->b, b) && (c->part == NULL || c->part[a] == c->part[b]);
}

static int may_go(const scene *c, uint32_t task, uint32_t to)
{
    return sgp_staying_server(&c->b, task) == SEGUE_NONE || c->b.receives[to];
}

/* Both move, and may change places. */
static int may_swap(const scene *c, uint32_t a, uint32_t b)
{
    return sgp_rack_is_open(&c->b, a) && sgp_rack_is_open(&c->b, b) && may_go(c, a, c->b.target[b]) &&
           may_go(c, b, c->b.target[a]);
}

/* The first leaves its owner, which could keep it in the other's place: nobody learns that one. */
static int may_replace(const scene *c, uint32_t a, uint32_t b)
{
    uint32_t server = sgp_staying_server(&c->b, a);
    return sgp_rack_is_open(&c->b, a) && server != SEGUE_NONE && c->s->view.owner[a] == server &&
           sgp_staying_server(&c->b, b) == server && c->b.target[b] == server &&
           c->classes.list[c->classes.of_task[b]].learner == SEGUE_NONE;
}

/* No two tasks are left that could change places and lower the traffic. */
static void expect_nothing_left(const scene *c, uint64_t seed)
{
    for (uint32_t a = 0; a < c->s->view.tasks; a++) {
        for (uint32_t b = 0; b < c->s->view.tasks; b++) {
            if (same_part(c, a, b) && (may_swap(c, a, b) || may_replace(c, a, b))) {
                EXPECT(change(c, a, c->b.target[b]) + change(c, b, c->b.target[a]) >= 0,
                       "seed %llu: %u and %u had better change places", (unsigned long long)seed, a, b);
            }
        }
    }
}

/* What must hold of any group. Returns whether something was gained. */
static int expect_no_harm(uint64_t seed, draft *d)
{
    scene c;
    outcome before, after, again;
    set_scene(&c, d, seed % 3);
    const size_t cells = (size_t)c.s->view.members * c.parts;
    look(&c, &before);
    exchange(&c);
    expect_nothing_left(&c, seed);
    look(&c, &after);
    uint32_t *target = SGP_TAKE(&c.s->region, uint32_t, c.s->view.tasks);
    memcpy(target, c.b.target, c.s->view.tasks * sizeof *target);
    exchange(&c);
    look(&c, &again);
    EXPECT(memcmp(target, c.b.target, c.s->view.tasks * sizeof *target) == 0, "seed %llu: exchanged for nothing",
           (unsigned long long)seed);
    EXPECT(after.traffic <= before.traffic, "seed %llu: more traffic", (unsigned long long)seed);
    EXPECT(after.moves <= before.moves, "seed %llu: more moves", (unsigned long long)seed);
    EXPECT(after.wrong == 0 && before.wrong == 0, "seed %llu: given to one that does not receive", (unsigned long long)seed);
    EXPECT(memcmp(after.held, before.held, cells * sizeof *after.held) == 0, "seed %llu: other counts",
           (unsigned long long)seed);
    EXPECT(again.traffic == after.traffic, "seed %llu: not done at once", (unsigned long long)seed);
    solver_close(c.s);
    return after.traffic < before.traffic;
}

static void nothing_else_gets_worse(void **state)
{
    (void)state;
    uint32_t compared = 0, gained = 0;
    for (uint64_t seed = chance_seed(), last = seed + 5000; seed < last; seed++) {
        draft *d = random_group(seed, (random_size){30, 8, 3, 5}, (RANDOM_ANYTHING & ~RANDOM_WEIGHTS) | RANDOM_RACKS);
        solver *s = solver_open(draft_clone(d));
        int wanted = sgp_rack_wanted(&s->view) && s->view.stateful_tasks > 0;
        solver_close(s);
        if (wanted) {
            gained += (uint32_t)expect_no_harm(seed, d);
            compared++;
        } else {
            draft_free(d);
        }
    }
    printf("%u groups from seed %llu, of which %u gained\n", compared, (unsigned long long)chance_seed(), gained);
    assert_true(compared > 1000 && gained > compared / 10);
}

/* Where many tasks are alike, as they are in most groups. */
static void of_many_that_are_alike_all_that_gain_are_found(void **state)
{
    (void)state;
    uint32_t gained = 0;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        gained += (uint32_t)expect_no_harm(seed, rack_scene_draft(seed, (rack_size){40, 9, seed % 2 == 0}));
    }
    assert_true(gained > 100);
}

/* The scale of tasks that weigh 1 to 3, the heaviest first. */
static sgp_scale scale_of(const scene *c)
{
    const uint32_t tasks = c->s->view.tasks;
    uint32_t *order = SGP_TAKE(&c->s->region, uint32_t, tasks), *weight = SGP_TAKE(&c->s->region, uint32_t, tasks), at = 0;
    for (uint32_t heavy = c->parts; heavy-- > 0;) {
        for (uint32_t t = 0; t < tasks; t++) {
            weight[t] = 1 + c->part[t];
            if (c->part[t] == heavy) {
                order[at++] = t;
            }
        }
    }
    return (sgp_scale){.weight = weight, .order = order};
}

static void where_weights_decide_all_that_gain_and_weigh_the_same_are_found(void **state)
{
    (void)state;
    uint32_t gained = 0;
    for (uint64_t seed = chance_seed(), last = seed + 1000; seed < last; seed++) {
        scene c;
        outcome before, after;
        set_scene(&c, rack_scene_draft(seed, (rack_size){40, 9, seed % 2 == 0}), WEIGHTS);
        sgp_scale scale = scale_of(&c);
        c.b.scale = &scale;
        look(&c, &before);
        assert_int_equal(sgp_rack_choose(&c.b), SEGUE_OK);
        look(&c, &after);
        expect_nothing_left(&c, seed);
        EXPECT(memcmp(after.held, before.held, c.s->view.members * c.parts * sizeof *after.held) == 0,
               "seed %llu: other weights", (unsigned long long)seed);
        gained += after.traffic < before.traffic;
        solver_close(c.s);
    }
    assert_true(gained > 100);
}

/* Member 0 gives up all that is read in b, and could not give more of it; member 1 gives up what is read in a instead. */
static void who_finds_nothing_to_exchange_does_not_keep_others_from_it(void **state)
{
    (void)state;
    scene c;
    draft *d = draft_new();
    draft_tasks(d, 9, 1);
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, m, 1);
    }
    draft_racks(d, 2);
    for (uint32_t t = 0; t < 9; t++) {
        draft_input(d, t, t == 0 || t == 7 ? 1 : 2);
        draft_owns(d, t < 7 ? 0 : 1, t, 1);
    }
    d->member_rack[0] = d->member_rack[1] = 0;
    d->member_rack[2] = 1;
    set_scene(&c, d, NOTHING);
    for (uint32_t t = 0; t < 9; t++) {
        c.b.target[t] = t < 8 ? 2 : 1;
    }
    exchange(&c);
    assert_int_equal(c.b.target[7], 1);
    assert_int_equal(c.b.target[8], 2);
    solver_close(c.s);
}

/* Member 1 is in no rack and reads what it likes, so that something is gained. */
static int gains(uint32_t parts, uint32_t most)
{
    scene c;
    outcome before, after;
    draft *d = two_newcomers();
    d->member_rack[1] = SEGUE_NONE;
    d->member_rack[2] = 0;
    set_scene(&c, d, NOTHING);
    assert_int_equal(c.cost.places, 2);
    look(&c, &before);
    c.parts = parts;
    c.cost.most = most;
    exchange(&c);
    c.parts = 1;
    look(&c, &after);
    solver_close(c.s);
    return after.traffic < before.traffic;
}

static void there_may_be_four_million_lists_and_costs_of_29_bits_and_no_more(void **state)
{
    (void)state;
    assert_true(gains(1 << 20, 1 << 29));
    assert_false(gains((1 << 20) + 1, 1));
    assert_false(gains(1, (1 << 29) + 1));
    assert_false(gains(1, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newcomers_get_what_is_read_in_their_rack),
        cmocka_unit_test(of_many_that_are_alike_all_that_gain_are_found),
        cmocka_unit_test(where_weights_decide_all_that_gain_and_weigh_the_same_are_found),
        cmocka_unit_test(who_finds_nothing_to_exchange_does_not_keep_others_from_it),
        cmocka_unit_test(there_may_be_four_million_lists_and_costs_of_29_bits_and_no_more),
        cmocka_unit_test(nothing_else_gets_worse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
