/* SPDX-License-Identifier: Apache-2.0 */
/* What version 4.0 adds, beside the baselines that it is compared with. */
#include "test/rebalance.h"
#include "test/testing.h"

/* 8 tasks, 7 of them on member 0; nobody is new. */
static draft *lopsided(void)
{
    draft *d = draft_new();
    draft_tasks(d, 8, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, 7);
    draft_owns(d, 1, 7, 1);
    return d;
}

static void any_member_learns_until_all_are_within_their_quota(void **state)
{
    (void)state;
    draft *d = lopsided();
    rebalance *r = rebalance_run("balanced", d);
    assert_int_equal(rebalance_actives(r, 0), 7);
    assert_int_equal(rebalance_learners(r, 1), 3);
    rebalance_again("balanced", &d, &r, CAUGHT_UP);
    assert_int_equal(rebalance_actives(r, 0), 4);
    assert_int_equal(rebalance_actives(r, 1), 4);
    rebalance_finish(d, r);
}

static void sticky_makes_the_same_moves_at_once_and_cold(void **state)
{
    (void)state;
    draft *d = lopsided();
    rebalance *r = rebalance_run("sticky", d);
    assert_int_equal(rebalance_actives(r, 1), 4);
    assert_int_equal(r->plan.moves, 3);
    assert_int_equal(r->plan.min_moves, 3);
    assert_int_equal(r->plan.learners, 0);
    rebalance_finish(d, r);
}

static void eager_deals_as_if_nobody_had_anything(void **state)
{
    (void)state;
    draft *d = lopsided(), *nobody = draft_new();
    draft_tasks(nobody, 8, 1);
    draft_member(nobody, 0, 1);
    draft_member(nobody, 1, 1);
    rebalance *r = rebalance_run("eager", d), *fresh = rebalance_run("eager", nobody);
    assert_true(rebalance_same(r, fresh));
    rebalance_finish(d, r);
    rebalance_finish(nobody, fresh);
}

static void stateful_and_stateless_tasks_fill_up_to_one_total(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 3, 1);
    draft_tasks(d, 3, 0);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    rebalance *r = rebalance_run("balanced", d);
    assert_int_equal(rebalance_actives(r, 0), 3);
    assert_int_equal(rebalance_actives(r, 1), 3);
    rebalance_finish(d, r);
}

static void a_moving_subtopology_is_spread_where_that_costs_nothing(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 4, 1);
    draft_tasks(d, 4, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, 8);
    rebalance *r = rebalance_run("balanced", d);
    uint32_t of_first = 0;
    for (uint32_t t = 0; t < 4; t++) {
        of_first += r->plan.learner[t] == 1;
    }
    assert_int_equal(of_first, 2);
    assert_int_equal(r->plan.learners, 4);
    rebalance_finish(d, r);
}

/* From here no spread settles, but from where the plan without one leads there is one: taking the former now and the
 * latter in the next rebalance would be two plans for one group. */
static void a_spread_that_settles_one_step_further_on_is_taken_at_once(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 8, 1);
    draft_tasks(d, 30, 1);
    draft_tasks(d, 1, 1);
    draft_tasks(d, 2, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_member(d, 2, 2);
    draft_owns(d, 1, 21, 7);
    draft_owns(d, 2, 38, 1);
    draft_owns(d, 2, 40, 1);
    draft_copy(d, 2, 39, SEGUE_LEARNER, SEGUE_LAG_UNKNOWN);
    static const struct {
        uint32_t member, task;
        int64_t lag;
    } dormant[] = {{0, 1, 0}, {0, 7, 0}, {0, 38, 10}, {1, 2, 10}, {1, 9, 10}, {1, 30, 0}, {1, 32, 0}};
    for (size_t i = 0; i < sizeof dormant / sizeof dormant[0]; i++) {
        draft_copy(d, dormant[i].member, dormant[i].task, SEGUE_DORMANT, dormant[i].lag);
    }
    d->config.spread_subtopologies = 1;
    rebalance *r = rebalance_run("balanced", d);
    draft *next = rebalance_next(d, r, SAME_LAGS);
    rebalance *again = rebalance_run("balanced", next);
    assert_true(rebalance_same(r, again));
    rebalance_free(again);
    draft_free(next);
    rebalance_finish(d, r);
}

/* Shares are 10, and 8 to 12 fit. Two tasks of 4 that nobody learns would do as well as one more behind the two that have been
 * learned: copying less counts, and not that fewer change hands. */
static void what_has_caught_up_is_not_given_up_for_what_has_not_begun(void **state)
{
    (void)state;
    static const double weight[] = {4, 2, 4, 4, 3, 3, 6, 4};
    draft *d = draft_new();
    draft_tasks(d, 8, 1);
    memcpy(d->weight, weight, sizeof weight);
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, m, 1);
    }
    draft_owns(d, 2, 0, 6);
    draft_owns(d, 1, 6, 1);
    draft_owns(d, 0, 7, 1);
    draft_copy(d, 1, 0, SEGUE_LEARNER, 5);
    draft_copy(d, 0, 1, SEGUE_LEARNER, 5);
    d->config.max_learners = 1;
    rebalance *r = rebalance_run("balanced", d);
    assert_int_equal(r->plan.active[0], 1);
    assert_int_equal(r->plan.active[1], 0);
    assert_int_equal(r->plan.learners, 1);
    assert_int_equal(r->plan.held_back, 0);
    rebalance_finish(d, r);
}

static void ten_thousand_members_of_one_process_are_balanced_in_one_plan(void **state)
{
    (void)state;
    enum { MEMBERS = 10000 };
    draft *d = draft_new();
    draft_tasks(d, 2 * MEMBERS, 1);
    for (uint32_t m = 0; m < MEMBERS; m++) {
        draft_member(d, m < MEMBERS / 2 ? 0 : 1, 1);
    }
    draft_owns(d, 0, 0, 2 * MEMBERS);
    d->config.max_learners_per_member = 1; /* the limits' order is looked at as well */
    const segue_slots *slots = rebalance_slots();
    rebalance *r = rebalance_room(d);
    segue_instance *instance = NULL;
    assert_int_equal(slots->create("balanced", &instance, NULL), SEGUE_OK);
    assert_int_equal(slots->assign(instance, &d->group, &d->config, &r->plan, NULL), SEGUE_OK);
    assert_int_equal(r->plan.learners, MEMBERS / 2);
    assert_int_equal(r->plan.moves, MEMBERS - 2);
    slots->destroy(instance);
    rebalance_finish(d, r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_member_learns_until_all_are_within_their_quota),
        cmocka_unit_test(sticky_makes_the_same_moves_at_once_and_cold),
        cmocka_unit_test(eager_deals_as_if_nobody_had_anything),
        cmocka_unit_test(stateful_and_stateless_tasks_fill_up_to_one_total),
        cmocka_unit_test(a_moving_subtopology_is_spread_where_that_costs_nothing),
        cmocka_unit_test(a_spread_that_settles_one_step_further_on_is_taken_at_once),
        cmocka_unit_test(what_has_caught_up_is_not_given_up_for_what_has_not_begun),
        cmocka_unit_test(ten_thousand_members_of_one_process_are_balanced_in_one_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
