/* SPDX-License-Identifier: Apache-2.0 */
/* What the fallback decides; differential/ shows that its plans hold R1-R8. */
#include <stdio.h>

#include "testing.h"

typedef struct answer {
    segue_document *document;
    segue_plan *plan;
} answer;

static answer fall_back(const char *config, const char *subtopologies, const char *members)
{
    char text[2048];
    answer a;
    snprintf(text, sizeof text, "{'segue': 'group/1', 'now_ms': 1000, 'config': {%s}, 'subtopologies': [%s],"
             " 'members': [%s]}", config, subtopologies, members);
    a.document = read_group(text);
    a.plan = make_plan(a.document);
    assert_int_equal(segue_plan_fallback(segue_document_group(a.document), segue_document_config(a.document), a.plan),
                     SEGUE_OK);
    return a;
}

static void close_answer(answer a)
{
    segue_plan_free(a.plan);
    segue_document_free(a.document);
}

#define ONE_TASK "{'id': 0, 'partitions': 1}"

static void assert_owner(const char *members, uint32_t owner)
{
    answer a = fall_back("", ONE_TASK, members);
    assert_int_equal(a.plan->active[0], owner);
    assert_int_equal(a.plan->learner[0], SEGUE_NONE);
    close_answer(a);
}

static void owners_keep_what_they_have(void **state)
{
    (void)state;
    answer a = fall_back(
        "", "{'id': 0, 'partitions': 9}",
        "{'id': 'a'}, {'id': 'b', 'active': ['0_0', '0_1', '0_2', '0_3', '0_4', '0_5', '0_6', '0_7', '0_8']}");
    for (uint32_t t = 0; t < 9; t++) {
        assert_int_equal(a.plan->active[t], 1);
    }
    assert_int_equal(a.plan->moves, 0);
    assert_int_equal(a.plan->followup_needed, 1);
    assert_int_equal(a.plan->followup_reason, SEGUE_FOLLOWUP_FALLBACK);
    assert_int_equal(a.plan->followup_at_ms, 601000);
    close_answer(a);
}

static void orphans_go_to_their_best_copy(void **state)
{
    (void)state;
    assert_owner("{'id': 'a', 'lag': {'0_0': 90000}}, {'id': 'b', 'lag': {'0_0': 9}}, {'id': 'c'}", 1);
    assert_owner("{'id': 'a', 'lag': {'0_0': 90000}}, {'id': 'b', 'lag': {'0_0': 80000}}, {'id': 'c'}", 1);
    assert_owner("{'id': 'a'}, {'id': 'b'}, {'id': 'c', 'lag': {'0_0': null}}", 2);
    assert_owner("{'id': 'a', 'lag': {'0_0': 0}}, {'id': 'b', 'standby': ['0_0'], 'lag': {'0_0': 9}}", 1);
    assert_owner(
        "{'id': 'a', 'standby': ['0_0'], 'lag': {'0_0': 0}}, {'id': 'b', 'learner': ['0_0'], 'lag': {'0_0': 9}}", 1);
}

static void a_restoring_owner_yields_to_a_caught_up_copy_alone(void **state)
{
    (void)state;
    assert_owner("{'id': 'a', 'active': ['0_0'], 'lag': {'0_0': 50000}}, {'id': 'b', 'lag': {'0_0': 3}}", 1);
    assert_owner("{'id': 'a', 'active': ['0_0'], 'lag': {'0_0': 50000}}, {'id': 'b', 'lag': {'0_0': 20000}}", 0);
}

/* By default 10000 records are acceptable, of a copy that takes over as of an owner that goes on. */
static void caught_up_means_at_most_the_acceptable_lag(void **state)
{
    (void)state;
    assert_owner("{'id': 'a', 'active': ['0_0'], 'lag': {'0_0': 50000}}, {'id': 'b', 'lag': {'0_0': 10000}}", 1);
    assert_owner("{'id': 'a', 'active': ['0_0'], 'lag': {'0_0': 50000}}, {'id': 'b', 'lag': {'0_0': 10001}}", 0);
    assert_owner("{'id': 'a', 'active': ['0_0'], 'lag': {'0_0': 10000}}, {'id': 'b', 'lag': {'0_0': 0}}", 0);
    assert_owner("{'id': 'a', 'active': ['0_0'], 'lag': {'0_0': 10001}}, {'id': 'b', 'lag': {'0_0': 0}}", 1);
    assert_owner("{'id': 'a', 'lag': {'0_0': 0}}, {'id': 'b', 'standby': ['0_0'], 'lag': {'0_0': 10000}}", 1);
    assert_owner("{'id': 'a', 'lag': {'0_0': 0}}, {'id': 'b', 'standby': ['0_0'], 'lag': {'0_0': 10001}}", 0);
}

static void a_passed_deadline_takes_the_task_away(void **state)
{
    (void)state;
    assert_owner("{'id': 'a', 'active': ['0_0'], 'leaving': {'since_ms': 0, 'deadline_ms': 1000}}, {'id': 'b'}", 1);
    assert_owner("{'id': 'a', 'active': ['0_0'], 'leaving': {'since_ms': 0, 'deadline_ms': 1001}}, {'id': 'b'}", 0);
    assert_owner("{'id': 'a', 'active': ['0_0'], 'leaving': {'since_ms': 0, 'deadline_ms': 1000}}", 0);
}

static void a_member_without_threads_serves_only_when_nobody_has_any(void **state)
{
    (void)state;
    assert_owner("{'id': 'a', 'active': ['0_0'], 'threads': 0}, {'id': 'b'}", 1);
    assert_owner("{'id': 'a', 'threads': 0}, {'id': 'b', 'active': ['0_0'], 'threads': 0}", 1);
}

/* The expired holder's disk is shared with a leaving member alone, which may be given nothing new. */
static void a_copy_out_of_reach_is_no_copy(void **state)
{
    (void)state;
    assert_owner("{'id': 'a', 'process': 'p', 'lag': {'0_0': 20000}, 'leaving': {'since_ms': 0, 'deadline_ms': 1}},"
                 "{'id': 'b', 'process': 'p', 'leaving': {'since_ms': 0}},"
                 "{'id': 'c', 'lag': {'0_0': 70000}, 'leaving': {'since_ms': 0}}, {'id': 'd', 'lag': {'0_0': 80000}}",
                 3);
}

/* The expired holder's disk has members that stay: the first of them serves from it. */
static void a_copy_on_a_shared_disk_is_served_by_the_first_that_stays(void **state)
{
    (void)state;
    const char *expired = "'process': 'p', 'lag': {'0_0': 5}, 'leaving': {'since_ms': 0, 'deadline_ms': 1}";
    char members[512];
    snprintf(members, sizeof members, "{'id': 'a', 'process': 'p'}, {'id': 'b', 'process': 'p'}, {'id': 'c', %s},"
             "{'id': 'd', 'lag': {'0_0': 70000}}", expired);
    assert_owner(members, 0);
    snprintf(members, sizeof members, "{'id': 'a', 'lag': {'0_0': 70000}}, {'id': 'b', %s}, {'id': 'c', 'process': 'p'}",
             expired);
    assert_owner(members, 2);
}

static void tasks_that_nobody_has_are_spread_by_threads(void **state)
{
    (void)state;
    answer a = fall_back(
        "", "{'id': 0, 'partitions': 6}, {'id': 1, 'partitions': 6, 'stateful': false}",
        "{'id': 'a'}, {'id': 'b', 'threads': 2}, {'id': 'c', 'leaving': {'since_ms': 0}}, {'id': 'd', 'threads': 0}");
    uint32_t count[4] = {0};
    for (uint32_t t = 0; t < 12; t++) {
        count[a.plan->active[t]]++;
    }
    assert_int_equal(count[0], 4);
    assert_int_equal(count[1], 8);
    assert_int_equal(count[2] + count[3], 0);
    assert_true(a.plan->spread == 0);
    close_answer(a);
}

/* Spread is between those who stay. */
static void where_nobody_stays_there_is_no_spread(void **state)
{
    (void)state;
    answer a = fall_back("", ONE_TASK, "{'id': 'a', 'active': ['0_0'], 'leaving': {'since_ms': 0}}");
    assert_true(a.plan->spread == 0);
    close_answer(a);
}

/* One owner is lost; a task that two claim stays with one of them, and one without an owner has none to lose. */
static void owners_that_are_lost_count_as_moves(void **state)
{
    (void)state;
    answer a = fall_back("", "{'id': 0, 'partitions': 4}",
                         "{'id': 'a', 'active': ['0_0'], 'leaving': {'since_ms': 0, 'deadline_ms': 1000}},"
                         "{'id': 'b', 'threads': 2, 'active': ['0_2', '0_3']}, {'id': 'c', 'active': ['0_2']}");
    assert_int_equal(a.plan->moves, 1);
    assert_true(a.plan->spread == 0.5); /* three on two threads beside one on one */
    close_answer(a);
}

static void standbys_stay_up_to_the_wanted_number(void **state)
{
    (void)state;
    const char *members =
        "{'id': 'a', 'active': ['0_0']}, {'id': 'b', 'learner': ['0_0']}, {'id': 'c', 'standby': ['0_0']},"
        "{'id': 'd', 'process': 'c', 'standby': ['0_0']}, {'id': 'e', 'process': 'a', 'standby': ['0_0']}";
    answer a = fall_back("'num.standby.replicas': 1", ONE_TASK, members);
    assert_int_equal(a.plan->standby_count, 1);
    assert_int_equal(a.plan->standby_member[0], 2);
    close_answer(a);
    a = fall_back("'num.standby.replicas': 2", ONE_TASK, members);
    assert_int_equal(a.plan->standby_count, 2);
    assert_int_equal(a.plan->standby_member[0], 1);
    assert_int_equal(a.plan->standby_member[1], 2);
    close_answer(a);
    a = fall_back("", ONE_TASK, members);
    assert_int_equal(a.plan->standby_count, 0);
    close_answer(a);
}

static void nothing_is_written_behind_the_last_task(void **state)
{
    (void)state;
    segue_bound bound = {.size = sizeof bound, .standby_rows = 4};
    segue_plan *plan = NULL;
    segue_document *document =
        read_group("{'segue': 'group/1', 'subtopologies': [" ONE_TASK "], 'members': [{'id': 'a', 'active': ['0_0']}]}");
    assert_int_equal(segue_plan_new(2, &bound, 0, &plan), SEGUE_OK);
    plan->active[1] = plan->learner[1] = plan->standby_start[2] = 77;
    assert_int_equal(segue_plan_fallback(segue_document_group(document), segue_document_config(document), plan), SEGUE_OK);
    assert_int_equal(plan->active[0], 0);
    assert_int_equal(plan->active[1], 77);
    assert_int_equal(plan->learner[1], 77);
    assert_int_equal(plan->standby_start[2], 77);
    segue_plan_free(plan);
    segue_document_free(document);
}

static void nothing_is_a_plan_for_nothing(void **state)
{
    (void)state;
    answer a = fall_back("", "", "{'id': 'a'}");
    assert_int_equal(a.plan->task_count, 0);
    assert_int_equal(a.plan->standby_start[0], 0);
    close_answer(a);
}

static void too_little_room_is_said(void **state)
{
    (void)state;
    segue_bound none = {.size = sizeof none};
    segue_plan *plan = NULL;
    segue_document *document =
        read_group("{'segue': 'group/1', 'config': {'num.standby.replicas': 1}, 'subtopologies': [" ONE_TASK "],"
                   " 'members': [{'id': 'a', 'active': ['0_0']}, {'id': 'b', 'standby': ['0_0']}]}");
    assert_int_equal(segue_plan_new(1, &none, 0, &plan), SEGUE_OK);
    assert_int_equal(segue_plan_fallback(segue_document_group(document), segue_document_config(document), plan),
                     SEGUE_E_SPACE);
    segue_plan_free(plan);
    segue_document_free(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(owners_keep_what_they_have),
        cmocka_unit_test(orphans_go_to_their_best_copy),
        cmocka_unit_test(a_restoring_owner_yields_to_a_caught_up_copy_alone),
        cmocka_unit_test(caught_up_means_at_most_the_acceptable_lag),
        cmocka_unit_test(a_passed_deadline_takes_the_task_away),
        cmocka_unit_test(a_member_without_threads_serves_only_when_nobody_has_any),
        cmocka_unit_test(a_copy_out_of_reach_is_no_copy),
        cmocka_unit_test(a_copy_on_a_shared_disk_is_served_by_the_first_that_stays),
        cmocka_unit_test(tasks_that_nobody_has_are_spread_by_threads),
        cmocka_unit_test(where_nobody_stays_there_is_no_spread),
        cmocka_unit_test(owners_that_are_lost_count_as_moves),
        cmocka_unit_test(standbys_stay_up_to_the_wanted_number),
        cmocka_unit_test(nothing_is_written_behind_the_last_task),
        cmocka_unit_test(nothing_is_a_plan_for_nothing),
        cmocka_unit_test(too_little_room_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
