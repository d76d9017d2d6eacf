/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/tally.h"

#include "test/solver.h"
#include "test/testing.h"

/* Two subtopologies of 4; member 0 owns all of the first, member 1 of the second; each should hold 4. */
static draft *lopsided(void)
{
    draft *d = draft_new();
    draft_tasks(d, 4, 1);
    draft_tasks(d, 4, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, 4);
    draft_owns(d, 1, 4, 4);
    return d;
}

static void a_move_evens_out_what_one_holds_too_much_of_and_the_other_too_little(void **state)
{
    (void)state;
    const uint32_t want[] = {4, 4};
    const uint8_t all[] = {1, 1};
    solver *s = solver_open(lopsided());
    sgp_balance b = solver_balance(s, want);
    sgp_tally tally;
    assert_int_equal(sgp_tally_build(&tally, &b, all), SEGUE_OK);
    assert_true(sgp_tally_evens(&tally, &b, 0, 0, 1));
    assert_false(sgp_tally_evens(&tally, &b, 1, 0, 1));
    sgp_tally_move(&tally, 0, 0, 1);
    assert_true(sgp_tally_evens(&tally, &b, 0, 0, 1));
    sgp_tally_move(&tally, 0, 0, 1);
    assert_false(sgp_tally_evens(&tally, &b, 0, 0, 1));
    solver_close(s);
}

static void who_is_outside_of_the_set_neither_gives_nor_takes_too_much(void **state)
{
    (void)state;
    const uint32_t want[] = {4, 4};
    const uint8_t first[] = {1, 0};
    solver *s = solver_open(lopsided());
    sgp_balance b = solver_balance(s, want);
    sgp_tally tally;
    assert_int_equal(sgp_tally_build(&tally, &b, first), SEGUE_OK);
    assert_true(sgp_tally_evens(&tally, &b, 1, 1, 0));
    assert_true(sgp_tally_evens(&tally, &b, 1, SEGUE_NONE, 0));
    assert_false(sgp_tally_evens(&tally, &b, 0, 1, 0));
    assert_true(sgp_tally_evens(&tally, &b, 0, 0, 1));
    sgp_tally_move(&tally, 0, 0, 1);
    sgp_tally_move(&tally, 0, 0, 1);
    assert_false(sgp_tally_evens(&tally, &b, 0, 0, 1)); /* it holds its share and no more */
    solver_close(s);
}

static void a_table_larger_than_the_work_it_serves_is_not_built(void **state)
{
    (void)state;
    enum { MANY = 100 };
    uint32_t want[MANY] = {0};
    uint8_t all[MANY];
    draft *d = draft_new();
    memset(all, 1, sizeof all);
    for (uint32_t i = 0; i < MANY; i++) {
        draft_tasks(d, 1, 1);
        draft_member(d, i, 1);
    }
    solver *s = solver_open(d);
    sgp_balance b = solver_balance(s, want);
    sgp_tally tally;
    assert_int_equal(sgp_tally_build(&tally, &b, all), SEGUE_OK);
    assert_null(tally.cells);
    assert_true(sgp_tally_evens(&tally, &b, 0, 0, 1));
    sgp_tally_move(&tally, 0, 0, 1);
    solver_close(s);
}

/* As many cells as eight for each task and member. */
static void a_table_of_just_that_size_is_built(void **state)
{
    (void)state;
    for (uint32_t members = 16; members <= 17; members++) {
        uint32_t want[17] = {0};
        uint8_t all[17];
        draft *d = draft_new();
        memset(all, 1, sizeof all);
        for (uint32_t m = 0; m < members; m++) {
            draft_member(d, m, 1);
        }
        for (uint32_t i = 0; i < 16; i++) {
            draft_tasks(d, 1, 1);
        }
        solver *s = solver_open(d);
        sgp_balance b = solver_balance(s, want);
        sgp_tally tally;
        assert_int_equal(sgp_tally_build(&tally, &b, all), SEGUE_OK);
        assert_int_equal(tally.cells != NULL, members == 16);
        solver_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_move_evens_out_what_one_holds_too_much_of_and_the_other_too_little),
        cmocka_unit_test(who_is_outside_of_the_set_neither_gives_nor_takes_too_much),
        cmocka_unit_test(a_table_larger_than_the_work_it_serves_is_not_built),
        cmocka_unit_test(a_table_of_just_that_size_is_built),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
