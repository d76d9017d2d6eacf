/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "testing.h"

/* Handles: a 0, b 1, c 2; 0_0 0, 0_1 1. 0_0 is owned by a. */
#define GROUP                                                                                                         \
    "{'segue': 'group/1', 'config': {'num.standby.replicas': 2}, 'subtopologies': [{'id': 0, 'partitions': 2}],"      \
    " 'members': [{'id': 'c'}, {'id': 'b'}, {'id': 'a', 'active': ['0_0']}]}"

typedef struct read {
    segue_document *document;
    segue_plan *plan;
    fault fault;
    int32_t status;
} read_result;

static read_result read_plan(const char *text)
{
    read_result r = {.document = read_group(GROUP)};
    char *copy = strdup(text);
    for (char *c = copy; *c != '\0'; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    r.plan = make_plan(r.document);
    r.status = segue_document_read_plan(segue_document_group(r.document), copy, strlen(copy), NULL, r.plan,
                                        fault_of(&r.fault));
    free(copy);
    return r;
}

static void end(read_result *r)
{
    segue_plan_free(r->plan);
    segue_document_free(r->document);
}

static void assert_refused(const char *text, int32_t status, const char *why)
{
    read_result r = read_plan(text);
    assert_int_equal(r.status, status);
    r.fault.error.text = r.fault.text;
    assert_mentions(r.fault.text, why);
    end(&r);
}

static void a_plan_document_becomes_columns_with_their_figures(void **state)
{
    (void)state;
    read_result r = read_plan("{'segue': 'plan/1', 'assignor': 'x', 'members': ["
                              " {'id': 'c', 'active': ['0_1', '0_0'], 'learner': []},"
                              " {'id': 'b', 'learner': ['0_1'], 'standby': ['0_0']},"
                              " {'id': 'a', 'standby': ['0_0', '0_1']}]}");
    assert_int_equal(r.status, SEGUE_OK);
    const segue_plan *p = r.plan;
    assert_int_equal(p->active[0], 2);
    assert_int_equal(p->active[1], 2);
    assert_int_equal(p->learner[0], SEGUE_NONE);
    assert_int_equal(p->learner[1], 1);
    assert_int_equal(p->standby_count, 3);
    const uint32_t start[] = {0, 2, 3}, member[] = {0, 1, 0};
    assert_memory_equal(p->standby_start, start, sizeof start);
    assert_memory_equal(p->standby_member, member, sizeof member);
    assert_int_equal(p->moves, 1);
    assert_int_equal(p->min_moves, 1);
    assert_int_equal(p->learners, 1);
    assert_int_equal(p->optimal, 1);
    assert_int_equal(p->followup_needed, 1);
    assert_int_equal(p->followup_reason, SEGUE_FOLLOWUP_LEARNERS_RESTORING);
    assert_true(p->spread > 1.99 && p->spread < 2.01);
    end(&r);
}

static void what_the_document_says_of_itself_counts(void **state)
{
    (void)state;
    read_result r = read_plan("{'segue': 'plan/1', 'members': [{'id': 'a', 'active': ['0_0', '0_1']}],"
                              " 'followup': {'needed': true, 'at_ms': 77, 'reason': 'members-leaving'},"
                              " 'stats': {'min_moves': 3, 'held_back': 2, 'extra_moves': 1, 'optimal': false}}");
    assert_int_equal(r.status, SEGUE_OK);
    assert_int_equal(r.plan->followup_needed, 1);
    assert_int_equal(r.plan->followup_at_ms, 77);
    assert_int_equal(r.plan->followup_reason, SEGUE_FOLLOWUP_MEMBERS_LEAVING);
    assert_int_equal(r.plan->min_moves, 3);
    assert_int_equal(r.plan->held_back, 2);
    assert_int_equal(r.plan->extra_moves, 1);
    assert_int_equal(r.plan->optimal, 0);
    end(&r);
}

static void a_task_that_nobody_owns_is_left_to_the_check(void **state)
{
    (void)state;
    read_result r = read_plan("{'segue': 'plan/1', 'members': []}");
    assert_int_equal(r.status, SEGUE_OK);
    assert_int_equal(r.plan->active[1], SEGUE_NONE);
    assert_int_equal(segue_plan_check(segue_document_group(r.document), segue_document_config(r.document), r.plan, 0,
                                      fault_of(&r.fault)),
                     SEGUE_E_PLAN);
    assert_int_equal(r.fault.error.rule, 1);
    end(&r);
}

static void what_contradicts_itself_or_the_group_is_refused_with_its_place(void **state)
{
    (void)state;
#define PLAN(rows) "{'segue': 'plan/1', 'members': [" rows "]}"
    assert_refused(PLAN("{'id': 'z'}"), SEGUE_E_SYNTAX, "members[0].id: the group has no member \"z\"");
    assert_refused(PLAN("{'id': 'a', 'active': ['0_7']}"), SEGUE_E_SYNTAX,
                   "members[0].active[0]: the group has no task \"0_7\"");
    assert_refused(PLAN("{'id': 'a', 'active': ['0_0']}, {'id': 'b', 'active': ['0_0']}"), SEGUE_E_SYNTAX,
                   "members[1].active[0]: task 0_0 is active on a already");
    assert_refused(PLAN("{'id': 'a', 'learner': ['0_0', '0_0']}"), SEGUE_E_SYNTAX,
                   "members[0].learner[1]: task 0_0 is learned by a already");
    assert_refused(PLAN("{'id': 'a', 'standby': ['0_0', '0_0', '0_0', '0_0', '0_0']}"), SEGUE_E_SPACE,
                   "members[0].standby[4]: there are more standbys than 4");
    assert_refused(PLAN("{'id': 'a', 'activ': []}"), SEGUE_E_SYNTAX, "members[0].activ: unknown key");
    assert_refused(PLAN("{'id': 'a', 'active': 3}"), SEGUE_E_SYNTAX, "members[0].active: 3 is given; a list is needed");
    assert_refused("{'segue': 'plan/1'}", SEGUE_E_SYNTAX, "members: missing; a list is needed");
    assert_refused("{'segue': 'group/1', 'members': []}", SEGUE_E_SYNTAX, "\"plan/1\" is needed");
    assert_refused("[]", SEGUE_E_SYNTAX, "a segue plan is an object");
    assert_refused("{", SEGUE_E_SYNTAX, "1:1: ");
    assert_refused("{'segue': 'plan/1', 'members': [], 'followup': {'needed': true, 'reason': 'boredom'}}", SEGUE_E_SYNTAX,
                   "followup.reason: \"boredom\" is no reason");
    assert_refused("{'segue': 'plan/1', 'members': [], 'stats': {'min_moves': -1}}", SEGUE_E_SYNTAX, "stats.min_moves: -1");
}

/* What every assignor of ours would answer, written and read again. */
static void what_was_written_is_read_again(void **state)
{
    (void)state;
    read_result r = read_plan("{'segue': 'plan/1', 'members': [{'id': 'b', 'active': ['0_0'], 'standby': ['0_1']},"
                              " {'id': 'a', 'active': ['0_1']}]}");
    char *text = NULL;
    size_t size = 0;
    segue_plan *again = make_plan(r.document);
    assert_int_equal(segue_document_write_plan(r.document, "x", r.plan, 5, 2, &text, &size, NULL), SEGUE_OK);
    assert_int_equal(segue_document_read_plan(segue_document_group(r.document), text, size, NULL, again,
                                              fault_of(&r.fault)),
                     SEGUE_OK);
    assert_memory_equal(again->active, r.plan->active, 2 * sizeof *again->active);
    assert_memory_equal(again->standby_start, r.plan->standby_start, 3 * sizeof *again->standby_start);
    assert_int_equal(again->moves, r.plan->moves);
    segue_free(text);
    segue_plan_free(again);
    end(&r);
}

/* Each fault of a document stops the reading there, wherever in it that is. */
static void what_is_wrong_is_named_with_its_place(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"'members': [{'id': 'a', 'standby': 7}]", "members[0].standby: 7 is given; a list is needed"},
        {"'members': [{'id': 'a', 'active': ['0_0', 7]}, {'id': 'b'}]", "members[0].active[1]: 7 is given"},
        {"'members': [7, {'id': 'b'}]", "members[0]: 7 is given; an object is needed"},
        {"'members': [{'id': 'nobody'}]", "nobody"},
        {"'members': [{'id': 'a', 'active': ['9_9']}]", "9_9"},
        {"'members': [], 'followup': 7", "followup: 7 is given; an object is needed"},
        {"'members': [], 'followup': {'needed': 7}", "followup.needed: 7 is given; true or false is needed"},
        {"'members': [], 'followup': {'needed': true, 'reason': 7}", "followup.reason: 7 is given"},
        {"'members': [], 'followup': {'needed': true, 'reason': 'boredom'}", "\"boredom\" is no reason for a follow-up"},
        {"'members': [], 'followup': {'needed': true, 'at_ms': 'x'}", "followup.at_ms: \"x\" is a string"},
        {"'members': [], 'stats': 7", "stats: 7 is given; an object is needed"},
        {"'members': [], 'stats': {'min_moves': -1}", "stats.min_moves: -1 is given"},
        {"'members': [], 'stats': {'optimal': 7}", "stats.optimal: 7 is given; true or false is needed"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[300];
        snprintf(text, sizeof text, "{'segue': 'plan/1', %s}", wrong[i][0]);
        assert_refused(text, SEGUE_E_SYNTAX, wrong[i][1]);
    }
    read_result r = read_plan("{'segue': 'plan/1', 'members': [], 'followup': {'needed': true, 'reason': 'members-leaving',"
                              " 'at_ms': null}, 'stats': {}}");
    assert_int_equal(r.status, SEGUE_OK);
    assert_int_equal(r.plan->followup_reason, SEGUE_FOLLOWUP_MEMBERS_LEAVING);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_named_with_its_place),
        cmocka_unit_test(a_plan_document_becomes_columns_with_their_figures),
        cmocka_unit_test(what_the_document_says_of_itself_counts),
        cmocka_unit_test(a_task_that_nobody_owns_is_left_to_the_check),
        cmocka_unit_test(what_contradicts_itself_or_the_group_is_refused_with_its_place),
        cmocka_unit_test(what_was_written_is_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
