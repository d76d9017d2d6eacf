/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/quota.h"

#include "test/chance.h"
#include "test/solver.h"
#include "test/testing.h"

#define MOST 12

static solver *members_with(const uint32_t *threads, uint32_t members)
{
    draft *d = draft_new();
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, threads[m]);
    }
    return solver_open(d);
}

static void a_share_is_rounded_down_and_up(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 2, 3};
    solver *s = members_with(threads, 3);
    uint32_t low[3], high[3];
    sgp_quota quota = {low, high, 0};
    sgp_quota_share(&s->view, 10, &quota); /* 1.67, 3.33, 5 */
    assert_int_equal(low[0], 1);
    assert_int_equal(high[0], 2);
    assert_int_equal(low[1], 3);
    assert_int_equal(high[1], 4);
    assert_int_equal(low[2], 5);
    assert_int_equal(high[2], 5);
    assert_int_equal(quota.roundings, 1);
    solver_close(s);
}

/* floor(N * t / T) by repeated subtraction, so that no formula is compared with itself. */
static uint32_t whole_shares(uint64_t count, uint64_t threads, uint64_t capacity)
{
    uint64_t left = count * threads;
    uint32_t whole = 0;
    for (; left >= capacity; left -= capacity) {
        whole++;
    }
    return whole;
}

static void shares_of_any_threads_add_up_to_the_tasks(void **state)
{
    (void)state;
    uint64_t first = chance_seed();
    for (uint64_t seed = first; seed < first + 2000; seed++) {
        chance c = chance_of(seed);
        uint32_t threads[MOST], low[MOST], high[MOST], members = 1 + chance_below(&c, MOST), sum = 0, ups = 0;
        uint32_t count = chance_below(&c, 200);
        for (uint32_t m = 0; m < members; m++) {
            threads[m] = 1 + chance_below(&c, 9);
        }
        solver *s = members_with(threads, members);
        sgp_quota quota = {low, high, 0};
        sgp_quota_share(&s->view, count, &quota);
        for (uint32_t m = 0; m < members; m++) {
            uint32_t whole = whole_shares(count, threads[m], s->view.capacity);
            int exact = (uint64_t)whole * s->view.capacity == (uint64_t)count * threads[m];
            EXPECT(low[m] == whole && high[m] == whole + !exact, "seed %llu, member %u", (unsigned long long)seed, m);
            sum += low[m];
            ups += !exact;
        }
        EXPECT(sum + quota.roundings == count && quota.roundings <= ups, "seed %llu: %u roundings",
               (unsigned long long)seed, quota.roundings);
        solver_close(s);
    }
}

static void members_that_do_not_stay_have_no_share(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_member(d, 2, 0);
    draft_leaves(d, 1, SEGUE_TIME_NONE);
    solver *s = solver_open(d);
    uint32_t low[3], high[3];
    sgp_quota quota = {low, high, 0};
    sgp_quota_share(&s->view, 7, &quota);
    assert_int_equal(low[0], 7);
    assert_int_equal(high[1] + high[2], 0);
    assert_int_equal(quota.roundings, 0);
    solver_close(s);
}

static void products_at_the_borders_limits_do_not_overflow(void **state)
{
    (void)state;
    const uint32_t threads[] = {SEGUE_MAX_THREADS, SEGUE_MAX_THREADS};
    solver *s = members_with(threads, 2);
    uint32_t low[2], high[2];
    sgp_quota quota = {low, high, 0};
    sgp_quota_share(&s->view, SEGUE_MAX_TASKS, &quota);
    assert_int_equal(low[0], SEGUE_MAX_TASKS / 2);
    assert_int_equal(high[1], SEGUE_MAX_TASKS / 2);
    solver_close(s);
}

static void a_fill_lifts_all_to_one_level(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 1, 1}, load[] = {0, 1, 3};
    solver *s = members_with(threads, 3);
    uint32_t low[3], high[3];
    sgp_quota quota = {low, high, 0};
    assert_int_equal(sgp_quota_fill(&s->view, load, 5, &quota, &s->region), SEGUE_OK);
    assert_int_equal(low[0], 3);
    assert_int_equal(low[1], 2);
    assert_int_equal(low[2], 0);
    assert_int_equal(quota.roundings, 0);
    solver_close(s);
}

static void who_carries_more_than_its_share_gets_nothing_and_the_others_share_the_rest(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 1, 1}, load[] = {9, 0, 0};
    solver *s = members_with(threads, 3);
    uint32_t low[3], high[3];
    sgp_quota quota = {low, high, 0};
    assert_int_equal(sgp_quota_fill(&s->view, load, 3, &quota, &s->region), SEGUE_OK);
    assert_int_equal(high[0], 0);
    assert_int_equal(low[1], 1);
    assert_int_equal(high[1], 2);
    assert_int_equal(low[2], 1);
    assert_int_equal(high[2], 2);
    assert_int_equal(quota.roundings, 1);
    solver_close(s);
}

/* Hands out one task after the other to the member that is lowest, for each thread, once it has it. */
static void hand_out(const uint32_t *load, const uint32_t *threads, uint32_t members, uint32_t count, uint32_t *added)
{
    memset(added, 0, members * sizeof *added);
    for (; count > 0; count--) {
        uint32_t best = 0;
        for (uint32_t m = 1; m < members; m++) {
            double height = (double)(load[m] + added[m] + 1) / threads[m];
            best = height < (double)(load[best] + added[best] + 1) / threads[best] ? m : best;
        }
        added[best]++;
    }
}

static void a_fill_finds_room_for_every_task_and_is_within_one_of_handing_them_out_singly(void **state)
{
    (void)state;
    uint64_t first = chance_seed();
    for (uint64_t seed = first; seed < first + 2000; seed++) {
        chance c = chance_of(seed);
        uint32_t threads[MOST], load[MOST], low[MOST], high[MOST], added[MOST];
        uint32_t members = 1 + chance_below(&c, MOST), count = 1 + chance_below(&c, 40), floors = 0, ups = 0;
        for (uint32_t m = 0; m < members; m++) {
            threads[m] = 1 + chance_below(&c, 4);
            load[m] = chance_below(&c, 12);
        }
        solver *s = members_with(threads, members);
        sgp_quota quota = {low, high, 0};
        assert_int_equal(sgp_quota_fill(&s->view, load, count, &quota, &s->region), SEGUE_OK);
        hand_out(load, threads, members, count, added);
        for (uint32_t m = 0; m < members; m++) {
            floors += low[m];
            ups += high[m] > low[m];
            EXPECT(high[m] - low[m] <= 1, "seed %llu, member %u", (unsigned long long)seed, m);
            EXPECT(low[m] <= added[m] + 1 && high[m] + 1 >= added[m], "seed %llu, member %u: %u to %u, %u singly",
                   (unsigned long long)seed, m, low[m], high[m], added[m]);
        }
        EXPECT(floors <= count && floors + quota.roundings == count && quota.roundings <= ups,
               "seed %llu: %u + %u for %u tasks, %u may be rounded up", (unsigned long long)seed, floors,
               quota.roundings, count, ups);
        solver_close(s);
    }
}

/* The same, and one more member that leaves. */
static solver *members_and_a_leaver(const uint32_t *threads, uint32_t members)
{
    draft *d = draft_new();
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, threads[m]);
    }
    draft_leaves(d, draft_member(d, members, 2), SEGUE_TIME_NONE);
    return solver_open(d);
}

/* As long as nobody carries more than its rounded share and the floors are within reach, a fill ends in what
 * sgp_quota_share says of all tasks together: who carries a rounded share already does not lower the others' floors. */
static void a_fill_that_can_ends_in_the_shares_of_the_whole(void **state)
{
    (void)state;
    uint32_t rounded_before = 0;
    for (uint64_t seed = chance_seed(), last = seed + 3000; seed < last; seed++) {
        chance c = chance_of(seed);
        uint32_t threads[MOST], load[MOST + 1], low[MOST + 1], high[MOST + 1], lacking = 0, loads = 0, at_ceiling = 0;
        uint32_t members = 1 + chance_below(&c, MOST), total = chance_below(&c, 80), capacity = 0;
        for (uint32_t m = 0; m < members; m++) {
            capacity += threads[m] = 1 + chance_below(&c, 5);
        }
        for (uint32_t m = 0; m < members; m++) {
            uint32_t whole = whole_shares(total, threads[m], capacity);
            int exact = (uint64_t)whole * capacity == (uint64_t)total * threads[m];
            load[m] = chance_once_in(&c, 3) ? whole + !exact : chance_below(&c, whole + 1);
            at_ceiling += load[m] > whole;
            loads += load[m];
            lacking += whole > load[m] ? whole - load[m] : 0;
        }
        if (loads > total || lacking > total - loads || loads == total) {
            continue;
        }
        load[members] = chance_below(&c, 9);
        solver *s = members_and_a_leaver(threads, members);
        sgp_quota quota = {low, high, 0};
        assert_int_equal(sgp_quota_fill(&s->view, load, total - loads, &quota, &s->region), SEGUE_OK);
        for (uint32_t m = 0; m < members; m++) {
            uint32_t whole = whole_shares(total, threads[m], capacity);
            uint32_t ceiling = whole + ((uint64_t)whole * capacity != (uint64_t)total * threads[m]);
            EXPECT(low[m] == (whole > load[m] ? whole - load[m] : 0) && high[m] == ceiling - load[m],
                   "seed %llu, member %u: %u to %u beside %u of %u to %u", (unsigned long long)seed, m, low[m], high[m],
                   load[m], whole, ceiling);
        }
        EXPECT(high[members] == 0, "seed %llu: the leaver adds something", (unsigned long long)seed);
        EXPECT(quota.roundings == total - loads - lacking, "seed %llu: %u roundings", (unsigned long long)seed,
               quota.roundings);
        rounded_before += at_ceiling > 0;
        solver_close(s);
    }
    assert_true(rounded_before > 100);
}

/* One pass after the other: what is left of the share once those above it are out, until nobody is above what is left. */
static uint64_t fill_slowly(const uint32_t *threads, const uint32_t *load, uint32_t members, uint32_t count, int strictly,
                            uint32_t *low, uint32_t *high)
{
    uint8_t out[MOST] = {0};
    uint64_t total, capacity, floors = 0;
    for (int again = 1; again;) {
        again = 0;
        total = count;
        capacity = 0;
        for (uint32_t m = 0; m < members; m++) {
            total += out[m] ? 0 : load[m];
            capacity += out[m] ? 0 : threads[m];
        }
        for (uint32_t m = 0; m < members; m++) {
            low[m] = out[m] ? 0 : whole_shares(total, threads[m], capacity);
            high[m] = out[m] ? 0 : low[m] + (low[m] * capacity != total * threads[m]);
        }
        for (uint32_t m = 0; m < members; m++) {
            int above = !out[m] && load[m] > (strictly ? low[m] : high[m]);
            out[m] |= (uint8_t)above;
            again |= above;
        }
    }
    for (uint32_t m = 0; m < members; m++) {
        low[m] -= low[m] < load[m] ? low[m] : load[m];
        high[m] -= high[m] < load[m] ? high[m] : load[m];
        floors += low[m];
    }
    return floors;
}

static void whoever_is_above_what_the_others_leave_is_left_out_too(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 3000; seed < last; seed++) {
        chance c = chance_of(seed);
        uint32_t threads[MOST], load[MOST], low[MOST], high[MOST], floor[MOST], ceiling[MOST];
        uint32_t members = 2 + chance_below(&c, MOST - 1), count = 1 + chance_below(&c, 20);
        for (uint32_t m = 0; m < members; m++) {
            threads[m] = 1 + (chance_once_in(&c, 3) ? chance_below(&c, 3) : 0);
            load[m] = chance_below(&c, 1u << chance_below(&c, 7)); /* so that many are above one after the other */
        }
        solver *s = members_with(threads, members);
        sgp_quota quota = {low, high, 0};
        assert_int_equal(sgp_quota_fill(&s->view, load, count, &quota, &s->region), SEGUE_OK);
        uint64_t floors = fill_slowly(threads, load, members, count, 0, floor, ceiling);
        if (floors > count) {
            floors = fill_slowly(threads, load, members, count, 1, floor, ceiling);
        }
        for (uint32_t m = 0; m < members; m++) {
            EXPECT(low[m] == floor[m] && high[m] == ceiling[m], "seed %llu, member %u: %u to %u instead of %u to %u",
                   (unsigned long long)seed, m, low[m], high[m], floor[m], ceiling[m]);
        }
        EXPECT(quota.roundings == count - floors, "seed %llu: %u roundings", (unsigned long long)seed, quota.roundings);
        solver_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_is_rounded_down_and_up),
        cmocka_unit_test(shares_of_any_threads_add_up_to_the_tasks),
        cmocka_unit_test(members_that_do_not_stay_have_no_share),
        cmocka_unit_test(products_at_the_borders_limits_do_not_overflow),
        cmocka_unit_test(a_fill_lifts_all_to_one_level),
        cmocka_unit_test(who_carries_more_than_its_share_gets_nothing_and_the_others_share_the_rest),
        cmocka_unit_test(a_fill_finds_room_for_every_task_and_is_within_one_of_handing_them_out_singly),
        cmocka_unit_test(whoever_is_above_what_the_others_leave_is_left_out_too),
        cmocka_unit_test(a_fill_that_can_ends_in_the_shares_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
