/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "group.h"
#include "testing.h"

static const char GROUP[] =
    "{'segue': 'group/1',"
    " 'subtopologies': [{'id': 0, 'partitions': 2}, {'id': 1, 'partitions': 1, 'stateful': false}],"
    " 'tasks': [{'id': '2_0', 'weight': 3, 'state_bytes': 9,"
    "            'partitions': [{'topic': 't', 'partition': 0, 'racks': ['r1', 'r2']}]}],"
    " 'members': [{'id': 'a', 'rack': 'r1', 'active': ['0_0', '1_0'], 'lag': {'0_1': 7}},"
    "             {'id': 'b', 'process': 'p', 'active': ['0_1']}, {'id': 'c', 'process': 'p'}]}";

/* A document's group whose columns may be written to; each copied column has exactly its rows. */
typedef struct open_group {
    segue_document *document;
    segue_group g;
} open_group;

static open_group open_columns(void)
{
    open_group o = {.document = read_group(GROUP)};
    o.g = *segue_document_group(o.document);
    const segue_group *g = &o.g;
#define COPY(id, field, type, count, need)                                                                            \
    if (g->field != NULL) {                                                                                           \
        void *copy = malloc((count) * sizeof(type) + 1);                                                              \
        memcpy(copy, g->field, (count) * sizeof(type));                                                               \
        o.g.field = copy;                                                                                             \
    }
    SEGUE_GROUP_COLUMNS(COPY)
#undef COPY
    return o;
}

static void close_columns(open_group *o, const segue_group *columns)
{
#define FREE(id, field, type, count, need) free((void *)(uintptr_t)columns->field);
    SEGUE_GROUP_COLUMNS(FREE)
#undef FREE
    segue_document_free(o->document);
}

#define WRITE(column, row, value)                                                                                     \
    memcpy((void *)(uintptr_t)&g->column[row], &(__typeof__(g->column[0])){value}, sizeof g->column[0])

#define LAST_STRING (SEGUE_NONE - 1)
#define FINAL_NAME (SEGUE_NONE - 2) /* the row before that */

typedef void (*defect)(segue_group *g);

static void assert_refused(defect damage, uint32_t row, const char *why)
{
    fault f;
    open_group o = open_columns();
    segue_group columns = o.g;
    assert_int_equal(segue_group_check(&o.g, NULL), SEGUE_OK);
    damage(&o.g);
    assert_int_equal(segue_group_check(&o.g, fault_of(&f)), SEGUE_E_GROUP);
    assert_mentions(f.text, why);
    uint32_t from_end = row == LAST_STRING ? 0 : 1, strings = columns.string_count;
    assert_int_equal(f.error.row, row == LAST_STRING || row == FINAL_NAME ? strings - from_end : row);
    close_columns(&o, &columns);
}

/* One function for each rule of segue/group.h. */
#define DEFECT(name, ...)                                                                                             \
    static void name(segue_group *g)                                                                                  \
    {                                                                                                                 \
        __VA_ARGS__;                                                                                                  \
    }

DEFECT(too_many_tasks, g->task_count = SEGUE_MAX_TASKS + 1)
DEFECT(no_members, g->member_count = 0; g->process_count = 0)
DEFECT(more_processes, g->process_count = 4)
DEFECT(no_active_column, g->copy_role = NULL)
DEFECT(half_the_racks, g->task_rack_inputs = NULL)
DEFECT(strings_backwards, WRITE(string_offset, 1, g->string_bytes_size + 1))
DEFECT(strings_short, WRITE(string_offset, g->string_count, g->string_bytes_size - 1))
DEFECT(broken_utf8, WRITE(string_bytes, 0, (char)0xff))
DEFECT(name_out_of_range, WRITE(member_name, 1, g->string_count))
DEFECT(subtopologies_swapped, uint32_t first = g->subtopology_name[0];
       WRITE(subtopology_name, 0, g->subtopology_name[1]); WRITE(subtopology_name, 1, first))
DEFECT(task_of_no_subtopology, WRITE(task_subtopology, 3, 3))
DEFECT(task_twice, WRITE(task_partition, 1, 0))
DEFECT(half_stateful, WRITE(task_stateful, 2, 2))
DEFECT(weightless, WRITE(task_weight, 3, 0))
DEFECT(endless_weight, WRITE(task_weight, 3, (double)INFINITY))
DEFECT(negative_bytes, WRITE(task_state_bytes, 0, -2))
DEFECT(no_such_rack, WRITE(task_rack, 0, 7))
DEFECT(rack_twice, WRITE(task_rack, 1, 0))
DEFECT(more_racks_than_inputs, WRITE(task_rack_inputs, 0, 2))
DEFECT(rack_name_out_of_range, WRITE(rack_name, 1, g->string_count))
DEFECT(subtopology_name_out_of_range, WRITE(subtopology_name, 1, g->string_count))
DEFECT(task_name_out_of_range, WRITE(task_name, 3, g->string_count))
DEFECT(process_name_out_of_range, WRITE(process_name, 0, g->string_count))
DEFECT(strings_late, WRITE(string_offset, 0, 1))
DEFECT(copies_late, WRITE(copy_start, 0, 1))
DEFECT(broken_at_the_end, WRITE(string_bytes, g->string_bytes_size - 1, (char)0xff))
DEFECT(first_half_stateful, WRITE(task_stateful, 0, 2))
DEFECT(first_weightless, WRITE(task_weight, 0, 0))
static const uint32_t no_string[] = {UINT32_MAX - 1}, nothing[] = {SEGUE_NONE};
DEFECT(tag_name_out_of_range, g->tag_count = 1; g->tag_name = no_string; g->member_tag = g->member_name)
DEFECT(tag_of_no_name, tag_name_out_of_range(g); g->tag_name = nothing)
static const uint32_t tag_values[] = {0, SEGUE_NONE, UINT32_MAX - 1};
DEFECT(tag_value_out_of_range, g->tag_count = 1; g->tag_name = g->rack_name; g->member_tag = tag_values)
/* Where something has to be named, nothing is no name. */
DEFECT(subtopology_of_no_name, WRITE(subtopology_name, 1, SEGUE_NONE))
DEFECT(task_of_no_name, WRITE(task_name, 3, SEGUE_NONE))
DEFECT(member_of_no_name, WRITE(member_name, 2, SEGUE_NONE))
DEFECT(process_of_no_name, WRITE(process_name, 1, SEGUE_NONE))
DEFECT(rack_of_no_name, WRITE(rack_name, 0, SEGUE_NONE))
DEFECT(task_of_nothing, WRITE(task_subtopology, 3, SEGUE_NONE))
DEFECT(inputs_in_no_rack, WRITE(task_rack, 1, SEGUE_NONE))
DEFECT(subtopology_twice, WRITE(subtopology_name, 1, g->subtopology_name[0]))
DEFECT(member_twice, WRITE(member_name, 1, g->member_name[0]))
DEFECT(members_swapped, uint32_t first = g->member_name[0]; WRITE(member_name, 0, g->member_name[1]);
       WRITE(member_name, 1, first))
DEFECT(process_skipped, WRITE(member_process, 0, 1))
DEFECT(process_unused, WRITE(member_process, 1, 0); WRITE(member_process, 2, 0))
DEFECT(too_many_threads, WRITE(member_threads, 2, SEGUE_MAX_THREADS + 1))
DEFECT(member_of_no_rack, WRITE(member_rack, 0, 2))
DEFECT(copies_backwards, WRITE(copy_start, 2, 0))
DEFECT(copies_short, WRITE(copy_start, 3, 3))
DEFECT(copy_of_no_task, WRITE(copy_task, 3, 4))
DEFECT(copy_twice, WRITE(copy_task, 1, 0))
DEFECT(no_such_role, WRITE(copy_role, 0, 4))
DEFECT(lag_below_unknown, WRITE(copy_lag, 1, -2))

DEFECT(too_many_members, g->member_count = SEGUE_MAX_MEMBERS + 1)
DEFECT(too_many_copies, g->copy_count = SEGUE_MAX_COPIES + 1)
/* As many as there may be are refused for another reason, which comes behind the counts. */
DEFECT(most_tasks, g->task_count = SEGUE_MAX_TASKS; no_members(g))
DEFECT(most_copies, g->copy_count = SEGUE_MAX_COPIES; no_members(g))
DEFECT(most_members, g->member_count = SEGUE_MAX_MEMBERS; g->process_count = SEGUE_MAX_MEMBERS + 1)
DEFECT(no_number_of_strings, g->string_count = SEGUE_NONE)
DEFECT(no_number_of_subtopologies, g->subtopology_count = SEGUE_NONE)
DEFECT(no_number_of_racks, g->rack_count = SEGUE_NONE)
DEFECT(racks_without_names, g->rack_name = NULL)
DEFECT(tags_without_names, g->tag_count = 1; g->tag_name = NULL)
DEFECT(tags_without_values, g->tag_count = 1; g->tag_name = g->rack_name)
DEFECT(racks_without_starts, g->task_rack_start = NULL)
DEFECT(racks_without_rows, g->task_rack = NULL)
DEFECT(racks_without_inputs, g->task_inputs = NULL)
DEFECT(rows_without_racks, g->task_inputs = g->task_rack_start = NULL; g->task_rack_count = 0)
DEFECT(numbers_without_racks, rows_without_racks(g); g->task_rack = NULL)
DEFECT(starts_without_racks, g->task_inputs = g->task_rack = g->task_rack_inputs = NULL; g->task_rack_count = 0)
DEFECT(no_input_in_a_rack, WRITE(task_rack_inputs, 0, 0))
DEFECT(process_behind_the_last, WRITE(member_process, 2, 2))

static void every_rule_of_the_header_is_held(void **state)
{
    (void)state;
    assert_refused(too_many_tasks, SEGUE_NONE, "task_count");
    assert_refused(no_members, SEGUE_NONE, "no member to hold them");
    assert_refused(more_processes, SEGUE_NONE, "process_count is 4 for 3 members");
    assert_refused(no_active_column, SEGUE_NONE, "the column copy_role is missing");
    assert_refused(half_the_racks, SEGUE_NONE, "come together or not at all");
    assert_refused(strings_backwards, 2, "string_offset[2]");
    assert_refused(strings_short, LAST_STRING, "the last entry must be");
    assert_refused(broken_utf8, 0, "no UTF-8");
    assert_refused(name_out_of_range, 1, "member_name[1]");
    assert_refused(rack_name_out_of_range, 1, "rack_name[1]");
    assert_refused(subtopology_name_out_of_range, 1, "subtopology_name[1]");
    assert_refused(task_name_out_of_range, 3, "task_name[3]");
    assert_refused(process_name_out_of_range, 0, "process_name[0]");
    assert_refused(strings_late, 0, "string_offset[0] is 1: it must be 0");
    assert_refused(copies_late, 0, "copy_start[0] is 1: it must be 0");
    assert_refused(broken_at_the_end, FINAL_NAME, "no UTF-8");
    assert_refused(first_half_stateful, 0, "task_stateful[0] is 2");
    assert_refused(first_weightless, 0, "task_weight[0]");
    assert_refused(tag_name_out_of_range, 0, "tag_name[0]");
    assert_refused(tag_of_no_name, 0, "tag_name[0]");
    assert_refused(tag_value_out_of_range, 2, "member_tag[2]");
    assert_refused(subtopology_of_no_name, 1, "subtopology_name[1]");
    assert_refused(task_of_no_name, 3, "task_name[3]");
    assert_refused(member_of_no_name, 2, "member_name[2]");
    assert_refused(process_of_no_name, 1, "process_name[1]");
    assert_refused(rack_of_no_name, 0, "rack_name[0]");
    assert_refused(task_of_nothing, 3, "task_subtopology[3]");
    assert_refused(inputs_in_no_rack, 1, "task_rack[1]");
    assert_refused(subtopology_twice, 1, "subtopology_name[1] is '0', which does not come after '0'");
    assert_refused(member_twice, 1, "member_name[1] is 'a', which does not come after 'a'");
    assert_refused(subtopologies_swapped, 1, "subtopology_name[1] is '0', which does not come after '1'");
    assert_refused(task_of_no_subtopology, 3, "task_subtopology[3]");
    assert_refused(task_twice, 1, "task 0_1 (row 1) does not come after 0_0");
    assert_refused(half_stateful, 2, "task_stateful[2] is 2");
    assert_refused(weightless, 3, "task_weight[3]");
    assert_refused(endless_weight, 3, "task_weight[3]");
    assert_refused(negative_bytes, 0, "task_state_bytes[0] is -2");
    assert_refused(no_such_rack, 0, "task_rack[0] is 7");
    assert_refused(rack_twice, 1, "task_rack[1] does not ascend inside task 2_0");
    assert_refused(more_racks_than_inputs, 0, "task_rack_inputs[0] is 2: task 2_0 has 1 inputs");
    assert_refused(members_swapped, 1, "member_name[1] is 'a', which does not come after 'b'");
    assert_refused(process_skipped, 0, "member_process[0] is 1");
    assert_refused(process_unused, SEGUE_NONE, "process_count is 2, but the members name 1");
    assert_refused(too_many_threads, 2, "member_threads[2]");
    assert_refused(member_of_no_rack, 0, "member_rack[0] is 2");
    assert_refused(copies_backwards, 2, "copy_start[2] is 0, less than the 3 before it");
    assert_refused(copies_short, 3, "copy_start[3]");
    assert_refused(copy_of_no_task, 3, "copy_task[3] is 4");
    assert_refused(copy_twice, 1, "copy_task[1] does not ascend among the copies of member a");
    assert_refused(no_such_role, 0, "copy_role[0] is 4");
    assert_refused(too_many_members, SEGUE_NONE, "member_count");
    assert_refused(too_many_copies, SEGUE_NONE, "copy_count");
    assert_refused(most_tasks, SEGUE_NONE, "16777216 tasks and no member");
    assert_refused(most_copies, SEGUE_NONE, "4 tasks and no member");
    assert_refused(most_members, SEGUE_NONE, "process_count is 1048577 for 1048576 members");
    assert_refused(no_number_of_strings, SEGUE_NONE, "which stands for none");
    assert_refused(no_number_of_subtopologies, SEGUE_NONE, "which stands for none");
    assert_refused(no_number_of_racks, SEGUE_NONE, "which stands for none");
    assert_refused(racks_without_names, SEGUE_NONE, "rack_name is missing");
    assert_refused(tags_without_names, SEGUE_NONE, "tag_name is missing");
    assert_refused(tags_without_values, SEGUE_NONE, "member_tag is missing");
    assert_refused(racks_without_starts, SEGUE_NONE, "come together or not at all");
    assert_refused(racks_without_rows, SEGUE_NONE, "come together or not at all");
    assert_refused(racks_without_inputs, SEGUE_NONE, "come together or not at all");
    assert_refused(rows_without_racks, SEGUE_NONE, "come together or not at all");
    assert_refused(numbers_without_racks, SEGUE_NONE, "come together or not at all");
    assert_refused(starts_without_racks, SEGUE_NONE, "come together or not at all");
    assert_refused(no_input_in_a_rack, 0, "task_rack_inputs[0] is 0");
    assert_refused(process_behind_the_last, 2, "member_process[2] is 2");
    assert_refused(lag_below_unknown, 1, "copy_lag[1] is -2");
}

static void a_missing_or_short_record_is_a_bad_argument(void **state)
{
    (void)state;
    segue_group g = {.size = sizeof g - 1};
    assert_int_equal(segue_group_check(NULL, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(segue_group_check(&g, NULL), SEGUE_E_ARGUMENT);
}

/* Their count alone is none; and what counts inputs of racks may be there without a row. */
static void racks_may_have_no_rows(void **state)
{
    (void)state;
    segue_document *document = read_group(GROUP);
    segue_group g = *segue_document_group(document);
    static const uint32_t zeros[8];
    g.task_rack_count = 0;
    g.task_inputs = g.task_rack_start = zeros;
    g.task_rack = g.task_rack_inputs = NULL;
    assert_int_equal(segue_group_check(&g, NULL), SEGUE_OK);
    segue_document_free(document);
}

/* A name in a message has an end; the message has it on one line. */
static void long_names_are_cut_in_messages(void **state)
{
    (void)state;
    fault f;
    char text[600], name[200];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    snprintf(text, sizeof text, "{'segue':'group/1','subtopologies':[{'id':'%s','partitions':2}],'members':[{'id':'a'}]}", name);
    segue_document *document = read_group(text);
    segue_group g = *segue_document_group(document);
    static const uint32_t twice[] = {0, 0};
    g.task_partition = twice;
    assert_int_equal(segue_group_check(&g, fault_of(&f)), SEGUE_E_GROUP);
    assert_mentions(f.text, "does not come after nnnnnn");
    assert_true(strlen(f.text) < 300);
    segue_document_free(document);
}

static void a_group_without_tasks_and_members_is_sound(void **state)
{
    (void)state;
    static const uint32_t zero = 0;
    segue_group g = {.size = sizeof g, .string_offset = &zero, .copy_start = &zero};
    assert_int_equal(segue_group_check(&g, NULL), SEGUE_OK);
    /* A tag has a value for each member: none. */
    static const uint32_t offset[] = {0, 1};
    g.string_count = g.string_bytes_size = g.tag_count = 1;
    g.string_offset = offset;
    g.string_bytes = "t";
    g.tag_name = &zero;
    assert_int_equal(segue_group_check(&g, NULL), SEGUE_OK);
}

static sgi_text text_of(const char *text)
{
    sgi_text t = {text, strlen(text)};
    return t;
}

static void subtopologies_are_ordered_by_value_then_by_bytes(void **state)
{
    (void)state;
    static const char *const order[] = {"0", "01", "1", "2", "10", "18446744073709551616", "", "-1", "1x", "a"};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        for (size_t j = 0; j < sizeof order / sizeof order[0]; j++) {
            int wanted = (i > j) - (i < j), found = sgi_compare_subtopologies(text_of(order[i]), text_of(order[j]));
            assert_int_equal((found > 0) - (found < 0), wanted);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_of_the_header_is_held),
        cmocka_unit_test(a_missing_or_short_record_is_a_bad_argument),
        cmocka_unit_test(racks_may_have_no_rows),
        cmocka_unit_test(long_names_are_cut_in_messages),
        cmocka_unit_test(a_group_without_tasks_and_members_is_sound),
        cmocka_unit_test(subtopologies_are_ordered_by_value_then_by_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
