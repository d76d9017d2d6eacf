/* SPDX-License-Identifier: Apache-2.0 */
#include "strategy/echo.h"

#include "core/check.h"
#include "test/solver.h"
#include "test/testing.h"

#define TASKS 3

/* A course whose plan a test writes by hand: task 0 moves, task 1 is learned, task 2 stays with a standby. */
typedef struct scene {
    solver *solver;
    uint32_t active[TASKS], learner[TASKS], standby[TASKS];
    sgp_course course;
} scene;

static void carry_out(scene *s)
{
    static const uint32_t active[] = {1, 0, 0}, learner[] = {SEGUE_NONE, 2, SEGUE_NONE};
    static const uint32_t standby[] = {0, SEGUE_NONE, 1};
    draft *d = draft_new();
    draft_tasks(d, TASKS, 1);
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, m, 1);
    }
    draft_owns(d, 0, 0, TASKS);
    draft_copy(d, 1, 0, SEGUE_LEARNER, 9);
    draft_copy(d, 2, 0, SEGUE_STANDBY, SEGUE_LAG_UNKNOWN);
    *s = (scene){.solver = solver_open(d)};
    memcpy(s->active, active, sizeof active);
    memcpy(s->learner, learner, sizeof learner);
    memcpy(s->standby, standby, sizeof standby);
    s->course = (sgp_course){.region = &s->solver->region, .view = s->solver->view};
    s->course.roles.active = s->active;
    s->course.roles.learner = s->learner;
    s->course.standbys = (sgp_standbys){.ranks = 1, .member = s->standby};
}

/* Role of a pair in the echo, or SEGUE_NONE. */
static uint32_t role_in(const segue_group *g, uint32_t member, uint32_t task, int64_t *lag)
{
    for (uint32_t r = g->copy_start[member]; r < g->copy_start[member + 1]; r++) {
        if (g->copy_task[r] == task) {
            *lag = g->copy_lag[r];
            return g->copy_role[r];
        }
    }
    return SEGUE_NONE;
}

static void an_echo_is_the_group_after_the_plan_was_carried_out(void **state)
{
    (void)state;
    static const struct {
        uint32_t member, task, role;
        int64_t lag;
    } expected[] = {
        {0, 0, SEGUE_STANDBY, 0                }, /* the former owner keeps its copy */
        {1, 0, SEGUE_ACTIVE,  9                }, /* with the lag that it had */
        {2, 0, SEGUE_DORMANT, SEGUE_LAG_UNKNOWN}, /* dropped, still on disk */
        {0, 1, SEGUE_ACTIVE,  0                },
        {1, 1, SEGUE_NONE,    0                }, /* nothing comes from nowhere */
        {2, 1, SEGUE_LEARNER, 110000           }, /* just started: far behind what is acceptable */
        {0, 2, SEGUE_ACTIVE,  0                },
        {1, 2, SEGUE_STANDBY, 110000           },
    };
    scene s;
    segue_group echo;
    carry_out(&s);
    assert_int_equal(sgp_echo(&s.course, &echo), SEGUE_OK);
    assert_int_equal(sgp_check(&echo, &s.solver->draft->config, NULL), SEGUE_OK);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        int64_t lag = 0;
        uint32_t role = role_in(&echo, expected[i].member, expected[i].task, &lag);
        EXPECT(role == expected[i].role && lag == expected[i].lag, "row %zu: role %u, lag %lld", i, role,
               (long long)lag);
    }
    assert_int_equal(echo.copy_count, 7);
    solver_close(s.solver);
}

static void a_started_copy_is_never_caught_up_whatever_is_acceptable(void **state)
{
    (void)state;
    scene s;
    segue_group echo;
    int64_t lag = 0;
    carry_out(&s);
    s.solver->draft->config.acceptable_recovery_lag = INT64_MAX;
    assert_int_equal(sgp_echo(&s.course, &echo), SEGUE_OK);
    assert_int_equal(role_in(&echo, 2, 1, &lag), SEGUE_LEARNER);
    assert_int_equal(lag, SEGUE_LAG_UNKNOWN);
    solver_close(s.solver);
}

static void a_new_holder_starts_from_the_copy_on_its_disk(void **state)
{
    (void)state;
    uint32_t active[] = {1}, learner[] = {SEGUE_NONE};
    segue_group echo;
    int64_t lag = SEGUE_LAG_UNKNOWN;
    draft *d = draft_new();
    draft_tasks(d, 1, 1);
    draft_member(d, 0, 1);
    draft_member(d, 0, 1);
    draft_copy(d, 0, 0, SEGUE_ACTIVE, 77);
    solver *s = solver_open(d);
    sgp_course course = {.region = &s->region, .view = s->view};
    course.roles.active = active;
    course.roles.learner = learner;
    assert_int_equal(sgp_echo(&course, &echo), SEGUE_OK);
    assert_int_equal(role_in(&echo, 1, 0, &lag), SEGUE_ACTIVE);
    assert_int_equal(lag, 77);
    solver_close(s);
}

static void the_group_itself_is_left_alone(void **state)
{
    (void)state;
    scene s;
    segue_group echo;
    carry_out(&s);
    segue_group before = s.solver->draft->group;
    assert_int_equal(sgp_echo(&s.course, &echo), SEGUE_OK);
    assert_memory_equal(&before, &s.solver->draft->group, sizeof before);
    assert_ptr_equal(echo.task_stateful, before.task_stateful);
    assert_ptr_not_equal(echo.copy_task, before.copy_task);
    solver_close(s.solver);
}

/* The plan that leaves the scene's group as it is: owner 0 everywhere, and of task 0 a learner and a standby. */
static void leave_alone(scene *s)
{
    static const uint32_t active[TASKS] = {0, 0, 0}, learner[TASKS] = {1, SEGUE_NONE, SEGUE_NONE};
    static const uint32_t standby[TASKS] = {2, SEGUE_NONE, SEGUE_NONE};
    memcpy(s->active, active, sizeof active);
    memcpy(s->learner, learner, sizeof learner);
    memcpy(s->standby, standby, sizeof standby);
}

static void a_plan_that_changes_nothing_has_the_group_itself_as_its_echo(void **state)
{
    (void)state;
    scene s;
    segue_group echo;
    carry_out(&s);
    assert_false(sgp_echo_is_group(&s.course));
    leave_alone(&s);
    assert_true(sgp_echo_is_group(&s.course));
    assert_int_equal(sgp_echo(&s.course, &echo), SEGUE_OK);
    const segue_group *group = &s.solver->draft->group;
    assert_int_equal(echo.copy_count, group->copy_count);
    assert_memory_equal(echo.copy_start, group->copy_start, (group->member_count + 1) * sizeof *group->copy_start);
    assert_memory_equal(echo.copy_task, group->copy_task, group->copy_count * sizeof *group->copy_task);
    assert_memory_equal(echo.copy_role, group->copy_role, group->copy_count * sizeof *group->copy_role);
    assert_memory_equal(echo.copy_lag, group->copy_lag, group->copy_count * sizeof *group->copy_lag);
    solver_close(s.solver);
}

static void each_change_of_a_role_makes_another_echo(void **state)
{
    (void)state;
    scene s;
    uint32_t *const columns[] = {s.active, s.learner, s.standby};
    carry_out(&s);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        for (uint32_t t = 0; t < TASKS; t++) {
            for (uint32_t member = 0; member <= 3; member++) {
                leave_alone(&s);
                uint32_t before = columns[i][t];
                columns[i][t] = member < 3 ? member : SEGUE_NONE;
                int possible = columns[i] != s.active || member < 3;
                EXPECT(!possible || sgp_echo_is_group(&s.course) == (columns[i][t] == before),
                       "column %zu, task %u, member %u", i, t, member);
            }
        }
    }
    s.solver->draft->config.max_learners = 1;
    leave_alone(&s);
    assert_false(sgp_echo_is_group(&s.course));
    solver_close(s.solver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_echo_is_the_group_after_the_plan_was_carried_out),
        cmocka_unit_test(a_started_copy_is_never_caught_up_whatever_is_acceptable),
        cmocka_unit_test(a_new_holder_starts_from_the_copy_on_its_disk),
        cmocka_unit_test(the_group_itself_is_left_alone),
        cmocka_unit_test(a_plan_that_changes_nothing_has_the_group_itself_as_its_echo),
        cmocka_unit_test(each_change_of_a_role_makes_another_echo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
