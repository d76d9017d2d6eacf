/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/balance.h"

#include "test/chance.h"
#include "test/random_group.h"
#include "test/solver.h"
#include "test/testing.h"

/* A balance of the stateful tasks by their plain share, run. */
static sgp_balance run(solver *s, const uint8_t *receives)
{
    const sgp_view *view = &s->view;
    uint32_t *nothing = SGP_TAKE_ZERO(&s->region, uint32_t, view->members);
    sgp_balance b = solver_balance(s, nothing);
    sgp_quota quota;
    quota.floor = SGP_TAKE(&s->region, uint32_t, view->members);
    quota.ceiling = SGP_TAKE(&s->region, uint32_t, view->members);
    sgp_quota_share(view, view->stateful_tasks, &quota);
    for (uint32_t m = 0; receives != NULL && m < view->members; m++) {
        b.receives[m] = receives[m];
    }
    b.want = b.surplus = b.deficit = NULL;
    assert_int_equal(sgp_balance_run(&b, &quota, NULL, 0), SEGUE_OK);
    return b;
}

static uint32_t targets_of(const sgp_balance *b, uint32_t member)
{
    uint32_t held = 0;
    for (uint32_t t = 0; t < b->view->tasks; t++) {
        held += sgp_is_kind(b, t) && b->target[t] == member;
    }
    return held;
}

static void where_everybody_receives_everybody_ends_with_what_it_should_hold(void **state)
{
    (void)state;
    unsigned traits = RANDOM_ANYTHING & ~RANDOM_STATELESS;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        solver *s = solver_open(random_group(seed, (random_size){40, 8, 3, 5}, traits));
        sgp_balance b = run(s, NULL);
        for (uint32_t m = 0; !s->view.nobody_stays && m < s->view.members; m++) {
            uint32_t expected = s->view.place[m] == SGP_STAYS ? b.want[m] : 0;
            EXPECT(targets_of(&b, m) == expected, "seed %llu, member %u: %u instead of %u", (unsigned long long)seed, m,
                   targets_of(&b, m), expected);
        }
        solver_close(s);
    }
}

static void nobody_gives_up_a_task_that_it_should_hold(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        solver *s = solver_open(random_group(seed, (random_size){40, 8, 3, 5}, RANDOM_NO_OWNER | RANDOM_COPIES));
        sgp_balance b = run(s, NULL);
        for (uint32_t m = 0; m < s->view.members; m++) {
            uint32_t kept = 0;
            for (uint32_t t = 0; t < s->view.tasks; t++) {
                kept += b.serve[t] == m && b.target[t] == m;
            }
            uint32_t expected = b.load[m] < b.want[m] ? b.load[m] : b.want[m];
            EXPECT(kept == expected, "seed %llu, member %u keeps %u of %u", (unsigned long long)seed, m, kept,
                   expected);
        }
        solver_close(s);
    }
}

static void who_receives_nothing_keeps_what_it_serves_and_gets_only_what_nobody_serves(void **state)
{
    (void)state;
    /* Members 0 and 1 are old, 0 has too much; 2 is new. Two tasks have no owner. */
    const uint8_t receives[] = {0, 0, 1};
    draft *d = draft_new();
    draft_tasks(d, 9, 1);
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, m, 1);
    }
    draft_owns(d, 0, 0, 6);
    draft_owns(d, 1, 6, 1);
    solver *s = solver_open(d);
    sgp_balance b = run(s, receives);
    assert_int_equal(targets_of(&b, 0), 3);
    assert_int_equal(targets_of(&b, 1), 3);
    assert_int_equal(targets_of(&b, 2), 3);
    assert_int_equal(b.target[7], 1);
    assert_int_equal(b.target[8], 1);
    solver_close(s);
}

static void the_largest_surplus_gives_first_when_there_is_room_for_little(void **state)
{
    (void)state;
    /* Only member 2 receives, and it should hold 4; member 0 has 8 and member 1 has 4: no more than 4 are given. */
    const uint8_t receives[] = {0, 0, 1};
    draft *d = draft_new();
    draft_tasks(d, 12, 1);
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, m, 1);
    }
    draft_owns(d, 0, 0, 7);
    draft_owns(d, 1, 7, 5);
    d->threads[2] = 1;
    solver *s = solver_open(d);
    sgp_balance b = run(s, receives);
    assert_int_equal(targets_of(&b, 0), 4);
    assert_int_equal(targets_of(&b, 1), 4);
    assert_int_equal(targets_of(&b, 2), 4);
    solver_close(s);
}

static void where_nobody_stays_nothing_moves(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 4, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, 4);
    draft_leaves(d, 0, SEGUE_TIME_NONE);
    draft_leaves(d, 1, SEGUE_TIME_NONE);
    solver *s = solver_open(d);
    sgp_balance b = run(s, NULL);
    assert_int_equal(targets_of(&b, 0), 4);
    assert_true(b.unchanged);
    solver_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_everybody_receives_everybody_ends_with_what_it_should_hold),
        cmocka_unit_test(nobody_gives_up_a_task_that_it_should_hold),
        cmocka_unit_test(who_receives_nothing_keeps_what_it_serves_and_gets_only_what_nobody_serves),
        cmocka_unit_test(the_largest_surplus_gives_first_when_there_is_room_for_little),
        cmocka_unit_test(where_nobody_stays_nothing_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
