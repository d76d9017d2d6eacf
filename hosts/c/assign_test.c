/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdio.h>

#include "segue/record.h"
#include "testing_world.h"

static void a_sound_plan_comes_through_untouched(void **state)
{
    (void)state;
    world *w = open_world(GROUP);
    assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
    assert_int_equal(w->report.fallback, 0);
    assert_int_equal(w->report.status, SEGUE_OK);
    assert_int_equal(w->report.rule, 0);
    assert_int_equal(w->report.row, SEGUE_NONE);
    assert_string_equal(w->text, "");
    assert_true(w->report.elapsed_ns > 0);
    assert_int_equal(w->plan->active[0], 0);
    assert_int_equal(w->plan->active[1], 1);
    assert_int_equal(w->plan->active[2], 0);
    assert_int_equal(w->plan->optimal, 1);
    close_world(w);
}

static void assert_fallback(world *w, const char *assignor, uint32_t rule, uint32_t row)
{
    assert_int_equal(assign(w, assignor, NULL), SEGUE_OK);
    assert_int_equal(w->report.fallback, 1);
    assert_int_equal(w->report.status, SEGUE_E_PLAN);
    assert_int_equal(w->report.rule, rule);
    assert_int_equal(w->report.row, row);
    assert_int_equal(w->plan->active[0], 0);
    assert_int_equal(w->plan->active[1], 1);
    assert_int_equal(w->plan->active[2], 0);
    assert_int_equal(w->plan->followup_reason, SEGUE_FOLLOWUP_FALLBACK);
}

static void each_broken_rule_is_named_and_answered_by_the_fallback(void **state)
{
    (void)state;
    static const uint32_t rows[] = {1, 0, 2, 0, 1, 2, 2, 1};
    world *w = open_world(GROUP);
    for (uint32_t rule = 1; rule <= 8; rule++) {
        char name[16], prefix[16];
        snprintf(name, sizeof name, "breaks-r%u", rule);
        snprintf(prefix, sizeof prefix, "R%u: task ", rule);
        assert_fallback(w, name, rule, rows[rule - 1]);
        assert_mentions(w->text, prefix);
    }
    close_world(w);
}

static void missing_standbys_are_rule_nine(void **state)
{
    (void)state;
    world *w = open_world(GROUP_WITH("'num.standby.replicas': 1"));
    assert_fallback(w, "breaks-r9", 9, 0);
    assert_mentions(w->text, "R9: task 0_0 has 0 standbys on staying members and should have 1");
    close_world(w);
}

static void counts_beyond_the_capacity_are_refused(void **state)
{
    (void)state;
    world *w = open_world(GROUP);
    assert_fallback(w, "breaks-counts", 0, SEGUE_NONE);
    close_world(w);
}

static void a_plugin_cannot_bend_the_callers_columns(void **state)
{
    (void)state;
    world *w = open_world(GROUP);
    segue_plan before = *w->plan;
    assert_int_equal(assign(w, "bends-columns", NULL), SEGUE_OK);
    assert_int_equal(w->report.fallback, 0);
    assert_ptr_equal(w->plan->active, before.active);
    assert_ptr_equal(w->plan->standby_member, before.standby_member);
    assert_int_equal(w->plan->standby_capacity, before.standby_capacity);
    assert_int_equal(w->plan->decision_capacity, before.decision_capacity);
    close_world(w);
}

static void cold_assignors_are_not_held_to_r4(void **state)
{
    (void)state;
    world *w = open_world(GROUP);
    assert_int_equal(assign(w, "cold-r4", NULL), SEGUE_OK);
    assert_int_equal(w->report.fallback, 0);
    assert_int_equal(w->plan->active[0], 1);
    close_world(w);
}

static void assert_failure(const char *assignor, int32_t status, const char *text)
{
    world *w = open_world(GROUP);
    assert_int_equal(assign(w, assignor, NULL), SEGUE_OK);
    assert_int_equal(w->report.fallback, 1);
    assert_int_equal(w->report.status, status);
    assert_mentions(w->text, text);
    assert_int_equal(w->plan->active[1], 1);
    close_world(w);
}

static void a_plugins_fault_is_reported_in_one_line(void **state)
{
    (void)state;
    assert_failure("fails", SEGUE_E_INTERNAL, "tripped over?its own feet");
    assert_failure("fails-silently", SEGUE_E_DEADLINE, "fails-silently failed with status -8");
    assert_failure("cannot-be-made", SEGUE_E_MEMORY, "no instance today");
}

static void an_unknown_assignor_is_answered_with_those_that_there_are(void **state)
{
    (void)state;
    fault f;
    world *w = open_world(GROUP);
    assert_int_equal(assign(w, "stedy", fault_of(&f)), SEGUE_E_NAME);
    assert_mentions(f.text, "no assignor stedy: did you mean steady? there are steady, breaks-r1");
    assert_int_equal(assign(w, "only-in-the-note", fault_of(&f)), SEGUE_E_NAME);
    close_world(w);
}

static void bad_groups_and_configurations_never_reach_the_plugin(void **state)
{
    (void)state;
    fault f;
    world *w = open_world(GROUP);
    segue_group g = *segue_document_group(w->document);
    segue_config c = *segue_document_config(w->document);
    g.copy_count = 1;
    assert_int_equal(segue_host_assign(w->host, "steady", &g, &c, w->plan, NULL, fault_of(&f)), SEGUE_E_GROUP);
    assert_mentions(f.text, "copy_start");
    c.num_standby_replicas = 1001;
    assert_int_equal(segue_host_assign(w->host, "steady", &g, &c, w->plan, NULL, fault_of(&f)), SEGUE_E_CONFIG);
    assert_mentions(f.text, "num.standby.replicas");
    close_world(w);
}

static void a_plan_without_room_is_refused_before_the_call(void **state)
{
    (void)state;
    world *w = open_world(GROUP);
    w->plan->decision_capacity = 1;
    assert_int_equal(assign(w, "steady", NULL), SEGUE_E_SPACE);
    w->plan->decision_capacity = 0;
    assert_int_equal(assign(w, "steady", NULL), SEGUE_OK);
    w->plan->learner = NULL;
    assert_int_equal(assign(w, "steady", NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(segue_host_assign(NULL, "steady", NULL, NULL, NULL, NULL, NULL), SEGUE_E_ARGUMENT);
    close_world(w);
}

static void *assign_often(void *argument)
{
    world *w = argument;
    segue_plan *plan = make_plan(w->document);
    uintptr_t faults = 0;
    for (int i = 0; i < 400; i++) {
        char text[128] = "";
        segue_report report = {.size = sizeof report, .text = text, .text_size = sizeof text};
        faults += segue_host_assign(w->host, "steady", segue_document_group(w->document),
                                    segue_document_config(w->document), plan, &report, NULL) != SEGUE_OK ||
                  report.fallback;
    }
    segue_plan_free(plan);
    return (void *)faults;
}

/* The plugin answers a second call on a busy instance with a fault. */
static void concurrent_calls_each_have_an_instance_of_their_own(void **state)
{
    (void)state;
    enum { THREADS = 8 };
    world *w = open_world(GROUP);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, assign_often, w), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *faults = NULL;
        assert_int_equal(pthread_join(threads[i], &faults), 0);
        assert_null(faults);
    }
    close_world(w);
}

static void json_in_json_out(void **state)
{
    (void)state;
    world *w = open_world(GROUP);
    char *text = NULL;
    size_t size = 0;
    static const char group[] = "{\"segue\": \"group/1\", \"subtopologies\": [{\"id\": 0, \"partitions\": 1}],"
                                " \"members\": [{\"id\": \"a\", \"active\": [\"0_0\"]}]}";
    assert_int_equal(segue_host_assign_json(w->host, "steady", group, strlen(group), NULL, &text, &size, NULL, NULL),
                     SEGUE_OK);
    assert_int_equal(strlen(text), size);
    assert_non_null(strstr(text, "\"0_0\""));
    segue_free(text);
    fault f;
    assert_int_equal(segue_host_assign_json(w->host, "steady", "{", 1, "line 3", &text, &size, NULL, fault_of(&f)),
                     SEGUE_E_SYNTAX);
    assert_null(text);
    assert_mentions(f.text, "line 3");
    close_world(w);
}

static void what_was_asked_and_answered_is_one_frame_of_a_record(void **state)
{
    (void)state;
    world *w = open_world(GROUP);
    static const char group[] = "{\"segue\": \"group/1\", \"subtopologies\": [{\"id\": 0, \"partitions\": 1}],"
                                " \"members\": [{\"id\": \"a\", \"active\": [\"0_0\"]}]}";
    char *text = NULL;
    void *frame = NULL;
    size_t size = 0;
    size_t frame_size = 0;
    assert_int_equal(segue_host_record_json(w->host, "steady", group, strlen(group), NULL, &text, &size, &frame,
                                            &frame_size, NULL, NULL),
                     SEGUE_OK);
    segue_record_head head;
    memcpy(&head, frame, sizeof head);
    assert_memory_equal(head.magic, SEGUE_RECORD_MAGIC, sizeof head.magic);
    assert_int_equal(head.assignor_size, strlen("steady"));
    assert_memory_equal((char *)frame + sizeof head, "steady", strlen("steady"));
    assert_int_equal(sizeof head + 8 + head.group_size + head.plan_size, frame_size);
    segue_group seen = {.size = sizeof seen};
    segue_config config = {.size = sizeof config};
    assert_int_equal(segue_wire_decode_group((char *)frame + sizeof head + 8, head.group_size, &seen, &config, NULL),
                     SEGUE_OK);
    assert_int_equal(seen.member_count, 1);
    segue_free(text);
    segue_free(frame);
    fault f;
    assert_int_equal(segue_host_record_json(w->host, "steady", group, strlen(group), NULL, &text, &size, NULL, &frame_size,
                                            NULL, fault_of(&f)),
                     SEGUE_E_ARGUMENT);
    assert_int_equal(
        segue_host_record_json(w->host, "steady", "{", 1, NULL, &text, &size, &frame, &frame_size, NULL, fault_of(&f)),
        SEGUE_E_SYNTAX);
    assert_null(frame);
    close_world(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_plan_comes_through_untouched),
        cmocka_unit_test(each_broken_rule_is_named_and_answered_by_the_fallback),
        cmocka_unit_test(missing_standbys_are_rule_nine),
        cmocka_unit_test(counts_beyond_the_capacity_are_refused),
        cmocka_unit_test(a_plugin_cannot_bend_the_callers_columns),
        cmocka_unit_test(cold_assignors_are_not_held_to_r4),
        cmocka_unit_test(a_plugins_fault_is_reported_in_one_line),
        cmocka_unit_test(an_unknown_assignor_is_answered_with_those_that_there_are),
        cmocka_unit_test(bad_groups_and_configurations_never_reach_the_plugin),
        cmocka_unit_test(a_plan_without_room_is_refused_before_the_call),
        cmocka_unit_test(concurrent_calls_each_have_an_instance_of_their_own),
        cmocka_unit_test(json_in_json_out),
        cmocka_unit_test(what_was_asked_and_answered_is_one_frame_of_a_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
