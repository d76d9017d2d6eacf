/* SPDX-License-Identifier: Apache-2.0 */
#include "core/deadline.h"

#include "test/testing.h"

static void without_a_budget_time_is_never_up(void **state)
{
    (void)state;
    sgp_deadline none = sgp_deadline_start(0), endless = sgp_deadline_start(INT64_MAX);
    for (unsigned i = 0; i < 10 * SGP_DEADLINE_STRIDE; i++) {
        assert_false(sgp_deadline_passed(&none));
        assert_false(sgp_deadline_passed(&endless));
        assert_false(sgp_deadline_passed(NULL));
    }
    assert_false(sgp_deadline_look(&none));
    assert_false(sgp_deadline_look(&endless));
    assert_false(sgp_deadline_look(NULL));
}

/* A deadline that lay in the past when it began needs no waiting. */
static sgp_deadline over(void)
{
    sgp_deadline deadline = sgp_deadline_start(1);
    deadline.at_ns = 0;
    return deadline;
}

static void the_clock_is_read_once_in_a_stride(void **state)
{
    (void)state;
    sgp_deadline deadline = over();
    for (unsigned i = 1; i < SGP_DEADLINE_STRIDE; i++) {
        assert_false(sgp_deadline_passed(&deadline));
    }
    assert_true(sgp_deadline_passed(&deadline));
}

static void a_look_reads_it_at_once_and_is_remembered(void **state)
{
    (void)state;
    sgp_deadline deadline = over();
    assert_false(deadline.passed);
    assert_true(sgp_deadline_look(&deadline));
    deadline.at_ns = UINT64_MAX;
    assert_true(sgp_deadline_look(&deadline));
    assert_true(sgp_deadline_passed(&deadline));
}

static void the_time_that_passes_is_that_of_a_clock(void **state)
{
    (void)state;
    sgp_deadline deadline = sgp_deadline_start(1);
    while (!sgp_deadline_passed(&deadline)) {
    }
    assert_true(deadline.passed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_budget_time_is_never_up),
        cmocka_unit_test(the_clock_is_read_once_in_a_stride),
        cmocka_unit_test(a_look_reads_it_at_once_and_is_remembered),
        cmocka_unit_test(the_time_that_passes_is_that_of_a_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
