/* SPDX-License-Identifier: Apache-2.0 */
/* What version 2.0 adds: members that leave are drained, forced when their time is over, and left empty. */
#include "test/rebalance.h"
#include "test/testing.h"

/* Three members with two tasks each; member 2 leaves. */
static draft *one_leaves(int64_t deadline)
{
    draft *d = draft_new();
    draft_tasks(d, 6, 1);
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, m, 1);
        draft_owns(d, m, 2 * m, 2);
    }
    d->group.now_ms = 1000;
    draft_leaves(d, 2, deadline);
    return d;
}

static void a_leavers_tasks_are_learned_elsewhere_while_it_serves_on(void **state)
{
    (void)state;
    draft *d = one_leaves(SEGUE_TIME_NONE);
    rebalance *r = rebalance_run("scale-down", d);
    assert_int_equal(rebalance_actives(r, 2), 2);
    assert_int_equal(rebalance_learners(r, 0), 1);
    assert_int_equal(rebalance_learners(r, 1), 1);
    assert_int_equal(rebalance_reason(r, 4, SEGUE_KIND_LEARN), SEGUE_REASON_LEAVING);
    assert_int_equal(r->plan.min_moves, 2);
    rebalance_again("scale-down", &d, &r, CAUGHT_UP);
    assert_int_equal(rebalance_actives(r, 2), 0);
    assert_int_equal(r->plan.moves, 2);
    assert_int_equal(r->plan.followup_needed, 0);
    rebalance_finish(d, r);
}

static void the_deadline_is_the_latest_time_of_the_next_rebalance(void **state)
{
    (void)state;
    draft *d = one_leaves(5000);
    rebalance *r = rebalance_run("scale-down", d);
    assert_int_equal(r->plan.followup_at_ms, 5000);
    rebalance_finish(d, r);
}

static void at_the_deadline_the_tasks_are_forced_to_the_nearest_copy(void **state)
{
    (void)state;
    draft *d = one_leaves(1000);
    draft_copy(d, 0, 4, SEGUE_LEARNER, 30000);
    draft_copy(d, 1, 5, SEGUE_LEARNER, 40000);
    rebalance *r = rebalance_run("scale-down", d);
    assert_int_equal(r->plan.active[4], 0);
    assert_int_equal(r->plan.active[5], 1);
    uint32_t row = rebalance_decision(r, 4, SEGUE_KIND_FORCE);
    assert_int_not_equal(row, SEGUE_NONE);
    assert_int_equal(r->plan.decision_reason[row], SEGUE_REASON_DEADLINE_PASSED);
    assert_int_equal(r->plan.decision_number[row * SEGUE_DECISION_NUMBERS], 30000);
    rebalance_finish(d, r);
}

static void one_before_the_deadline_nothing_is_forced(void **state)
{
    (void)state;
    draft *d = one_leaves(1001);
    draft_copy(d, 0, 4, SEGUE_LEARNER, 30000);
    rebalance *r = rebalance_run("scale-down", d);
    assert_int_equal(r->plan.active[4], 2);
    rebalance_finish(d, r);
}

static void a_drained_leaver_stays_empty(void **state)
{
    (void)state;
    draft *d = one_leaves(SEGUE_TIME_NONE);
    rebalance *r = rebalance_run("scale-down", d);
    for (int round = 0; round < 3; round++) {
        rebalance_again("scale-down", &d, &r, CAUGHT_UP);
        assert_int_equal(rebalance_actives(r, 2) + rebalance_learners(r, 2), 0);
    }
    assert_int_equal(r->plan.followup_reason, SEGUE_FOLLOWUP_NONE);
    rebalance_finish(d, r);
}

static void a_whole_fleet_is_swapped_for_another(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 8, 1);
    for (uint32_t m = 0; m < 4; m++) {
        draft_member(d, m, 1);
    }
    for (uint32_t m = 0; m < 2; m++) {
        draft_owns(d, m, 4 * m, 4);
        draft_leaves(d, m, SEGUE_TIME_NONE);
    }
    rebalance *r = rebalance_run("scale-down", d);
    assert_int_equal(r->plan.learners, 8);
    rebalance_again("scale-down", &d, &r, CAUGHT_UP);
    assert_int_equal(rebalance_actives(r, 2), 4);
    assert_int_equal(rebalance_actives(r, 3), 4);
    assert_int_equal(r->plan.moves, 8);
    rebalance_finish(d, r);
}

static void half_of_a_fleet_marked_at_once_goes_empty_with_one_move_a_task(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 400, 1);
    for (uint32_t m = 0; m < 40; m++) {
        draft_member(d, m, 1);
        draft_owns(d, m, 10 * m, 10);
    }
    for (uint32_t m = 0; m < 20; m++) {
        draft_leaves(d, m, SEGUE_TIME_NONE);
    }
    rebalance *r = rebalance_run("scale-down", d);
    assert_int_equal(r->plan.moves, 0);
    assert_int_equal(r->plan.learners, 200);
    rebalance_again("scale-down", &d, &r, CAUGHT_UP);
    assert_int_equal(r->plan.moves, 200);
    for (uint32_t m = 0; m < 40; m++) {
        assert_int_equal(rebalance_actives(r, m), m < 20 ? 0 : 20);
    }
    rebalance_again("scale-down", &d, &r, CAUGHT_UP);
    assert_int_equal(r->plan.moves + r->plan.learners + r->plan.followup_needed, 0);
    rebalance_finish(d, r);
}

static void when_everybody_leaves_nothing_moves_and_the_reason_is_said(void **state)
{
    (void)state;
    draft *d = one_leaves(SEGUE_TIME_NONE);
    draft_leaves(d, 0, SEGUE_TIME_NONE);
    draft_leaves(d, 1, SEGUE_TIME_NONE);
    rebalance *r = rebalance_run("scale-down", d);
    assert_int_equal(r->plan.moves + r->plan.learners + r->plan.min_moves, 0);
    assert_int_equal(rebalance_reason(r, 0, SEGUE_KIND_KEEP_BACK), SEGUE_REASON_NOBODY_STAYS);
    rebalance_finish(d, r);
}

static void a_member_without_threads_gives_up_its_tasks_for_that_reason(void **state)
{
    (void)state;
    draft *d = one_leaves(SEGUE_TIME_NONE);
    d->leaving_ms[2] = SEGUE_TIME_NONE;
    d->threads[2] = 0;
    rebalance *r = rebalance_run("scale-down", d);
    assert_int_equal(rebalance_actives(r, 2), 0);
    assert_int_equal(rebalance_reason(r, 4, SEGUE_KIND_HAND_OVER), SEGUE_REASON_NO_THREADS);
    rebalance_finish(d, r);
}

static void a_leaver_that_waits_only_for_itself_asks_for_a_follow_up(void **state)
{
    (void)state;
    /* No slot for any learner: the leaver serves on until its deadline. */
    draft *d = one_leaves(9000);
    d->config.max_learners = 0;
    rebalance *r = rebalance_run("scale-down", d);
    assert_int_equal(r->plan.learners, 0);
    assert_int_equal(r->plan.followup_needed, 1);
    assert_int_equal(r->plan.followup_reason, SEGUE_FOLLOWUP_MEMBERS_LEAVING);
    assert_int_equal(r->plan.followup_at_ms, 9000);
    assert_int_equal(rebalance_reason(r, 4, SEGUE_KIND_KEEP_BACK), SEGUE_REASON_NO_SLOT);
    rebalance_finish(d, r);
}

/* Members 0 and 3 leave; member 1 stands by for task 1 and still learns task 0, member 2 has learned task 1. The cap has been
 * lowered to one learner since. */
static void a_lowered_cap_stops_no_learner_that_a_ready_one_makes_room_for(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 2, 1);
    for (uint32_t m = 0; m < 4; m++) {
        draft_member(d, m, 1);
    }
    draft_leaves(d, 0, SEGUE_TIME_NONE);
    draft_leaves(d, 3, SEGUE_TIME_NONE);
    draft_owns(d, 0, 1, 1);
    draft_owns(d, 3, 0, 1);
    draft_copy(d, 1, 0, SEGUE_LEARNER, 20000);
    draft_copy(d, 1, 1, SEGUE_STANDBY, 0);
    draft_copy(d, 2, 1, SEGUE_LEARNER, 0);
    d->config.max_learners = 1;
    rebalance *r = rebalance_run("scale-down", d);
    assert_int_equal(r->plan.active[1], 2);
    assert_int_equal(r->plan.learner[0], 1);
    rebalance_finish(d, r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_leavers_tasks_are_learned_elsewhere_while_it_serves_on),
        cmocka_unit_test(the_deadline_is_the_latest_time_of_the_next_rebalance),
        cmocka_unit_test(at_the_deadline_the_tasks_are_forced_to_the_nearest_copy),
        cmocka_unit_test(one_before_the_deadline_nothing_is_forced),
        cmocka_unit_test(a_drained_leaver_stays_empty),
        cmocka_unit_test(a_whole_fleet_is_swapped_for_another),
        cmocka_unit_test(half_of_a_fleet_marked_at_once_goes_empty_with_one_move_a_task),
        cmocka_unit_test(when_everybody_leaves_nothing_moves_and_the_reason_is_said),
        cmocka_unit_test(a_member_without_threads_gives_up_its_tasks_for_that_reason),
        cmocka_unit_test(a_leaver_that_waits_only_for_itself_asks_for_a_follow_up),
        cmocka_unit_test(a_lowered_cap_stops_no_learner_that_a_ready_one_makes_room_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
