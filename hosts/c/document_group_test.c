/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "testing.h"

static char *write_group(const segue_document *document)
{
    fault f;
    char *text = NULL;
    size_t size = 0;
    const segue_group *group = segue_document_group(document);
    if (segue_document_write_group(group, segue_document_config(document), 0, &text, &size, fault_of(&f)) != SEGUE_OK) {
        fail_msg("%s", f.text);
    }
    assert_int_equal(size, strlen(text));
    return text;
}

static void assert_written(const char *group, const char *expected)
{
    segue_document *document = read_group(group);
    char *text = write_group(document);
    char *wanted = strdup(expected);
    for (char *c = wanted; *c != '\0'; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    assert_string_equal(text, wanted);
    segue_document *again = read_group(text);
    char *second = write_group(again);
    assert_string_equal(second, text);
    free(wanted);
    segue_free(second);
    segue_free(text);
    segue_document_free(again);
    segue_document_free(document);
}

static void defaults_are_left_out(void **state)
{
    (void)state;
    assert_written("{'segue': 'group/1', 'subtopologies': [{'id': 0, 'partitions': 1}], 'members': [{'id': 'a'}]}",
                   "{'segue': 'group/1','now_ms': 0,'config': {},'tasks': [{'id': '0_0'}],"
                   "'members': [{'id': 'a', 'process': 'a', 'threads': 1}]}");
}

static void every_column_is_written(void **state)
{
    (void)state;
    assert_written(
        "{'segue': 'group/1', 'now_ms': 7, 'config': {'num.standby.replicas': 1, 'segue.max.compute.ms': 3,"
        " 'rack.aware.assignment.strategy': 'min_traffic', 'learner.partial.rebalance': false,"
        " 'stream.imbalance.percentage': 12.125, 'rack.aware.assignment.tags': ['zone', 'cluster']},"
        " 'tasks': [{'id': '1_0', 'weight': 2.1, 'state_bytes': 9, 'partitions': ["
        "  {'topic': 't', 'partition': 0, 'racks': ['r1', 'r2']}, {'topic': 'u', 'partition': 0, 'racks': ['r1']}]},"
        "  {'id': '1_1', 'stateful': false}],"
        " 'members': [{'id': 'b', 'process': 'p', 'threads': 2, 'rack': 'r1', 'tags': {'zone': 'z'}, 'active': ['1_0', '1_1'],"
        "   'lag': {'1_0': 5}, 'leaving': {'since_ms': 1, 'deadline_ms': 2}},"
        "  {'id': 'a', 'process': 'p', 'learner': ['1_0']}, {'id': 'c', 'lag': {'1_0': null}}]}",
        "{'segue': 'group/1','now_ms': 7,'config': {'num.standby.replicas': 1, 'segue.max.compute.ms': 3,"
        " 'stream.imbalance.percentage': 12.125, 'learner.partial.rebalance': false,"
        " 'rack.aware.assignment.strategy': 'min_traffic', 'rack.aware.assignment.tags': ['zone', 'cluster']},"
        "'tasks': [{'id': '1_0', 'weight': 2.1000000000000001, 'state_bytes': 9, 'partitions': ["
        "{'topic': 'input', 'partition': 0, 'racks': ['r1', 'r2']}, {'topic': 'input', 'partition': 1, 'racks': ['r1']}]},"
        "{'id': '1_1', 'stateful': false, 'weight': 1.0, 'partitions': []}],"
        "'members': [{'id': 'a', 'process': 'p', 'threads': 1, 'learner': ['1_0']},"
        "{'id': 'b', 'process': 'p', 'threads': 2, 'rack': 'r1', 'tags': {'zone': 'z'}, 'active': ['1_0', '1_1'],"
        " 'lag': {'1_0': 5}, 'leaving': {'since_ms': 1, 'deadline_ms': 2}},"
        "{'id': 'c', 'process': 'c', 'threads': 1, 'lag': {'1_0': null}}]}");
}

static void a_group_that_breaks_a_rule_is_refused(void **state)
{
    (void)state;
    fault f;
    char *text = NULL;
    size_t size = 0;
    segue_document *document =
        read_group("{'segue': 'group/1', 'subtopologies': [{'id': 0, 'partitions': 2}], 'members': [{'id': 'a'}]}");
    segue_group group = *segue_document_group(document);
    const uint32_t far[] = {0, 9};
    group.task_name = far;
    assert_int_equal(segue_document_write_group(&group, segue_document_config(document), 0, &text, &size, fault_of(&f)),
                     SEGUE_E_GROUP);
    assert_null(text);
    assert_mentions(f.text, "task_name");
    segue_config config = *segue_document_config(document);
    config.rack_strategy = 9;
    assert_int_equal(
        segue_document_write_group(segue_document_group(document), &config, 0, &text, &size, fault_of(&f)),
        SEGUE_E_CONFIG);
    segue_document_free(document);
}

/* SUBTOPOLOGY_PARTITION is one form of an id; any other is a task by itself. */
static void ids_of_any_form_are_tasks_and_come_back(void **state)
{
    (void)state;
    static const char *const ids[] = {"x_7", "x_", "x_01", "_5", "x_4294967295", "x_99999999999", "a_b", "lone", "x_0"};
    char text[600], *end = text;
    end += sprintf(end, "{'segue':'group/1','tasks':[");
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        end += sprintf(end, "%s{'id':'%s'}", i == 0 ? "" : ",", ids[i]);
    }
    sprintf(end, "],'members':[{'id':'a','active':['x_01','x_','_5','lone']}]}");
    segue_document *document = read_group(text);
    const segue_group *g = segue_document_group(document);
    assert_int_equal(g->task_count, sizeof ids / sizeof *ids);
    assert_int_equal(g->copy_count, 4);
    char *first = write_group(document);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        char quoted[32];
        snprintf(quoted, sizeof quoted, "\"id\": \"%s\"", ids[i]);
        assert_non_null(strstr(first, quoted));
    }
    segue_document *again = read_group(first);
    char *second = write_group(again);
    assert_string_equal(first, second);
    segue_free(first);
    segue_free(second);
    segue_document_free(again);
    segue_document_free(document);
}

static void names_of_any_bytes_come_back(void **state)
{
    (void)state;
    static const char text[] = "{\"segue\":\"group/1\",\"tasks\":[{\"id\":\"0_0\"}],"
                               "\"members\":[{\"id\":\"\\\"\\\\\\u0001\x7f\xc3\xa9\"}]}";
    segue_document *document = NULL, *again = NULL;
    assert_int_equal(segue_document_read(text, sizeof text - 1, NULL, &document, NULL), SEGUE_OK);
    char *written = write_group(document);
    assert_int_equal(segue_document_read(written, strlen(written), NULL, &again, NULL), SEGUE_OK);
    const segue_group *g = segue_document_group(again);
    uint32_t name = g->member_name[0];
    assert_int_equal(g->string_offset[name + 1] - g->string_offset[name], 6);
    assert_memory_equal(g->string_bytes + g->string_offset[name], "\"\\\x01\x7f\xc3\xa9", 6);
    segue_free(written);
    segue_document_free(document);
    segue_document_free(again);
}

/* JSON has no number for it. */
static void a_figure_that_is_no_number_is_null(void **state)
{
    (void)state;
    segue_document *document = read_group("{'segue':'group/1','tasks':[{'id':'0_0'}],'members':[{'id':'a'}]}");
    segue_plan *plan = make_plan(document);
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(segue_plan_fallback(segue_document_group(document), segue_document_config(document), plan), SEGUE_OK);
    plan->spread = NAN;
    assert_int_equal(segue_document_write_plan(document, "x", plan, 0, 0, &text, &size, NULL), SEGUE_OK);
    assert_non_null(strstr(text, "\"spread\": null"));
    segue_free(text);
    segue_plan_free(plan);
    segue_document_free(document);
}

static void what_is_null_is_as_if_it_were_not_there(void **state)
{
    (void)state;
    assert_written("{'segue': 'group/1', 'tasks': [{'id': '0_0', 'state_bytes': null}], 'members': [{'id': 'a', 'rack': null,"
                   " 'leaving': null}, {'id': 'b', 'leaving': {'since_ms': 1, 'deadline_ms': null}}]}",
                   "{'segue': 'group/1','now_ms': 0,'config': {},'tasks': [{'id': '0_0'}],"
                   "'members': [{'id': 'a', 'process': 'a', 'threads': 1},"
                   "{'id': 'b', 'process': 'b', 'threads': 1, 'leaving': {'since_ms': 1}}]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_null_is_as_if_it_were_not_there),
        cmocka_unit_test(ids_of_any_form_are_tasks_and_come_back),
        cmocka_unit_test(names_of_any_bytes_come_back),
        cmocka_unit_test(a_figure_that_is_no_number_is_null),
        cmocka_unit_test(defaults_are_left_out),
        cmocka_unit_test(every_column_is_written),
        cmocka_unit_test(a_group_that_breaks_a_rule_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
