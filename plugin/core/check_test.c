/* SPDX-License-Identifier: Apache-2.0 */
/* Every way in which a group can be malformed, and that what a real runtime may report is none. */
#include "core/check.h"

#include "test/draft.h"
#include "test/testing.h"

#include <math.h>

/* Two subtopologies of 2 tasks, three members on two processes, three copies, three racks. */
static draft *whole_group(void)
{
    draft *d = draft_new();
    draft_tasks(d, 2, 1);
    draft_tasks(d, 2, 0);
    draft_member(d, 0, 1);
    draft_member(d, 1, 2);
    draft_member(d, 1, 0);
    draft_owns(d, 0, 0, 2);
    draft_copy(d, 2, 1, SEGUE_STANDBY, 5);
    draft_racks(d, 3);
    d->member_rack[0] = 2;
    draft_input(d, 1, 1 << 0 | 1 << 2);
    draft_input(d, 3, 1 << 1);
    draft_group(d);
    return d;
}

typedef struct malformed {
    void (*spoil)(draft *d);
    int32_t status;
    uint32_t row;
    const char *mentions;
} malformed;

static void too_small_group(draft *d) { d->group.size--; }
static void too_small_config(draft *d) { d->config.size--; }
static void too_many_tasks(draft *d) { d->group.task_count = SEGUE_MAX_TASKS + 1; }
static void too_many_members(draft *d) { d->group.member_count = SEGUE_MAX_MEMBERS + 1; }
static void too_many_copies(draft *d) { d->group.copy_count = SEGUE_MAX_COPIES + 1; }
static void all_counts_huge(draft *d)
{
    d->group.task_count = d->group.member_count = d->group.copy_count = d->group.process_count = UINT32_MAX;
}
static void more_processes_than_members(draft *d) { d->group.process_count = 4; }
static void more_subtopologies_than_tasks(draft *d) { d->group.subtopology_count = 5; }
static void no_members(draft *d) { d->group.member_count = d->group.process_count = 0; }
static void no_subtopology_column(draft *d) { d->group.task_subtopology = NULL; }
static void no_stateful_column(draft *d) { d->group.task_stateful = NULL; }
static void no_process_column(draft *d) { d->group.member_process = NULL; }
static void no_threads_column(draft *d) { d->group.member_threads = NULL; }
static void no_starts(draft *d) { d->group.copy_start = NULL; }
static void no_copies(draft *d) { d->group.copy_task = NULL; }
static void no_roles(draft *d) { d->group.copy_role = NULL; }
static void no_names(draft *d) { d->group.member_name = NULL; }
static void unknown_subtopology(draft *d) { d->subtopology[3] = 2; }
static void subtopologies_descend(draft *d) { d->subtopology[0] = 1; }
static void unknown_process(draft *d) { d->process[1] = 2; }
static void absurd_threads(draft *d) { d->threads[2] = SEGUE_MAX_THREADS + 1; }
static void starts_begin_late(draft *d) { d->copy_start[0] = 1; }
static void starts_end_early(draft *d) { d->copy_start[3] = 2; }
static void starts_overlap(draft *d) { d->copy_start[2] = 1; }
static void starts_leave_the_column(draft *d) { d->copy_start[1] = 4; }
static void unknown_task(draft *d) { d->copy_task[2] = 4; }
static void tasks_descend(draft *d) { d->copy_task[0] = 1, d->copy_task[1] = 0; }
static void a_task_twice(draft *d) { d->copy_task[1] = 0; }
static void no_such_role(draft *d) { d->copy_role[1] = SEGUE_ACTIVE + 1; }
static void an_unknown_rack_of_a_member(draft *d) { d->member_rack[0] = 3; }
static void racks_without_inputs(draft *d) { d->group.task_inputs = NULL; }
static void rack_starts_without_racks(draft *d) { d->group.task_rack = NULL; }
static void rack_starts_end_early(draft *d) { d->rack_start[4] = 2; }
static void rack_starts_descend(draft *d) { d->rack_start[3] = 1; }
static void an_unknown_rack_of_a_task(draft *d) { d->rack_column[2] = 3; }
static void a_rack_twice(draft *d) { d->rack_column[1] = 0; }
static void more_inputs_in_a_rack_than_there_are(draft *d) { d->rack_inputs[1] = 2; }

static const malformed malformations[] = {
    {too_small_group,               SEGUE_E_ARGUMENT, SEGUE_NONE, "group"           },
    {too_small_config,              SEGUE_E_ARGUMENT, SEGUE_NONE, "configuration"   },
    {too_many_tasks,                SEGUE_E_GROUP,    SEGUE_NONE, "tasks"           },
    {too_many_members,              SEGUE_E_GROUP,    SEGUE_NONE, "members"         },
    {too_many_copies,               SEGUE_E_GROUP,    SEGUE_NONE, "copies"          },
    {all_counts_huge,               SEGUE_E_GROUP,    SEGUE_NONE, "more"            },
    {more_processes_than_members,   SEGUE_E_GROUP,    SEGUE_NONE, "processes"       },
    {more_subtopologies_than_tasks, SEGUE_E_GROUP,    SEGUE_NONE, "subtopologies"   },
    {no_members,                    SEGUE_E_GROUP,    SEGUE_NONE, "no members"      },
    {no_subtopology_column,         SEGUE_E_GROUP,    SEGUE_NONE, "task_subtopology"},
    {no_stateful_column,            SEGUE_E_GROUP,    SEGUE_NONE, "task_stateful"   },
    {no_process_column,             SEGUE_E_GROUP,    SEGUE_NONE, "member_process"  },
    {no_threads_column,             SEGUE_E_GROUP,    SEGUE_NONE, "member_threads"  },
    {no_starts,                     SEGUE_E_GROUP,    SEGUE_NONE, "copy_start"      },
    {no_copies,                     SEGUE_E_GROUP,    SEGUE_NONE, "copy_task"       },
    {no_roles,                      SEGUE_E_GROUP,    SEGUE_NONE, "copy_role"       },
    {no_names,                      SEGUE_E_GROUP,    SEGUE_NONE, "member_name"     },
    {unknown_subtopology,           SEGUE_E_GROUP,    3,          "task_subtopology"},
    {subtopologies_descend,         SEGUE_E_GROUP,    1,          "task_subtopology"},
    {unknown_process,               SEGUE_E_GROUP,    1,          "member_process"  },
    {absurd_threads,                SEGUE_E_GROUP,    2,          "member_threads"  },
    {starts_begin_late,             SEGUE_E_GROUP,    SEGUE_NONE, "copy_start"      },
    {starts_end_early,              SEGUE_E_GROUP,    SEGUE_NONE, "copy_start"      },
    {starts_overlap,                SEGUE_E_GROUP,    1,          "copy_start"      },
    {starts_leave_the_column,       SEGUE_E_GROUP,    0,          "copy_start"      },
    {unknown_task,                  SEGUE_E_GROUP,    2,          "copy_task"       },
    {tasks_descend,                 SEGUE_E_GROUP,    1,          "copy_task"       },
    {a_task_twice,                  SEGUE_E_GROUP,    1,          "copy_task"       },
    {no_such_role,                  SEGUE_E_GROUP,    1,          "copy_role"       },
    {an_unknown_rack_of_a_member,   SEGUE_E_GROUP,    0,          "member_rack"     },
    {racks_without_inputs,          SEGUE_E_GROUP,    SEGUE_NONE, "task_rack"       },
    {rack_starts_without_racks,     SEGUE_E_GROUP,    SEGUE_NONE, "task_rack"       },
    {rack_starts_end_early,         SEGUE_E_GROUP,    SEGUE_NONE, "task_rack_start" },
    {rack_starts_descend,           SEGUE_E_GROUP,    2,          "task_rack_start" },
    {an_unknown_rack_of_a_task,     SEGUE_E_GROUP,    2,          "task_rack"       },
    {a_rack_twice,                  SEGUE_E_GROUP,    1,          "task_rack"       },
    {more_inputs_in_a_rack_than_there_are, SEGUE_E_GROUP, 1,      "task_rack_inputs"},
};

static void each_malformation_is_refused_with_its_row_and_column(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof malformations / sizeof *malformations; i++) {
        const malformed *m = &malformations[i];
        char text[200];
        segue_error error = {.size = sizeof error, .text = text, .text_size = sizeof text};
        draft *d = whole_group();
        m->spoil(d);
        int32_t status = sgp_check(&d->group, &d->config, &error);
        EXPECT(status == m->status && error.code == m->status, "number %zu: status %d", i, (int)status);
        EXPECT(error.row == m->row, "number %zu: row %u", i, (unsigned)error.row);
        EXPECT(strstr(text, m->mentions) != NULL, "number %zu: \"%s\" does not mention %s", i, text, m->mentions);
        draft_free(d);
    }
}

/* Each by itself, from the list that the record is made from. */
static void a_required_column_that_is_missing_is_named(void **state)
{
    (void)state;
#define REQUIRED 1
#define OPTIONAL 0
#define WITHOUT(id, field, type, count, need)                                                                         \
    if (need) {                                                                                                       \
        char text[200] = "";                                                                                          \
        segue_error error = {.size = sizeof error, .text = text, .text_size = sizeof text};                           \
        draft *d = whole_group();                                                                                     \
        const segue_group *g = &d->group;                                                                             \
        d->group.field = NULL;                                                                                        \
        int32_t wanted = (size_t)(count) > 0 ? SEGUE_E_GROUP : SEGUE_OK;                                              \
        EXPECT(sgp_check(&d->group, &d->config, &error) == wanted, "without %s: %s", #field, text);                   \
        EXPECT(wanted == SEGUE_OK || strstr(text, #field) != NULL, "\"%s\" does not mention %s", text, #field);       \
        draft_free(d);                                                                                                \
    }
    SEGUE_GROUP_COLUMNS(WITHOUT)
#undef WITHOUT
}

static void refuse_config(const draft *d, const char *key)
{
    char text[200] = "";
    segue_error error = {.size = sizeof error, .text = text, .text_size = sizeof text};
    EXPECT(sgp_check(&d->group, &d->config, &error) == SEGUE_E_CONFIG, "%s passes", key);
    EXPECT(strstr(text, key) != NULL, "\"%s\" does not mention %s", text, key);
}

/* One above the greatest and one below the least, where the field's type has such a number. */
static void each_field_of_the_configuration_has_its_range(void **state)
{
    (void)state;
    draft *d = whole_group();
    segue_config usual = d->config;
#define MOST_uint32_t 4294967295.0
#define MOST_int64_t 9.2e18
#define MOST_double 1e300
#define SIGNED_uint32_t 0
#define SIGNED_int64_t 1
#define SIGNED_double 1
#define BEYOND(field, type, key, initial, least, greatest)                                                            \
    if ((double)(greatest) < MOST_##type) {                                                                           \
        d->config.field = (type)((uint64_t)(greatest) + 1);                                                           \
        refuse_config(d, key);                                                                                        \
    }                                                                                                                 \
    if (SIGNED_##type) {                                                                                              \
        d->config.field = (type)((int64_t)(least) - 1);                                                               \
        refuse_config(d, key);                                                                                        \
    }                                                                                                                 \
    d->config = usual;
    SEGUE_CONFIG_FIELDS(BEYOND)
#undef BEYOND
    d->config.imbalance_percentage = NAN;
    refuse_config(d, "stream.imbalance.percentage");
    draft_free(d);
}

/* The row is refused with this value in it, and no other one. */
static void refuse_value(const draft *d, uint32_t *column, uint32_t row, uint32_t value)
{
    segue_error error = {.size = sizeof error};
    uint32_t usual = column[row];
    column[row] = value;
    int32_t status = sgp_check(&d->group, &d->config, &error);
    EXPECT(status == SEGUE_E_GROUP && error.row == row, "%u in row %u: status %d, row %u", (unsigned)value, (unsigned)row,
           (int)status, (unsigned)error.row);
    column[row] = usual;
}

/* Columns are looked at by blocks: wherever in them the wrong row is. */
static void a_wrong_row_is_found_wherever_it_is(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 200, 1);
    draft_tasks(d, 1, 1);
    draft_tasks(d, 190, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, 270);
    draft_owns(d, 1, 270, 121);
    const uint32_t tasks = draft_group(d)->task_count;
    for (uint32_t t = 0; t < tasks; t++) {
        refuse_value(d, d->subtopology, t, 3);
        refuse_value(d, d->subtopology, t, UINT32_MAX);
        refuse_value(d, d->copy_task, t, tasks);
        refuse_value(d, d->copy_task, t, UINT32_MAX);
        if (t > 0 && d->subtopology[t - 1] > 0) {
            refuse_value(d, d->subtopology, t, 0);
        }
        if (t > 0 && t != 270) {
            refuse_value(d, d->copy_task, t, t - 1);
        }
    }
    assert_int_equal(sgp_check(&d->group, &d->config, NULL), SEGUE_OK);
    draft_free(d);
}

static void a_whole_group_passes_and_so_does_an_empty_one(void **state)
{
    (void)state;
    draft *whole = whole_group(), *empty = draft_new();
    assert_int_equal(sgp_check(&whole->group, &whole->config, NULL), SEGUE_OK);
    assert_int_equal(sgp_check(draft_group(empty), &empty->config, NULL), SEGUE_OK);
    draft_free(whole);
    draft_free(empty);
}

static void members_without_tasks_are_a_group(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_member(d, 0, 1);
    assert_int_equal(sgp_check(draft_group(d), &d->config, NULL), SEGUE_OK);
    draft_free(d);
}

static void optional_columns_may_be_missing(void **state)
{
    (void)state;
    draft *d = whole_group();
    d->group.task_state_bytes = d->group.member_leaving_ms = d->group.member_deadline_ms = d->group.copy_lag = NULL;
    assert_int_equal(sgp_check(&d->group, &d->config, NULL), SEGUE_OK);
    draft_free(d);
}

static void a_group_of_a_later_version_is_read_as_far_as_it_is_known(void **state)
{
    (void)state;
    draft *d = whole_group();
    d->group.size += 64;
    d->config.size += 64;
    assert_int_equal(sgp_check(&d->group, &d->config, NULL), SEGUE_OK);
    draft_free(d);
}

static void no_group_and_no_configuration_are_bad_arguments(void **state)
{
    (void)state;
    draft *d = whole_group();
    assert_int_equal(sgp_check(NULL, &d->config, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(sgp_check(&d->group, NULL, NULL), SEGUE_E_ARGUMENT);
    draft_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_malformation_is_refused_with_its_row_and_column),
        cmocka_unit_test(a_required_column_that_is_missing_is_named),
        cmocka_unit_test(each_field_of_the_configuration_has_its_range),
        cmocka_unit_test(a_wrong_row_is_found_wherever_it_is),
        cmocka_unit_test(a_whole_group_passes_and_so_does_an_empty_one),
        cmocka_unit_test(members_without_tasks_are_a_group),
        cmocka_unit_test(optional_columns_may_be_missing),
        cmocka_unit_test(a_group_of_a_later_version_is_read_as_far_as_it_is_known),
        cmocka_unit_test(no_group_and_no_configuration_are_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
