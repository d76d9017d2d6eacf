/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/weigh.h"

#include "test/chance.h"
#include "test/random_group.h"
#include "test/rebalance.h"
#include "test/testing.h"
#include "test/weighing.h"

#include <math.h>
#include <stdio.h>

static const random_size small = {16, 6, 3, 4}, large = {200, 30, 4, 6};

/* One subtopology on two members, with weights as given; the first `mine` are member 0's. */
static draft *two_members(const double *weight, uint32_t tasks, uint32_t mine)
{
    draft *d = draft_new();
    draft_tasks(d, tasks, 1);
    memcpy(d->weight, weight, tasks * sizeof *weight);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, mine);
    draft_owns(d, 1, mine, tasks - mine);
    return d;
}

static int weighs(const draft *d)
{
    for (uint32_t t = 1; t < d->group.task_count; t++) {
        if (d->weight[t] < d->weight[0] || d->weight[t] > d->weight[0]) {
            return 1;
        }
    }
    return 0;
}

/* Runs until nothing moves and nobody learns, every copy caught up in between. Returns the rounds. */
static uint32_t settle(draft **d, rebalance **r, uint32_t most)
{
    uint32_t rounds = 0;
    for (; rounds <= most && (*r)->plan.moves + (*r)->plan.learners > 0; rounds++) {
        rebalance_again("balanced", d, r, CAUGHT_UP);
    }
    EXPECT(rounds <= most, "seed %llu: still moving", (unsigned long long)(*d)->seed);
    return rounds;
}

static void one_heavy_task_moves_where_three_light_ones_would(void **state)
{
    (void)state;
    draft *d = two_members((double[]){9, 3, 3, 3, 3, 3}, 6, 5);
    rebalance *r = rebalance_run("balanced", d);
    assert_int_equal(r->plan.learner[0], 1);
    assert_int_equal(r->plan.learners, 1);
    assert_int_equal(r->plan.min_moves, 1);
    assert_int_equal(r->plan.extra_moves, 0);
    assert_true(r->plan.imbalance <= 20 && r->plan.min_imbalance <= r->plan.imbalance);
    rebalance_finish(d, r);
}

static void within_the_tolerance_nothing_moves_whatever_the_counts(void **state)
{
    (void)state;
    draft *d = two_members((double[]){12, 2, 2, 2, 2, 2}, 6, 1);
    rebalance *r = rebalance_run("balanced", d);
    assert_int_equal(r->plan.moves + r->plan.learners + r->plan.extra_moves, 0);
    assert_true(r->plan.imbalance > 9 && r->plan.imbalance < 10);
    rebalance_finish(d, r);
}

static void the_tolerance_is_what_the_configuration_says(void **state)
{
    (void)state;
    draft *d = two_members((double[]){12, 2, 2, 2, 2, 2}, 6, 1);
    d->weight[1] = 1; /* 12 and 9: 14 % off, and 11 and 10 cannot be had without an exchange */
    rebalance *r = rebalance_run("balanced", d);
    assert_int_equal(r->plan.learners, 0);
    rebalance_free(r);
    d->config.imbalance_percentage = 10;
    r = rebalance_run("balanced", d);
    assert_true(r->plan.imbalance <= 100.0 / 7 && r->plan.min_imbalance > 0);
    rebalance_finish(d, r);
}

static void other_strategies_count(void **state)
{
    (void)state;
    static const char *const names[] = {"learner", "scale-down", "sticky", "eager"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        draft *d = two_members((double[]){12, 2, 2, 2, 2, 2}, 6, 3);
        rebalance *r = rebalance_run(names[i], d);
        assert_int_equal(rebalance_actives(r, 0), 3);
        assert_true(r->plan.imbalance < 1);
        rebalance_finish(d, r);
    }
}

static void equal_weights_give_the_plan_of_no_weights(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 1000; seed < last; seed++) {
        draft *d = random_group(seed, small, RANDOM_ANYTHING & ~RANDOM_WEIGHTS);
        rebalance *without = rebalance_run("balanced", d);
        for (uint32_t t = 0; t < d->group.task_count; t++) {
            d->weight[t] = 7.3;
        }
        rebalance *with = rebalance_run("balanced", d);
        EXPECT(rebalance_same(without, with), "seed %llu: another plan", (unsigned long long)seed);
        rebalance_free(without);
        rebalance_finish(d, with);
    }
}

/* A new member gets its quota by count as well where that fits: half of the heavy and half of the light. */
static void a_new_member_gets_its_quota_where_that_fits(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 4, 1);
    draft_tasks(d, 4, 1);
    for (uint32_t t = 0; t < 4; t++) {
        d->weight[t] = 10;
    }
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, 8);
    rebalance *r = rebalance_run("balanced", d);
    assert_int_equal(rebalance_learners(r, 1), 4);
    assert_true(r->plan.imbalance < 1);
    rebalance_finish(d, r);
}

static void a_task_heavier_than_any_share_is_left_alone_and_the_others_share_the_rest(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 9, 1);
    d->weight[0] = 1000;
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, m, 1);
    }
    draft_owns(d, 0, 0, 3);
    draft_owns(d, 1, 3, 6);
    rebalance *r = rebalance_run("balanced", d);
    settle(&d, &r, 2);
    for (uint32_t m = 0; m < 3; m++) {
        assert_int_equal(rebalance_actives(r, m), m == r->plan.active[0] ? 1 : 4);
    }
    assert_true(r->plan.imbalance <= r->plan.min_imbalance + 1e-9);
    rebalance_finish(d, r);
}

static void stateless_tasks_fill_up_to_the_share_of_all_weight(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 2, 1);
    draft_tasks(d, 10, 0);
    d->weight[0] = 6; /* and 1, and ten of 1: 17 in all */
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, 1);
    draft_owns(d, 1, 1, 1);
    rebalance *r = rebalance_run("balanced", d);
    assert_in_range(rebalance_actives(r, 0), 1 + 1, 1 + 4);
    assert_true(r->plan.imbalance <= 20);
    rebalance_finish(d, r);
}

static void two_rounds_end_it_wherever_everything_may_learn(void **state)
{
    (void)state;
    unsigned traits = RANDOM_WEIGHTS | RANDOM_SHARED_DISKS | RANDOM_STATELESS;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        draft *d = random_group(seed, seed % 8 == 0 ? large : small, traits);
        rebalance *r = rebalance_run("balanced", d);
        settle(&d, &r, 2);
        rebalance_finish(d, r);
    }
}

static void under_any_limit_it_ends(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 500; seed < last; seed++) {
        draft *d = random_group(seed, small, RANDOM_WEIGHTS | RANDOM_COPIES | RANDOM_STANDBYS);
        d->config.max_learners = 1 + (uint32_t)(seed % 3);
        rebalance *r = rebalance_run("balanced", d);
        settle(&d, &r, 60);
        rebalance_finish(d, r);
    }
}

/* Limits of all kinds, and copies that change hands at once while others wait: the rounds are few for each task. */
static void under_limits_of_all_kinds_a_large_group_comes_to_rest(void **state)
{
    (void)state;
    const random_size size = {120, 24, 5, 9};
    for (uint64_t seed = chance_seed(), last = seed + 150; seed < last; seed++) {
        draft *d = random_group(seed, size, RANDOM_ANYTHING & ~RANDOM_LEAVING);
        rebalance *r = rebalance_run("balanced", d);
        settle(&d, &r, 2 * d->group.task_count);
        rebalance_finish(d, r);
    }
    draft *d = random_group(12757, size, RANDOM_ANYTHING); /* went round for ever */
    rebalance *r = rebalance_run("balanced", d);
    settle(&d, &r, 2 * d->group.task_count);
    rebalance_finish(d, r);
}

/* What weights refuse, a bought spread does not ask for. Racks choose between what weighs the same (rack_exchange_test.c says
 * what they leave alone), and fed back the plan is the same. */
static void a_bought_spread_changes_no_plan_by_weight_and_racks_lower_traffic(void **state)
{
    (void)state;
    uint32_t weighed = 0;
    int64_t traffic = 0, ignored = 0;
    for (uint64_t seed = chance_seed(), last = seed + 600; seed < last; seed++) {
        unsigned traits = RANDOM_WEIGHTS | RANDOM_RACKS | RANDOM_COPIES | RANDOM_CAPS | RANDOM_SHARED_DISKS;
        draft *d = random_group(seed, seed % 8 == 0 ? large : small, traits);
        d->config.spread_subtopologies = 1;
        rebalance *with = rebalance_run("balanced", d);
        draft *next = rebalance_next(d, with, SAME_LAGS);
        rebalance *again = rebalance_run("balanced", next);
        EXPECT(rebalance_same(with, again), "seed %llu: the plan fed back gives another", (unsigned long long)seed);
        d->config.spread_subtopologies = 0;
        rebalance *apart = rebalance_run("balanced", d);
        d->config.rack_strategy = 0;
        rebalance *without = rebalance_run("balanced", d);
        if (weighs(d)) {
            weighed += d->group.task_rack != NULL;
            traffic += with->plan.traffic;
            ignored += without->plan.traffic;
            EXPECT(rebalance_same(with, apart), "seed %llu: the spread counts", (unsigned long long)seed);
        }
        rebalance_finish(next, again);
        rebalance_free(without);
        rebalance_free(apart);
        rebalance_finish(d, with);
    }
    printf("%u groups by weight: %lld partitions from other racks, %lld where racks are ignored\n", weighed,
           (long long)traffic, (long long)ignored);
    assert_true(weighed > 50 && traffic < ignored);
}

/* Member 0 has six light tasks and a heavy one, member 1 nothing yet; odd tasks are read in its rack. */
static void of_tasks_that_weigh_the_same_those_go_that_are_read_there(void **state)
{
    (void)state;
    draft *d = two_members((double[]){1, 1, 1, 1, 1, 1, 4}, 7, 7);
    draft_racks(d, 2);
    for (uint32_t t = 0; t < 7; t++) {
        draft_input(d, t, (uint64_t)1 << t % 2);
    }
    d->member_rack[0] = 0;
    d->member_rack[1] = 1;
    d->config.rack_strategy = SEGUE_RACK_MIN_TRAFFIC;
    rebalance *r = rebalance_run("balanced", d);
    d->config.rack_strategy = SEGUE_RACK_NONE;
    rebalance *without = rebalance_run("balanced", d);
    assert_int_equal(r->plan.learners, without->plan.learners);
    assert_true(r->plan.learners > 0);
    assert_true(r->plan.traffic < without->plan.traffic);
    rebalance_free(without);
    rebalance_finish(d, r);
}

/* Everybody has something, and nobody is above the heaviest task over its share: what gifts alone would reach. */
static void assert_fair(const draft *d, const rebalance *r)
{
    double load[64] = {0}, total = 0, heaviest = 0;
    uint64_t threads = 0;
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        load[r->plan.active[t]] += d->weight[t];
        total += d->weight[t];
        heaviest = d->weight[t] > heaviest ? d->weight[t] : heaviest;
    }
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        threads += d->threads[m];
    }
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        double share = total * d->threads[m] / (double)threads;
        EXPECT(load[m] > 0 || d->group.task_count < d->group.member_count, "seed %llu: %u has nothing",
               (unsigned long long)d->seed, m);
        EXPECT(load[m] <= share * (1 + d->config.imbalance_percentage / 100) + heaviest,
               "seed %llu: %u carries %g of %g", (unsigned long long)d->seed, m, load[m], share);
    }
}

static void everybody_has_a_task_and_nobody_far_more_than_its_share(void **state)
{
    (void)state;
    uint32_t weighed = 0;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        draft *d = random_group(seed, seed % 8 == 0 ? large : small, RANDOM_WEIGHTS);
        rebalance *r = rebalance_run("balanced", d);
        settle(&d, &r, 2);
        if (weighs(d)) {
            weighed++;
            assert_fair(d, r);
            EXPECT(r->plan.min_imbalance <= r->plan.imbalance + 1e-9, "seed %llu: below the bound",
                   (unsigned long long)seed);
        }
        rebalance_finish(d, r);
    }
    assert_true(weighed > 400);
}

static void no_assignment_is_below_the_bound_of_imbalance(void **state)
{
    (void)state;
    uint32_t bounded = 0;
    for (uint64_t seed = chance_seed(), last = seed + 600; seed < last; seed++) {
        draft *d = random_group(seed, (random_size){8, 4, 3, 3}, RANDOM_WEIGHTS);
        rebalance *r = rebalance_run("balanced", d);
        if (weighs(d)) {
            EXPECT(r->plan.min_imbalance <= weighing_least_imbalance(d) + 1e-6, "seed %llu: the bound is too high",
                   (unsigned long long)seed);
            bounded += r->plan.min_imbalance > 0;
        }
        rebalance_finish(d, r);
    }
    assert_true(bounded > 20);
}

static void where_memory_runs_out_while_weighing_the_fault_is_clean(void **state)
{
    (void)state;
    draft *d = two_members((double[]){9, 3, 3, 3, 3, 3}, 6, 5);
    d->stateful[5] = 0;
    d->config.imbalance_percentage = 0;
    rebalance_survives_famine("balanced", d);
    draft_free(d);
    for (uint64_t seed = chance_seed(), last = seed + 20; seed < last; seed++) {
        d = weighing_draft(seed, (enum chance_tail)(seed % CHANCE_TAILS), 90, 9);
        rebalance_survives_famine("balanced", d);
        draft_free(d);
    }
}

static void assert_figures(const rebalance *r, uint64_t seed)
{
    EXPECT(isfinite(r->plan.imbalance) && isfinite(r->plan.min_imbalance) && r->plan.min_imbalance >= 0 &&
               r->plan.min_imbalance <= r->plan.imbalance + 1e-6,
           "seed %llu: imbalance %g, at least %g", (unsigned long long)seed, r->plan.imbalance, r->plan.min_imbalance);
}

/* Weights of all sizes that a double has, and some that no host lets through. */
static void weights_of_any_size_end_in_a_plan(void **state)
{
    (void)state;
    static const double sizes[] = {1e-308, 1e308, 1, 5e-324, 0, -1, 1e9, 1e-9};
    for (uint32_t shift = 0; shift < 8; shift++) {
        double weight[8];
        for (uint32_t t = 0; t < 8; t++) {
            weight[t] = sizes[(t + shift) % 8];
        }
        draft *d = two_members(weight, 8, 6);
        rebalance *r = rebalance_run("balanced", d);
        settle(&d, &r, 2);
        assert_figures(r, shift);
        rebalance_finish(d, r);
    }
}

/* Ratios count, however small the numbers are. */
static void weights_below_the_smallest_normal_double_weigh_as_their_multiples_do(void **state)
{
    (void)state;
    const double plain[] = {9, 3, 3, 3, 3, 3}, tiny = 5e-324;
    double tiny_ones[6];
    for (uint32_t t = 0; t < 6; t++) {
        tiny_ones[t] = plain[t] * tiny;
    }
    draft *d = two_members(plain, 6, 5), *e = two_members(tiny_ones, 6, 5);
    rebalance *r = rebalance_run("balanced", d), *s = rebalance_run("balanced", e);
    for (uint32_t t = 0; t < 6; t++) {
        EXPECT(r->plan.active[t] == s->plan.active[t] && r->plan.learner[t] == s->plan.learner[t], "task %u", t);
    }
    rebalance_finish(d, r);
    rebalance_finish(e, s);
}

/* Two or three of them in each group: all tiny, all huge, equal but for the last bit, or as far apart as can be. */
static void weights_at_the_ends_of_what_a_double_has_end_in_a_plan_and_finite_figures(void **state)
{
    (void)state;
    static const double ends[] = {5e-324,  1e-323, 1e-320,      2.2250738585072014e-308,  1e-300, 1 - 0x1p-53, 1,
                                  1 + 0x1p-52, 1e300,  0x1p1023, 1.7976931348623157e308};
    for (uint64_t seed = chance_seed(), last = seed + 600; seed < last; seed++) {
        chance c = chance_of(seed);
        draft *d = random_group(seed, small, RANDOM_ANYTHING & ~RANDOM_WEIGHTS);
        uint32_t first = chance_below(&c, sizeof ends / sizeof *ends - 2);
        for (uint32_t t = 0; t < d->group.task_count; t++) {
            d->weight[t] = ends[chance_once_in(&c, 16) ? chance_below(&c, 11) : first + chance_below(&c, 3)];
        }
        rebalance *r = rebalance_run("balanced", d);
        assert_figures(r, seed);
        draft *next = rebalance_next(d, r, SAME_LAGS);
        rebalance *again = rebalance_run("balanced", next);
        EXPECT(rebalance_same(r, again), "seed %llu: the plan fed back gives another", (unsigned long long)seed);
        rebalance_finish(next, again);
        rebalance_finish(d, r);
    }
}

static void weights_equal_but_for_the_last_bit_are_equal(void **state)
{
    (void)state;
    draft *d = two_members((double[]){1, 1 + 0x1p-52, 1, 1 - 0x1p-53}, 4, 4);
    rebalance *r = rebalance_run("balanced", d);
    assert_int_equal(rebalance_learners(r, 1), 2);
    assert_true(r->plan.imbalance < 1e-6);
    rebalance_finish(d, r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_heavy_task_moves_where_three_light_ones_would),
        cmocka_unit_test(within_the_tolerance_nothing_moves_whatever_the_counts),
        cmocka_unit_test(the_tolerance_is_what_the_configuration_says),
        cmocka_unit_test(other_strategies_count),
        cmocka_unit_test(equal_weights_give_the_plan_of_no_weights),
        cmocka_unit_test(a_new_member_gets_its_quota_where_that_fits),
        cmocka_unit_test(a_task_heavier_than_any_share_is_left_alone_and_the_others_share_the_rest),
        cmocka_unit_test(stateless_tasks_fill_up_to_the_share_of_all_weight),
        cmocka_unit_test(two_rounds_end_it_wherever_everything_may_learn),
        cmocka_unit_test(under_any_limit_it_ends),
        cmocka_unit_test(under_limits_of_all_kinds_a_large_group_comes_to_rest),
        cmocka_unit_test(a_bought_spread_changes_no_plan_by_weight_and_racks_lower_traffic),
        cmocka_unit_test(of_tasks_that_weigh_the_same_those_go_that_are_read_there),
        cmocka_unit_test(everybody_has_a_task_and_nobody_far_more_than_its_share),
        cmocka_unit_test(no_assignment_is_below_the_bound_of_imbalance),
        cmocka_unit_test(where_memory_runs_out_while_weighing_the_fault_is_clean),
        cmocka_unit_test(weights_of_any_size_end_in_a_plan),
        cmocka_unit_test(weights_below_the_smallest_normal_double_weigh_as_their_multiples_do),
        cmocka_unit_test(weights_at_the_ends_of_what_a_double_has_end_in_a_plan_and_finite_figures),
        cmocka_unit_test(weights_equal_but_for_the_last_bit_are_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
