/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "made.h"
#include "spoil.h"

enum { GROUPS = 400, TEXT = 400 };

static void assert_well_formed(const made_group *made)
{
    char text[TEXT] = "";
    segue_error error = {.size = sizeof error, .text = text, .text_size = sizeof text};
    if (segue_group_check(&made->group, &error) != SEGUE_OK) {
        fail_msg("seed %llu: %s", (unsigned long long)made->seed, text);
    }
}

static void random_groups_are_well_formed_whoever_tells_them(void **state)
{
    static const made_size large = {8, 40, 30, 10, 1, 0};
    (void)state;
    for (uint64_t seed = 0; seed < GROUPS; seed++) {
        made_group *made = seed % 40 == 0 ? made_of_size(seed, &large) : made_random(seed);
        made_group *retold = made_retold(made), *copy = made_copy(made);
        assert_well_formed(made);
        assert_well_formed(retold);
        assert_well_formed(copy);
        made_free(copy);
        made_free(retold);
        made_free(made);
    }
}

static void what_a_plan_leads_to_is_well_formed_and_planned_so(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < GROUPS; seed++) {
        made_group *made = made_random(seed);
        segue_bound bound = {.size = sizeof bound};
        segue_plan *plan = NULL;
        assert_int_equal(segue_host_bound(&made->group, &made->config, &bound), SEGUE_OK);
        assert_int_equal(segue_plan_new(made->group.task_count, &bound, 0, &plan), SEGUE_OK);
        assert_int_equal(segue_plan_fallback(&made->group, &made->config, plan), SEGUE_OK);
        for (int caught_up = 0; caught_up <= 1; caught_up++) {
            made_group *next = made_next(made, plan, caught_up);
            uint32_t owned = 0;
            assert_well_formed(next);
            for (uint32_t i = 0; i < next->group.copy_count; i++) {
                owned += next->copy_role[i] == SEGUE_ACTIVE;
            }
            assert_int_equal(owned, made->group.task_count);
            made_free(next);
        }
        segue_plan_free(plan);
        made_free(made);
    }
}

/* Each check of segue_group_check, by a part of what it says. */
static const char *const kinds[] = {
    "task_count is ", "member_count is ", "copy_count is ", "each process has one", "no member to hold them",
    "the column string_offset is missing", "the column task_stateful is missing", "the column copy_start is missing",
    "the column rack_name is missing", "the column tag_name is missing", "the column member_tag is missing",
    "come together or not at all", "it must be 0", "before it", "the last entry must be", "it must be less than",
    "is no UTF-8", "by subtopology and partition", "subtopology_name[", "it must be 0 or 1", "task_weight[",
    "task_state_bytes[", "does not ascend inside task", "inputs", "processes are numbered as members name them",
    "but the members name", "member_name[", "member_threads[", "there are ", "does not ascend among the copies",
    "roles are 0 to 3", "copy_lag[",
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static void note_kinds(const made_group *made, int *seen, uint32_t *accepted)
{
    char text[TEXT] = "";
    segue_error error = {.size = sizeof error, .text = text, .text_size = sizeof text};
    *accepted += segue_group_check(&made->group, &error) == SEGUE_OK;
    for (size_t i = 0; i < KINDS; i++) {
        seen[i] |= strstr(text, kinds[i]) != NULL;
    }
}

static void groups_are_spoilt_in_every_way_that_libsegue_knows(void **state)
{
    (void)state;
    int seen[KINDS] = {0};
    uint32_t accepted = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        made_group *made = made_random(seed);
        char what[TEXT];
        int spoilt = 1;
        for (uint32_t way = 0; spoilt != 0; way++) {
            made_group *copy = made_copy(made);
            spoilt = spoil_group(copy, way, what, sizeof what);
            if (spoilt == 1) {
                note_kinds(copy, seen, &accepted);
            }
            made_free(copy);
        }
        made_free(made);
    }
    for (size_t i = 0; i < KINDS; i++) {
        if (!seen[i]) {
            fail_msg("no group was refused with '%s'", kinds[i]);
        }
    }
    assert_true(accepted > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_groups_are_well_formed_whoever_tells_them),
        cmocka_unit_test(what_a_plan_leads_to_is_well_formed_and_planned_so),
        cmocka_unit_test(groups_are_spoilt_in_every_way_that_libsegue_knows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
