/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/stand_by.h"

#include "test/chance.h"
#include "test/random_group.h"
#include "test/rebalance.h"
#include "test/standing.h"
#include "test/testing.h"

static void as_many_as_wanted_when_there_are_processes_enough(void **state)
{
    (void)state;
    standing s;
    draft *d = standing_group(4, 5, 2);
    draft_owns(d, 0, 0, 4);
    standing_open(&s, d);
    for (uint32_t t = 0; t < 4; t++) {
        assert_int_equal(standing_count(&s, t), 2);
        assert_false(standing_has(&s, t, 0));
    }
    solver_close(s.solver);
}

static void no_more_than_there_are_other_processes(void **state)
{
    (void)state;
    standing s;
    draft *d = standing_group(2, 3, 1000);
    draft_owns(d, 0, 0, 2);
    standing_open(&s, d);
    assert_int_equal(standing_count(&s, 0), 2);
    solver_close(s.solver);
}

static void a_single_process_has_no_standbys(void **state)
{
    (void)state;
    standing s;
    draft *d = draft_new();
    draft_tasks(d, 1, 1);
    draft_member(d, 0, 1);
    draft_member(d, 0, 1);
    d->config.num_standby_replicas = 2;
    draft_owns(d, 0, 0, 1);
    standing_open(&s, d);
    assert_int_equal(s.standbys.ranks, 0);
    solver_close(s.solver);
}

static void a_learner_takes_its_process_out_of_the_count(void **state)
{
    (void)state;
    standing s;
    draft *d = standing_group(1, 3, 2);
    draft_owns(d, 0, 0, 1);
    standing_open_with_learner(&s, d, 1);
    assert_int_equal(standing_count(&s, 0), 1);
    assert_true(standing_has(&s, 0, 2));
    solver_close(s.solver);
}

static void stateless_tasks_have_none(void **state)
{
    (void)state;
    standing s;
    draft *d = standing_group(2, 3, 1);
    d->stateful[1] = 0;
    draft_owns(d, 0, 0, 2);
    standing_open(&s, d);
    assert_int_equal(standing_count(&s, 0), 1);
    assert_int_equal(standing_count(&s, 1), 0);
    solver_close(s.solver);
}

static void copies_that_exist_come_first_and_the_best_of_them(void **state)
{
    (void)state;
    static const struct {
        uint32_t role;
        int64_t lag;
    } ladder[] = {
        {SEGUE_STANDBY, 9000             }, /* caught up and running */
        {SEGUE_LEARNER, 0                },
        {SEGUE_DORMANT, 0                }, /* caught up */
        {SEGUE_STANDBY, 20000            },
        {SEGUE_STANDBY, 20001            }, /* running, the nearest first */
        {SEGUE_STANDBY, SEGUE_LAG_UNKNOWN}, /* running, who knows where */
        {SEGUE_DORMANT, 20000            },
        {SEGUE_DORMANT, INT64_MAX        }, /* dormant, the nearest first */
        {SEGUE_DORMANT, SEGUE_LAG_UNKNOWN},
    };
    const size_t steps = sizeof ladder / sizeof *ladder;
    for (size_t better = 0; better < steps; better++) {
        for (size_t worse = better + 1; worse < steps; worse++) {
            standing s;
            draft *d = standing_group(1, 4, 1);
            draft_owns(d, 0, 0, 1);
            draft_copy(d, 3, 0, ladder[better].role, ladder[better].lag);
            draft_copy(d, 2, 0, ladder[worse].role, ladder[worse].lag);
            standing_open(&s, d);
            EXPECT(standing_has(&s, 0, 3), "copy %zu does not beat %zu", better, worse);
            solver_close(s.solver);
        }
    }
}

static void a_running_standby_stays_where_it_is_however_loaded(void **state)
{
    (void)state;
    standing s;
    draft *d = standing_group(6, 3, 1);
    draft_owns(d, 0, 0, 6);
    for (uint32_t t = 0; t < 6; t++) {
        draft_copy(d, 1, t, SEGUE_STANDBY, 40000);
    }
    standing_open(&s, d);
    for (uint32_t t = 0; t < 6; t++) {
        assert_true(standing_has(&s, t, 1));
    }
    solver_close(s.solver);
}

static void new_ones_go_to_the_lightest_process_and_on_it_to_the_lightest_member(void **state)
{
    (void)state;
    standing s;
    draft *d = draft_new();
    draft_tasks(d, 4, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_member(d, 2, 1); /* process 2 has two members: 1 active on 2 threads */
    draft_member(d, 2, 1);
    draft_owns(d, 0, 0, 1);
    draft_owns(d, 1, 1, 2);
    draft_owns(d, 2, 3, 1);
    d->config.num_standby_replicas = 1;
    standing_open(&s, d);
    assert_true(standing_has(&s, 0, 3));
    solver_close(s.solver);
}

static void a_process_with_more_threads_carries_more(void **state)
{
    (void)state;
    standing s;
    draft *d = standing_group(9, 3, 1);
    d->threads[2] = 8;
    draft_owns(d, 0, 0, 9);
    standing_open(&s, d);
    uint32_t large = 0;
    for (uint32_t t = 0; t < 9; t++) {
        large += (uint32_t)standing_has(&s, t, 2);
    }
    assert_int_equal(large, 8);
    solver_close(s.solver);
}

static void every_task_has_its_first_standby_before_one_has_its_second(void **state)
{
    (void)state;
    standing s;
    draft *d = standing_group(2, 4, 2);
    draft_owns(d, 0, 0, 2);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 0);
    standing_open(&s, d);
    assert_int_equal(standing_count(&s, 0), 2);
    assert_int_equal(standing_count(&s, 1), 2);
    /* Task 1 lacked two and task 0 one: task 1 chose first, while 2 and 3 were empty. */
    assert_int_equal(s.standbys.member[1 * 2], 2);
    solver_close(s.solver);
}

static void a_leaving_process_is_no_place_for_a_standby(void **state)
{
    (void)state;
    standing s;
    draft *d = standing_group(1, 3, 2);
    draft_owns(d, 0, 0, 1);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 0);
    draft_leaves(d, 1, SEGUE_TIME_NONE);
    standing_open(&s, d);
    assert_int_equal(standing_count(&s, 0), 1);
    assert_true(standing_has(&s, 0, 2));
    solver_close(s.solver);
}

static void a_leaving_holders_copy_goes_on_under_its_neighbour(void **state)
{
    (void)state;
    standing s;
    draft *d = draft_new();
    draft_tasks(d, 1, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_member(d, 1, 1);
    draft_member(d, 2, 1);
    draft_owns(d, 0, 0, 1);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 0);
    draft_leaves(d, 1, SEGUE_TIME_NONE);
    d->config.num_standby_replicas = 1;
    standing_open(&s, d);
    assert_true(standing_has(&s, 0, 2));
    solver_close(s.solver);
}

static void where_nobody_stays_running_standbys_are_kept_and_none_is_built(void **state)
{
    (void)state;
    standing s;
    draft *d = standing_group(2, 4, 2);
    draft_owns(d, 0, 0, 2);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 40000);
    draft_copy(d, 2, 0, SEGUE_DORMANT, 0);
    for (uint32_t m = 0; m < 4; m++) {
        draft_leaves(d, m, SEGUE_TIME_NONE);
    }
    standing_open(&s, d);
    assert_int_equal(standing_count(&s, 0), 1);
    assert_true(standing_has(&s, 0, 1));
    assert_int_equal(standing_count(&s, 1), 0);
    solver_close(s.solver);
}

static void where_nobody_has_threads_nobody_stands_by(void **state)
{
    (void)state;
    standing s;
    draft *d = standing_group(1, 3, 2);
    memset(d->threads, 0, 3 * sizeof *d->threads);
    draft_owns(d, 0, 0, 1);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 0);
    standing_open(&s, d);
    assert_int_equal(s.standbys.ranks, 0);
    solver_close(s.solver);
}

/* The number of standbys, counted from the plan alone. */
static uint32_t expected_standbys(const draft *d, const rebalance *r, uint32_t task, int knows_leaving)
{
    uint32_t free = 0;
    for (uint32_t p = 0; p < d->group.process_count; p++) {
        int stays = 0, holds = d->process[r->plan.active[task]] == p;
        uint32_t learner = r->plan.learner[task];
        holds |= learner != SEGUE_NONE && d->process[learner] == p;
        for (uint32_t m = 0; m < d->group.member_count; m++) {
            int leaves = knows_leaving && d->leaving_ms[m] != SEGUE_TIME_NONE;
            stays |= d->process[m] == p && d->threads[m] > 0 && !leaves;
        }
        free += (uint32_t)(stays && !holds);
    }
    return free < d->config.num_standby_replicas ? free : d->config.num_standby_replicas;
}

static int somebody_stays(const draft *d)
{
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        if (d->threads[m] > 0 && d->leaving_ms[m] == SEGUE_TIME_NONE) {
            return 1;
        }
    }
    return 0;
}

static void the_number_is_exact_in_any_group(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        draft *d = random_group(seed, (random_size){12, 7, 3, 3}, RANDOM_ANYTHING);
        rebalance *r = rebalance_run("balanced", d);
        for (uint32_t t = 0; somebody_stays(d) && t < d->group.task_count; t++) {
            uint32_t expected = d->stateful[t] ? expected_standbys(d, r, t, 1) : 0;
            EXPECT(rebalance_standbys(r, t) == expected, "seed %llu, task %u: %u standbys, not %u",
                   (unsigned long long)seed, t, rebalance_standbys(r, t), expected);
        }
        rebalance_free(r);
        draft_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_as_wanted_when_there_are_processes_enough),
        cmocka_unit_test(no_more_than_there_are_other_processes),
        cmocka_unit_test(a_single_process_has_no_standbys),
        cmocka_unit_test(a_learner_takes_its_process_out_of_the_count),
        cmocka_unit_test(stateless_tasks_have_none),
        cmocka_unit_test(copies_that_exist_come_first_and_the_best_of_them),
        cmocka_unit_test(a_running_standby_stays_where_it_is_however_loaded),
        cmocka_unit_test(new_ones_go_to_the_lightest_process_and_on_it_to_the_lightest_member),
        cmocka_unit_test(a_process_with_more_threads_carries_more),
        cmocka_unit_test(every_task_has_its_first_standby_before_one_has_its_second),
        cmocka_unit_test(a_leaving_process_is_no_place_for_a_standby),
        cmocka_unit_test(a_leaving_holders_copy_goes_on_under_its_neighbour),
        cmocka_unit_test(where_nobody_stays_running_standbys_are_kept_and_none_is_built),
        cmocka_unit_test(where_nobody_has_threads_nobody_stands_by),
        cmocka_unit_test(the_number_is_exact_in_any_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
