/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/hand_over.h"

#include "test/solver.h"
#include "test/testing.h"

#define MOST 8

/* Roles of a group whose owners serve, with targets as a test says. */
typedef struct scene {
    solver *solver;
    uint32_t target[MOST], active[MOST], learner[MOST];
    uint8_t outcome[MOST];
    sgp_roles roles;
} scene;

/* What is given up now, and what waits, is counted on the way where all tasks have state. */
static void assert_counted(const scene *s)
{
    const uint32_t *serve = s->roles.serve, tasks = s->solver->view.tasks;
    uint32_t moves = 0, waiting = 0;
    if (s->solver->view.stateful_tasks < tasks) {
        return;
    }
    for (uint32_t t = 0; t < tasks; t++) {
        moves += serve[t] != SEGUE_NONE && s->active[t] != serve[t];
        if (serve[t] != s->target[t] && s->active[t] == serve[t]) {
            assert_true(waiting < s->roles.waiting_count);
            assert_int_equal(s->roles.waiting[waiting++], t);
        }
    }
    assert_int_equal(moves, s->roles.moves);
    assert_int_equal(waiting, s->roles.waiting_count);
}

static void run(scene *s, draft *d, const uint32_t *target, int cold)
{
    *s = (scene){.solver = solver_open(d)};
    const sgp_view *view = &s->solver->view;
    assert_true(view->tasks <= MOST);
    memcpy(s->target, target, view->tasks * sizeof *target);
    s->roles = (sgp_roles){.serve = view->owner, .target = s->target};
    s->roles.active = s->active;
    s->roles.learner = s->learner;
    s->roles.outcome = s->outcome;
    assert_int_equal(sgp_hand_over(view, &s->roles, cold, &s->solver->region), SEGUE_OK);
    assert_counted(s);
}

static void assert_moved(const scene *s, uint32_t task)
{
    assert_int_equal(s->outcome[task], SGP_MOVED);
    assert_int_equal(s->active[task], s->target[task]);
    assert_int_equal(s->learner[task], SEGUE_NONE);
}

static void assert_learns(const scene *s, uint32_t task)
{
    assert_int_equal(s->outcome[task], SGP_LEARNS);
    assert_int_equal(s->active[task], 0);
    assert_int_equal(s->learner[task], s->target[task]);
}

static void assert_held_back(const scene *s, uint32_t task)
{
    assert_int_equal(s->outcome[task], SGP_HELD_BACK);
    assert_int_equal(s->active[task], 0);
    assert_int_equal(s->learner[task], SEGUE_NONE);
}

static void a_task_at_its_target_is_settled(void **state)
{
    (void)state;
    scene s;
    run(&s, draft_of_one_owner(1, 2), (const uint32_t[]){0}, 0);
    assert_int_equal(s.outcome[0], SGP_SETTLED);
    assert_int_equal(s.active[0], 0);
    solver_close(s.solver);
}

static void what_is_caught_up_moves_and_what_is_not_is_learned_first(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_of_one_owner(4, 2);
    draft_copy(d, 1, 0, SEGUE_DORMANT, 10000);
    draft_copy(d, 1, 1, SEGUE_LEARNER, 10001);
    draft_copy(d, 1, 2, SEGUE_STANDBY, SEGUE_LAG_UNKNOWN);
    run(&s, d, (const uint32_t[]){1, 1, 1, 1}, 0);
    assert_moved(&s, 0);
    assert_learns(&s, 1);
    assert_learns(&s, 2);
    assert_learns(&s, 3);
    assert_int_equal(s.roles.learners, 3);
    solver_close(s.solver);
}

static void on_the_servers_own_disk_nothing_has_to_be_learned(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_new();
    draft_tasks(d, 1, 1);
    draft_member(d, 0, 1);
    draft_member(d, 0, 1);
    draft_owns(d, 0, 0, 1);
    run(&s, d, (const uint32_t[]){1}, 0);
    assert_moved(&s, 0);
    solver_close(s.solver);
}

static void a_task_that_nobody_serves_starts_active_at_its_target(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_new();
    draft_tasks(d, 1, 1);
    draft_member(d, 0, 1);
    run(&s, d, (const uint32_t[]){0}, 0);
    assert_moved(&s, 0);
    solver_close(s.solver);
}

static void a_cold_strategy_moves_everything_at_once(void **state)
{
    (void)state;
    scene s;
    run(&s, draft_of_one_owner(2, 2), (const uint32_t[]){1, 1}, 1);
    assert_moved(&s, 0);
    assert_moved(&s, 1);
    assert_int_equal(s.roles.learners, 0);
    solver_close(s.solver);
}

static void in_the_eager_mode_each_learner_that_is_ready_becomes_the_owner(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_of_one_owner(2, 2);
    draft_copy(d, 1, 0, SEGUE_LEARNER, 5);
    draft_copy(d, 1, 1, SEGUE_LEARNER, 50000);
    run(&s, d, (const uint32_t[]){1, 1}, 0);
    assert_moved(&s, 0);
    assert_learns(&s, 1);
    solver_close(s.solver);
}

static void in_the_stable_mode_a_learner_waits_for_all_others_of_its_member(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_of_one_owner(3, 3);
    d->config.learner_partial_rebalance = 0;
    draft_copy(d, 1, 0, SEGUE_LEARNER, 5);
    draft_copy(d, 1, 1, SEGUE_LEARNER, 50000);
    draft_copy(d, 2, 2, SEGUE_LEARNER, 5);
    run(&s, d, (const uint32_t[]){1, 1, 2}, 0);
    assert_int_equal(s.outcome[0], SGP_WAITS);
    assert_int_equal(s.learner[0], 1);
    assert_int_equal(s.active[0], 0);
    assert_learns(&s, 1);
    assert_moved(&s, 2);
    assert_int_equal(s.roles.learners, 2);
    solver_close(s.solver);
}

static void in_the_stable_mode_a_caught_up_copy_that_is_no_learner_moves_at_once(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_of_one_owner(2, 2);
    d->config.learner_partial_rebalance = 0;
    draft_copy(d, 1, 0, SEGUE_STANDBY, 5);
    draft_copy(d, 1, 1, SEGUE_LEARNER, 50000);
    run(&s, d, (const uint32_t[]){1, 1}, 0);
    assert_moved(&s, 0);
    assert_learns(&s, 1);
    solver_close(s.solver);
}

static void a_limit_of_the_group_holds(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_of_one_owner(3, 3);
    d->config.max_learners = 2;
    run(&s, d, (const uint32_t[]){1, 2, 1}, 0);
    assert_int_equal(s.roles.learners, 2);
    assert_learns(&s, 0);
    assert_learns(&s, 2);
    assert_held_back(&s, 1);
    assert_int_equal(s.roles.held_back, 1);
    solver_close(s.solver);
}

static void a_limit_of_each_member_holds(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_of_one_owner(4, 3);
    d->config.max_learners_per_member = 1;
    run(&s, d, (const uint32_t[]){1, 1, 2, 2}, 0);
    assert_learns(&s, 0);
    assert_held_back(&s, 1);
    assert_learns(&s, 2);
    assert_held_back(&s, 3);
    solver_close(s.solver);
}

static void a_limit_of_bytes_holds_to_the_byte(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_of_one_owner(3, 2);
    d->state_bytes[0] = 40;
    d->state_bytes[1] = 60;
    d->state_bytes[2] = 61;
    d->config.max_learning_bytes = 100;
    run(&s, d, (const uint32_t[]){1, 1, 1}, 0);
    assert_learns(&s, 0);
    assert_learns(&s, 1);
    assert_held_back(&s, 2);
    solver_close(s.solver);
}

static void one_task_larger_than_the_bytes_still_moves_alone(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_of_one_owner(2, 2);
    d->state_bytes[0] = d->state_bytes[1] = INT64_MAX;
    d->config.max_learning_bytes = 100;
    run(&s, d, (const uint32_t[]){1, 1}, 0);
    assert_learns(&s, 0);
    assert_held_back(&s, 1);
    solver_close(s.solver);
}

static void the_least_state_is_learned_first(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_of_one_owner(3, 2);
    d->state_bytes[0] = 80;
    d->state_bytes[1] = 70;
    d->state_bytes[2] = 60;
    d->config.max_learners = 1;
    run(&s, d, (const uint32_t[]){1, 1, 1}, 0);
    assert_learns(&s, 2);
    solver_close(s.solver);
}

static void the_least_state_for_its_weight_is_learned_first(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_of_one_owner(3, 2);
    d->state_bytes[0] = 80;
    d->state_bytes[1] = 70;
    d->state_bytes[2] = 60;
    d->weight[1] = 2;
    d->config.max_learners = 1;
    run(&s, d, (const uint32_t[]){1, 1, 1}, 0);
    assert_learns(&s, 1);
    solver_close(s.solver);
}

/* 60 of 100 are in flight; 50 has to wait, and 20 for another member comes behind it. */
static void nothing_overtakes_a_task_that_waits_for_bytes(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_of_one_owner(3, 3);
    d->state_bytes[0] = 60;
    d->state_bytes[1] = 50;
    d->state_bytes[2] = 20;
    d->config.max_learning_bytes = 100;
    draft_copy(d, 1, 0, SEGUE_LEARNER, 50000);
    run(&s, d, (const uint32_t[]){1, 1, 2}, 0);
    assert_learns(&s, 0);
    assert_held_back(&s, 1);
    assert_held_back(&s, 2);
    solver_close(s.solver);
}

/* Of two leaving members the one that has to be gone first; its task is larger. */
static void the_nearest_deadline_has_the_slot(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_of_one_owner(2, 4);
    for (uint32_t m = 2; m < 4; m++) {
        draft_copy(d, 0, m - 2, SEGUE_DORMANT, 900000);
        draft_owns(d, m, m - 2, 1);
        draft_leaves(d, m, m == 2 ? 9000 : 8000);
    }
    d->state_bytes[0] = 10;
    d->state_bytes[1] = 20;
    d->config.max_learners = 1;
    run(&s, d, (const uint32_t[]){1, 1}, 0);
    assert_int_equal(s.learner[0], SEGUE_NONE);
    assert_int_equal(s.learner[1], 1);
    solver_close(s.solver);
}

static void states_of_unknown_size_take_no_bytes(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_of_one_owner(3, 2);
    d->config.max_learning_bytes = 0;
    run(&s, d, (const uint32_t[]){1, 1, 1}, 0);
    assert_int_equal(s.roles.learners, 3);
    solver_close(s.solver);
}

static void no_slots_at_all_hold_everything_back_but_what_is_caught_up(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_of_one_owner(2, 2);
    d->config.max_learners = 0;
    draft_copy(d, 1, 0, SEGUE_STANDBY, 0);
    run(&s, d, (const uint32_t[]){1, 1}, 0);
    assert_moved(&s, 0);
    assert_held_back(&s, 1);
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
    scene s;
    draft *d = draft_of_one_owner(3, 4);
    owned_by_a_leaver(d);
    d->config.learner_partial_rebalance = 0;
    d->config.max_learning_bytes = 100;
    d->state_bytes[0] = d->state_bytes[1] = 80; /* the leaver's task has the first slot, and nothing is left */
    d->state_bytes[2] = 80;
    draft_copy(d, 1, 1, SEGUE_LEARNER, 60);
    draft_copy(d, 1, 2, SEGUE_LEARNER, 50000);
    run(&s, d, (const uint32_t[]){2, 1, 1}, 0);
    assert_int_equal(s.learner[0], 2);
    assert_moved(&s, 1);
    assert_held_back(&s, 2);
    solver_close(s.solver);
}

/* One slot. Task 0 has the better claim each time, and the higher member. */
static void the_slot_goes_to_leaving_members_tasks_first(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_of_one_owner(2, 4);
    d->config.max_learners = 1;
    owned_by_a_leaver(d);
    draft_copy(d, 1, 1, SEGUE_LEARNER, 20000);
    run(&s, d, (const uint32_t[]){2, 1}, 0);
    assert_int_equal(s.learner[0], 2);
    assert_held_back(&s, 1);
    solver_close(s.solver);
}

static void then_to_learners_that_run(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_of_one_owner(2, 3);
    d->config.max_learners = 1;
    draft_copy(d, 2, 0, SEGUE_LEARNER, 800000);
    draft_copy(d, 1, 1, SEGUE_STANDBY, 20000);
    run(&s, d, (const uint32_t[]){2, 1}, 0);
    assert_learns(&s, 0);
    assert_held_back(&s, 1);
    solver_close(s.solver);
}

static void then_to_members_that_learn_already(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_of_one_owner(3, 3);
    d->config.max_learners = 2;
    draft_copy(d, 2, 2, SEGUE_LEARNER, 800000);
    run(&s, d, (const uint32_t[]){2, 1, 2}, 0);
    assert_learns(&s, 0);
    assert_learns(&s, 2);
    assert_held_back(&s, 1);
    solver_close(s.solver);
}

static void then_to_one_member_after_the_other(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_of_one_owner(4, 3);
    d->config.max_learners = 2;
    run(&s, d, (const uint32_t[]){2, 1, 2, 1}, 0);
    assert_learns(&s, 1);
    assert_learns(&s, 3);
    solver_close(s.solver);
}

static void on_each_member_the_nearest_copy_has_the_slot_and_unknown_ones_come_last(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_of_one_owner(3, 2);
    d->config.max_learners = 1;
    draft_copy(d, 1, 0, SEGUE_STANDBY, SEGUE_LAG_UNKNOWN);
    draft_copy(d, 1, 1, SEGUE_STANDBY, 80000);
    draft_copy(d, 1, 2, SEGUE_STANDBY, 20000);
    run(&s, d, (const uint32_t[]){1, 1, 1}, 0);
    assert_learns(&s, 2);
    solver_close(s.solver);
}

static void stateless_tasks_are_not_its_business(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_of_one_owner(1, 2);
    d->stateful[0] = 0;
    run(&s, d, (const uint32_t[]){1}, 0);
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
        cmocka_unit_test(stateless_tasks_are_not_its_business),
        cmocka_unit_test(the_lag_on_a_disk_is_that_of_its_nearest_copy_in_its_strongest_role),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
