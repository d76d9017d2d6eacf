/* SPDX-License-Identifier: Apache-2.0 */
#include "strategy/echo.h"

#include "test/chance.h"
#include "test/random_group.h"
#include "test/rebalance.h"
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
static uint32_t role_in(const sgp_view *v, uint32_t member, uint32_t task, int64_t *lag)
{
    uint32_t count;
    const sgp_copy *copies = sgp_copies(v, task, &count);
    if (v->owner[task] == member) {
        *lag = sgp_owner_lag(v, task);
        return SEGUE_ACTIVE;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (copies[i].member == member) {
            *lag = copies[i].lag;
            return copies[i].role;
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
    sgp_view echo;
    carry_out(&s);
    assert_int_equal(sgp_echo(&s.course, &echo), SEGUE_OK);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        int64_t lag = 0;
        uint32_t role = role_in(&echo, expected[i].member, expected[i].task, &lag);
        EXPECT(role == expected[i].role && lag == expected[i].lag, "row %zu: role %u, lag %lld", i, role,
               (long long)lag);
    }
    assert_int_equal(echo.copy_start[TASKS], 4);
    solver_close(s.solver);
}

static void a_started_copy_is_never_caught_up_whatever_is_acceptable(void **state)
{
    (void)state;
    scene s;
    sgp_view echo;
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
    sgp_view echo;
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

static void views_are_the_same(const sgp_view *a, const sgp_view *b, const draft *d)
{
#define SAME(column, rows) \
    EXPECT((rows) == 0 || memcmp(a->column, b->column, (rows) * sizeof *a->column) == 0, "seed %llu: " #column, \
           (unsigned long long)d->seed)
    SAME(owner, a->tasks);
    SAME(newcomer, a->members);
    SAME(owned[0], a->members);
    SAME(owned[1], a->members);
    EXPECT((a->owner_lag == NULL) == (b->owner_lag == NULL), "seed %llu: owners are behind", (unsigned long long)d->seed);
    SAME(owner_lag, a->owner_lag == NULL ? 0 : a->tasks);
    for (uint32_t t = 0; t < a->tasks; t++) {
        uint32_t count, others;
        const sgp_copy *one = sgp_copies(a, t, &count), *other = sgp_copies(b, t, &others);
        EXPECT(count == others, "seed %llu, task %u: copies", (unsigned long long)d->seed, t);
        for (uint32_t i = 0; i < count; i++) {
            EXPECT(one[i].member == other[i].member && one[i].role == other[i].role && one[i].lag == other[i].lag,
                   "seed %llu, task %u: copy %u", (unsigned long long)d->seed, t, i);
        }
    }
#undef SAME
}

/* The plan as columns by task. */
static void take_plan(sgp_course *c, const rebalance *r, uint32_t ranks)
{
    const segue_plan *p = &r->plan;
    c->roles.active = p->active;
    c->roles.learner = p->learner;
    c->roles.learners = p->learners;
    c->standbys = (sgp_standbys){ranks, SGP_TAKE(c->region, uint32_t, (size_t)p->task_count * ranks)};
    memset(c->standbys.member, 0xff, (size_t)p->task_count * ranks * sizeof *c->standbys.member);
    for (uint32_t t = 0; t < p->task_count; t++) {
        for (uint32_t i = p->standby_start[t]; i < p->standby_start[t + 1]; i++) {
            c->standbys.member[(size_t)t * ranks + i - p->standby_start[t]] = p->standby_member[i];
        }
    }
}

static void an_echo_is_the_view_of_the_next_group(void **state)
{
    (void)state;
    static const random_size size = {24, 8, 3, 3};
    for (uint64_t i = 0; i < 400; i++) {
        draft *d = random_group(chance_seed() + i, size, RANDOM_ANYTHING & ~(unsigned)RANDOM_CAPS);
        d->config.acceptable_recovery_lag = 0; /* what is started is as far behind as rebalance_next has it */
        rebalance *r = rebalance_run("balanced", d);
        solver *after = solver_open(rebalance_next(d, r, SAME_LAGS)), *before = solver_open(d);
        sgp_course course = {.region = &before->region, .view = before->view};
        sgp_view echo;
        take_plan(&course, r, d->config.num_standby_replicas);
        assert_int_equal(sgp_echo(&course, &echo), SEGUE_OK);
        views_are_the_same(&echo, &after->view, d);
        rebalance_free(r);
        solver_close(after);
        solver_close(before);
    }
}

static void the_view_itself_is_left_alone(void **state)
{
    (void)state;
    scene s;
    sgp_view echo;
    carry_out(&s);
    sgp_view before = s.course.view;
    uint32_t owners[TASKS];
    memcpy(owners, before.owner, sizeof owners);
    assert_int_equal(sgp_echo(&s.course, &echo), SEGUE_OK);
    assert_memory_equal(&before, &s.course.view, sizeof before);
    assert_memory_equal(owners, before.owner, sizeof owners);
    assert_ptr_equal(echo.place, before.place);
    assert_ptr_not_equal(echo.owner, before.owner);
    assert_null(echo.row_task);
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
    sgp_view echo;
    carry_out(&s);
    assert_false(sgp_echo_is_group(&s.course));
    leave_alone(&s);
    assert_true(sgp_echo_is_group(&s.course));
    assert_int_equal(sgp_echo(&s.course, &echo), SEGUE_OK);
    views_are_the_same(&echo, &s.course.view, s.solver->draft);
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
        cmocka_unit_test(an_echo_is_the_view_of_the_next_group),
        cmocka_unit_test(the_view_itself_is_left_alone),
        cmocka_unit_test(a_plan_that_changes_nothing_has_the_group_itself_as_its_echo),
        cmocka_unit_test(each_change_of_a_role_makes_another_echo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
