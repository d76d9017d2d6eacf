/* SPDX-License-Identifier: Apache-2.0 */
/* What a group document says stands in the columns, in canonical order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "segue/host.h"

static segue_document *read_text(const char *text)
{
    char message[400] = "";
    segue_error error = {.size = sizeof error, .text = message, .text_size = sizeof message};
    segue_document *document = NULL;
    if (segue_document_read(text, strlen(text), NULL, &document, &error) != SEGUE_OK) {
        fail_msg("%s", message);
    }
    if (segue_group_check(segue_document_group(document), &error) != SEGUE_OK) {
        fail_msg("%s", message);
    }
    return document;
}

/* Single quotes stand for double ones, so that documents can be read here. */
static segue_document *read_quoted(const char *quoted)
{
    char *text = strdup(quoted);
    for (char *quote = strchr(text, '\''); quote != NULL; quote = strchr(quote, '\'')) {
        *quote = '"';
    }
    segue_document *document = read_text(text);
    free(text);
    return document;
}

/* Names of a column joined by blanks; "-" for none. */
static const char *names(const segue_group *g, const uint32_t *column, uint32_t count)
{
    static char joined[1024];
    size_t used = 0;
    joined[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        uint32_t string = column[i];
        int length = string == SEGUE_NONE ? 1 : (int)(g->string_offset[string + 1] - g->string_offset[string]);
        const char *text = string == SEGUE_NONE ? "-" : g->string_bytes + g->string_offset[string];
        used += (size_t)snprintf(joined + used, sizeof joined - used, "%s%.*s", i == 0 ? "" : " ", length, text);
    }
    return joined;
}

static void tasks_are_sorted_by_subtopology_then_partition(void **state)
{
    (void)state;
    segue_document *document = read_quoted(
        "{'segue':'group/"
        "1','subtopologies':[{'id':10,'partitions':2},{'id':'b','partitions':1},{'id':2,'partitions':11}],"
        "'tasks':[{'id':'loose'},{'id':'a_1_0'},{'id':'07_1'},{'id':'7_01'},{'id':'7_1'}],'members':[{'id':'m'}]}");
    const segue_group *g = segue_document_group(document);
    assert_string_equal(names(g, g->task_name, g->task_count),
                        "2_0 2_1 2_2 2_3 2_4 2_5 2_6 2_7 2_8 2_9 2_10 07_1 7_1 10_0 10_1 7_01 a_1_0 b_0 loose");
    assert_string_equal(names(g, g->subtopology_name, g->subtopology_count), "2 07 7 10 7_01 a_1 b loose");
    assert_int_equal(g->task_partition[10], 10);
    assert_int_equal(g->task_partition[15], 0);
    segue_document_free(document);
}

static void an_id_without_partition_is_no_twin_of_the_subtopology_of_that_name(void **state)
{
    (void)state;
    segue_document *document = read_quoted(
        "{'segue':'group/1','tasks':[{'id':'x'},{'id':'x_0'}],'members':[{'id':'m','active':['x','x_0']}]}");
    const segue_group *g = segue_document_group(document);
    assert_string_equal(names(g, g->task_name, g->task_count), "x_0 x");
    assert_string_equal(names(g, g->subtopology_name, g->subtopology_count), "x x (alone)");
    assert_int_equal(g->copy_count, 2);
    segue_document_free(document);
}

static const char *subtopologies_of(const char *tasks)
{
    static char text[512];
    char quoted[512];
    snprintf(quoted, sizeof quoted, "{'segue':'group/1','tasks':[%s],'members':[{'id':'m'}]}", tasks);
    segue_document *document = read_quoted(quoted);
    const segue_group *g = segue_document_group(document);
    assert_int_equal(segue_group_check(g, NULL), SEGUE_OK);
    snprintf(text, sizeof text, "%s; %s", names(g, g->subtopology_name, g->subtopology_count), "");
    size_t end = strlen(text);
    snprintf(text + end, sizeof text - end, "%s", names(g, g->task_name, g->task_count));
    segue_document_free(document);
    return text;
}

static void a_name_that_gives_way_takes_nobody_elses_in_any_order(void **state)
{
    (void)state;
    assert_string_equal(subtopologies_of("{'id':'x'},{'id':'x_0'},{'id':'x (alone)_0'}"),
                        "x x (alone) x (alone) (alone); x_0 x (alone)_0 x");
    assert_string_equal(subtopologies_of("{'id':'x'},{'id':'x_0'},{'id':'x (alone)'}"),
                        "x x (alone) x (alone) (alone); x_0 x (alone) x");
    const char *both = "x x (alone) x (alone) (alone) x (alone) (alone) (alone); x_0 x (alone)_0 x x (alone)";
    assert_string_equal(subtopologies_of("{'id':'x'},{'id':'x (alone)'},{'id':'x_0'},{'id':'x (alone)_0'}"), both);
    assert_string_equal(subtopologies_of("{'id':'x (alone)_0'},{'id':'x_0'},{'id':'x (alone)'},{'id':'x'}"), both);
}

static void a_listed_task_overrides_the_shorthands(void **state)
{
    (void)state;
    segue_document *document = read_quoted(
        "{'segue':'group/1','subtopologies':[{'id':0,'partitions':2,'stateful':false,'weight':3,'state_bytes':7}],"
        "'tasks':[{'id':'0_1','weight':0.5}],'members':[{'id':'m'}]}");
    const segue_group *g = segue_document_group(document);
    assert_int_equal(g->task_count, 2);
    assert_int_equal(g->task_stateful[0], 0);
    assert_int_equal(g->task_stateful[1], 1);
    assert_true(g->task_weight[0] == 3 && g->task_weight[1] == 0.5);
    assert_int_equal(g->task_state_bytes[0], 7);
    assert_int_equal(g->task_state_bytes[1], SEGUE_BYTES_UNKNOWN);
    segue_document_free(document);
}

static void what_has_its_default_has_no_column(void **state)
{
    (void)state;
    segue_document *document =
        read_quoted("{'segue':'group/1','tasks':[{'id':'0_0','weight':1}],'members':[{'id':'m','threads':0}]}");
    const segue_group *g = segue_document_group(document);
    assert_null(g->task_weight);
    assert_null(g->task_state_bytes);
    assert_null(g->task_inputs);
    assert_null(g->member_rack);
    assert_null(g->member_leaving_ms);
    assert_null(g->member_tag);
    assert_int_equal(g->member_threads[0], 0);
    segue_document_free(document);
}

static void the_strongest_claim_of_a_member_counts_and_gone_tasks_do_not(void **state)
{
    (void)state;
    segue_document *document =
        read_quoted("{'segue':'group/1','subtopologies':[{'id':0,'partitions':7}],'members':[{'id':'m',"
                    "'active':['0_6','0_0','9_9','9_9'],'standby':['0_1','0_0'],'learner':['0_2','0_1','9_8'],"
                    "'lag':{'0_3':5,'0_4':null,'0_2':8,'9_7':1,'0_6':null}}]}");
    const segue_group *g = segue_document_group(document);
    const uint8_t roles[] = {SEGUE_ACTIVE, SEGUE_LEARNER, SEGUE_LEARNER, SEGUE_DORMANT, SEGUE_DORMANT, SEGUE_ACTIVE};
    const uint32_t tasks[] = {0, 1, 2, 3, 4, 6};
    const int64_t lags[] = {0, -1, 8, 5, -1, -1};
    assert_int_equal(g->copy_count, 6);
    assert_memory_equal(g->copy_task, tasks, sizeof tasks);
    assert_memory_equal(g->copy_role, roles, sizeof roles);
    assert_memory_equal(g->copy_lag, lags, sizeof lags);
    segue_document_free(document);
}

static void two_members_may_claim_one_task(void **state)
{
    (void)state;
    segue_document *document =
        read_quoted("{'segue':'group/1','tasks':[{'id':'0_0'}],'members':[{'id':'b','active':['0_0']},"
                    "{'id':'a','active':['0_0']}]}");
    const segue_group *g = segue_document_group(document);
    assert_int_equal(g->copy_count, 2);
    assert_int_equal(g->copy_start[1], 1);
    segue_document_free(document);
}

static void members_are_sorted_by_bytes_and_processes_by_first_mention(void **state)
{
    (void)state;
    segue_document *document = read_quoted(
        "{'segue':'group/1','now_ms':9,'members':[{'id':'\xc3\xa9','process':'p'},{'id':'b'},{'id':'a','process':'p'},"
        "{'id':'B','process':'b','leaving':{'since_ms':3,'deadline_ms':70}},{'id':'c','leaving':{'since_ms':4}}]}");
    const segue_group *g = segue_document_group(document);
    assert_string_equal(names(g, g->member_name, g->member_count), "B a b c \xc3\xa9");
    assert_string_equal(names(g, g->process_name, g->process_count), "b p c");
    const uint32_t processes[] = {0, 1, 0, 2, 1};
    assert_memory_equal(g->member_process, processes, sizeof processes);
    assert_int_equal(g->member_leaving_ms[0], 3);
    assert_int_equal(g->member_deadline_ms[0], 70);
    assert_int_equal(g->member_leaving_ms[3], 4);
    assert_true(g->member_deadline_ms[3] == SEGUE_TIME_NONE && g->member_leaving_ms[1] == SEGUE_TIME_NONE);
    assert_int_equal(g->now_ms, 9);
    segue_document_free(document);
}

static void a_rack_counts_an_input_once_however_many_replicas_it_holds(void **state)
{
    (void)state;
    segue_document *document =
        read_quoted("{'segue':'group/1','tasks':[{'id':'0_1'},{'id':'0_0','partitions':["
                    "{'topic':'t','partition':0,'racks':['z','a','z']},{'topic':'u','partition':0,'racks':['z']},"
                    "{'topic':'u','partition':1}]}],'members':[{'id':'m','rack':'b'},{'id':'n'}]}");
    const segue_group *g = segue_document_group(document);
    assert_string_equal(names(g, g->rack_name, g->rack_count), "a b z");
    assert_int_equal(g->task_inputs[0], 3);
    assert_int_equal(g->task_inputs[1], 0);
    const uint32_t starts[] = {0, 2, 2}, racks[] = {0, 2}, inputs[] = {1, 2}, member_racks[] = {1, SEGUE_NONE};
    assert_memory_equal(g->task_rack_start, starts, sizeof starts);
    assert_memory_equal(g->task_rack, racks, sizeof racks);
    assert_memory_equal(g->task_rack_inputs, inputs, sizeof inputs);
    assert_memory_equal(g->member_rack, member_racks, sizeof member_racks);
    segue_document_free(document);
}

static void tags_follow_the_dimensions_of_the_configuration(void **state)
{
    (void)state;
    static const char *const ways[] = {"' zone, ,cluster,zone '", "['zone','cluster']"};
    for (size_t i = 0; i < 2; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "{'segue':'group/1','config':{'rack.aware.assignment.tags':%s},'members':["
                 "{'id':'b','tags':{'cluster':'k','colour':'red'}},{'id':'a','tags':{'zone':'1','cluster':'k'}}]}",
                 ways[i]);
        segue_document *document = read_quoted(text);
        const segue_group *g = segue_document_group(document);
        assert_string_equal(names(g, g->tag_name, g->tag_count), "zone cluster");
        assert_string_equal(names(g, g->member_tag, g->tag_count * g->member_count), "1 - k k");
        segue_document_free(document);
    }
}

static void configuration_is_read_from_numbers_and_from_their_texts(void **state)
{
    (void)state;
    static const char *const ways[] = {
        "{'num.standby.replicas':2,'acceptable.recovery.lag':5,'learner.partial.rebalance':false,'client.id':[1,{}]}",
        "{'num.standby.replicas':'2','acceptable.recovery.lag':'5','learner.partial.rebalance':'false','retries':"
        "null}"};
    for (size_t i = 0; i < 2; i++) {
        char text[400];
        snprintf(text, sizeof text, "{'segue':'group/1','config':%s,'members':[{'id':'m'}]}", ways[i]);
        segue_document *document = read_quoted(text);
        const segue_config *config = segue_document_config(document);
        assert_int_equal(config->num_standby_replicas, 2);
        assert_int_equal(config->acceptable_recovery_lag, 5);
        assert_int_equal(config->learner_partial_rebalance, 0);
        segue_document_free(document);
    }
}

static void of_two_limits_for_learners_the_smaller_counts_wherever_it_stands(void **state)
{
    (void)state;
    static const char *const ways[] = {"'max.warmup.replicas':2,'segue.max.learners':7",
                                       "'segue.max.learners':7,'max.warmup.replicas':2"};
    for (size_t i = 0; i < 2; i++) {
        char text[400];
        snprintf(text, sizeof text, "{'segue':'group/1','config':{%s},'members':[{'id':'m'}]}", ways[i]);
        segue_document *document = read_quoted(text);
        assert_int_equal(segue_document_config(document)->max_learners, 2);
        segue_document_free(document);
    }
}

static void keys_for_notes_are_ignored_everywhere(void **state)
{
    (void)state;
    segue_document *document =
        read_quoted("{'x-note':1,'segue':'group/1','subtopologies':[{'id':0,'partitions':1,'x-a':[]}],"
                    "'tasks':[{'id':'1_0','x-b':{},'partitions':[{'topic':'t','partition':0,'x-c':0}]}],"
                    "'members':[{'id':'m','x-d':null,'leaving':{'since_ms':0,'x-e':''}}]}");
    assert_int_equal(segue_document_group(document)->task_count, 2);
    segue_document_free(document);
}

static void a_whole_number_may_be_written_as_a_real_one(void **state)
{
    (void)state;
    segue_document *document = read_quoted("{'segue':'group/1','config':{'num.standby.replicas':2.0},"
                                           "'members':[{'id':'m','threads':4.0}]}");
    assert_int_equal(segue_document_config(document)->num_standby_replicas, 2);
    assert_int_equal(segue_document_group(document)->member_threads[0], 4);
    segue_document_free(document);
}

/* ---- order of the input ------------------------------------------------------------------------------------------ */

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void shuffle_list(json_t *list, uint32_t *seed)
{
    for (size_t i = json_array_size(list); i > 1; i--) {
        size_t other = next_random(seed) % i;
        json_t *a = json_incref(json_array_get(list, i - 1));
        json_t *b = json_incref(json_array_get(list, other));
        json_array_set_new(list, i - 1, b);
        json_array_set_new(list, other, a);
    }
}

static void shuffle(json_t *value, uint32_t *seed)
{
    const char *key;
    json_t *inner;
    size_t i;
    shuffle_list(value, seed);
    json_array_foreach (value, i, inner) {
        shuffle(inner, seed);
    }
    json_object_foreach (value, key, inner) {
        shuffle(inner, seed);
    }
}

static json_t *random_claims(uint32_t *seed)
{
    json_t *list = json_array();
    for (int task = 0; task < 40; task++) {
        if (next_random(seed) % 4 == 0) {
            json_array_append_new(list, json_sprintf("%d_%d", task % 4, task / 4));
        }
    }
    return list;
}

static json_t *random_group(uint32_t *seed)
{
    json_t *group =
        json_loads("{\"segue\":\"group/1\",\"config\":{\"rack.aware.assignment.tags\":\"zone\"},"
                   "\"subtopologies\":[{\"id\":0,\"partitions\":8},{\"id\":1,\"partitions\":10}],"
                   "\"tasks\":[{\"id\":\"odd\"},{\"id\":\"2_1\"},{\"id\":\"2_0\",\"weight\":2},{\"id\":\"0_9\"}],"
                   "\"members\":[]}",
                   0, NULL);
    json_t *members = json_object_get(group, "members");
    for (int i = 0; i < 9; i++) {
        json_t *lag = json_pack("{s:i, s:n, s:i}", "0_1", (int)(next_random(seed) % 99), "1_2", "2_0", 7);
        json_array_append_new(members, json_pack("{s:o, s:o, s:i, s:o, s:{s:s}, s:o, s:o, s:o, s:o}", "id",
                                                 json_sprintf("m%d", i), "process", json_sprintf("p%d", i % 4),
                                                 "threads", i % 3, "rack", json_sprintf("r%d", i % 5), "tags", "zone",
                                                 i % 2 ? "x" : "y", "active", random_claims(seed), "standby",
                                                 random_claims(seed), "learner", random_claims(seed), "lag", lag));
    }
    return group;
}

static void assert_same_columns(const segue_group *g, const segue_group *other)
{
#define SAME_SCALAR(field, type) assert_true(g->field == other->field);
    SEGUE_GROUP_SCALARS(SAME_SCALAR)
#undef SAME_SCALAR
#define SAME_COLUMN(id, field, type, count, need) \
    assert_int_equal(g->field == NULL, other->field == NULL); \
    if (g->field != NULL) { \
        assert_memory_equal(g->field, other->field, (count) * sizeof(type)); \
    }
    SEGUE_GROUP_COLUMNS(SAME_COLUMN)
#undef SAME_COLUMN
}

static void shuffled_documents_have_identical_columns(void **state)
{
    (void)state;
    for (uint32_t round = 1; round <= 200; round++) {
        uint32_t seed = round;
        json_t *tree = random_group(&seed);
        char *text = json_dumps(tree, 0);
        shuffle(tree, &seed);
        char *shuffled = json_dumps(tree, JSON_SORT_KEYS);
        segue_document *first = read_text(text);
        segue_document *second = read_text(shuffled);
        assert_true(segue_document_group(first)->copy_count > 20);
        assert_same_columns(segue_document_group(first), segue_document_group(second));
        segue_document_free(first);
        segue_document_free(second);
        free(text);
        free(shuffled);
        json_decref(tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_are_sorted_by_subtopology_then_partition),
        cmocka_unit_test(an_id_without_partition_is_no_twin_of_the_subtopology_of_that_name),
        cmocka_unit_test(a_name_that_gives_way_takes_nobody_elses_in_any_order),
        cmocka_unit_test(a_listed_task_overrides_the_shorthands),
        cmocka_unit_test(what_has_its_default_has_no_column),
        cmocka_unit_test(the_strongest_claim_of_a_member_counts_and_gone_tasks_do_not),
        cmocka_unit_test(two_members_may_claim_one_task),
        cmocka_unit_test(members_are_sorted_by_bytes_and_processes_by_first_mention),
        cmocka_unit_test(a_rack_counts_an_input_once_however_many_replicas_it_holds),
        cmocka_unit_test(tags_follow_the_dimensions_of_the_configuration),
        cmocka_unit_test(configuration_is_read_from_numbers_and_from_their_texts),
        cmocka_unit_test(of_two_limits_for_learners_the_smaller_counts_wherever_it_stands),
        cmocka_unit_test(keys_for_notes_are_ignored_everywhere),
        cmocka_unit_test(a_whole_number_may_be_written_as_a_real_one),
        cmocka_unit_test(shuffled_documents_have_identical_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
