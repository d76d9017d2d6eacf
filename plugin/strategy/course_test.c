/* SPDX-License-Identifier: Apache-2.0 */
/* Whole rebalances of every strategy, on groups that nobody thought of: stability, limits, independence, memory. */
#include "strategy/course.h"

#include "test/chance.h"
#include "test/random_group.h"
#include "test/rebalance.h"
#include "test/testing.h"

static const char *const warm[] = {"learner", "scale-down", "balanced", NULL};
static const char *const every[] = {"eager",    "sticky",            "learner", "scale-down",
                                    "balanced", "high-availability", NULL};

/* R10: the plan fed back with the same lags, dropped copies still on disk, gives the same plan. */
static void assert_stable(uint64_t seed, random_size most, unsigned traits)
{
    for (const char *const *name = warm; *name != NULL; name++) {
        draft *d = random_group(seed, most, traits);
        rebalance *r = rebalance_run(*name, d);
        draft *next = rebalance_next(d, r, SAME_LAGS);
        rebalance *again = rebalance_run(*name, next);
        EXPECT(rebalance_same(r, again), "%s, seed %llu: the plan fed back gives another", *name,
               (unsigned long long)seed);
        rebalance_free(r);
        rebalance_free(again);
        draft_free(d);
        draft_free(next);
    }
}

static void a_plan_fed_back_gives_the_same_plan(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 3000; seed < last; seed++) {
        assert_stable(seed, (random_size){16, 7, 3, 4}, RANDOM_ANYTHING & ~RANDOM_CAPS);
    }
}

static void a_plan_under_limits_fed_back_gives_the_same_plan(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 2000; seed < last; seed++) {
        assert_stable(seed, (random_size){16, 7, 3, 4}, RANDOM_ANYTHING);
    }
}

/* Only owners have state: what a cap on bytes holds back is not what it would hold back once the others fly. */
static void a_plan_of_owners_under_limits_fed_back_gives_the_same_plan(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        assert_stable(seed, (random_size){16, 7, 3, 4}, RANDOM_CAPS);
        assert_stable(seed, (random_size){16, 7, 3, 4}, RANDOM_CAPS | RANDOM_STANDBYS);
    }
}

static void a_plan_of_a_larger_group_fed_back_gives_the_same_plan(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 150; seed < last; seed++) {
        assert_stable(seed, (random_size){120, 24, 5, 9}, RANDOM_ANYTHING);
    }
}

/* Groups whose plans went round, each the echo's of the one before: weights, copies that can change hands at once, and
 * slots that others wait for. */
static void a_plan_that_goes_round_is_one_and_the_same_wherever_it_is_entered(void **state)
{
    (void)state;
    static const uint64_t without_racks[] = {641, 1171, 1210}, with_racks[] = {150, 5287, 12757};
    const random_size size = {120, 24, 5, 9};
    for (size_t i = 0; i < 3; i++) {
        assert_stable(without_racks[i], size, RANDOM_ANYTHING & ~RANDOM_RACKS);
        assert_stable(with_racks[i], size, RANDOM_ANYTHING);
    }
    for (uint64_t seed = chance_seed(), last = seed + 400; seed < last; seed++) {
        assert_stable(seed, size, RANDOM_WEIGHTS | RANDOM_CAPS | RANDOM_COPIES | RANDOM_SHARED_DISKS | RANDOM_NO_OWNER);
    }
}

/* Where a disk is shared a task can change hands at once and leave its member without state: a newcomer after all. */
static void a_plan_among_owners_on_shared_disks_fed_back_gives_the_same_plan(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 3000; seed < last; seed++) {
        assert_stable(seed, (random_size){14, 5, 4, 3}, RANDOM_SHARED_DISKS | RANDOM_STATELESS | RANDOM_NO_OWNER);
    }
}

static void the_baselines_keep_the_rules_that_hold_for_all(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 1000; seed < last; seed++) {
        for (const char *const *name = every; *name != NULL; name++) {
            draft *d = random_group(seed, (random_size){16, 7, 3, 4}, RANDOM_ANYTHING);
            rebalance_free(rebalance_run(*name, d));
            draft_free(d);
        }
    }
}

/* Everything catches up between two rounds: the second hands over, and then nothing happens any more. */
static void assert_two_rounds(const char *assignor, draft *d, uint32_t moves)
{
    rebalance *r = rebalance_run(assignor, d);
    assert_int_equal(r->plan.learners, moves);
    assert_int_equal(r->plan.moves, 0);
    assert_int_equal(r->plan.min_moves, moves);
    assert_int_equal(r->plan.followup_needed, 1);
    rebalance_again(assignor, &d, &r, CAUGHT_UP);
    assert_int_equal(r->plan.moves, moves);
    assert_int_equal(r->plan.learners, 0);
    assert_int_equal(r->plan.followup_needed, 0);
    rebalance_again(assignor, &d, &r, CAUGHT_UP);
    assert_int_equal(r->plan.moves, 0);
    assert_int_equal(r->plan.min_moves, 0);
    assert_true(r->plan.spread <= 1);
    draft_free(d);
    rebalance_free(r);
}

/* `tasks` evenly on all members but the last, which has just joined. */
static draft *last_one_joins(uint32_t tasks, uint32_t members, uint32_t threads)
{
    draft *d = draft_new();
    draft_tasks(d, tasks, 1);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, threads);
    }
    for (uint32_t t = 0; t < tasks; t++) {
        draft_owns(d, t % (members - 1), t, 1);
    }
    return d;
}

/* The sizes of a public report about a limit that wanders for rounds (KAFKA-20198). */
static void two_rounds_balance_the_sizes_of_the_report(void **state)
{
    (void)state;
    for (const char *const *name = warm; *name != NULL; name++) {
        assert_two_rounds(*name, last_one_joins(450, 2, 10), 225);
        assert_two_rounds(*name, last_one_joins(100, 4, 1), 25);
        assert_two_rounds(*name, last_one_joins(200, 8, 1), 25);
        assert_two_rounds(*name, last_one_joins(1000, 16, 1), 62);
        assert_two_rounds(*name, last_one_joins(500, 12, 1), 41);
    }
}

/* What the old members of last_one_joins keep: up to the floor of an even share, and one more for as many as that leaves. */
static uint32_t least_moves_of_a_join(uint32_t tasks, uint32_t members)
{
    uint32_t floor = tasks / members, roundings = tasks % members, moves = 0;
    for (uint32_t m = 0; m < members - 1; m++) {
        uint32_t held = tasks / (members - 1) + (m < tasks % (members - 1)), above = held > floor ? held - floor : 0;
        moves += above > 0 && roundings > 0 ? above - 1 : above;
        roundings -= above > 0 && roundings > 0;
    }
    return moves;
}

/* Grids of tasks and threads that nobody chose, few of which divide. */
static void two_rounds_balance_any_grid(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 1000; seed < last; seed++) {
        chance c = chance_of(seed);
        uint32_t members = 2 + chance_below(&c, 15), threads = 1 + chance_below(&c, 12);
        uint32_t tasks = members + chance_below(&c, 600), moves = least_moves_of_a_join(tasks, members);
        EXPECT(moves > 0, "seed %llu: the grid moves nothing", (unsigned long long)seed);
        assert_two_rounds(seed % 2 == 0 ? "learner" : "balanced", last_one_joins(tasks, members, threads), moves);
    }
}

/* Everybody's state is with the owners; some have just come, some are gone, now and then all. */
static draft *plain_group(uint64_t seed)
{
    chance c = chance_of(seed);
    draft *d = draft_new();
    for (uint32_t s = 1 + chance_below(&c, 4); s > 0; s--) {
        draft_tasks(d, 1 + chance_below(&c, 200), 1);
    }
    uint32_t members = 1 + chance_below(&c, 40), threads = 1 + chance_below(&c, 3);
    uint32_t owners = 1 + chance_below(&c, members), lost = chance_below(&c, 3);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, 1 + chance_below(&c, threads));
    }
    for (uint32_t t = 0; !chance_once_in(&c, 5) && t < d->group.task_count; t++) {
        uint32_t owner = seed % 2 ? t % (owners + lost) : chance_below(&c, owners + lost);
        if (owner < owners) {
            draft_copy(d, owner, t, SEGUE_ACTIVE, 0);
        }
    }
    d->seed = seed;
    return d;
}

/* The same with a member that can hold nothing, so that no step may take it for a plain group. */
static draft *with_a_ghost(const draft *plain, int has_copies)
{
    draft *d = draft_clone(plain);
    uint32_t ghost = draft_member(d, d->group.process_count, 0);
    for (uint32_t t = 0; has_copies && t < d->group.task_count; t += 3) {
        draft_copy(d, ghost, t, SEGUE_DORMANT, SEGUE_LAG_UNKNOWN);
    }
    return d;
}

/* Plain groups go the course with fewer columns and passes. What they leave out must not be missed. */
static void a_plain_group_has_the_plan_that_it_has_beside_a_member_that_holds_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 300; seed < last; seed++) {
        for (const char *const *name = every; *name != NULL; name++) {
            draft *d = plain_group(seed);
            rebalance *plain = rebalance_run(*name, d);
            for (int has_copies = 0; has_copies <= 1; has_copies++) {
                draft *haunted = with_a_ghost(d, has_copies);
                rebalance *other = rebalance_run(*name, haunted);
                EXPECT(rebalance_same(plain, other) && plain->plan.moves == other->plan.moves &&
                           plain->plan.min_moves == other->plan.min_moves,
                       "%s, seed %llu, %d: a member without threads changes the plan", *name, (unsigned long long)seed,
                       has_copies);
                rebalance_free(other);
                draft_free(haunted);
            }
            rebalance_free(plain);
            draft_free(d);
        }
    }
}

/* Some owners restore, nearly all or hardly any. Now and then a setting has somebody look at tasks that do not move. */
static void let_owners_lag(draft *d)
{
    chance c = chance_of(d->seed);
    d->config.num_standby_replicas = (uint32_t)chance_once_in(&c, 4);
    d->config.spread_subtopologies = (uint32_t)chance_once_in(&c, 6);
    d->config.max_learners = chance_once_in(&c, 5) ? chance_below(&c, 7) : d->config.max_learners;
    d->config.max_learning_bytes = chance_once_in(&c, 6) ? (int64_t)chance_below(&c, 3000) : -1;
    uint32_t rareness = 1 + chance_below(&c, 20);
    for (uint32_t i = 0; i < d->holding_count; i++) {
        d->holdings[i].lag = chance_once_in(&c, rareness) ? (int64_t)chance_below(&c, 30000) - 1 : d->holdings[i].lag;
    }
}

static int has_figures_of(const segue_plan *a, const segue_plan *b)
{
    return a->moves == b->moves && a->min_moves == b->min_moves && a->learners == b->learners &&
           a->held_back == b->held_back && a->extra_moves == b->extra_moves && a->optimal == b->optimal &&
           a->followup_needed == b->followup_needed && a->followup_at_ms == b->followup_at_ms &&
           memcmp(&a->spread, &b->spread, sizeof a->spread) == 0;
}

/* Where nobody asks for decisions lags of owners, and owners of tasks that do not move, may be left out. */
static void a_plan_without_decisions_is_the_plan_with_them(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 400; seed < last; seed++) {
        draft *d = seed % 4 == 0 ? random_group(seed, (random_size){120, 24, 5, 9}, RANDOM_ANYTHING) : plain_group(seed);
        let_owners_lag(d);
        for (const char *const *name = every; *name != NULL; name++) {
            rebalance *told = rebalance_run(*name, d), *silent = rebalance_run_silently(*name, d);
            EXPECT(rebalance_same(told, silent) && has_figures_of(&told->plan, &silent->plan),
                   "%s, seed %llu: another plan without decisions", *name, (unsigned long long)seed);
            rebalance_free(told);
            rebalance_free(silent);
        }
        draft_free(d);
    }
}

/* Each staying member's actives against floor and ceiling of its share. */
static void assert_within_quota(const draft *d, const rebalance *r)
{
    uint64_t capacity = 0;
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        capacity += d->threads[m];
    }
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        uint64_t held = rebalance_actives(r, m), share = (uint64_t)d->group.task_count * d->threads[m];
        EXPECT(held * capacity < share + capacity && share < held * capacity + capacity,
               "seed %llu: member %u holds %u", (unsigned long long)d->seed, m, (unsigned)held);
    }
}

static void two_rounds_balance_any_group_whose_owners_have_the_state(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 1000; seed < last; seed++) {
        draft *d = random_group(seed, (random_size){60, 9, 4, 5}, RANDOM_NO_OWNER | RANDOM_SHARED_DISKS);
        rebalance *r = rebalance_run("balanced", d);
        rebalance_again("balanced", &d, &r, CAUGHT_UP);
        assert_within_quota(d, r);
        EXPECT(r->plan.learners == 0, "seed %llu: still learning", (unsigned long long)seed);
        rebalance_again("balanced", &d, &r, CAUGHT_UP);
        EXPECT(r->plan.moves == 0, "seed %llu: a third round moves", (unsigned long long)seed);
        rebalance_free(r);
        draft_free(d);
    }
}

/* A task that has learned its way to a member is there for good: nothing moves twice, whatever copies there were. */
static void no_task_moves_twice_on_its_way(void **state)
{
    (void)state;
    enum { TASKS = 40 };
    unsigned traits = RANDOM_COPIES | RANDOM_SHARED_DISKS | RANDOM_STANDBYS | RANDOM_STATELESS;
    for (uint64_t seed = chance_seed(), last = seed + 1000; seed < last; seed++) {
        uint32_t moved[TASKS] = {0}, owner[TASKS];
        draft *d = random_group(seed, (random_size){TASKS, 8, 3, 4}, traits);
        rebalance *r = NULL;
        for (uint32_t i = 0; i < d->holding_count; i++) {
            if (d->holdings[i].role == SEGUE_ACTIVE) {
                owner[d->holdings[i].task] = d->holdings[i].member;
            }
        }
        for (int round = 0; round < 4; round++) {
            if (round == 0) {
                r = rebalance_run("balanced", d);
            } else {
                rebalance_again("balanced", &d, &r, CAUGHT_UP);
            }
            for (uint32_t t = 0; t < d->group.task_count; t++) {
                moved[t] += owner[t] != r->plan.active[t];
                owner[t] = r->plan.active[t];
                EXPECT(moved[t] <= 1, "seed %llu: task %u moves again in round %d", (unsigned long long)seed, t, round);
            }
        }
        rebalance_free(r);
        draft_free(d);
    }
}

static void wherever_memory_runs_out_the_fault_is_clean_and_the_next_call_works(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 60; seed < last; seed++) {
        for (const char *const *name = every; *name != NULL; name++) {
            draft *d = random_group(seed, (random_size){24, 7, 3, 4}, RANDOM_ANYTHING);
            rebalance_survives_famine(*name, d);
            draft_free(d);
        }
    }
}

/* Standbys that go round the members, and one more member: the plan has to be looked at in its echo. */
static draft *large_group(void)
{
    enum { TASKS = 20000, MEMBERS = 200 };
    draft *d = last_one_joins(TASKS, MEMBERS, 1);
    d->config.num_standby_replicas = 1;
    for (uint32_t t = 0; t < TASKS; t++) {
        draft_copy(d, (t + 1) % (MEMBERS - 1), t, SEGUE_STANDBY, 0);
    }
    return d;
}

static void a_budget_that_ends_leaves_a_plan_that_holds_the_rules_and_is_not_optimal(void **state)
{
    (void)state;
    for (const char *const *name = warm; *name != NULL; name++) {
        draft *d = large_group();
        rebalance *free_of_limits = rebalance_run(*name, d);
        assert_int_equal(free_of_limits->plan.optimal, 1);
        d->config.max_compute_us = 1;
        rebalance *cut = rebalance_run(*name, d);
        assert_int_equal(cut->plan.optimal, 0);
        d->config.max_compute_us = INT64_MAX;
        rebalance *ample = rebalance_run(*name, d);
        assert_int_equal(ample->plan.optimal, 1);
        assert_true(rebalance_same(free_of_limits, ample));
        rebalance_free(free_of_limits);
        rebalance_free(cut);
        rebalance_free(ample);
        draft_free(d);
    }
}

static void whenever_the_budget_ends_the_plan_holds_the_rules(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 500; seed < last; seed++) {
        for (const char *const *name = every; *name != NULL; name++) {
            draft *d = random_group(seed, (random_size){120, 24, 5, 9}, RANDOM_ANYTHING);
            d->config.spread_subtopologies = (uint32_t)(seed % 2);
            d->config.max_compute_us = 1 + (int64_t)(seed % 20);
            rebalance_free(rebalance_run(*name, d));
            draft_free(d);
        }
    }
}

static void an_empty_group_has_an_empty_plan(void **state)
{
    (void)state;
    for (const char *const *name = every; *name != NULL; name++) {
        draft *nothing = draft_new(), *idle = draft_new();
        draft_member(idle, 0, 1);
        rebalance *r = rebalance_run(*name, nothing), *i = rebalance_run(*name, idle);
        assert_int_equal(r->plan.task_count + r->plan.standby_count + r->plan.decision_count, 0);
        assert_int_equal(i->plan.followup_needed + i->plan.moves + i->plan.min_moves, 0);
        rebalance_free(r);
        rebalance_free(i);
        draft_free(nothing);
        draft_free(idle);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_fed_back_gives_the_same_plan),
        cmocka_unit_test(a_plan_under_limits_fed_back_gives_the_same_plan),
        cmocka_unit_test(a_plan_of_owners_under_limits_fed_back_gives_the_same_plan),
        cmocka_unit_test(a_plan_of_a_larger_group_fed_back_gives_the_same_plan),
        cmocka_unit_test(a_plan_that_goes_round_is_one_and_the_same_wherever_it_is_entered),
        cmocka_unit_test(a_plan_among_owners_on_shared_disks_fed_back_gives_the_same_plan),
        cmocka_unit_test(a_plain_group_has_the_plan_that_it_has_beside_a_member_that_holds_nothing),
        cmocka_unit_test(a_plan_without_decisions_is_the_plan_with_them),
        cmocka_unit_test(the_baselines_keep_the_rules_that_hold_for_all),
        cmocka_unit_test(two_rounds_balance_the_sizes_of_the_report),
        cmocka_unit_test(two_rounds_balance_any_grid),
        cmocka_unit_test(two_rounds_balance_any_group_whose_owners_have_the_state),
        cmocka_unit_test(no_task_moves_twice_on_its_way),
        cmocka_unit_test(wherever_memory_runs_out_the_fault_is_clean_and_the_next_call_works),
        cmocka_unit_test(a_budget_that_ends_leaves_a_plan_that_holds_the_rules_and_is_not_optimal),
        cmocka_unit_test(whenever_the_budget_ends_the_plan_holds_the_rules),
        cmocka_unit_test(an_empty_group_has_an_empty_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
