/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "testing.h"
#include "wire_message.h"

static const char GROUP[] =
    "{'segue': 'group/1', 'now_ms': -5, 'config': {'num.standby.replicas': 1, 'stream.imbalance.percentage': 12.5},"
    " 'subtopologies': [{'id': 0, 'partitions': 3}, {'id': 'x', 'partitions': 1, 'stateful': false, 'weight': 2.5}],"
    " 'members': [{'id': 'a', 'rack': 'r1', 'active': ['0_0', '0_2'], 'lag': {'0_1': 70000}},"
    "             {'id': 'ü', 'standby': ['0_0'], 'lag': {'0_0': 7}, 'leaving': {'since_ms': 1, 'deadline_ms': 2}}]}";

typedef struct message {
    uint64_t *words; /* aligned, and as long as the message, so that a sanitizer sees any read behind it */
    size_t size;
} message;

static message encode(const segue_document *document)
{
    message m = {NULL, 0};
    const segue_group *g = segue_document_group(document);
    const segue_config *c = segue_document_config(document);
    assert_int_equal(segue_wire_encode_group(g, c, NULL, 0, &m.size, NULL), SEGUE_E_SPACE);
    m.words = malloc(m.size);
    memset(m.words, 0xee, m.size);
    size_t size;
    assert_int_equal(segue_wire_encode_group(g, c, m.words, m.size - 1, &size, NULL), SEGUE_E_SPACE);
    assert_int_equal(segue_wire_encode_group(g, c, m.words, m.size, &size, NULL), SEGUE_OK);
    assert_int_equal(size, m.size);
    return m;
}

static void assert_same_columns(const segue_group *a, const segue_group *b)
{
    const segue_group *g = a;
#define SAME_SCALAR(field, type) assert_true(a->field == b->field);
    SEGUE_GROUP_SCALARS(SAME_SCALAR)
#define SAME_COLUMN(id, field, type, count, need)                                                                     \
    assert_true((a->field == NULL) == (b->field == NULL));                                                            \
    if (a->field != NULL && (count) > 0) {                                                                            \
        assert_memory_equal(a->field, b->field, (count) * sizeof(type));                                              \
    }
    SEGUE_GROUP_COLUMNS(SAME_COLUMN)
}

static void a_group_comes_back_as_it_went(void **state)
{
    (void)state;
    segue_document *document = read_group(GROUP);
    message m = encode(document);
    segue_group g = {.size = sizeof g};
    segue_config c = {.size = sizeof c};
    assert_int_equal(segue_wire_decode_group(m.words, m.size, &g, &c, NULL), SEGUE_OK);
    assert_same_columns(segue_document_group(document), &g);
    assert_memory_equal(segue_document_config(document), &c, sizeof c);
    assert_int_equal(segue_group_check(&g, NULL), SEGUE_OK);
    assert_true((const char *)g.copy_lag > (const char *)m.words);
    assert_true((const char *)g.copy_lag < (const char *)m.words + m.size);
    free(m.words);
    segue_document_free(document);
}

static segue_host *open_host(void)
{
    segue_host *host = NULL;
    segue_host_options options = {.size = sizeof options, .only_path = 1, .plugin_path = TEST_PLUGIN("sound")};
    assert_int_equal(segue_host_open(&options, &host, NULL), SEGUE_OK);
    return host;
}

/* What no flipped bit may do: crash, read behind the message (the sanitizers watch), or end in a plan that fits not. */
static void assign_whatever_it_says(segue_host *host, message m)
{
    fault f;
    size_t room = segue_wire_plan_room(m.words, m.size, 1), size = 0;
    uint64_t *answer = malloc(room + 1);
    int32_t status =
        segue_host_assign_wire(host, "steady", 1, m.words, m.size, answer, room, &size, NULL, fault_of(&f));
    assert_true(status == SEGUE_OK || status == SEGUE_E_GROUP || status == SEGUE_E_CONFIG);
    assert_true((status == SEGUE_OK) == (f.text[0] == '\0'));
    free(answer);
}

static void no_damage_to_a_message_is_trusted(void **state)
{
    (void)state;
    segue_document *document = read_group(GROUP);
    message m = encode(document);
    unsigned char *bytes = (unsigned char *)m.words;
    unsigned refused = 0, planned = 0;
    segue_host *host = open_host();
    for (size_t at = 0; at < m.size; at++) {
        for (int bit = 0; bit < 8; bit++) {
            fault f;
            segue_group g = {.size = sizeof g};
            segue_config c = {.size = sizeof c};
            bytes[at] ^= (unsigned char)(1 << bit);
            int32_t status = segue_wire_decode_group(m.words, m.size, &g, &c, fault_of(&f));
            assert_true(status == SEGUE_OK || status == SEGUE_E_WIRE);
            refused += status != SEGUE_OK;
            if (status == SEGUE_OK) {
                assign_whatever_it_says(host, m);
                planned++;
            }
            bytes[at] ^= (unsigned char)(1 << bit);
        }
    }
    assert_true(refused > 1000 && planned > 1000);
    segue_host_close(host);
    free(m.words);
    segue_document_free(document);
}

static void a_message_cut_anywhere_is_refused(void **state)
{
    (void)state;
    segue_document *document = read_group(GROUP);
    message m = encode(document);
    for (size_t size = 0; size < m.size; size++) {
        segue_group g = {.size = sizeof g};
        segue_config c = {.size = sizeof c};
        uint64_t *cut = malloc(size + 1);
        memcpy(cut, m.words, size);
        assert_int_equal(segue_wire_decode_group(cut, size, &g, &c, NULL), SEGUE_E_WIRE);
        free(cut);
    }
    free(m.words);
    segue_document_free(document);
}

static void assert_refused(void (*damage)(segue_wire_header *header, segue_wire_section *rows), const char *why)
{
    fault f;
    segue_group g = {.size = sizeof g};
    segue_config c = {.size = sizeof c};
    segue_document *document = read_group(GROUP);
    message m = encode(document);
    segue_wire_header *header = (void *)m.words;
    damage(header, (segue_wire_section *)(header + 1));
    assert_int_equal(segue_wire_decode_group(m.words, m.size, &g, &c, fault_of(&f)), SEGUE_E_WIRE);
    assert_mentions(f.text, why);
    free(m.words);
    segue_document_free(document);
}

static void wrong_magic(segue_wire_header *header, segue_wire_section *rows)
{
    (void)rows;
    header->magic = SEGUE_WIRE_PLAN_MAGIC;
}

static void huge_count(segue_wire_header *header, segue_wire_section *rows)
{
    (void)header;
    rows[2].count = UINT64_MAX / 4 + 2;
}

static void overlap(segue_wire_header *header, segue_wire_section *rows)
{
    (void)header;
    rows[3].offset = rows[2].offset;
}

static void into_the_directory(segue_wire_header *header, segue_wire_section *rows)
{
    (void)header;
    rows[0].offset = 24;
}

static void unaligned(segue_wire_header *header, segue_wire_section *rows)
{
    (void)header;
    rows[1].offset += 4;
}

static void descending(segue_wire_header *header, segue_wire_section *rows)
{
    (void)header;
    rows[1].id = rows[0].id;
}

static void other_element(segue_wire_header *header, segue_wire_section *rows)
{
    (void)header;
    rows[0].element_bytes = 8;
}

static void unknown_section(segue_wire_header *header, segue_wire_section *rows)
{
    rows[header->section_count - 1].id = 1023;
}

static void shorter_column(segue_wire_header *header, segue_wire_section *rows)
{
    (void)header;
    rows[2].count -= 1;
}

static void each_defect_is_named(void **state)
{
    (void)state;
    assert_refused(wrong_magic, "no group message");
    assert_refused(huge_count, "section 3");
    assert_refused(overlap, "section 4");
    assert_refused(into_the_directory, "section 1");
    assert_refused(unaligned, "no multiple of 8");
    assert_refused(descending, "ids must ascend");
    assert_refused(other_element, "elements of 8 bytes instead of 4");
    assert_refused(unknown_section, "section 1023 is unknown");
    assert_refused(shorter_column, "section 3 (subtopology_name) has 1 rows, the scalars say 2");
}

static void an_optional_section_of_a_newer_writer_is_skipped(void **state)
{
    (void)state;
    segue_group g = {.size = sizeof g};
    segue_config c = {.size = sizeof c};
    segue_document *document = read_group(GROUP);
    message m = encode(document);
    segue_wire_header *header = (void *)m.words;
    segue_wire_section *rows = (void *)(header + 1);
    rows[header->section_count - 1].id = SEGUE_WIRE_OPTIONAL_FROM; /* was the configuration */
    assert_int_equal(segue_wire_decode_group(m.words, m.size, &g, &c, NULL), SEGUE_OK);
    assert_int_equal(c.num_standby_replicas, 0);
    free(m.words);
    segue_document_free(document);
}

static void an_unaligned_buffer_is_refused(void **state)
{
    (void)state;
    segue_group g = {.size = sizeof g};
    segue_config c = {.size = sizeof c};
    uint64_t words[8] = {0};
    assert_int_equal(segue_wire_decode_group((char *)words + 4, 32, &g, &c, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(segue_wire_decode_group(NULL, 32, &g, &c, NULL), SEGUE_E_ARGUMENT);
}

static void a_group_is_answered_with_a_plan_that_fits_the_room(void **state)
{
    (void)state;
    segue_document *document = read_group(GROUP);
    message m = encode(document);
    segue_host *host = open_host();
    for (uint32_t decisions = 0; decisions <= 1; decisions++) {
        size_t room = segue_wire_plan_room(m.words, m.size, decisions), size = 0, needed = 0;
        assert_true(room > 0);
        uint64_t *answer = malloc(room);
        assert_int_equal(segue_host_assign_wire(host, "steady", decisions, m.words, m.size, answer, 8, &needed, NULL,
                                                NULL), SEGUE_E_SPACE);
        assert_int_equal(segue_host_assign_wire(host, "steady", decisions, m.words, m.size, answer, room, &size, NULL,
                                                NULL), SEGUE_OK);
        assert_int_equal(needed, size);
        assert_true(size <= room);
        segue_plan plan = {.size = sizeof plan};
        assert_int_equal(segue_wire_decode_plan(answer, size, &plan, NULL), SEGUE_OK);
        assert_int_equal(plan.task_count, 4);
        assert_int_equal(plan.active[0], 0);
        segue_group g = *segue_document_group(document);
        assert_int_equal(segue_plan_check(&g, segue_document_config(document), &plan, SEGUE_TRAIT_LEAVING, NULL),
                         SEGUE_OK);
        free(answer);
    }
    segue_host_close(host);
    free(m.words);
    segue_document_free(document);
}

static void no_damage_to_a_plan_is_trusted(void **state)
{
    (void)state;
    segue_document *document = read_group(GROUP);
    segue_plan *plan = make_plan(document);
    const segue_config *c = segue_document_config(document);
    size_t size;
    assert_int_equal(segue_plan_fallback(segue_document_group(document), c, plan), SEGUE_OK);
    (void)segue_wire_encode_plan(plan, NULL, 0, &size, NULL);
    uint64_t *words = malloc(size);
    assert_int_equal(segue_wire_encode_plan(plan, words, size, &size, NULL), SEGUE_OK);
    for (size_t bit = 0; bit < size * 8; bit++) {
        segue_plan back = {.size = sizeof back};
        unsigned char *byte = (unsigned char *)words + bit / 8;
        *byte ^= (unsigned char)(1 << bit % 8);
        if (segue_wire_decode_plan(words, size, &back, NULL) == SEGUE_OK) {
            (void)segue_plan_check(segue_document_group(document), c, &back, SEGUE_TRAIT_LEAVING, NULL);
        }
        *byte ^= (unsigned char)(1 << bit % 8);
    }
    free(words);
    segue_plan_free(plan);
    segue_document_free(document);
}

static void the_room_of_nonsense_is_nothing(void **state)
{
    (void)state;
    uint64_t words[4] = {0};
    assert_int_equal(segue_wire_plan_room(words, sizeof words, 1), 0);
    assert_int_equal(segue_wire_plan_room(NULL, 0, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_comes_back_as_it_went),
        cmocka_unit_test(no_damage_to_a_message_is_trusted),
        cmocka_unit_test(a_message_cut_anywhere_is_refused),
        cmocka_unit_test(each_defect_is_named),
        cmocka_unit_test(an_optional_section_of_a_newer_writer_is_skipped),
        cmocka_unit_test(an_unaligned_buffer_is_refused),
        cmocka_unit_test(a_group_is_answered_with_a_plan_that_fits_the_room),
        cmocka_unit_test(no_damage_to_a_plan_is_trusted),
        cmocka_unit_test(the_room_of_nonsense_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
