/* SPDX-License-Identifier: Apache-2.0 */
/* Documents, messages and plans when memory runs out at any request. */
#include <stdio.h>

#include "test/plays.h"

/* Every kind of row and column that a document may have. */
#define FULL_GROUP                                                                                                    \
    "{'segue': 'group/1', 'now_ms': 7, 'config': {'num.standby.replicas': 1, 'segue.max.learners.per.member': 3,"      \
    " 'rack.aware.assignment.strategy': 'min_traffic', 'rack.aware.assignment.tags': ['zone', 'cluster'],"            \
    " 'segue.max.compute.ms': 60000},"                                                                                \
    " 'subtopologies': [{'id': 'words', 'partitions': 70}],"                                                          \
    " 'tasks': [{'id': '1_0', 'weight': 2.5, 'state_bytes': 9, 'partitions': ["                                       \
    "   {'topic': 't', 'partition': 0, 'racks': ['r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8', 'r9']}]},"           \
    "  {'id': '1_1', 'stateful': false}],"                                                                            \
    " 'members': [{'id': 'b', 'process': 'p', 'threads': 2, 'rack': 'r1', 'tags': {'zone': 'z'},"                     \
    "   'active': ['1_0', '1_1'], 'lag': {'words_3': 5}, 'leaving': {'since_ms': 1, 'deadline_ms': 99}},"             \
    "  {'id': 'a', 'process': 'q', 'standby': ['1_0'], 'learner': ['words_4'], 'active': ['words_3']}]}"

static void open_document(world *w)
{
    w->document = read_group(FULL_GROUP);
    w->plan = make_plan(w->document);
    assert_int_equal(
        segue_plan_fallback(segue_document_group(w->document), segue_document_config(w->document), w->plan), SEGUE_OK);
}

static int32_t read_text(const char *quoted, segue_error *error)
{
    char text[sizeof FULL_GROUP];
    segue_document *document = NULL;
    int32_t status = segue_document_read(requoted(text, quoted), strlen(quoted), "g.json", &document, error);
    assert_true((document != NULL) == (status == SEGUE_OK));
    segue_document_free(document);
    return status;
}

static int32_t read_document(world *w, segue_error *error)
{
    (void)w;
    return read_text(FULL_GROUP, error);
}

/* More racks and input partitions than a task usually has. */
static int32_t read_many_racks(world *w, segue_error *error)
{
    (void)w;
    char text[4096], *end = text;
    segue_document *document = NULL;
    end += sprintf(end, "{\"segue\":\"group/1\",\"members\":[{\"id\":\"a\"}],\"tasks\":[{\"id\":\"lone\"},"
                        "{\"id\":\"1_0\",\"partitions\":[");
    for (int i = 0; i < 40; i++) {
        end += sprintf(end, "%s{\"topic\":\"t\",\"partition\":%d,\"racks\":[\"r%d\"]}", i == 0 ? "" : ",", i, i);
    }
    strcpy(end, "]}]}");
    int32_t status = segue_document_read(text, strlen(text), NULL, &document, error);
    assert_true(document == NULL || segue_document_group(document)->rack_count == 40);
    segue_document_free(document);
    return status;
}

/* jansson loses its footing when there is no memory for a token of more than 15 bytes (issue 362 there, open): shorter
 * ones show that libsegue knows its lack of memory from a fault of the text. */
static int32_t read_short_words(world *w, segue_error *error)
{
    (void)w;
    return read_text("{'segue': 'group/1', 'now_ms': 12, 'subtopologies': [{'id': 0.0, 'partitions': 2}],"
                     " 'members': [{'id': 'a', 'active': ['0_0']}, {'id': 'b', 'threads': 0}]}",
                     error);
}

static int32_t write_group(world *w, segue_error *error)
{
    char *text = NULL;
    size_t size = 0;
    int32_t status = segue_document_write_group(segue_document_group(w->document), segue_document_config(w->document), 2,
                                                &text, &size, error);
    assert_true((text != NULL) == (status == SEGUE_OK));
    segue_free(text);
    return status;
}

static int32_t write_plan(world *w, segue_error *error)
{
    char *text = NULL;
    size_t size = 0;
    int32_t status = segue_document_write_plan(w->document, "steady", w->plan, 5, 0, &text, &size, error);
    assert_true((text != NULL) == (status == SEGUE_OK));
    segue_free(text);
    return status;
}

static int32_t read_plan(world *w, segue_error *error)
{
    static const char text[] = "{\"segue\": \"plan/1\", \"stats\": {\"moves\": 3, \"optimal\": false}, \"followup\": {\"needed\": false},"
                               " \"members\": [{\"id\": \"b\", \"active\": [\"1_0\", \"1_1\"]}, {\"id\": \"a\"}]}";
    return segue_document_read_plan(segue_document_group(w->document), text, sizeof text - 1, "p.json", w->plan, error);
}

static int32_t check_plan(world *w, segue_error *error)
{
    return segue_plan_check(segue_document_group(w->document), segue_document_config(w->document), w->plan,
                            SEGUE_TRAIT_LEAVING, error);
}

static int32_t count_plan(world *w, segue_error *error)
{
    return segue_plan_count(segue_document_group(w->document), w->plan, error);
}

/* It has no error record: what it says by its status is all. */
static int32_t fall_back(world *w, segue_error *error)
{
    int32_t status =
        segue_plan_fallback(segue_document_group(w->document), segue_document_config(w->document), w->plan);
    error->code = status;
    error->text[0] = '-';
    return status;
}

static int32_t read_plan_message(world *w, segue_error *error)
{
    uint64_t message[512];
    size_t size = 0;
    assert_int_equal(segue_wire_encode_plan(w->plan, message, sizeof message, &size, NULL), SEGUE_OK);
    return segue_wire_read_plan(segue_document_group(w->document), message, size, w->plan, error);
}

static void documents_and_plans_need_their_memory_and_say_so(void **state)
{
    (void)state;
    static const play plays[] = {
        {FAULT_MEMORY, "reading a group", nothing, read_document, nothing},
        {FAULT_MEMORY, "writing a group", open_document, write_group, close_document},
        {FAULT_MEMORY, "writing a plan", open_document, write_plan, close_document},
        {FAULT_MEMORY, "reading a plan", open_document, read_plan, close_document},
        {FAULT_MEMORY, "checking a plan", open_document, check_plan, close_document},
        {FAULT_MEMORY, "counting a plan", open_document, count_plan, close_document},
        {FAULT_MEMORY, "reading a plan's message", open_document, read_plan_message, close_document},
        {FAULT_MEMORY, "reading many racks", nothing, read_many_racks, nothing},
        {FAULT_sgi_names_add, "names of a group", nothing, read_document, nothing},
        {FAULT_sgi_names_add, "names of many racks", nothing, read_many_racks, nothing},
        {FAULT_sgi_names_add, "names of a plan", open_document, read_plan, close_document},
        {FAULT_JSON, "reading short words", nothing, read_short_words, nothing},
        {FAULT_JSON, "writing a group's numbers", open_document, write_group, close_document},
        {FAULT_JSON, "writing a plan's numbers", open_document, write_plan, close_document},
        {FAULT_MEMORY, "the fallback", open_document, fall_back, close_document},
    };
    STARVE_ALL(plays);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_and_plans_need_their_memory_and_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
