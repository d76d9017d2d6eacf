/* SPDX-License-Identifier: Apache-2.0 */
/* A pointer that is missing, and a record that is too small to be one, are E_ARGUMENT, said in a sentence. */
#include "testing_world.h"

/* `call` with `f.error` for its error record. */
#define ASSERT_ARGUMENT(call)                                                                                         \
    do {                                                                                                              \
        fault f;                                                                                                      \
        segue_error *error = fault_of(&f);                                                                            \
        assert_int_equal(call, SEGUE_E_ARGUMENT);                                                                     \
        assert_int_equal(f.error.code, SEGUE_E_ARGUMENT);                                                             \
        assert_mentions(f.text, " ");                                                                                 \
    } while (0)

/* The same of functions without an error record. */
#define ASSERT_STATUS(call) assert_int_equal(call, SEGUE_E_ARGUMENT)

static void the_calls_about_a_host_need_it(void **state)
{
    (void)state;
    world *w = open_world(GROUP);
    segue_host *host = NULL;
    segue_host_options small = {.size = 2};
    segue_plugin_row plugin = {.size = sizeof plugin};
    segue_assignor_row assignor = {.size = sizeof assignor};
    segue_metrics metrics = {.size = sizeof metrics};
    ASSERT_ARGUMENT(segue_host_open(NULL, NULL, error));
    ASSERT_ARGUMENT(segue_host_open(&small, &host, error));
    ASSERT_ARGUMENT(segue_host_load(NULL, "x", error));
    ASSERT_ARGUMENT(segue_host_load(w->host, NULL, error));
    ASSERT_ARGUMENT(segue_host_load(w->host, "", error));
    ASSERT_ARGUMENT(segue_host_plugin(NULL, 0, &plugin, error));
    ASSERT_ARGUMENT(segue_host_plugin(w->host, 0, NULL, error));
    ASSERT_ARGUMENT(segue_host_assignor(NULL, 0, &assignor, error));
    ASSERT_ARGUMENT(segue_host_assignor(w->host, 0, NULL, error));
    ASSERT_ARGUMENT(segue_host_register(NULL, NULL, error));
    ASSERT_ARGUMENT(segue_host_register(w->host, NULL, error));
    ASSERT_ARGUMENT(segue_host_unregister(NULL, "x", error));
    ASSERT_ARGUMENT(segue_host_unregister(w->host, NULL, error));
    ASSERT_ARGUMENT(segue_host_reinstate(NULL, NULL, error));
    ASSERT_ARGUMENT(segue_host_metrics(NULL, &metrics, error));
    ASSERT_ARGUMENT(segue_host_metrics(w->host, NULL, error));
    assert_int_equal(segue_host_open(NULL, &host, NULL), SEGUE_OK);
    segue_host_close(host);
    segue_host_close(NULL);
    close_world(w);
}

static void the_calls_for_a_plan_need_all_of_theirs(void **state)
{
    (void)state;
    world *w = open_world(GROUP);
    const segue_group *g = segue_document_group(w->document);
    const segue_config *c = segue_document_config(w->document);
    segue_group small_group = {.size = 8};
    segue_config small_config = {.size = 8};
    segue_plan small_plan = {.size = 8};
    uint64_t message[4] = {0};
    char *text = NULL;
    size_t size = 0;
    ASSERT_ARGUMENT(segue_host_assign(NULL, "steady", g, c, w->plan, NULL, error));
    ASSERT_ARGUMENT(segue_host_assign(w->host, NULL, g, c, w->plan, NULL, error));
    ASSERT_ARGUMENT(segue_host_assign(w->host, "steady", NULL, c, w->plan, NULL, error));
    ASSERT_ARGUMENT(segue_host_assign(w->host, "steady", &small_group, c, w->plan, NULL, error));
    ASSERT_ARGUMENT(segue_host_assign(w->host, "steady", g, NULL, w->plan, NULL, error));
    ASSERT_ARGUMENT(segue_host_assign(w->host, "steady", g, &small_config, w->plan, NULL, error));
    ASSERT_ARGUMENT(segue_host_assign(w->host, "steady", g, c, NULL, NULL, error));
    ASSERT_ARGUMENT(segue_host_assign(w->host, "steady", g, c, &small_plan, NULL, error));
    ASSERT_ARGUMENT(segue_host_assign_wire(NULL, "steady", 0, message, 8, message, 8, &size, NULL, error));
    ASSERT_ARGUMENT(segue_host_assign_wire(w->host, NULL, 0, message, 8, message, 8, &size, NULL, error));
    ASSERT_ARGUMENT(segue_host_assign_wire(w->host, "steady", 0, message, 8, message, 8, NULL, NULL, error));
    ASSERT_ARGUMENT(segue_host_assign_json(NULL, "steady", "{}", 2, NULL, &text, &size, NULL, error));
    ASSERT_ARGUMENT(segue_host_assign_json(w->host, NULL, "{}", 2, NULL, &text, &size, NULL, error));
    ASSERT_ARGUMENT(segue_host_assign_json(w->host, "steady", NULL, 2, NULL, &text, &size, NULL, error));
    ASSERT_ARGUMENT(segue_host_assign_json(w->host, "steady", "{}", 2, NULL, NULL, &size, NULL, error));
    ASSERT_ARGUMENT(segue_host_assign_json(w->host, "steady", "{}", 2, NULL, &text, NULL, NULL, error));
    close_world(w);
}

static void what_reads_and_writes_documents_and_messages_needs_places(void **state)
{
    (void)state;
    world *w = open_world(GROUP);
    const segue_group *g = segue_document_group(w->document);
    const segue_config *c = segue_document_config(w->document);
    segue_group group = {.size = sizeof group}, small_group = {.size = 8};
    segue_config config = {.size = sizeof config}, small_config = {.size = 8};
    segue_plan plan = {.size = sizeof plan}, small_plan = {.size = 8};
    segue_document *document = NULL;
    uint64_t message[64];
    char *text = NULL;
    size_t size = 0;
    ASSERT_ARGUMENT(segue_document_read("{}", 2, NULL, NULL, error));
    ASSERT_ARGUMENT(segue_document_read(NULL, 2, NULL, &document, error));
    ASSERT_ARGUMENT(segue_document_write_group(NULL, c, 0, &text, &size, error));
    ASSERT_ARGUMENT(segue_document_write_group(g, NULL, 0, &text, &size, error));
    ASSERT_ARGUMENT(segue_document_write_group(g, c, 0, NULL, &size, error));
    ASSERT_ARGUMENT(segue_document_write_group(g, c, 0, &text, NULL, error));
    ASSERT_ARGUMENT(segue_document_write_plan(NULL, "x", w->plan, 0, 0, &text, &size, error));
    ASSERT_ARGUMENT(segue_document_write_plan(w->document, NULL, w->plan, 0, 0, &text, &size, error));
    ASSERT_ARGUMENT(segue_document_write_plan(w->document, "x", NULL, 0, 0, &text, &size, error));
    ASSERT_ARGUMENT(segue_document_write_plan(w->document, "x", w->plan, 0, 0, NULL, &size, error));
    ASSERT_ARGUMENT(segue_document_write_plan(w->document, "x", w->plan, 0, 0, &text, NULL, error));
    ASSERT_ARGUMENT(segue_document_write_plan(w->document, "\xff", w->plan, 0, 0, &text, &size, error));
    ASSERT_ARGUMENT(segue_document_read_plan(NULL, "{}", 2, NULL, w->plan, error));
    ASSERT_ARGUMENT(segue_document_read_plan(g, NULL, 2, NULL, w->plan, error));
    ASSERT_ARGUMENT(segue_document_read_plan(g, "{}", 2, NULL, NULL, error));
    ASSERT_ARGUMENT(segue_document_read_plan(g, "{}", 2, NULL, &plan, error));
    ASSERT_ARGUMENT(segue_wire_read_plan(NULL, message, sizeof message, w->plan, error));
    ASSERT_ARGUMENT(segue_wire_read_plan(g, message, sizeof message, NULL, error));
    ASSERT_ARGUMENT(segue_wire_read_plan(g, message, sizeof message, &plan, error));
    ASSERT_ARGUMENT(segue_wire_encode_group(NULL, c, NULL, 0, &size, error));
    ASSERT_ARGUMENT(segue_wire_encode_group(g, NULL, NULL, 0, &size, error));
    ASSERT_ARGUMENT(segue_wire_encode_group(g, c, NULL, 0, NULL, error));
    ASSERT_ARGUMENT(segue_wire_decode_group(message, 8, NULL, &config, error));
    ASSERT_ARGUMENT(segue_wire_decode_group(message, 8, &group, NULL, error));
    ASSERT_ARGUMENT(segue_wire_decode_group(message, 8, &small_group, &config, error));
    ASSERT_ARGUMENT(segue_wire_decode_group(message, 8, &group, &small_config, error));
    ASSERT_ARGUMENT(segue_wire_encode_plan(NULL, NULL, 0, &size, error));
    ASSERT_ARGUMENT(segue_wire_encode_plan(w->plan, NULL, 0, NULL, error));
    ASSERT_ARGUMENT(segue_wire_decode_plan(message, 8, NULL, error));
    ASSERT_ARGUMENT(segue_wire_decode_plan(message, 8, &small_plan, error));
    assert_int_equal(segue_document_read(NULL, 0, NULL, &document, NULL), SEGUE_E_SYNTAX);
    assert_int_equal(segue_document_read_plan(g, NULL, 0, NULL, w->plan, NULL), SEGUE_E_SYNTAX);
    segue_document_free(NULL);
    close_world(w);
}

static void checks_counts_and_bounds_need_what_they_look_at(void **state)
{
    (void)state;
    world *w = open_world(GROUP);
    const segue_group *g = segue_document_group(w->document);
    const segue_config *c = segue_document_config(w->document);
    segue_bound bound = {.size = sizeof bound}, small_bound = {.size = 4};
    segue_config config = {.size = sizeof config};
    segue_plan *made = NULL;
    ASSERT_ARGUMENT(segue_group_check(NULL, error));
    ASSERT_ARGUMENT(segue_plan_check(NULL, c, w->plan, 0, error));
    ASSERT_ARGUMENT(segue_plan_check(g, NULL, w->plan, 0, error));
    ASSERT_ARGUMENT(segue_plan_check(g, c, NULL, 0, error));
    ASSERT_ARGUMENT(segue_plan_count(NULL, w->plan, error));
    ASSERT_ARGUMENT(segue_plan_count(g, NULL, error));
    ASSERT_ARGUMENT(segue_config_set(NULL, "a", "b", error));
    ASSERT_ARGUMENT(segue_config_set(&config, NULL, "b", error));
    ASSERT_ARGUMENT(segue_config_set(&config, "a", NULL, error));
    ASSERT_STATUS(segue_plan_fallback(NULL, c, w->plan));
    ASSERT_STATUS(segue_plan_fallback(g, NULL, w->plan));
    ASSERT_STATUS(segue_plan_fallback(g, c, NULL));
    ASSERT_STATUS(segue_host_bound(NULL, c, &bound));
    ASSERT_STATUS(segue_host_bound(g, NULL, &bound));
    ASSERT_STATUS(segue_host_bound(g, c, NULL));
    ASSERT_STATUS(segue_host_bound(g, c, &small_bound));
    ASSERT_STATUS(segue_plan_new(1, &bound, 0, NULL));
    ASSERT_STATUS(segue_plan_new(1, NULL, 0, &made));
    ASSERT_STATUS(segue_plan_new(1, &small_bound, 0, &made));
    ASSERT_STATUS(segue_plan_new(SEGUE_MAX_TASKS + 1, &bound, 0, &made));
    assert_null(made);
    segue_config_init(NULL);
    close_world(w);
}

/* ---- columns of a plan ------------------------------------------------------------------------------------------- */

static void a_plan_without_one_of_its_columns_is_none(void **state)
{
    (void)state;
    world *w = open_world(GROUP_WITH("'num.standby.replicas': 1"));
    const segue_plan whole = *w->plan;
#define WITHOUT(id, field, type, used, capacity)                                                                      \
    w->plan->field = NULL;                                                                                            \
    ASSERT_ARGUMENT(assign(w, "steady", error));                                                                      \
    *w->plan = whole;
    SEGUE_PLAN_COLUMNS(WITHOUT)
    fault f;
    w->plan->standby_capacity--;
    assert_int_equal(assign(w, "steady", fault_of(&f)), SEGUE_E_SPACE);
    assert_mentions(f.text, "standby rows");
    *w->plan = whole;
    w->plan->decision_capacity--;
    assert_int_equal(assign(w, "steady", fault_of(&f)), SEGUE_E_SPACE);
    *w->plan = whole;
    assert_int_equal(assign(w, "breaks-r9", NULL), SEGUE_OK);
    close_world(w);
}

/* More standbys, or decisions, than 32 bits count: nothing of them is read before that is found out. */
static void a_group_whose_plan_has_too_many_rows_has_no_bound(void **state)
{
    (void)state;
    segue_config config = {.size = sizeof config};
    segue_bound bound = {.size = sizeof bound};
    segue_config_init(&config);
    segue_group group = {.size = sizeof group, .task_count = SEGUE_MAX_TASKS, .process_count = SEGUE_MAX_MEMBERS};
    assert_int_equal(segue_host_bound(&group, &config, &bound), SEGUE_OK);
    config.num_standby_replicas = 1000;
    assert_int_equal(segue_host_bound(&group, &config, &bound), SEGUE_E_SPACE);
    config.num_standby_replicas = 255;
    assert_int_equal(segue_host_bound(&group, &config, &bound), SEGUE_E_SPACE);
    group.process_count = 0;
    assert_int_equal(segue_host_bound(&group, &config, &bound), SEGUE_OK);
    assert_int_equal(bound.standby_rows, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_calls_about_a_host_need_it),
        cmocka_unit_test(the_calls_for_a_plan_need_all_of_theirs),
        cmocka_unit_test(what_reads_and_writes_documents_and_messages_needs_places),
        cmocka_unit_test(checks_counts_and_bounds_need_what_they_look_at),
        cmocka_unit_test(a_plan_without_one_of_its_columns_is_none),
        cmocka_unit_test(a_group_whose_plan_has_too_many_rows_has_no_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
