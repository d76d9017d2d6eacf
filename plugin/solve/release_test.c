/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/release.h"

#include "test/chance.h"
#include "test/solver.h"
#include "test/testing.h"

#define MOST 6

static void the_subtopology_held_most_above_its_share_gives_first(void **state)
{
    (void)state;
    const uint32_t want[] = {3, 3}, give[] = {3, 0};
    draft *d = draft_new();
    draft_tasks(d, 4, 1);
    draft_tasks(d, 2, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, 6);
    solver *s = solver_open(d);
    sgp_balance b = solver_balance(s, want);
    assert_int_equal(sgp_release(&b, give), SEGUE_OK);
    assert_int_equal(solver_held(&b, 0, 0), 2);
    assert_int_equal(solver_held(&b, 0, 1), 1);
    assert_int_equal(b.pending, 3);
    assert_int_equal(b.surplus[0], 0);
    solver_close(s);
}

static void an_owner_keeps_its_lowest_partitions(void **state)
{
    (void)state;
    const uint32_t want[] = {2, 2}, give[] = {2, 0};
    draft *d = draft_new();
    draft_tasks(d, 4, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, 4);
    solver *s = solver_open(d);
    sgp_balance b = solver_balance(s, want);
    assert_int_equal(sgp_release(&b, give), SEGUE_OK);
    assert_int_equal(b.target[0], 0);
    assert_int_equal(b.target[1], 0);
    assert_int_equal(b.target[2], SEGUE_NONE);
    assert_int_equal(b.target[3], SEGUE_NONE);
    solver_close(s);
}

static void where_it_is_free_what_the_pool_has_least_of_is_released(void **state)
{
    (void)state;
    /* Both hold one of each subtopology and give one: the second gives of what the first kept. */
    const uint32_t want[] = {1, 1, 2}, give[] = {1, 1, 0};
    draft *d = draft_new();
    draft_tasks(d, 2, 1);
    draft_tasks(d, 2, 1);
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, m, 1);
    }
    for (uint32_t t = 0; t < 4; t++) {
        draft_owns(d, t % 2, t, 1);
    }
    solver *s = solver_open(d);
    sgp_balance b = solver_balance(s, want);
    assert_int_equal(sgp_release(&b, give), SEGUE_OK);
    assert_int_equal(solver_held(&b, SEGUE_NONE, 0), 1);
    assert_int_equal(solver_held(&b, SEGUE_NONE, 1), 1);
    solver_close(s);
}

/* One member holds everything: what it keeps can always be within its share of each subtopology, rounded. */
static void what_a_sole_owner_keeps_is_its_share_of_each_subtopology_rounded(void **state)
{
    (void)state;
    uint64_t first = chance_seed();
    for (uint64_t seed = first; seed < first + 2000; seed++) {
        chance c = chance_of(seed);
        draft *d = draft_new();
        for (uint32_t s = 1 + chance_below(&c, 6); s > 0; s--) {
            draft_tasks(d, 1 + chance_below(&c, 12), 1);
        }
        uint32_t tasks = d->group.task_count, keeps = chance_below(&c, tasks + 1);
        const uint32_t want[] = {keeps, tasks - keeps}, give[] = {tasks - keeps, 0};
        draft_member(d, 0, 1);
        draft_member(d, 1, 1);
        draft_owns(d, 0, 0, tasks);
        solver *s = solver_open(d);
        sgp_balance b = solver_balance(s, want);
        assert_int_equal(sgp_release(&b, give), SEGUE_OK);
        EXPECT(b.pending == tasks - keeps, "seed %llu: %u released of %u", (unsigned long long)seed, b.pending,
               give[0]);
        for (uint32_t i = 0; i < s->view.subtopologies; i++) {
            uint32_t held = solver_held(&b, 0, i), all = held + solver_held(&b, SEGUE_NONE, i);
            EXPECT(held * tasks < all * keeps + tasks && all * keeps < held * tasks + tasks,
                   "seed %llu, subtopology %u: keeps %u of %u, and %u of %u in all", (unsigned long long)seed, i, held,
                   all, keeps, tasks);
        }
        solver_close(s);
    }
}

static void everybody_gives_exactly_what_it_was_told(void **state)
{
    (void)state;
    uint64_t first = chance_seed();
    for (uint64_t seed = first; seed < first + 1000; seed++) {
        chance c = chance_of(seed);
        uint32_t want[MOST] = {0}, give[MOST] = {0}, owned[MOST] = {0}, members = 1 + chance_below(&c, MOST), all = 0;
        draft *d = draft_new();
        for (uint32_t s = 1 + chance_below(&c, 5); s > 0; s--) {
            draft_tasks(d, 1 + chance_below(&c, 10), 1);
        }
        for (uint32_t m = 0; m < members; m++) {
            draft_member(d, m, 1);
        }
        for (uint32_t t = 0; t < d->group.task_count; t++) {
            uint32_t owner = chance_below(&c, members);
            draft_owns(d, owner, t, 1);
            owned[owner]++;
        }
        for (uint32_t m = 0; m < members; m++) {
            give[m] = chance_below(&c, owned[m] + 1);
            want[m] = owned[m] - give[m];
            all += give[m];
        }
        solver *s = solver_open(d);
        sgp_balance b = solver_balance(s, want);
        assert_int_equal(sgp_release(&b, give), SEGUE_OK);
        EXPECT(b.pending == all, "seed %llu: %u pending instead of %u", (unsigned long long)seed, b.pending, all);
        for (uint32_t m = 0; m < members; m++) {
            uint32_t held = 0;
            for (uint32_t i = 0; i < s->view.subtopologies; i++) {
                held += solver_held(&b, m, i);
            }
            EXPECT(held == want[m] && b.surplus[m] == 0, "seed %llu, member %u: keeps %u", (unsigned long long)seed, m,
                   held);
        }
        solver_close(s);
    }
}

static void what_was_promised_by_others_is_not_released(void **state)
{
    (void)state;
    /* Task 0 goes to member 1 already; its own task 2 is the one that it may give up. */
    const uint32_t want[] = {1, 1, 1}, give[] = {0, 1, 0};
    draft *d = draft_new();
    draft_tasks(d, 3, 1);
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, m, 1);
    }
    draft_owns(d, 0, 0, 2);
    draft_owns(d, 1, 2, 1);
    solver *s = solver_open(d);
    sgp_balance b = solver_balance(s, want);
    b.target[0] = 1;
    b.surplus[1] = 1;
    assert_int_equal(sgp_release(&b, give), SEGUE_OK);
    assert_int_equal(b.target[0], 1);
    assert_int_equal(b.target[2], SEGUE_NONE);
    solver_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_subtopology_held_most_above_its_share_gives_first),
        cmocka_unit_test(an_owner_keeps_its_lowest_partitions),
        cmocka_unit_test(where_it_is_free_what_the_pool_has_least_of_is_released),
        cmocka_unit_test(what_a_sole_owner_keeps_is_its_share_of_each_subtopology_rounded),
        cmocka_unit_test(everybody_gives_exactly_what_it_was_told),
        cmocka_unit_test(what_was_promised_by_others_is_not_released),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
