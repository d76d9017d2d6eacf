/* SPDX-License-Identifier: Apache-2.0 */
/* Targets by racks against LEMON on the graph in which nothing is merged: equal in every measure, on every instance. */
#include "rack_dense.h"

#include "solve/rack_target.h"
#include "test/chance.h"
#include "test/random_group.h"
#include "test/rebalance.h"
#include "test/solver.h"
#include "test/testing.h"

#include <stdio.h>

static void expect_same(const char *what, uint64_t seed, const rack_value *ours, const rack_value *theirs)
{
    static const char *const name[] = {"faults", "traffic", "moves", "learners that are done", "learners that run on"};
    for (int i = 0; i < RACK_VALUES; i++) {
        EXPECT(ours->of[i] == theirs->of[i], "%s, seed %llu: %s %lld, LEMON has %lld", what, (unsigned long long)seed,
               name[i], (long long)ours->of[i], (long long)theirs->of[i]);
    }
}

/* ---- the solver, from any state of a group ---- */

/* By task, and whether they are caught up. */
static uint32_t *learners(const sgp_balance *b, uint8_t **ready)
{
    sgp_rack_cost cost;
    sgp_rack_classes classes;
    uint32_t *learner = SGP_TAKE(b->region, uint32_t, b->view->tasks);
    *ready = SGP_TAKE_ZERO(b->region, uint8_t, b->view->tasks);
    assert_int_equal(sgp_rack_cost_build(&cost, b->view, NULL, b->region), SEGUE_OK);
    assert_int_equal(sgp_rack_classes_build(&classes, b, &cost, NULL, 1, NULL), SEGUE_OK);
    for (uint32_t t = 0; t < b->view->tasks; t++) {
        uint32_t count;
        const sgp_copy *copies = sgp_copies(b->view, t, &count);
        learner[t] = sgp_is_kind(b, t) ? classes.list[classes.of_task[t]].learner : SEGUE_NONE;
        for (uint32_t i = 0; i < count; i++) {
            (*ready)[t] |= copies[i].member == learner[t] && sgp_hot(b->view, copies[i].lag);
        }
    }
    return learner;
}

static uint32_t *staying_servers(const sgp_balance *b)
{
    uint32_t *server = SGP_TAKE(b->region, uint32_t, b->view->tasks);
    for (uint32_t t = 0; t < b->view->tasks; t++) {
        uint32_t serves = b->serve[t];
        server[t] = serves != SEGUE_NONE && b->view->place[serves] == SGP_STAYS ? serves : SEGUE_NONE;
    }
    return server;
}

static void expect_bounds(uint64_t seed, const sgp_balance *b, const sgp_rack_bounds *bounds)
{
    for (uint32_t m = 0; m < b->view->members; m++) {
        uint32_t ends = 0;
        for (uint32_t t = 0; t < b->view->tasks; t++) {
            ends += sgp_is_kind(b, t) && b->target[t] == m;
        }
        EXPECT(b->view->place[m] != SGP_STAYS || (ends >= bounds->low[m] && ends <= bounds->high[m]),
               "seed %llu: member %u ends with %u tasks, its bounds are %u and %u", (unsigned long long)seed, m, ends,
               bounds->low[m], bounds->high[m]);
    }
}

static void compare_solver(uint64_t seed, draft *d, uint32_t *compared)
{
    solver *s = solver_open(d);
    const sgp_view *view = &s->view;
    chance c = chance_of(~seed);
    if (!sgp_rack_wanted(view) || view->stateful_tasks == 0) {
        solver_close(s);
        return;
    }
    sgp_balance b = solver_balance(s, SGP_TAKE_ZERO(&s->region, uint32_t, view->members));
    sgp_quota quota = {SGP_TAKE(&s->region, uint32_t, view->members), SGP_TAKE(&s->region, uint32_t, view->members), 0};
    uint8_t *costly = SGP_TAKE_ZERO(&s->region, uint8_t, view->members);
    uint32_t budget = chance_below(&c, 4), everyone = chance_below(&c, 2);
    b.moves_first = (int)chance_below(&c, 2);
    for (uint32_t m = 0; m < view->members; m++) {
        b.receives[m] = view->place[m] == SGP_STAYS && (everyone || view->newcomer[m]);
        costly[m] = (uint8_t)chance_below(&c, 2);
    }
    sgp_quota_share(view, view->stateful_tasks, &quota);
    assert_int_equal(sgp_balance_run(&b, &quota, costly, budget), SEGUE_OK);
    sgp_rack_bounds bounds;
    assert_int_equal(sgp_rack_bounds_set(&bounds, &b, &quota, costly, budget), SEGUE_OK);
    uint8_t *ready;
    const uint32_t *learner = learners(&b, &ready);
    rack_question q = {view, 1, staying_servers(&b), learner, ready, b.receives, bounds.low, bounds.high, bounds.pool,
                       bounds.budget, bounds.heavy, view->config->rack_strategy == SEGUE_RACK_BALANCE_SUBTOPOLOGY, b.moves_first};
    rack_value ours, theirs;
    EXPECT(rack_dense_solve(&q, &theirs), "seed %llu: LEMON finds no flow", (unsigned long long)seed);
    assert_int_equal(sgp_rack_target(&b, &quota, costly, budget), SEGUE_OK);
    assert_int_equal(b.cut, 0);
    ours = rack_value_of(&q, b.target);
    expect_same("solver", seed, &ours, &theirs);
    EXPECT(b.min_traffic == ours.of[SGP_RACK_TRAFFIC], "seed %llu: traffic %lld, the bound is %lld",
           (unsigned long long)seed, (long long)ours.of[SGP_RACK_TRAFFIC], (long long)b.min_traffic);
    expect_bounds(seed, &b, &bounds);
    ++*compared;
    solver_close(s);
}

static void the_solver_finds_what_lemon_finds_from_any_state(void **state)
{
    (void)state;
    uint32_t compared = 0;
    for (uint64_t seed = chance_seed(), last = seed + 10000; seed < last; seed++) {
        compare_solver(seed, random_group(seed, (random_size){30, 8, 3, 5}, (RANDOM_ANYTHING & ~RANDOM_WEIGHTS) | RANDOM_RACKS),
                       &compared);
    }
    printf("%u groups from seed %llu compared\n", compared, (unsigned long long)chance_seed());
    assert_true(compared > 3000);
}

/* ---- members that serve alike, which the flow sees as one ---- */

enum { KINDS = 4, PATTERNS = 2, LIKE_RACKS = 3 };

/* Each member serves tasks by one of two patterns: so many of each kind, whose inputs are in the same racks. Some tasks
 * have nobody. */
static draft *members_alike(uint64_t seed)
{
    chance c = chance_of(seed);
    uint32_t members = 3 + chance_below(&c, 7), serves[PATTERNS + 1][KINDS], tasks = 0;
    uint32_t pattern[16], rack[16];
    draft *d = draft_new();
    for (uint32_t m = 0; m < members; m++) {
        pattern[m] = chance_below(&c, PATTERNS);
        rack[m] = chance_below(&c, LIKE_RACKS);
        draft_member(d, m, 1);
    }
    for (uint32_t k = 0; k < KINDS; k++) {
        for (uint32_t p = 0; p <= PATTERNS; p++) {
            serves[p][k] = chance_below(&c, 3);
            for (uint32_t m = 0; m < members; m++) {
                tasks += p < PATTERNS && pattern[m] == p ? serves[p][k] : 0;
            }
        }
        tasks += serves[PATTERNS][k];
    }
    draft_tasks(d, tasks + 1, 1);
    draft_racks(d, LIKE_RACKS);
    for (uint32_t k = 0, t = 0; k < KINDS; k++) {
        uint64_t racks = 1 + chance_below(&c, 6);
        for (uint32_t m = 0; m <= members; m++) {
            uint32_t count = serves[m < members ? pattern[m] : PATTERNS][k];
            for (uint32_t i = 0; i < count; i++, t++) {
                draft_input(d, t, racks);
                if (m < members) {
                    draft_owns(d, m, t, 1);
                }
            }
        }
    }
    draft_input(d, tasks, 1);
    for (uint32_t m = 0; m < members; m++) {
        d->member_rack[m] = rack[m];
    }
    d->config.rack_strategy = SEGUE_RACK_MIN_TRAFFIC;
    return d;
}

static void members_that_serve_alike_are_as_good_as_apart(void **state)
{
    (void)state;
    uint32_t compared = 0;
    for (uint64_t seed = chance_seed(), last = seed + 5000; seed < last; seed++) {
        compare_solver(seed, members_alike(seed), &compared);
    }
    printf("%u groups of members alike from seed %llu compared\n", compared, (unsigned long long)chance_seed());
    assert_true(compared > 4900);
}

/* ---- whole rebalances ---- */

/* Where a task should be in the end: whoever learns it, else who serves it. */
static uint32_t *targets(const rebalance *r, sgp_region *region)
{
    uint32_t *target = SGP_TAKE(region, uint32_t, r->plan.task_count);
    for (uint32_t t = 0; t < r->plan.task_count; t++) {
        target[t] = r->plan.learner[t] != SEGUE_NONE ? r->plan.learner[t] : r->plan.active[t];
    }
    return target;
}

static uint32_t *held_by(const sgp_view *view, const uint32_t *target, sgp_region *region)
{
    uint32_t *held = SGP_TAKE_ZERO(region, uint32_t, view->members);
    for (uint32_t t = 0; t < view->tasks; t++) {
        held[target[t]]++;
    }
    return held;
}

static int within(const sgp_view *view, const uint32_t *held, const sgp_quota *quota)
{
    for (uint32_t m = 0; m < view->members; m++) {
        if (view->place[m] == SGP_STAYS && (held[m] < quota->floor[m] || held[m] > quota->ceiling[m])) {
            return 0;
        }
    }
    return 1;
}

static void compare_rebalance(const char *assignor, uint64_t seed, int stateful, uint32_t *compared)
{
    draft *d = random_group(seed, (random_size){30, 8, 3, 5}, RANDOM_RACKS | RANDOM_NO_OWNER | RANDOM_SHARED_DISKS);
    memset(d->stateful, stateful, d->group.task_count);
    rebalance *r = rebalance_run(assignor, d);
    solver *s = solver_open(draft_clone(d));
    const sgp_view *view = &s->view;
    sgp_quota quota = {SGP_TAKE(&s->region, uint32_t, view->members), SGP_TAKE(&s->region, uint32_t, view->members), 0};
    sgp_quota_share(view, view->tasks, &quota);
    uint32_t *target = targets(r, &s->region), *held = held_by(view, target, &s->region);
    int everyone = strcmp(assignor, "learner") != 0 && strcmp(assignor, "scale-down") != 0;
    if (sgp_rack_wanted(view) && (everyone || within(view, held, &quota))) {
        uint8_t *receives = SGP_TAKE(&s->region, uint8_t, view->members);
        for (uint32_t m = 0; m < view->members; m++) {
            receives[m] = everyone || view->newcomer[m];
        }
        rack_question q = {.view = view, .stateful = stateful, .server = view->owner, .receives = receives};
        q.low = quota.floor;
        q.high = quota.ceiling;
        q.by_subtopology = view->config->rack_strategy == SEGUE_RACK_BALANCE_SUBTOPOLOGY;
        q.moves_first = !everyone;
        rack_value theirs, ours = rack_value_of(&q, target);
        assert_true(rack_dense_solve(&q, &theirs));
        expect_same(assignor, seed, &ours, &theirs);
        assert_true(within(view, held, &quota));
        assert_int_equal(r->plan.traffic, theirs.of[SGP_RACK_TRAFFIC]);
        assert_int_equal(r->plan.min_traffic, theirs.of[SGP_RACK_TRAFFIC]);
        assert_int_equal(r->plan.extra_moves, theirs.of[SGP_RACK_MOVES] - r->plan.min_moves);
        assert_int_equal(r->plan.optimal, 1);
        ++*compared;
    }
    solver_close(s);
    rebalance_free(r);
    draft_free(d);
}

static void a_rebalance_leads_where_lemon_would_go(void **state)
{
    (void)state;
    static const char *const assignors[] = {"sticky", "balanced", "learner", "scale-down"};
    uint32_t compared = 0;
    for (uint64_t seed = chance_seed(), last = seed + 6000; seed < last; seed++) {
        compare_rebalance(assignors[seed % 4], seed, seed / 4 % 2 == 0, &compared);
    }
    printf("%u rebalances from seed %llu compared\n", compared, (unsigned long long)chance_seed());
    assert_true(compared > 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_solver_finds_what_lemon_finds_from_any_state),
        cmocka_unit_test(members_that_serve_alike_are_as_good_as_apart),
        cmocka_unit_test(a_rebalance_leads_where_lemon_would_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
