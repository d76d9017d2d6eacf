/* SPDX-License-Identifier: Apache-2.0 */
/* The edges of each rule; differential/ compares the bulk with the independent referee. */
#include <stdio.h>

#include "testing.h"

enum { NONE = -1 };

/* One stateful task 0_0 in a group of given members, and its place: member rows, standbys as a NONE-terminated list. */
static uint32_t rule_of(const char *config, const char *members, uint32_t active, int learner, const int *standbys,
                        uint32_t traits)
{
    char text[1024];
    fault f;
    snprintf(text, sizeof text,
             "{'segue': 'group/1', 'now_ms': 1000, 'config': {%s}, 'subtopologies': [{'id': 0, 'partitions': 1}],"
             " 'members': [%s]}", config, members);
    segue_document *document = read_group(text);
    segue_bound bound = {sizeof bound, 8, 0, 0};
    segue_plan *plan = NULL;
    assert_int_equal(segue_plan_new(1, &bound, 0, &plan), SEGUE_OK);
    plan->task_count = 1;
    plan->active[0] = active;
    plan->learner[0] = learner == NONE ? SEGUE_NONE : (uint32_t)learner;
    plan->standby_start[0] = 0;
    while (standbys != NULL && standbys[plan->standby_count] != NONE) {
        plan->standby_member[plan->standby_count] = (uint32_t)standbys[plan->standby_count];
        plan->standby_count++;
    }
    plan->standby_start[1] = plan->standby_count;
    int32_t status = segue_plan_check(segue_document_group(document), segue_document_config(document), plan, traits,
                                      fault_of(&f));
    assert_true(status == SEGUE_OK || status == SEGUE_E_PLAN);
    assert_true((status == SEGUE_OK) == (f.error.rule == 0));
    segue_plan_free(plan);
    segue_document_free(document);
    return f.error.rule;
}

#define ACTIVE(members, active) rule_of("", members, active, NONE, NULL, SEGUE_TRAIT_LEAVING)

static void caught_up_means_at_most_the_acceptable_lag(void **state)
{
    (void)state;
    assert_int_equal(ACTIVE("{'id': 'a', 'active': ['0_0']}, {'id': 'b', 'lag': {'0_0': 10000}}", 1), 0);
    assert_int_equal(ACTIVE("{'id': 'a', 'active': ['0_0']}, {'id': 'b', 'lag': {'0_0': 10001}}", 1), 4);
    assert_int_equal(ACTIVE("{'id': 'a', 'active': ['0_0']}, {'id': 'b', 'lag': {'0_0': null}}", 1), 4);
}

static void the_owners_own_process_needs_no_copy(void **state)
{
    (void)state;
    assert_int_equal(ACTIVE("{'id': 'a', 'process': 'p', 'active': ['0_0']}, {'id': 'b', 'process': 'p'}", 1), 0);
    assert_int_equal(ACTIVE("{'id': 'a', 'process': 'p', 'active': ['0_0']}, {'id': 'b', 'process': 'q'}", 1), 4);
}

static void a_restoring_owner_yields_only_to_a_nearer_copy(void **state)
{
    (void)state;
    const char *same = "{'id': 'a', 'active': ['0_0'], 'lag': {'0_0': 50000}}, {'id': 'b', 'lag': {'0_0': 50000}}";
    const char *nearer = "{'id': 'a', 'active': ['0_0'], 'lag': {'0_0': 50000}}, {'id': 'b', 'lag': {'0_0': 49999}}";
    const char *ready = "{'id': 'a', 'active': ['0_0'], 'lag': {'0_0': 50000}}, {'id': 'b', 'lag': {'0_0': 3}}";
    assert_int_equal(ACTIVE(same, 0), 0);
    assert_int_equal(ACTIVE(same, 1), 5);
    assert_int_equal(ACTIVE(nearer, 1), 0);
    assert_int_equal(ACTIVE(nearer, 0), 0);
    assert_int_equal(ACTIVE(ready, 0), 5);
    assert_int_equal(ACTIVE(ready, 1), 0);
}

static void an_orphan_goes_to_the_nearest_copy(void **state)
{
    (void)state;
    const char *group = "{'id': 'a', 'lag': {'0_0': 90000}}, {'id': 'b', 'lag': {'0_0': 80000}}, {'id': 'c'}";
    assert_int_equal(ACTIVE(group, 0), 5);
    assert_int_equal(ACTIVE(group, 1), 0);
    assert_int_equal(ACTIVE(group, 2), 5);
    assert_int_equal(ACTIVE("{'id': 'a', 'lag': {'0_0': null}}, {'id': 'b'}", 1), 0);
}

static void two_claims_are_no_owner(void **state)
{
    (void)state;
    const char *group = "{'id': 'a', 'active': ['0_0']}, {'id': 'b', 'active': ['0_0'], 'lag': {'0_0': 20000}}";
    assert_int_equal(ACTIVE(group, 0), 0);
    assert_int_equal(ACTIVE(group, 1), 5);
}

static void a_deadline_passes_when_the_clock_reaches_it(void **state)
{
    (void)state;
    const char *passed = "{'id': 'a', 'active': ['0_0'], 'leaving': {'since_ms': 0, 'deadline_ms': 1000}}, {'id': 'b'}";
    const char *ahead = "{'id': 'a', 'active': ['0_0'], 'leaving': {'since_ms': 0, 'deadline_ms': 1001}}, {'id': 'b'}";
    assert_int_equal(ACTIVE(passed, 0), 5);
    assert_int_equal(ACTIVE(passed, 1), 0);
    assert_int_equal(ACTIVE(ahead, 0), 0);
    assert_int_equal(ACTIVE(ahead, 1), 4);
    assert_int_equal(rule_of("", passed, 0, NONE, NULL, 0), 0);
}

static void cold_assignors_may_move_cold(void **state)
{
    (void)state;
    const char *group = "{'id': 'a', 'active': ['0_0']}, {'id': 'b'}";
    assert_int_equal(rule_of("", group, 1, NONE, NULL, SEGUE_TRAIT_LEAVING), 4);
    assert_int_equal(rule_of("", group, 1, NONE, NULL, SEGUE_TRAIT_COLD), 0);
}

static void a_leaving_member_keeps_what_it_has_and_gets_nothing(void **state)
{
    (void)state;
    const int on_b[] = {1, NONE};
    const char *held = "{'id': 'a', 'active': ['0_0']}, {'id': 'b', 'lag': {'0_0': null}, 'leaving': {'since_ms': 0}}";
    const char *anew = "{'id': 'a', 'active': ['0_0']}, {'id': 'b', 'leaving': {'since_ms': 0}}";
    assert_int_equal(rule_of("", held, 0, 1, NULL, SEGUE_TRAIT_LEAVING), 0);
    assert_int_equal(rule_of("", anew, 0, 1, NULL, SEGUE_TRAIT_LEAVING), 6);
    assert_int_equal(rule_of("", anew, 0, NONE, on_b, SEGUE_TRAIT_LEAVING), 6);
    assert_int_equal(rule_of("", anew, 0, 1, NULL, 0), 0);
}

static void a_loose_assignor_promises_no_drain_and_no_exact_standbys(void **state)
{
    (void)state;
    const char *group = "{'id': 'a', 'active': ['0_0']}, {'id': 'b', 'leaving': {'since_ms': 0}}";
    assert_int_equal(rule_of("'num.standby.replicas': 1", group, 0, 1, NULL, SEGUE_TRAIT_LEAVING), 6);
    assert_int_equal(rule_of("'num.standby.replicas': 1", group, 0, 1, NULL, SEGUE_TRAIT_LOOSE), 0);
    assert_int_equal(rule_of("'num.standby.replicas': 1", group, 0, NONE, NULL, SEGUE_TRAIT_LOOSE), 0);
    assert_int_equal(rule_of("", group, 1, NONE, NULL, SEGUE_TRAIT_LOOSE), 4);
    assert_int_equal(rule_of("'max.warmup.replicas': 0", group, 0, 1, NULL, SEGUE_TRAIT_LOOSE), 8);
}

static void to_a_loose_assignor_a_member_is_gone_when_its_deadline_has_passed(void **state)
{
    (void)state;
    const char *group = "{'id': 'a', 'active': ['0_0'], 'leaving': {'since_ms': 0, 'deadline_ms': 0}}, {'id': 'b'}";
    assert_int_equal(rule_of("", group, 1, NONE, NULL, SEGUE_TRAIT_LOOSE), 0);
    assert_int_equal(rule_of("", group, 1, NONE, NULL, 0), 4);
}

static void without_any_threads_each_member_may_serve(void **state)
{
    (void)state;
    assert_int_equal(ACTIVE("{'id': 'a', 'active': ['0_0'], 'threads': 0}, {'id': 'b'}", 0), 5);
    assert_int_equal(ACTIVE("{'id': 'a', 'active': ['0_0'], 'threads': 0}, {'id': 'b', 'threads': 0}", 0), 0);
}

static void learners_stay_below_both_caps(void **state)
{
    (void)state;
    const char *group = "{'id': 'a', 'active': ['0_0']}, {'id': 'b'}";
    assert_int_equal(rule_of("'max.warmup.replicas': 0", group, 0, 1, NULL, SEGUE_TRAIT_LEAVING), 8);
    assert_int_equal(rule_of("'max.warmup.replicas': 1", group, 0, 1, NULL, SEGUE_TRAIT_LEAVING), 0);
    assert_int_equal(rule_of("'segue.max.learners': 0", group, 0, 1, NULL, SEGUE_TRAIT_LEAVING), 8);
    assert_int_equal(rule_of("'segue.max.learners.per.member': 0", group, 0, 1, NULL, SEGUE_TRAIT_LEAVING), 8);
}

static void standbys_are_as_many_as_the_processes_allow(void **state)
{
    (void)state;
    const char *group = "{'id': 'a', 'active': ['0_0']}, {'id': 'b'}, {'id': 'c', 'standby': ['0_0']}";
    const int on_b[] = {1, NONE}, on_c[] = {2, NONE}, on_both[] = {1, 2, NONE};
    assert_int_equal(rule_of("'num.standby.replicas': 1", group, 0, NONE, on_c, SEGUE_TRAIT_LEAVING), 0);
    assert_int_equal(rule_of("'num.standby.replicas': 1", group, 0, NONE, NULL, SEGUE_TRAIT_LEAVING), 9);
    assert_int_equal(rule_of("'num.standby.replicas': 1", group, 0, NONE, on_both, SEGUE_TRAIT_LEAVING), 9);
    assert_int_equal(rule_of("'num.standby.replicas': 5", group, 0, NONE, on_both, SEGUE_TRAIT_LEAVING), 0);
    /* A standby that became the learner need not be replaced; any other learner takes none away. */
    assert_int_equal(rule_of("'num.standby.replicas': 1", group, 0, 2, NULL, SEGUE_TRAIT_LEAVING), 0);
    assert_int_equal(rule_of("'num.standby.replicas': 1", group, 0, 2, on_b, SEGUE_TRAIT_LEAVING), 0);
    assert_int_equal(rule_of("'num.standby.replicas': 1", group, 0, 1, NULL, SEGUE_TRAIT_LEAVING), 9);
}

static void copies_are_on_different_processes(void **state)
{
    (void)state;
    const char *group = "{'id': 'a', 'process': 'p', 'active': ['0_0']}, {'id': 'b', 'process': 'p'}, {'id': 'c'}";
    const int on_b[] = {1, NONE}, on_c[] = {2, NONE};
    assert_int_equal(rule_of("", group, 0, 1, NULL, SEGUE_TRAIT_COLD), 2);
    assert_int_equal(rule_of("", group, 0, NONE, on_b, SEGUE_TRAIT_COLD), 2);
    assert_int_equal(rule_of("", group, 0, 2, on_c, SEGUE_TRAIT_COLD), 2);
    assert_int_equal(rule_of("", group, 0, 2, NULL, SEGUE_TRAIT_COLD), 0);
}

static void handles_and_rows_are_checked_before_they_are_used(void **state)
{
    (void)state;
    const char *group = "{'id': 'a', 'active': ['0_0']}, {'id': 'b'}";
    const int descending[] = {1, 0, NONE}, twice[] = {1, 1, NONE}, nobody[] = {7, NONE};
    assert_int_equal(rule_of("", group, 2, NONE, NULL, 0), 1);
    assert_int_equal(rule_of("", group, SEGUE_NONE, NONE, NULL, 0), 1);
    assert_int_equal(rule_of("", group, 0, 2, NULL, 0), 1);
    assert_int_equal(rule_of("", group, 0, NONE, descending, 0), 1);
    assert_int_equal(rule_of("", group, 0, NONE, twice, 0), 1);
    assert_int_equal(rule_of("", group, 0, NONE, nobody, 0), 1);
}

static segue_plan *sound_plan(segue_document **document)
{
    *document = read_group("{'segue': 'group/1', 'subtopologies': [{'id': 0, 'partitions': 2}],"
                           " 'members': [{'id': 'a', 'active': ['0_0', '0_1']}]}");
    segue_plan *plan = make_plan(*document);
    assert_int_equal(segue_plan_fallback(segue_document_group(*document), segue_document_config(*document), plan),
                     SEGUE_OK);
    return plan;
}

/* `rule` is 0 for what is no plan. */
static void assert_shape_refused(void (*damage)(segue_plan *plan), uint32_t rule, const char *why)
{
    fault f;
    segue_document *document;
    segue_plan *plan = sound_plan(&document);
    damage(plan);
    assert_int_equal(segue_plan_check(segue_document_group(document), segue_document_config(document), plan, 0,
                                      fault_of(&f)), SEGUE_E_PLAN);
    assert_mentions(f.text, why);
    assert_int_equal(f.error.rule, rule);
    segue_plan_free(plan);
    segue_document_free(document);
}

static void other_tasks(segue_plan *plan)
{
    plan->task_count = 3;
}

static void more_standbys_than_room(segue_plan *plan)
{
    plan->standby_count = plan->standby_capacity + 1;
}

static void starts_backwards(segue_plan *plan)
{
    plan->standby_start[1] = UINT32_MAX;
}

static void starts_late(segue_plan *plan)
{
    plan->standby_start[0] = 1;
}

static void active_on_nobody(segue_plan *plan)
{
    plan->active[0] = SEGUE_NONE;
}

static void standby_on_nobody(segue_plan *plan)
{
    static uint32_t nobody[] = {SEGUE_NONE};
    plan->standby_member = nobody;
    plan->standby_capacity = plan->standby_count = plan->standby_start[1] = plan->standby_start[2] = 1;
}

static void decision_of_no_task(segue_plan *plan)
{
    plan->decision_count = 1;
    plan->decision_task[0] = 2;
}

/* The group has one member. */
static void decision_from_nobody(segue_plan *plan)
{
    plan->decision_count = 1;
    plan->decision_task[0] = 0;
    plan->decision_from[0] = 1;
    plan->decision_to[0] = SEGUE_NONE;
}

static void decision_to_nobody(segue_plan *plan)
{
    decision_from_nobody(plan);
    plan->decision_from[0] = 0;
    plan->decision_to[0] = 1;
}

static void no_number(segue_plan *plan)
{
    uint64_t bits = UINT64_C(0x7ff8000000000000);
    memcpy(&plan->spread, &bits, sizeof bits);
}

static void a_plan_that_is_none_is_refused_without_a_read_behind_it(void **state)
{
    (void)state;
    assert_shape_refused(other_tasks, 1, "the plan is for 3 tasks, the group has 2");
    assert_shape_refused(more_standbys_than_room, 0, "standby rows");
    assert_shape_refused(starts_backwards, 0, "standby_start does not ascend at task 0_0");
    assert_shape_refused(starts_late, 0, "standby_start runs from 1");
    assert_shape_refused(active_on_nobody, 1, "R1: task 0_0 is active on nobody");
    assert_shape_refused(standby_on_nobody, 1, "R1: task 0_0 has a standby on nobody");
    assert_shape_refused(decision_of_no_task, 0, "decision 0 names a task");
    assert_shape_refused(decision_from_nobody, 0, "decision 0 names a task or member");
    assert_shape_refused(decision_to_nobody, 0, "decision 0 names a task or member");
    assert_shape_refused(no_number, 0, "spread, imbalance or min_imbalance is no number");
}

/* What check says when task 0_0, which has no state, is learned by b or stands by there. */
static void assert_stateless_refused(uint32_t learner, uint32_t standbys, const char *why)
{
    fault f;
    segue_bound bound = {sizeof bound, 1, 0, 0};
    segue_plan *plan = NULL;
    segue_document *document =
        read_group("{'segue': 'group/1', 'subtopologies': [{'id': 0, 'partitions': 1, 'stateful': false}],"
                   " 'members': [{'id': 'a', 'active': ['0_0']}, {'id': 'b'}]}");
    assert_int_equal(segue_plan_new(1, &bound, 0, &plan), SEGUE_OK);
    plan->task_count = 1;
    plan->active[0] = 0;
    plan->learner[0] = learner;
    plan->standby_member[0] = 1;
    plan->standby_start[0] = 0;
    plan->standby_start[1] = plan->standby_count = standbys;
    assert_int_equal(segue_plan_check(segue_document_group(document), segue_document_config(document), plan,
                                      SEGUE_TRAIT_LEAVING, fault_of(&f)), why == NULL ? SEGUE_OK : SEGUE_E_PLAN);
    assert_int_equal(f.error.rule, why == NULL ? 0 : 3);
    assert_mentions(f.text, why == NULL ? "" : why);
    segue_plan_free(plan);
    segue_document_free(document);
}

static void a_task_without_state_has_no_copies_and_the_text_says_which_it_was_given(void **state)
{
    (void)state;
    assert_stateless_refused(SEGUE_NONE, 0, NULL);
    assert_stateless_refused(1, 0, "given a learner");
    assert_stateless_refused(SEGUE_NONE, 1, "given a standby");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caught_up_means_at_most_the_acceptable_lag),
        cmocka_unit_test(the_owners_own_process_needs_no_copy),
        cmocka_unit_test(a_restoring_owner_yields_only_to_a_nearer_copy),
        cmocka_unit_test(an_orphan_goes_to_the_nearest_copy),
        cmocka_unit_test(two_claims_are_no_owner),
        cmocka_unit_test(a_deadline_passes_when_the_clock_reaches_it),
        cmocka_unit_test(cold_assignors_may_move_cold),
        cmocka_unit_test(a_leaving_member_keeps_what_it_has_and_gets_nothing),
        cmocka_unit_test(a_loose_assignor_promises_no_drain_and_no_exact_standbys),
        cmocka_unit_test(to_a_loose_assignor_a_member_is_gone_when_its_deadline_has_passed),
        cmocka_unit_test(without_any_threads_each_member_may_serve),
        cmocka_unit_test(learners_stay_below_both_caps),
        cmocka_unit_test(standbys_are_as_many_as_the_processes_allow),
        cmocka_unit_test(copies_are_on_different_processes),
        cmocka_unit_test(a_task_without_state_has_no_copies_and_the_text_says_which_it_was_given),
        cmocka_unit_test(handles_and_rows_are_checked_before_they_are_used),
        cmocka_unit_test(a_plan_that_is_none_is_refused_without_a_read_behind_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
