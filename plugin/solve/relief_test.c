/* SPDX-License-Identifier: Apache-2.0 */
/* Orphans among caught-up copies: the least above quota, by trying every choice. */
#include "solve/relief.h"

#include "solve/quota.h"
#include "solve/rounding.h"
#include "solve/serve.h"
#include "test/chance.h"
#include "test/random_group.h"
#include "test/solver.h"
#include "test/testing.h"

typedef struct scene {
    solver *solver;
    uint32_t *serve, *load;
} scene;

static scene serve(draft *d)
{
    scene s = {solver_open(d), NULL, NULL};
    s.serve = SGP_TAKE(&s.solver->region, uint32_t, s.solver->view.tasks);
    s.load = SGP_TAKE(&s.solver->region, uint32_t, s.solver->view.members);
    assert_int_equal(sgp_serve(&s.solver->view, 0, s.serve, s.load, &s.solver->region), SEGUE_OK);
    return s;
}

static draft *bare_group(uint32_t tasks, uint32_t members)
{
    draft *d = draft_new();
    draft_tasks(d, tasks, 1);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, 1);
    }
    return d;
}

static void expect_loads(draft *d, const uint32_t *expected)
{
    scene s = serve(d);
    assert_memory_equal(s.load, expected, s.solver->view.members * sizeof *expected);
    solver_close(s.solver);
}

/* What happened in a drain: three orphans of which member 0 is the learner of all, as far as its host can tell. */
static void who_learnt_more_than_its_share_leaves_the_rest_to_a_standby(void **state)
{
    (void)state;
    draft *d = bare_group(7, 2);
    draft_owns(d, 0, 0, 1);
    draft_owns(d, 1, 1, 2);
    for (uint32_t t = 3; t < 7; t++) {
        draft_copy(d, 0, t, SEGUE_LEARNER, 10);
        draft_copy(d, 1, t, SEGUE_STANDBY, 0);
    }
    expect_loads(d, (const uint32_t[]){4, 3});
}

static void a_learner_is_not_passed_over_while_it_has_room(void **state)
{
    (void)state;
    draft *d = bare_group(3, 2);
    draft_owns(d, 0, 0, 1);
    for (uint32_t t = 1; t < 3; t++) {
        draft_copy(d, 0, t, t == 1 ? SEGUE_LEARNER : SEGUE_DORMANT, 0);
        draft_copy(d, 1, t, SEGUE_STANDBY, 0);
    }
    expect_loads(d, (const uint32_t[]){2, 1});
}

static void a_standbys_task_goes_before_a_learners(void **state)
{
    (void)state;
    draft *d = bare_group(4, 2);
    draft_owns(d, 0, 0, 1);
    draft_owns(d, 1, 3, 1);
    for (uint32_t t = 1; t < 3; t++) {
        draft_copy(d, 0, t, t == 1 ? SEGUE_LEARNER : SEGUE_STANDBY, 0);
        draft_copy(d, 1, t, SEGUE_DORMANT, 0);
    }
    scene s = serve(d);
    assert_int_equal(s.serve[1], 0);
    assert_int_equal(s.serve[2], 1);
    solver_close(s.solver);
}

static void room_is_found_along_a_path(void **state)
{
    (void)state;
    /* Member 0 can only relieve itself to 1, which can only hand one on to 2. */
    draft *d = bare_group(6, 3);
    for (uint32_t t = 0; t < 3; t++) {
        draft_copy(d, 0, t, SEGUE_LEARNER, 0);
        draft_copy(d, 1, t, SEGUE_STANDBY, 0);
    }
    for (uint32_t t = 3; t < 5; t++) {
        draft_copy(d, 1, t, SEGUE_LEARNER, 0);
        draft_copy(d, 2, t, SEGUE_DORMANT, 0);
    }
    draft_owns(d, 2, 5, 1);
    expect_loads(d, (const uint32_t[]){2, 2, 2});
}

static void a_copy_that_is_behind_relieves_nobody(void **state)
{
    (void)state;
    draft *d = bare_group(4, 2);
    for (uint32_t t = 0; t < 4; t++) {
        draft_copy(d, 0, t, SEGUE_STANDBY, 0);
        draft_copy(d, 1, t, SEGUE_LEARNER, 10001);
    }
    expect_loads(d, (const uint32_t[]){4, 0});
}

static void who_leaves_relieves_nobody(void **state)
{
    (void)state;
    draft *d = bare_group(4, 3);
    draft_leaves(d, 1, SEGUE_TIME_NONE);
    for (uint32_t t = 0; t < 4; t++) {
        draft_copy(d, 0, t, SEGUE_STANDBY, 0);
        draft_copy(d, 1, t, SEGUE_LEARNER, 0);
    }
    expect_loads(d, (const uint32_t[]){4, 0, 0});
}

/* The least number of tasks above quota by every choice among the caught-up copies of orphans, from task `at` on. */
static uint32_t least_above(const sgp_view *view, const sgp_quota *quota, uint32_t *load, uint32_t at)
{
    uint32_t count, least = UINT32_MAX;
    while (at < view->tasks && (!sgp_stateful(view, at) || view->owner[at] != SEGUE_NONE)) {
        at++;
    }
    if (at == view->tasks) {
        return sgp_least_moves(view, load, quota);
    }
    const sgp_copy *copies = sgp_copies(view, at, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (sgp_hot(view, copies[i].lag)) {
            load[copies[i].member]++;
            uint32_t above = least_above(view, quota, load, at + 1);
            load[copies[i].member]--;
            least = above < least ? above : least;
        }
    }
    return least < UINT32_MAX ? least : least_above(view, quota, load, at + 1);
}

/* Owners, and orphans with caught-up copies on one to three members. */
static draft *orphaned_group(uint64_t seed)
{
    chance c = chance_of(seed);
    draft *d = bare_group(1 + chance_below(&c, 11), 1 + chance_below(&c, 5));
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        d->threads[m] = 1 + chance_below(&c, 2);
    }
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        if (chance_once_in(&c, 3)) {
            draft_owns(d, chance_below(&c, d->group.member_count), t, 1);
            continue;
        }
        for (uint32_t i = 1 + chance_below(&c, 3); i > 0; i--) {
            draft_copy(d, chance_below(&c, d->group.member_count), t, chance_below(&c, SEGUE_ACTIVE), 0);
        }
    }
    return d;
}

static void no_choice_of_copies_leaves_less_above_quota(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 2000; seed < last; seed++) {
        scene s = serve(orphaned_group(seed));
        const sgp_view *view = &s.solver->view;
        sgp_quota quota = {SGP_TAKE(&s.solver->region, uint32_t, view->members),
                           SGP_TAKE(&s.solver->region, uint32_t, view->members), 0};
        uint32_t *owned = SGP_TAKE_ZERO(&s.solver->region, uint32_t, view->members);
        sgp_quota_share(view, view->stateful_tasks, &quota);
        for (uint32_t t = 0; t < view->tasks; t++) {
            if (view->owner[t] != SEGUE_NONE) {
                owned[view->owner[t]]++;
            }
        }
        uint32_t least = least_above(view, &quota, owned, 0), above = sgp_least_moves(view, s.load, &quota);
        EXPECT(above == least, "seed %llu: %u above quota, %u would do", (unsigned long long)seed, above, least);
        solver_close(s.solver);
    }
}

/* Member 0 has to give two. That member 2 learns tasks 1 and 2, and is far behind, does not make member 0 their learner. */
static void only_the_servers_own_role_makes_a_task_a_learners(void **state)
{
    (void)state;
    draft *d = bare_group(6, 3);
    draft_owns(d, 0, 0, 1);
    draft_owns(d, 2, 4, 2);
    for (uint32_t t = 1; t < 4; t++) {
        draft_copy(d, 0, t, t == 3 ? SEGUE_LEARNER : SEGUE_STANDBY, 0);
        draft_copy(d, 1, t, SEGUE_DORMANT, 0);
        if (t < 3) {
            draft_copy(d, 2, t, SEGUE_LEARNER, 90000);
        }
    }
    scene s = serve(d);
    assert_int_equal(s.serve[1], 1);
    assert_int_equal(s.serve[2], 1);
    assert_int_equal(s.serve[3], 0);
    solver_close(s.solver);
}

/* Each of so many members serves what any of them could; the last of them alone finds one that has room. Returns whether that
 * one gets a task of the first, which has two. */
static int is_relieved(uint32_t crowd)
{
    draft *d = bare_group(crowd + 1, crowd + 1);
    for (uint32_t t = 0; t < crowd + 1; t++) {
        for (uint32_t m = 0; m < crowd; m++) {
            draft_copy(d, m, t, SEGUE_STANDBY, 0);
        }
    }
    draft_copy(d, crowd, crowd - 1, SEGUE_STANDBY, 0);
    solver *s = solver_open(d);
    uint32_t *serve = SGP_TAKE(&s->region, uint32_t, crowd + 1), *load = SGP_TAKE(&s->region, uint32_t, crowd + 1);
    uint32_t *open = SGP_TAKE(&s->region, uint32_t, crowd + 1);
    for (uint32_t t = 0; t < crowd + 1; t++) {
        open[t] = t;
        serve[t] = t < crowd ? t : 0;
        load[t] = t == 0 ? 2 : t < crowd;
    }
    assert_int_equal(sgp_relieve(&s->view, open, crowd + 1, serve, load, &s->region), SEGUE_OK);
    int relieved = load[0] == 1 && load[crowd] == 1;
    for (uint32_t t = 0; t < crowd + 1; t++) {
        load[serve[t]]--;
    }
    for (uint32_t m = 0; m < crowd + 1; m++) {
        assert_int_equal(load[m], 0);
    }
    solver_close(s);
    return relieved;
}

/* A path that comes by n members of n copies each looks at n * n; 64 for each of n + 1 tasks and as many members may be looked
 * at. */
static void a_search_that_looks_at_too_much_ends_and_leaves_all_as_it_is(void **state)
{
    (void)state;
    assert_true(is_relieved(20));
    assert_true(is_relieved(124));
    assert_false(is_relieved(135));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_learnt_more_than_its_share_leaves_the_rest_to_a_standby),
        cmocka_unit_test(a_learner_is_not_passed_over_while_it_has_room),
        cmocka_unit_test(only_the_servers_own_role_makes_a_task_a_learners),
        cmocka_unit_test(a_standbys_task_goes_before_a_learners),
        cmocka_unit_test(room_is_found_along_a_path),
        cmocka_unit_test(a_copy_that_is_behind_relieves_nobody),
        cmocka_unit_test(who_leaves_relieves_nobody),
        cmocka_unit_test(no_choice_of_copies_leaves_less_above_quota),
        cmocka_unit_test(a_search_that_looks_at_too_much_ends_and_leaves_all_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
