/* SPDX-License-Identifier: Apache-2.0 */
/* Each scalar and each column of a message by itself: too wide, too short, or absent. */
#include "segue/wire.h"
#include "testing.h"
#include "wire_message.h"

#define GROUP                                                                                                         \
    "{'segue': 'group/1', 'now_ms': 7, 'config': {'num.standby.replicas': 1, 'rack.aware.assignment.tags': ['zone']}," \
    " 'tasks': [{'id': '1_0', 'weight': 2.5, 'state_bytes': 9, 'partitions': ["                                       \
    "   {'topic': 't', 'partition': 0, 'racks': ['r1', 'r2']}]}, {'id': '1_1', 'stateful': false}],"                  \
    " 'members': [{'id': 'a', 'process': 'q', 'rack': 'r1', 'tags': {'zone': 'y'}, 'active': ['1_1'], 'lag': {'1_0': 4}}," \
    "  {'id': 'b', 'process': 'p', 'threads': 2, 'rack': 'r1', 'tags': {'zone': 'z'}, 'active': ['1_0'],"             \
    "   'leaving': {'since_ms': 1, 'deadline_ms': 2}}]}"

enum { WORDS = 1024 };

/* A message that a test may damage. */
typedef struct message {
    uint64_t words[WORDS];
    size_t size;
} message;

static segue_wire_section *section_of(message *m, uint32_t id)
{
    const segue_wire_header *header = (const void *)m->words;
    segue_wire_section *rows = (void *)(m->words + sizeof *header / sizeof *m->words);
    for (uint32_t i = 0; i < header->section_count; i++) {
        if (rows[i].id == id) {
            return &rows[i];
        }
    }
    fail_msg("the message has no section %u", id);
    return NULL;
}

static uint64_t *word_of(message *m, uint32_t section, uint32_t place)
{
    return m->words + section_of(m, section)->offset / sizeof *m->words + place;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static void encode_group(message *m, const segue_group *g, const segue_config *c)
{
    assert_int_equal(segue_wire_encode_group(g, c, m->words, sizeof m->words, &m->size, NULL), SEGUE_OK);
}

static int32_t decode_group(message *m, segue_group *g, fault *f)
{
    segue_config c = {.size = sizeof c};
    *g = (segue_group){.size = sizeof *g};
    return segue_wire_decode_group(m->words, m->size, g, &c, fault_of(f));
}

static void assert_group_refused(message *m, const char *name)
{
    fault f;
    segue_group g;
    assert_int_equal(decode_group(m, &g, &f), SEGUE_E_WIRE);
    assert_mentions(f.text, name);
}

/* Words are 64 bits wide, and most fields 32. */
#define IS_NARROW_uint32_t 1
#define IS_NARROW_int64_t 0
#define IS_NARROW_double 0

static void a_groups_number_that_is_too_wide_is_named(void **state)
{
    (void)state;
    segue_document *document = read_group(GROUP);
    message m;
    uint32_t at = 0;
#define WIDEN(section, field, type)                                                                                   \
    if (IS_NARROW_##type) {                                                                                           \
        encode_group(&m, segue_document_group(document), segue_document_config(document));                            \
        *word_of(&m, section, at) |= UINT64_C(1) << 32;                                                               \
        assert_group_refused(&m, #field " does not fit 32 bits");                                                     \
    }                                                                                                                 \
    at++;
#define SCALAR(field, type) WIDEN(SEGUE_WIRE_SCALARS, field, type)
    SEGUE_GROUP_SCALARS(SCALAR)
#undef SCALAR
    at = 0;
#define FIELD(field, type, key, initial, least, greatest) WIDEN(SEGUE_WIRE_CONFIG, field, type)
    SEGUE_CONFIG_FIELDS(FIELD)
#undef FIELD
    segue_document_free(document);
}

/* Required ones are not asked for here but by segue_group_check. */
static void a_groups_column_is_whole_or_absent(void **state)
{
    (void)state;
    segue_document *document = read_group(GROUP);
    const segue_group *whole = segue_document_group(document);
    message m;
#define COLUMN(id, column, type, rows, need)                                                                          \
    {                                                                                                                 \
        fault f;                                                                                                      \
        segue_group without = *whole, read;                                                                           \
        encode_group(&m, whole, segue_document_config(document));                                                     \
        section_of(&m, id)->count--;                                                                                  \
        assert_group_refused(&m, "(" #column ") has ");                                                               \
        without.column = NULL;                                                                                        \
        encode_group(&m, &without, segue_document_config(document));                                                  \
        assert_int_equal(decode_group(&m, &read, &f), SEGUE_OK);                                                      \
        assert_null(read.column);                                                                                     \
        if (need) {                                                                                                   \
            assert_int_equal(segue_group_check(&read, fault_of(&f)), SEGUE_E_GROUP);                                  \
            assert_mentions(f.text, #column);                                                                         \
        }                                                                                                             \
    }
#define REQUIRED 1
#define OPTIONAL 0
    SEGUE_GROUP_COLUMNS(COLUMN)
#undef COLUMN
    segue_document_free(document);
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

/* A plan of two tasks, with a standby and a decision; the document's group owns the columns' sizes. */
static segue_plan *full_plan(segue_document *document)
{
    segue_plan *plan = make_plan(document);
    const uint32_t start[] = {0, 1, 1};
    plan->task_count = 2;
    plan->standby_count = plan->decision_count = 1;
    memset(plan->active, 0, 2 * sizeof *plan->active);
    memset(plan->learner, 0xff, 2 * sizeof *plan->learner);
    memcpy(plan->standby_start, start, sizeof start);
    plan->standby_member[0] = 1;
    plan->decision_task[0] = plan->decision_from[0] = plan->decision_to[0] = 0;
    plan->decision_kind[0] = SEGUE_KIND_STANDBY;
    plan->decision_reason[0] = SEGUE_REASON_STANDBY_WANTED;
    memset(plan->decision_number, 0, 4 * sizeof *plan->decision_number);
    return plan;
}

static int32_t decode_plan(message *m, segue_plan *plan, fault *f)
{
    *plan = (segue_plan){.size = sizeof *plan};
    return segue_wire_decode_plan(m->words, m->size, plan, fault_of(f));
}

static void encode_plan(message *m, const segue_plan *plan)
{
    assert_int_equal(segue_wire_encode_plan(plan, m->words, sizeof m->words, &m->size, NULL), SEGUE_OK);
}

static void a_plans_number_that_is_too_wide_is_named(void **state)
{
    (void)state;
    segue_document *document = read_group(GROUP);
    segue_plan *plan = full_plan(document), read;
    message m;
    fault f;
    uint32_t at = 0;
#define SCALAR(field, type, way)                                                                                      \
    if (IS_NARROW_##type) {                                                                                           \
        encode_plan(&m, plan);                                                                                        \
        *word_of(&m, SEGUE_WIRE_SCALARS, at) |= UINT64_C(1) << 32;                                                    \
        assert_int_equal(decode_plan(&m, &read, &f), SEGUE_E_WIRE);                                                   \
        assert_mentions(f.text, #field " does not fit 32 bits");                                                      \
    }                                                                                                                 \
    at++;
    SEGUE_PLAN_SCALARS(SCALAR)
#undef SCALAR
    segue_plan_free(plan);
    segue_document_free(document);
}

static void a_plans_column_is_whole_and_there_where_rows_are_stated(void **state)
{
    (void)state;
    segue_document *document = read_group(GROUP);
    segue_plan *plan = full_plan(document), read;
    message m;
    fault f;
#define COLUMN(id, column, type, used, capacity)                                                                      \
    {                                                                                                                 \
        segue_plan without = *plan;                                                                                   \
        encode_plan(&m, plan);                                                                                        \
        section_of(&m, id)->count--;                                                                                  \
        assert_int_equal(decode_plan(&m, &read, &f), SEGUE_E_WIRE);                                                   \
        assert_mentions(f.text, "(" #column ") has ");                                                                \
        without.column = NULL;                                                                                        \
        encode_plan(&m, &without);                                                                                    \
        assert_int_equal(decode_plan(&m, &read, &f), SEGUE_E_WIRE);                                                   \
        assert_mentions(f.text, (id) <= 3 ? "(" #column ") has " : "lacks a column for them");                        \
        without.standby_count = without.decision_count = 0;                                                           \
        encode_plan(&m, &without);                                                                                    \
        assert_int_equal(decode_plan(&m, &read, &f), (id) <= 3 ? SEGUE_E_WIRE : SEGUE_OK);                            \
    }
    SEGUE_PLAN_COLUMNS(COLUMN)
#undef COLUMN
    segue_plan_free(plan);
    segue_document_free(document);
}

/* A message that says why there is no plan. */
static void a_fault_of_another_shape_is_a_fault_without_words(void **state)
{
    (void)state;
    segue_document *document = read_group(GROUP);
    segue_plan *plan = full_plan(document);
    message m;
    fault f;
    static const uint32_t sizes[] = {1, 8};
    for (size_t i = 0; i < 2; i++) {
        sgi_section section = {SEGUE_WIRE_FAULT, sizes[i], 8 / sizes[i], "no luck!"};
        assert_int_equal(sgi_wire_write(SEGUE_WIRE_PLAN_MAGIC, &section, 1, m.words, sizeof m.words, &m.size, NULL), SEGUE_OK);
        assert_int_equal(segue_wire_read_plan(segue_document_group(document), m.words, m.size, plan, fault_of(&f)),
                         SEGUE_E_INTERNAL);
        assert_string_equal(f.text, sizes[i] == 1 ? "no luck!" : "");
    }
    segue_plan_free(plan);
    segue_document_free(document);
}

/* Columns of a later version may be listed behind others and have any id. */
static void sections_are_written_by_ascending_ids(void **state)
{
    (void)state;
    static const uint32_t ids[] = {300, 2, 7, 1};
    sgi_section sections[4] = {{0, 0, 0, NULL}};
    for (int i = 0; i < 4; i++) {
        sections[i].id = ids[i];
        sections[i].count = ids[i];
    }
    sgi_wire_sort(sections, 4);
    for (int i = 1; i < 4; i++) {
        assert_true(sections[i - 1].id < sections[i].id);
        assert_int_equal(sections[i].count, sections[i].id);
    }
}

/* The room of a plan is worked out from numbers alone, which a message may state as it likes. */
static void a_plan_of_too_many_rows_has_no_room(void **state)
{
    (void)state;
    message m;
    segue_config c = {.size = sizeof c};
    segue_group g = {.size = sizeof g, .task_count = SEGUE_MAX_TASKS, .process_count = 2000};
    segue_config_init(&c);
    encode_group(&m, &g, &c);
    assert_true(segue_wire_plan_room(m.words, m.size, 1) > SEGUE_MAX_TASKS);
    c.num_standby_replicas = 1000;
    encode_group(&m, &g, &c);
    assert_int_equal(segue_wire_plan_room(m.words, m.size, 1), 0);
    c.num_standby_replicas = 0;
    g.task_count++;
    encode_group(&m, &g, &c);
    assert_int_equal(segue_wire_plan_room(m.words, m.size, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_groups_number_that_is_too_wide_is_named),
        cmocka_unit_test(a_groups_column_is_whole_or_absent),
        cmocka_unit_test(a_plans_number_that_is_too_wide_is_named),
        cmocka_unit_test(a_plans_column_is_whole_and_there_where_rows_are_stated),
        cmocka_unit_test(a_plan_of_too_many_rows_has_no_room),
        cmocka_unit_test(sections_are_written_by_ascending_ids),
        cmocka_unit_test(a_fault_of_another_shape_is_a_fault_without_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
