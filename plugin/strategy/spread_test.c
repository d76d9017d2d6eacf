/* SPDX-License-Identifier: Apache-2.0 */
/* An even spread of each subtopology, bought with moves (segue.spread.subtopologies); solve/rack_target.h finds it. */

#include "test/chance.h"
#include "test/random_group.h"
#include "test/rebalance.h"
#include "test/testing.h"

/* Two members with one subtopology each: totals are even, the subtopologies are not. */
static draft *one_subtopology_each(uint32_t buys)
{
    draft *d = draft_new();
    draft_tasks(d, 4, 1);
    draft_tasks(d, 4, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, 4);
    draft_owns(d, 1, 4, 4);
    d->config.spread_subtopologies = buys;
    return d;
}

static uint32_t held_of(const draft *d, const rebalance *r, uint32_t member, uint32_t subtopology)
{
    uint32_t held = 0;
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        held += d->subtopology[t] == subtopology && r->plan.active[t] == member;
    }
    return held;
}

static void an_even_spread_is_not_bought_unless_it_is_asked_for(void **state)
{
    (void)state;
    draft *d = one_subtopology_each(0);
    rebalance *r = rebalance_run("balanced", d);
    assert_int_equal(r->plan.learners + r->plan.moves, 0);
    draft_free(d);
    rebalance_free(r);
}

static void an_even_spread_is_bought_with_learners_where_it_is_asked_for(void **state)
{
    (void)state;
    draft *d = one_subtopology_each(1);
    rebalance *r = rebalance_run("balanced", d);
    assert_int_equal(r->plan.learners, 4);
    assert_int_equal(r->plan.moves, 0);
    rebalance_again("balanced", &d, &r, CAUGHT_UP);
    for (uint32_t m = 0; m < 2; m++) {
        assert_int_equal(held_of(d, r, m, 0), 2);
        assert_int_equal(held_of(d, r, m, 1), 2);
    }
    rebalance_again("balanced", &d, &r, CAUGHT_UP);
    assert_int_equal(r->plan.learners + r->plan.moves, 0);
    draft_free(d);
    rebalance_free(r);
}

/* Each member has of each subtopology what its threads are of all, rounded down or up. */
static void assert_even(const draft *d, const rebalance *r)
{
    uint64_t capacity = 0;
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        capacity += d->threads[m];
    }
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        for (uint32_t first = 0, end; first < d->group.task_count; first = end) {
            uint64_t held = 0;
            for (end = first; end < d->group.task_count && d->subtopology[end] == d->subtopology[first]; end++) {
                held += r->plan.active[end] == m;
            }
            uint64_t share = (uint64_t)(end - first) * d->threads[m];
            EXPECT(held * capacity < share + capacity && share < (held + 1) * capacity, "seed %llu: %u has %u of subtopology %u",
                   (unsigned long long)d->seed, m, (unsigned)held, d->subtopology[first]);
        }
    }
}

/* Whatever is bought, and however many waves that takes: the totals come out, and then nothing moves any more. */
static void buying_ends_within_the_quota(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 400; seed < last; seed++) {
        draft *d = random_group(seed, (random_size){40, 8, 3, 5}, RANDOM_SHARED_DISKS);
        d->config.spread_subtopologies = 1;
        rebalance *r = rebalance_run("balanced", d);
        for (int round = 0; round < 9; round++) {
            rebalance_again("balanced", &d, &r, CAUGHT_UP);
        }
        EXPECT(r->plan.min_moves == 0, "seed %llu: not within the quota", (unsigned long long)seed);
        EXPECT(r->plan.learners + r->plan.moves == 0, "seed %llu: still moving", (unsigned long long)seed);
        assert_even(d, r);
        draft_free(d);
        rebalance_free(r);
    }
}

/* No two have the same number of threads, so that none stands for another. */
static void members_that_are_all_different_share_each_subtopology(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 300, 1);
    draft_tasks(d, 77, 1);
    for (uint32_t m = 0; m < 40; m++) {
        draft_member(d, m, 1 + m);
    }
    draft_owns(d, 3, 0, 377);
    d->config.spread_subtopologies = 1;
    rebalance *r = rebalance_run("balanced", d);
    rebalance_again("balanced", &d, &r, CAUGHT_UP);
    assert_even(d, r);
    rebalance_finish(d, r);
}

/* One slot, and whatever copies there are: every task that arrives makes the way to the target shorter by one. */
static void under_one_slot_it_ends_as_well(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 500; seed < last; seed++) {
        draft *d = random_group(seed, (random_size){40, 9, 3, 4}, RANDOM_SHARED_DISKS | RANDOM_COPIES | RANDOM_STANDBYS);
        d->config.spread_subtopologies = 1;
        d->config.max_learners = 1;
        rebalance *r = rebalance_run("balanced", d);
        uint32_t tasks = d->group.task_count, rounds = 0;
        for (; rounds <= tasks + 1 && r->plan.learners + r->plan.moves > 0; rounds++) {
            rebalance_again("balanced", &d, &r, CAUGHT_UP);
        }
        EXPECT(rounds <= tasks + 1, "seed %llu: still moving after %u rounds", (unsigned long long)seed, rounds);
        draft_free(d);
        rebalance_free(r);
    }
}

static void the_price_is_what_it_takes_beyond_the_least(void **state)
{
    (void)state;
    draft *d = one_subtopology_each(1);
    rebalance *r = rebalance_run("balanced", d);
    assert_int_equal(r->plan.min_moves, 0);
    assert_int_equal(r->plan.extra_moves, 4);
    draft_free(d);
    rebalance_free(r);
}

static void only_who_may_receive_buys(void **state)
{
    (void)state;
    draft *d = one_subtopology_each(1);
    rebalance *r = rebalance_run("learner", d);
    assert_int_equal(r->plan.learners + r->plan.moves, 0);
    draft_free(d);
    rebalance_free(r);
}

static void where_memory_runs_out_while_buying_the_fault_is_clean(void **state)
{
    (void)state;
    draft *d = one_subtopology_each(1);
    rebalance_survives_famine("balanced", d);
    draft_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_even_spread_is_not_bought_unless_it_is_asked_for),
        cmocka_unit_test(an_even_spread_is_bought_with_learners_where_it_is_asked_for),
        cmocka_unit_test(buying_ends_within_the_quota),
        cmocka_unit_test(members_that_are_all_different_share_each_subtopology),
        cmocka_unit_test(under_one_slot_it_ends_as_well),
        cmocka_unit_test(the_price_is_what_it_takes_beyond_the_least),
        cmocka_unit_test(only_who_may_receive_buys),
        cmocka_unit_test(where_memory_runs_out_while_buying_the_fault_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
