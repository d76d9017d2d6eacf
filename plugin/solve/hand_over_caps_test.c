/* SPDX-License-Identifier: Apache-2.0 */
/* Whom the caps on learners let through, and in which order. */
#include "solve/hand_over.h"

#include "test/handing.h"
#include "test/testing.h"

static void a_limit_of_the_group_holds(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_of_one_owner(3, 3);
    d->config.max_learners = 2;
    handing_open(&s, d, (const uint32_t[]){1, 2, 1}, 0);
    assert_int_equal(s.roles.learners, 2);
    handing_learns(&s, 0);
    handing_learns(&s, 2);
    handing_held_back(&s, 1);
    assert_int_equal(s.roles.held_back, 1);
    solver_close(s.solver);
}

static void a_limit_of_each_member_holds(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_of_one_owner(4, 3);
    d->config.max_learners_per_member = 1;
    handing_open(&s, d, (const uint32_t[]){1, 1, 2, 2}, 0);
    handing_learns(&s, 0);
    handing_held_back(&s, 1);
    handing_learns(&s, 2);
    handing_held_back(&s, 3);
    solver_close(s.solver);
}

static void a_limit_of_bytes_holds_to_the_byte(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_of_one_owner(3, 2);
    d->state_bytes[0] = 40;
    d->state_bytes[1] = 60;
    d->state_bytes[2] = 61;
    d->config.max_learning_bytes = 100;
    handing_open(&s, d, (const uint32_t[]){1, 1, 1}, 0);
    handing_learns(&s, 0);
    handing_learns(&s, 1);
    handing_held_back(&s, 2);
    solver_close(s.solver);
}

static void one_task_larger_than_the_bytes_still_moves_alone(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_of_one_owner(2, 2);
    d->state_bytes[0] = d->state_bytes[1] = INT64_MAX;
    d->config.max_learning_bytes = 100;
    handing_open(&s, d, (const uint32_t[]){1, 1}, 0);
    handing_learns(&s, 0);
    handing_held_back(&s, 1);
    solver_close(s.solver);
}

static void the_least_state_is_learned_first(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_of_one_owner(3, 2);
    d->state_bytes[0] = 80;
    d->state_bytes[1] = 70;
    d->state_bytes[2] = 60;
    d->config.max_learners = 1;
    handing_open(&s, d, (const uint32_t[]){1, 1, 1}, 0);
    handing_learns(&s, 2);
    solver_close(s.solver);
}

static void the_least_state_for_its_weight_is_learned_first(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_of_one_owner(3, 2);
    d->state_bytes[0] = 80;
    d->state_bytes[1] = 70;
    d->state_bytes[2] = 60;
    d->weight[1] = 2;
    d->config.max_learners = 1;
    handing_open(&s, d, (const uint32_t[]){1, 1, 1}, 0);
    handing_learns(&s, 1);
    solver_close(s.solver);
}

/* 60 of 100 are in flight; 50 has to wait, and 20 for another member comes behind it. */
static void nothing_overtakes_a_task_that_waits_for_bytes(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_of_one_owner(3, 3);
    d->state_bytes[0] = 60;
    d->state_bytes[1] = 50;
    d->state_bytes[2] = 20;
    d->config.max_learning_bytes = 100;
    draft_copy(d, 1, 0, SEGUE_LEARNER, 50000);
    handing_open(&s, d, (const uint32_t[]){1, 1, 2}, 0);
    handing_learns(&s, 0);
    handing_held_back(&s, 1);
    handing_held_back(&s, 2);
    solver_close(s.solver);
}

/* Of two leaving members the one that has to be gone first; its task is larger. */
static void the_nearest_deadline_has_the_slot(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_of_one_owner(2, 4);
    for (uint32_t m = 2; m < 4; m++) {
        draft_copy(d, 0, m - 2, SEGUE_DORMANT, 900000);
        draft_owns(d, m, m - 2, 1);
        draft_leaves(d, m, m == 2 ? 9000 : 8000);
    }
    d->state_bytes[0] = 10;
    d->state_bytes[1] = 20;
    d->config.max_learners = 1;
    handing_open(&s, d, (const uint32_t[]){1, 1}, 0);
    assert_int_equal(s.learner[0], SEGUE_NONE);
    assert_int_equal(s.learner[1], 1);
    solver_close(s.solver);
}

static void states_of_unknown_size_take_no_bytes(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_of_one_owner(3, 2);
    d->config.max_learning_bytes = 0;
    handing_open(&s, d, (const uint32_t[]){1, 1, 1}, 0);
    assert_int_equal(s.roles.learners, 3);
    solver_close(s.solver);
}

static void no_slots_at_all_hold_everything_back_but_what_is_caught_up(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_of_one_owner(2, 2);
    d->config.max_learners = 0;
    draft_copy(d, 1, 0, SEGUE_STANDBY, 0);
    handing_open(&s, d, (const uint32_t[]){1, 1}, 0);
    handing_moved(&s, 0);
    handing_held_back(&s, 1);
    solver_close(s.solver);
}

/* Task 0 is member 3's, which leaves and has time left. */
static void owned_by_a_leaver(draft *d)
{
    draft_copy(d, 0, 0, SEGUE_DORMANT, 900000);
    draft_owns(d, 3, 0, 1);
    draft_leaves(d, 3, SEGUE_TIME_NONE);
}

static void a_ready_learner_that_finds_no_slot_to_wait_in_moves(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_of_one_owner(3, 4);
    owned_by_a_leaver(d);
    d->config.learner_partial_rebalance = 0;
    d->config.max_learning_bytes = 100;
    d->state_bytes[0] = d->state_bytes[1] = 80; /* the leaver's task has the first slot, and nothing is left */
    d->state_bytes[2] = 80;
    draft_copy(d, 1, 1, SEGUE_LEARNER, 60);
    draft_copy(d, 1, 2, SEGUE_LEARNER, 50000);
    handing_open(&s, d, (const uint32_t[]){2, 1, 1}, 0);
    assert_int_equal(s.learner[0], 2);
    handing_moved(&s, 1);
    handing_held_back(&s, 2);
    solver_close(s.solver);
}

/* One slot. Task 0 has the better claim each time, and the higher member. */
static void the_slot_goes_to_leaving_members_tasks_first(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_of_one_owner(2, 4);
    d->config.max_learners = 1;
    owned_by_a_leaver(d);
    draft_copy(d, 1, 1, SEGUE_LEARNER, 20000);
    handing_open(&s, d, (const uint32_t[]){2, 1}, 0);
    assert_int_equal(s.learner[0], 2);
    handing_held_back(&s, 1);
    solver_close(s.solver);
}

static void then_to_learners_that_run(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_of_one_owner(2, 3);
    d->config.max_learners = 1;
    draft_copy(d, 2, 0, SEGUE_LEARNER, 800000);
    draft_copy(d, 1, 1, SEGUE_STANDBY, 20000);
    handing_open(&s, d, (const uint32_t[]){2, 1}, 0);
    handing_learns(&s, 0);
    handing_held_back(&s, 1);
    solver_close(s.solver);
}

static void then_to_members_that_learn_already(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_of_one_owner(3, 3);
    d->config.max_learners = 2;
    draft_copy(d, 2, 2, SEGUE_LEARNER, 800000);
    handing_open(&s, d, (const uint32_t[]){2, 1, 2}, 0);
    handing_learns(&s, 0);
    handing_learns(&s, 2);
    handing_held_back(&s, 1);
    solver_close(s.solver);
}

static void then_to_one_member_after_the_other(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_of_one_owner(4, 3);
    d->config.max_learners = 2;
    handing_open(&s, d, (const uint32_t[]){2, 1, 2, 1}, 0);
    handing_learns(&s, 1);
    handing_learns(&s, 3);
    solver_close(s.solver);
}

static void on_each_member_the_nearest_copy_has_the_slot_and_unknown_ones_come_last(void **state)
{
    (void)state;
    handing s;
    draft *d = draft_of_one_owner(3, 2);
    d->config.max_learners = 1;
    draft_copy(d, 1, 0, SEGUE_STANDBY, SEGUE_LAG_UNKNOWN);
    draft_copy(d, 1, 1, SEGUE_STANDBY, 80000);
    draft_copy(d, 1, 2, SEGUE_STANDBY, 20000);
    handing_open(&s, d, (const uint32_t[]){1, 1, 1}, 0);
    handing_learns(&s, 2);
    solver_close(s.solver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_of_the_group_holds),
        cmocka_unit_test(a_limit_of_each_member_holds),
        cmocka_unit_test(a_limit_of_bytes_holds_to_the_byte),
        cmocka_unit_test(one_task_larger_than_the_bytes_still_moves_alone),
        cmocka_unit_test(the_least_state_is_learned_first),
        cmocka_unit_test(the_least_state_for_its_weight_is_learned_first),
        cmocka_unit_test(nothing_overtakes_a_task_that_waits_for_bytes),
        cmocka_unit_test(the_nearest_deadline_has_the_slot),
        cmocka_unit_test(states_of_unknown_size_take_no_bytes),
        cmocka_unit_test(no_slots_at_all_hold_everything_back_but_what_is_caught_up),
        cmocka_unit_test(a_ready_learner_that_finds_no_slot_to_wait_in_moves),
        cmocka_unit_test(the_slot_goes_to_leaving_members_tasks_first),
        cmocka_unit_test(then_to_learners_that_run),
        cmocka_unit_test(then_to_members_that_learn_already),
        cmocka_unit_test(then_to_one_member_after_the_other),
        cmocka_unit_test(on_each_member_the_nearest_copy_has_the_slot_and_unknown_ones_come_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
