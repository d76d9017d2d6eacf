/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the strategy adds to its steps: default limits, leaving members, members of one process. That it decides as Kafka
 * does is asked of Kafka's own class, by HighAvailabilityTest in hosts/jvm/segue-kafka-streams.
 */
#include "test/chance.h"
#include "test/random_group.h"
#include "test/rebalance.h"
#include "test/testing.h"

#define HA "high-availability"

/* One member owns all, and another joins. */
static draft *one_joins(uint32_t tasks)
{
    draft *d = draft_new();
    draft_tasks(d, tasks, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, tasks);
    return d;
}

static void close_both(rebalance *r, draft *d)
{
    rebalance_free(r);
    draft_free(d);
}

static void two_warm_up_at_a_time_unless_the_user_says_how_many(void **state)
{
    (void)state;
    const uint32_t limits[][2] = {{SEGUE_NO_LIMIT, 2}, {3, 3}, {0, 0}, {100, 5}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        draft *d = one_joins(10);
        d->config.max_learners = limits[i][0];
        rebalance *r = rebalance_run(HA, d);
        assert_int_equal(r->plan.learners, limits[i][1]);
        assert_int_equal(r->plan.held_back, 5 - limits[i][1]);
        assert_int_equal(r->plan.moves, 0);
        close_both(r, d);
    }
}

static void no_member_learns_more_than_it_may(void **state)
{
    (void)state;
    draft *d = one_joins(10);
    d->config.max_learners = 8;
    d->config.max_learners_per_member = 1;
    rebalance *r = rebalance_run(HA, d);
    assert_int_equal(r->plan.learners, 1);
    close_both(r, d);
}

static void it_asks_again_as_long_as_something_is_not_where_it_is_meant_to_be(void **state)
{
    (void)state;
    draft *d = one_joins(10);
    d->group.now_ms = 1000;
    d->config.max_learners = 0;
    d->config.probing_rebalance_interval_ms = 60000;
    rebalance *r = rebalance_run(HA, d);
    assert_int_equal(r->plan.followup_needed, 1);
    assert_int_equal(r->plan.followup_reason, SEGUE_FOLLOWUP_LEARNERS_RESTORING);
    assert_int_equal(r->plan.followup_at_ms, 61000);
    close_both(r, d);
}

static void what_is_caught_up_is_handed_over_and_the_next_two_warm_up(void **state)
{
    (void)state;
    draft *d = one_joins(10);
    rebalance *r = rebalance_run(HA, d);
    for (uint32_t moved = 2; moved <= 4; moved += 2) {
        rebalance_again(HA, &d, &r, CAUGHT_UP);
        assert_int_equal(rebalance_actives(r, 1), moved);
    }
    rebalance_again(HA, &d, &r, CAUGHT_UP);
    assert_int_equal(rebalance_actives(r, 1), 5);
    assert_int_equal(r->plan.followup_needed, 0);
    close_both(r, d);
}

static void it_says_why_a_task_waits(void **state)
{
    (void)state;
    draft *d = one_joins(10);
    rebalance *r = rebalance_run(HA, d);
    uint32_t held_back = 0;
    for (uint32_t i = 0; i < r->plan.decision_count; i++) {
        if (r->plan.decision_reason[i] == SEGUE_REASON_NO_SLOT) {
            assert_int_equal(r->plan.decision_number[(size_t)i * SEGUE_DECISION_NUMBERS], 2);
            held_back++;
        }
    }
    assert_int_equal(held_back, 3);
    close_both(r, d);
}

static void a_member_that_leaves_is_one_like_any_other_until_its_deadline_has_passed(void **state)
{
    (void)state;
    draft *d = one_joins(4);
    draft_leaves(d, 1, 5000);
    d->group.now_ms = 4999;
    rebalance *r = rebalance_run(HA, d);
    assert_int_equal(rebalance_learners(r, 1), 2);
    rebalance_free(r);
    d->group.now_ms = 5000;
    r = rebalance_run(HA, d);
    assert_int_equal(rebalance_learners(r, 1), 0);
    assert_int_equal(r->plan.followup_needed, 0);
    close_both(r, d);
}

static void tasks_of_a_member_that_is_gone_go_elsewhere_at_once(void **state)
{
    (void)state;
    draft *d = one_joins(4);
    draft_leaves(d, 0, 5000);
    d->group.now_ms = 5000;
    rebalance *r = rebalance_run(HA, d);
    assert_int_equal(rebalance_actives(r, 1), 4);
    close_both(r, d);
}

/* Kafka would send the task to the copy of which nobody knows anything. */
static void an_unknown_lag_is_no_reason_to_leave_a_running_owner(void **state)
{
    (void)state;
    draft *d = one_joins(2);
    draft_copy(d, 1, 0, SEGUE_STANDBY, SEGUE_LAG_UNKNOWN);
    draft_copy(d, 1, 1, SEGUE_STANDBY, SEGUE_LAG_UNKNOWN);
    rebalance *r = rebalance_run(HA, d);
    assert_int_equal(rebalance_actives(r, 0), 2);
    assert_int_equal(rebalance_learners(r, 1), 1);
    close_both(r, d);
}

static void an_owner_that_restores_keeps_its_task_where_nobody_is_nearer(void **state)
{
    (void)state;
    draft *d = one_joins(2);
    draft_copy(d, 0, 1, SEGUE_ACTIVE, 50000);
    draft_copy(d, 1, 1, SEGUE_STANDBY, 50000);
    rebalance *r = rebalance_run(HA, d);
    assert_int_equal(r->plan.active[1], 0);
    close_both(r, d);
}

static void members_of_a_process_share_what_it_gets_and_keep_what_they_have(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 8, 1);
    draft_member(d, 0, 1);
    draft_member(d, 0, 3);
    draft_owns(d, 0, 0, 2);
    draft_owns(d, 1, 2, 6);
    rebalance *r = rebalance_run(HA, d);
    assert_int_equal(rebalance_actives(r, 0), 2);
    assert_int_equal(rebalance_actives(r, 1), 6);
    assert_int_equal(r->plan.moves, 0);
    close_both(r, d);
}

/* One of them owns all that its process is to give away, and in the end they share what is left. */
static void decisions_name_what_members_of_a_process_hold_in_the_end(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 8, 1);
    for (uint32_t m = 0; m < 4; m++) {
        draft_member(d, m / 2, 1);
    }
    draft_owns(d, 0, 0, 8);
    rebalance *r = rebalance_run(HA, d);
    uint32_t learned = 0;
    for (uint32_t i = 0; i < r->plan.decision_count; i++) {
        const int64_t *number = &r->plan.decision_number[(size_t)i * SEGUE_DECISION_NUMBERS];
        if (r->plan.decision_reason[i] == SEGUE_REASON_BELOW_QUOTA) {
            assert_int_equal(number[1], 2);
            assert_int_equal(number[3], 2);
            learned++;
        }
    }
    assert_int_equal(learned, 2);
    close_both(r, d);
}

static void stateless_tasks_go_to_whoever_serves_the_fewest(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 4, 1);
    draft_tasks(d, 5, 0);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_member(d, 2, 1);
    draft_owns(d, 0, 0, 4);
    rebalance *r = rebalance_run(HA, d);
    assert_int_equal(rebalance_actives(r, 0), 4);
    assert_int_equal(rebalance_actives(r, 1), 3);
    assert_int_equal(rebalance_actives(r, 2), 2);
    close_both(r, d);
}

/* Two members, each in the rack where the tasks are read that the other would get; two tasks with state, two without. */
static draft *two_racks(void)
{
    draft *d = draft_new();
    draft_tasks(d, 2, 1);
    draft_tasks(d, 2, 0);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_racks(d, 2);
    for (uint32_t t = 0; t < 4; t++) {
        draft_input(d, t, t % 2 == 0 ? 2 : 1);
    }
    d->member_rack[0] = 0;
    d->member_rack[1] = 1;
    d->config.rack_strategy = SEGUE_RACK_MIN_TRAFFIC;
    return d;
}

static void tasks_are_meant_to_be_where_they_are_read(void **state)
{
    (void)state;
    for (uint32_t knows = 0; knows <= 1; knows++) {
        draft *d = two_racks();
        d->member_rack[0] = knows ? 0 : SEGUE_NONE;
        rebalance *r = rebalance_run(HA, d);
        for (uint32_t t = 0; t < 4; t++) {
            assert_int_equal(r->plan.active[t], knows ? 1 - t % 2 : t % 2);
        }
        assert_int_equal(r->plan.traffic, knows ? 0 : 2);
        assert_int_equal(r->plan.optimal, 1);
        close_both(r, d);
    }
}

static void racks_are_warmed_up_for_like_balance(void **state)
{
    (void)state;
    draft *d = two_racks();
    draft_owns(d, 0, 0, 1);
    draft_owns(d, 1, 1, 1);
    rebalance *r = rebalance_run(HA, d);
    assert_int_equal(r->plan.active[0], 0);
    assert_int_equal(r->plan.learner[0], 1);
    assert_int_equal(r->plan.traffic, 0);
    rebalance_again(HA, &d, &r, CAUGHT_UP);
    assert_int_equal(r->plan.active[0], 1);
    assert_int_equal(r->plan.followup_needed, 0);
    close_both(r, d);
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    draft *d = two_racks();
    draft_owns(d, 0, 0, 2);
    d->config.num_standby_replicas = 1;
    d->config.rack_strategy = SEGUE_RACK_BALANCE_SUBTOPOLOGY;
    rebalance_survives_famine(HA, d);
    draft_free(d);
}

static void it_comes_to_rest_wherever_it_starts(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 300; seed < last; seed++) {
        draft *d = random_group(seed, (random_size){24, 7, 3, 4}, RANDOM_ANYTHING & ~(RANDOM_CAPS | RANDOM_LEAVING));
        rebalance *r = rebalance_run(HA, d);
        for (uint32_t round = 0; r->plan.followup_needed; round++) {
            EXPECT(round < 200, "seed %llu: no rest after %u rounds", (unsigned long long)seed, round);
            rebalance_again(HA, &d, &r, CAUGHT_UP);
        }
        close_both(r, d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_warm_up_at_a_time_unless_the_user_says_how_many),
        cmocka_unit_test(no_member_learns_more_than_it_may),
        cmocka_unit_test(it_asks_again_as_long_as_something_is_not_where_it_is_meant_to_be),
        cmocka_unit_test(what_is_caught_up_is_handed_over_and_the_next_two_warm_up),
        cmocka_unit_test(it_says_why_a_task_waits),
        cmocka_unit_test(a_member_that_leaves_is_one_like_any_other_until_its_deadline_has_passed),
        cmocka_unit_test(tasks_of_a_member_that_is_gone_go_elsewhere_at_once),
        cmocka_unit_test(an_unknown_lag_is_no_reason_to_leave_a_running_owner),
        cmocka_unit_test(an_owner_that_restores_keeps_its_task_where_nobody_is_nearer),
        cmocka_unit_test(members_of_a_process_share_what_it_gets_and_keep_what_they_have),
        cmocka_unit_test(decisions_name_what_members_of_a_process_hold_in_the_end),
        cmocka_unit_test(stateless_tasks_go_to_whoever_serves_the_fewest),
        cmocka_unit_test(tasks_are_meant_to_be_where_they_are_read),
        cmocka_unit_test(racks_are_warmed_up_for_like_balance),
        cmocka_unit_test(memory_may_end_anywhere),
        cmocka_unit_test(it_comes_to_rest_wherever_it_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
