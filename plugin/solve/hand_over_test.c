/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/hand_over.h"

#include "test/handing.h"
#include "test/testing.h"

static void a_task_at_its_target_is_settled(void **state)
{
    (void)state;
    handing s;
    handing_open(&s, draft_of_one_owner(1, 2), (const uint32_t[]){0}, 0);
    assert_int_equal(s.outcome[0], SGP_SETTLED);
    assert_int_equal(s.active[0], 0);
    solver_close(s.solver);
}

static void what_is_caught_up_moves_and_what_is_not_is_learned_first(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_of_one_owner(4, 2);
    draft_copy(d, 1, 0, SEGUE_DORMANT, 10000);
    draft_copy(d, 1, 1, SEGUE_LEARNER, 10001);
    draft_copy(d, 1, 2, SEGUE_STANDBY, SEGUE_LAG_UNKNOWN);
    handing_open(&s, d, (const uint32_t[]){1, 1, 1, 1}, 0);
    handing_moved(&s, 0);
    handing_learns(&s, 1);
    handing_learns(&s, 2);
    handing_learns(&s, 3);
    assert_int_equal(s.roles.learners, 3);
    solver_close(s.solver);
}

static void on_the_servers_own_disk_nothing_has_to_be_learned(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_new();
    draft_tasks(d, 1, 1);
    draft_member(d, 0, 1);
    draft_member(d, 0, 1);
    draft_owns(d, 0, 0, 1);
    handing_open(&s, d, (const uint32_t[]){1}, 0);
    handing_moved(&s, 0);
    solver_close(s.solver);
}

static void a_task_that_nobody_serves_starts_active_at_its_target(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_new();
    draft_tasks(d, 1, 1);
    draft_member(d, 0, 1);
    handing_open(&s, d, (const uint32_t[]){0}, 0);
    handing_moved(&s, 0);
    solver_close(s.solver);
}

static void a_cold_strategy_moves_everything_at_once(void **state)
{
    (void)state;
    handing s;
    handing_open(&s, draft_of_one_owner(2, 2), (const uint32_t[]){1, 1}, 1);
    handing_moved(&s, 0);
    handing_moved(&s, 1);
    assert_int_equal(s.roles.learners, 0);
    solver_close(s.solver);
}

static void in_the_eager_mode_each_learner_that_is_ready_becomes_the_owner(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_of_one_owner(2, 2);
    draft_copy(d, 1, 0, SEGUE_LEARNER, 5);
    draft_copy(d, 1, 1, SEGUE_LEARNER, 50000);
    handing_open(&s, d, (const uint32_t[]){1, 1}, 0);
    handing_moved(&s, 0);
    handing_learns(&s, 1);
    solver_close(s.solver);
}

static void in_the_stable_mode_a_learner_waits_for_all_others_of_its_member(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_of_one_owner(3, 3);
    d->config.learner_partial_rebalance = 0;
    draft_copy(d, 1, 0, SEGUE_LEARNER, 5);
    draft_copy(d, 1, 1, SEGUE_LEARNER, 50000);
    draft_copy(d, 2, 2, SEGUE_LEARNER, 5);
    handing_open(&s, d, (const uint32_t[]){1, 1, 2}, 0);
    assert_int_equal(s.outcome[0], SGP_WAITS);
    assert_int_equal(s.learner[0], 1);
    assert_int_equal(s.active[0], 0);
    handing_learns(&s, 1);
    handing_moved(&s, 2);
    assert_int_equal(s.roles.learners, 2);
    solver_close(s.solver);
}

static void in_the_stable_mode_a_caught_up_copy_that_is_no_learner_moves_at_once(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_of_one_owner(2, 2);
    d->config.learner_partial_rebalance = 0;
    draft_copy(d, 1, 0, SEGUE_STANDBY, 5);
    draft_copy(d, 1, 1, SEGUE_LEARNER, 50000);
    handing_open(&s, d, (const uint32_t[]){1, 1}, 0);
    handing_moved(&s, 0);
    handing_learns(&s, 1);
    solver_close(s.solver);
}

static void stateless_tasks_are_not_its_business(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_of_one_owner(1, 2);
    d->stateful[0] = 0;
    handing_open(&s, d, (const uint32_t[]){1}, 0);
    assert_int_equal(s.roles.learners, 0);
    assert_int_equal(s.active[0], 0);
    solver_close(s.solver);
}

static void the_lag_on_a_disk_is_that_of_its_nearest_copy_in_its_strongest_role(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 2, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_member(d, 1, 1);
    draft_member(d, 2, 1);
    draft_owns(d, 0, 0, 1);
    draft_copy(d, 1, 0, SEGUE_LEARNER, SEGUE_LAG_UNKNOWN);
    draft_copy(d, 2, 0, SEGUE_DORMANT, 70);
    solver *s = solver_open(d);
    uint32_t role;
    assert_int_equal(sgp_lag_on(&s->view, 0, 0, &role), 0);
    assert_int_equal(role, SEGUE_ACTIVE);
    assert_int_equal(sgp_lag_on(&s->view, 0, 2, &role), 70);
    assert_int_equal(role, SEGUE_LEARNER);
    assert_int_equal(sgp_lag_on(&s->view, 0, 3, &role), SEGUE_LAG_UNKNOWN);
    assert_int_equal(role, SEGUE_NONE);
    assert_int_equal(sgp_lag_on(&s->view, 1, 0, &role), SEGUE_LAG_UNKNOWN);
    assert_int_equal(role, SEGUE_NONE);
    solver_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_at_its_target_is_settled),
        cmocka_unit_test(what_is_caught_up_moves_and_what_is_not_is_learned_first),
        cmocka_unit_test(on_the_servers_own_disk_nothing_has_to_be_learned),
        cmocka_unit_test(a_task_that_nobody_serves_starts_active_at_its_target),
        cmocka_unit_test(a_cold_strategy_moves_everything_at_once),
        cmocka_unit_test(in_the_eager_mode_each_learner_that_is_ready_becomes_the_owner),
        cmocka_unit_test(in_the_stable_mode_a_learner_waits_for_all_others_of_its_member),
        cmocka_unit_test(in_the_stable_mode_a_caught_up_copy_that_is_no_learner_moves_at_once),
        cmocka_unit_test(stateless_tasks_are_not_its_business),
        cmocka_unit_test(the_lag_on_a_disk_is_that_of_its_nearest_copy_in_its_strongest_role),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
