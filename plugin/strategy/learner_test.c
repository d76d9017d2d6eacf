/* SPDX-License-Identifier: Apache-2.0 */
/* What version 1.0 promises, as its users would say it. */
#include "test/chance.h"
#include "test/rebalance.h"
#include "test/testing.h"

static void a_new_member_learns_its_share_while_the_owner_serves_on(void **state)
{
    (void)state;
    draft *d = draft_of_one_owner(4, 2);
    rebalance *r = rebalance_run("learner", d);
    assert_int_equal(rebalance_actives(r, 0), 4);
    assert_int_equal(rebalance_learners(r, 1), 2);
    assert_int_equal(rebalance_reason(r, 2, SEGUE_KIND_LEARN), SEGUE_REASON_BELOW_QUOTA);
    rebalance_finish(d, r);
}

static void a_learner_that_is_caught_up_becomes_the_owner_in_the_same_rebalance(void **state)
{
    (void)state;
    draft *d = draft_of_one_owner(4, 2);
    draft_copy(d, 1, 2, SEGUE_LEARNER, 10000);
    draft_copy(d, 1, 3, SEGUE_LEARNER, 10001);
    rebalance *r = rebalance_run("learner", d);
    assert_int_equal(r->plan.active[2], 1);
    assert_int_equal(r->plan.active[3], 0);
    assert_int_equal(r->plan.learner[3], 1);
    assert_int_equal(rebalance_reason(r, 2, SEGUE_KIND_HAND_OVER), SEGUE_REASON_CAUGHT_UP);
    assert_int_equal(rebalance_reason(r, 3, SEGUE_KIND_LEARN), SEGUE_REASON_RESTORING);
    rebalance_finish(d, r);
}

static void a_learner_is_kept_while_it_learns_even_when_another_joins(void **state)
{
    (void)state;
    draft *d = draft_of_one_owner(4, 2);
    rebalance *r = rebalance_run("learner", d);
    draft *next = rebalance_next(d, r, SAME_LAGS);
    draft_member(next, 2, 1);
    rebalance *again = rebalance_run("learner", next);
    assert_int_equal(rebalance_learners(again, 1), 1);
    assert_int_equal(rebalance_learners(again, 2), 1);
    for (uint32_t t = 0; t < 4; t++) {
        assert_true(again->plan.learner[t] != 1 || r->plan.learner[t] == 1);
    }
    rebalance_finish(d, r);
    rebalance_finish(next, again);
}

static void nobody_elses_load_is_touched(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 8, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, 7);
    draft_owns(d, 1, 7, 1);
    rebalance *r = rebalance_run("learner", d);
    assert_int_equal(r->plan.learners, 0);
    assert_int_equal(rebalance_actives(r, 0), 7);
    assert_int_equal(r->plan.min_moves, 3);
    rebalance_finish(d, r);
}

static void few_tasks_on_many_threads_are_never_shuffled(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 2, 1);
    draft_member(d, 0, 8);
    draft_member(d, 1, 8);
    draft_owns(d, 0, 0, 1);
    draft_owns(d, 1, 1, 1);
    draft_member(d, 2, 8);
    rebalance *r = rebalance_run("learner", d);
    assert_int_equal(r->plan.moves + r->plan.learners, 0);
    rebalance_finish(d, r);
}

static void a_first_owner_has_nothing_to_learn_from_and_starts_at_once(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 4, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    rebalance *r = rebalance_run("learner", d);
    assert_int_equal(rebalance_actives(r, 0), 2);
    assert_int_equal(rebalance_actives(r, 1), 2);
    assert_int_equal(r->plan.learners + r->plan.moves, 0);
    assert_int_equal(rebalance_reason(r, 0, SEGUE_KIND_PLACE), SEGUE_REASON_NO_OWNER);
    rebalance_finish(d, r);
}

static void an_orphan_goes_at_once_to_the_best_copy(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 2, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_copy(d, 1, 0, SEGUE_DORMANT, 70000);
    rebalance *r = rebalance_run("learner", d);
    assert_int_equal(r->plan.active[0], 1);
    assert_int_equal(r->plan.active[1], 0);
    assert_int_equal(rebalance_reason(r, 0, SEGUE_KIND_PLACE), SEGUE_REASON_BEST_COPY);
    assert_int_equal(r->plan.decision_number[rebalance_decision(r, 0, SEGUE_KIND_PLACE) * SEGUE_DECISION_NUMBERS],
                     70000);
    rebalance_finish(d, r);
}

static void a_stateless_task_moves_without_learning(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 2, 0);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, 2);
    rebalance *r = rebalance_run("learner", d);
    assert_int_equal(rebalance_actives(r, 1), 1);
    assert_int_equal(r->plan.learners, 0);
    assert_int_equal(rebalance_reason(r, 1, SEGUE_KIND_HAND_OVER), SEGUE_REASON_STATELESS);
    rebalance_finish(d, r);
}

static void the_former_owner_keeps_its_copy_as_a_standby_where_one_is_wanted(void **state)
{
    (void)state;
    draft *d = draft_of_one_owner(4, 2);
    d->config.num_standby_replicas = 1;
    draft_copy(d, 1, 3, SEGUE_LEARNER, 0);
    rebalance *r = rebalance_run("learner", d);
    assert_int_equal(r->plan.active[3], 1);
    assert_true(rebalance_stands_by(r, 3, 0));
    assert_int_equal(rebalance_reason(r, 3, SEGUE_KIND_STANDBY), SEGUE_REASON_FORMER_OWNER);
    rebalance_finish(d, r);
}

static void in_the_middle_round_of_a_hand_over_the_target_does_not_flip(void **state)
{
    (void)state;
    /* The old owner has revoked: nobody owns the task, and both copies are caught up. */
    draft *d = draft_of_one_owner(4, 2);
    rebalance *r = rebalance_run("learner", d);
    rebalance_again("learner", &d, &r, CAUGHT_UP);
    uint32_t target = r->plan.active[3];
    draft *middle = rebalance_next(d, r, CAUGHT_UP);
    assert_int_equal(target, 1);
    draft_copy(middle, 0, 3, SEGUE_DORMANT, 0);
    draft_copy(middle, 1, 3, SEGUE_LEARNER, 0);
    rebalance *again = rebalance_run("learner", middle);
    assert_int_equal(again->plan.active[3], target);
    rebalance_finish(d, r);
    rebalance_finish(middle, again);
}

static void a_follow_up_comes_while_learners_restore_and_at_the_latest_after_the_probing_interval(void **state)
{
    (void)state;
    draft *d = draft_of_one_owner(4, 2);
    d->group.now_ms = 1000;
    rebalance *r = rebalance_run("learner", d);
    assert_int_equal(r->plan.followup_needed, 1);
    assert_int_equal(r->plan.followup_reason, SEGUE_FOLLOWUP_LEARNERS_RESTORING);
    assert_int_equal(r->plan.followup_at_ms, 601000);
    rebalance_finish(d, r);
    d = draft_of_one_owner(4, 2);
    d->group.now_ms = INT64_MAX - 5;
    r = rebalance_run("learner", d);
    assert_true(r->plan.followup_at_ms == INT64_MAX);
    rebalance_finish(d, r);
}

static void one_slot_is_filled_again_as_soon_as_it_is_free(void **state)
{
    (void)state;
    draft *d = draft_of_one_owner(4, 2);
    d->config.max_learners = 1;
    rebalance *r = rebalance_run("learner", d);
    assert_int_equal(r->plan.learners, 1);
    assert_int_equal(rebalance_reason(r, 2, SEGUE_KIND_KEEP_BACK) + rebalance_reason(r, 3, SEGUE_KIND_KEEP_BACK),
                     SEGUE_REASON_NO_SLOT);
    rebalance_again("learner", &d, &r, CAUGHT_UP);
    assert_int_equal(r->plan.moves, 1);
    assert_int_equal(r->plan.learners, 1);
    rebalance_again("learner", &d, &r, CAUGHT_UP);
    assert_int_equal(r->plan.moves, 1);
    assert_int_equal(r->plan.learners, 0);
    rebalance_finish(d, r);
}

static void leaving_members_are_treated_as_if_they_stayed(void **state)
{
    (void)state;
    draft *d = draft_of_one_owner(4, 2);
    draft_leaves(d, 0, 0);
    rebalance *r = rebalance_run("learner", d);
    assert_int_equal(rebalance_actives(r, 0), 4);
    assert_int_equal(rebalance_learners(r, 1), 2);
    rebalance_finish(d, r);
}

/* ---- who is new to state, but has tasks ---- */

/* Member 0 has both tasks without state, member 1 both with. */
static void who_gives_up_state_gets_tasks_without_it_in_their_place(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 2, 1);
    draft_tasks(d, 2, 0);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 1, 0, 2);
    draft_owns(d, 0, 2, 2);
    rebalance *r = rebalance_run("learner", d);
    assert_int_equal(r->plan.learners, 1);
    rebalance_again("learner", &d, &r, CAUGHT_UP);
    for (uint32_t m = 0; m < 2; m++) {
        assert_int_equal(rebalance_actives(r, m), 2);
        assert_int_equal((r->plan.active[0] == m) + (r->plan.active[1] == m), 1);
    }
    assert_int_equal(r->plan.followup_needed, 0);
    rebalance_finish(d, r);
}

/* Members of one thread; the first has only tasks without state, and the last may have none at all. */
static draft *one_without_state(uint64_t seed)
{
    chance c = chance_of(seed);
    draft *d = draft_new();
    d->seed = seed;
    uint32_t members = 2 + chance_below(&c, 4), servers = members - (members > 2 && chance_below(&c, 2) == 0);
    for (uint32_t s = 2 + chance_below(&c, 3); s > 0; s--) {
        draft_tasks(d, 1 + chance_below(&c, 6), s == 1 || chance_below(&c, 2) == 0);
    }
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, 1);
    }
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        draft_owns(d, d->stateful[t] ? 1 + t % (servers - 1) : t % servers, t, 1);
    }
    return d;
}

/* By how many tasks the member with the most is ahead of the one with the fewest. */
static uint32_t spread_of(const draft *d)
{
    uint32_t has[5] = {0}, least = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < d->holding_count; i++) {
        has[d->holdings[i].member] += d->holdings[i].role == SEGUE_ACTIVE;
    }
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        least = has[m] < least ? has[m] : least;
        most = has[m] > most ? has[m] : most;
    }
    return most - least;
}

static void nobody_ends_with_more_for_being_new_to_state(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 1000; seed < last; seed++) {
        draft *d = one_without_state(seed);
        uint32_t before = spread_of(d);
        rebalance *r = rebalance_run("learner", d);
        for (int i = 0; i < 3; i++) {
            rebalance_again("learner", &d, &r, CAUGHT_UP);
        }
        EXPECT(spread_of(d) <= (before > 1 ? before : 1), "seed %llu: %u apart, %u before", (unsigned long long)seed,
               spread_of(d), before);
        rebalance_finish(d, r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_member_learns_its_share_while_the_owner_serves_on),
        cmocka_unit_test(a_learner_that_is_caught_up_becomes_the_owner_in_the_same_rebalance),
        cmocka_unit_test(a_learner_is_kept_while_it_learns_even_when_another_joins),
        cmocka_unit_test(nobody_elses_load_is_touched),
        cmocka_unit_test(few_tasks_on_many_threads_are_never_shuffled),
        cmocka_unit_test(a_first_owner_has_nothing_to_learn_from_and_starts_at_once),
        cmocka_unit_test(an_orphan_goes_at_once_to_the_best_copy),
        cmocka_unit_test(a_stateless_task_moves_without_learning),
        cmocka_unit_test(the_former_owner_keeps_its_copy_as_a_standby_where_one_is_wanted),
        cmocka_unit_test(in_the_middle_round_of_a_hand_over_the_target_does_not_flip),
        cmocka_unit_test(a_follow_up_comes_while_learners_restore_and_at_the_latest_after_the_probing_interval),
        cmocka_unit_test(one_slot_is_filled_again_as_soon_as_it_is_free),
        cmocka_unit_test(leaving_members_are_treated_as_if_they_stayed),
        cmocka_unit_test(who_gives_up_state_gets_tasks_without_it_in_their_place),
        cmocka_unit_test(nobody_ends_with_more_for_being_new_to_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
