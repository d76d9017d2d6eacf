/* SPDX-License-Identifier: Apache-2.0 */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "segue/host.h"

static const char group_text[] = "{\"segue\":\"group/1\",\"subtopologies\":[{\"id\":0,\"partitions\":11}],"
                                 "\"members\":[{\"id\":\"z\\u0001\\\"\"},{\"id\":\"a\"},{\"id\":\"m\"}]}";

/* Even tasks on "a", odd ones on "z"; "m" has a standby of each and learns 0_10. Handles: a 0, m 1, z 2. */
static segue_document *make_plan(segue_plan **plan)
{
    segue_document *document = NULL;
    segue_bound bound = {.size = sizeof bound, .standby_rows = 10, .decision_rows = 1};
    assert_int_equal(segue_document_read(group_text, strlen(group_text), NULL, &document, NULL), SEGUE_OK);
    assert_int_equal(segue_plan_new(11, &bound, 1, plan), SEGUE_OK);
    segue_plan *p = *plan;
    p->task_count = 11;
    p->standby_start[0] = 0;
    for (uint32_t task = 0; task < 11; task++) {
        p->active[task] = task % 2 == 0 ? 0 : 2;
        p->learner[task] = task == 10 ? 1 : SEGUE_NONE;
        p->standby_start[task + 1] = task == 10 ? task : task + 1;
        if (task < 10) {
            p->standby_member[task] = 1;
        }
    }
    p->standby_count = 10;
    p->decision_count = 1;
    p->decision_task[0] = 10;
    p->decision_kind[0] = SEGUE_KIND_STANDBY;
    p->decision_reason[0] = SEGUE_REASON_STANDBY_WANTED;
    p->decision_from[0] = SEGUE_NONE;
    p->decision_to[0] = 1;
    p->decision_number[0] = 0;
    p->decision_number[1] = 1;
    p->followup_needed = 1;
    p->followup_reason = SEGUE_FOLLOWUP_LEARNERS_RESTORING;
    p->followup_at_ms = SEGUE_TIME_NONE;
    p->moves = 3;
    p->min_moves = 4;
    p->learners = 1;
    p->optimal = 1;
    p->spread = 1.5;
    p->extra_moves = 2;
    p->held_back = 5;
    p->imbalance = 12.5;
    p->min_imbalance = 10;
    p->traffic = 7;
    p->min_traffic = 6;
    return document;
}

static const char wanted[] =
    "{\n"
    " \"segue\": \"plan/1\",\n"
    " \"assignor\": \"learner\",\n"
    " \"members\": [\n"
    "  {\"id\": \"z\\u0001\\\"\", \"active\": [\"0_1\", \"0_3\", \"0_5\", \"0_7\", \"0_9\"], \"standby\": [], "
    "\"learner\": []},\n"
    "  {\"id\": \"a\", \"active\": [\"0_0\", \"0_2\", \"0_4\", \"0_6\", \"0_8\", \"0_10\"], \"standby\": [], "
    "\"learner\": []},\n"
    "  {\"id\": \"m\", \"active\": [], \"standby\": [\"0_0\", \"0_1\", \"0_2\", \"0_3\", \"0_4\", \"0_5\", \"0_6\", "
    "\"0_7\", \"0_8\", "
    "\"0_9\"], \"learner\": [\"0_10\"]}\n"
    " ],\n"
    " \"followup\": {\"needed\": true, \"at_ms\": null, \"reason\": \"learners-restoring\"},\n"
    " \"decisions\": [\n"
    "  {\"task\": \"0_10\", \"kind\": \"standby\", \"from\": null, \"to\": \"m\", \"reason\": \"standby-wanted\", "
    "\"text\": \"0_10 has 0 of the 1 standbys wanted without m\"}\n"
    " ],\n"
    " \"stats\": {\"moves\": 3, \"min_moves\": 4, \"learners\": 1, \"extra_moves\": 2, \"held_back\": 5, "
    "\"spread\": 1.5, \"imbalance\": 12.5, \"min_imbalance\": 10.0, \"traffic\": 7, \"min_traffic\": 6, "
    "\"optimal\": true, \"elapsed_us\": 12.5}\n"
    "}";

static void a_plan_is_written_in_the_documents_order_of_members(void **state)
{
    (void)state;
    segue_plan *plan = NULL;
    char *text = NULL;
    size_t size = 0;
    segue_document *document = make_plan(&plan);
    /* A decimal comma in the process must not reach the document. */
    setlocale(LC_ALL, "de_DE.UTF-8");
    assert_int_equal(segue_document_write_plan(document, "learner", plan, 12549, 1, &text, &size, NULL), SEGUE_OK);
    assert_int_equal(size, strlen(wanted));
    assert_string_equal(text, wanted);
    segue_free(text);
    segue_plan_free(plan);
    segue_document_free(document);
}

static void on_one_line_it_is_the_same_document(void **state)
{
    (void)state;
    segue_plan *plan = NULL;
    char *text = NULL;
    size_t size = 0;
    segue_document *document = make_plan(&plan);
    assert_int_equal(segue_document_write_plan(document, "learner", plan, 12549, 0, &text, &size, NULL), SEGUE_OK);
    assert_null(strchr(text, '\n'));
    json_t *one = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    json_t *other = json_loads(wanted, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(one);
    assert_true(json_equal(one, other));
    json_decref(one);
    json_decref(other);
    segue_free(text);
    segue_plan_free(plan);
    segue_document_free(document);
}

static void a_plan_for_another_group_is_refused(void **state)
{
    (void)state;
    segue_plan *plan = NULL;
    char *text = NULL;
    size_t size = 0;
    segue_document *document = make_plan(&plan);
#define REFUSED_WITH(change, undo) \
    change; \
    assert_int_equal(segue_document_write_plan(document, "x", plan, 0, 0, &text, &size, NULL), SEGUE_E_PLAN); \
    assert_null(text); \
    undo;
    REFUSED_WITH(plan->active[3] = 3, plan->active[3] = 2)
    REFUSED_WITH(plan->learner[3] = 77, plan->learner[3] = SEGUE_NONE)
    REFUSED_WITH(plan->standby_member[9] = 3, plan->standby_member[9] = 1)
    REFUSED_WITH(plan->standby_start[4] = 900, plan->standby_start[4] = 4)
    REFUSED_WITH(plan->task_count = 10, plan->task_count = 11)
    REFUSED_WITH(plan->decision_count = 2, plan->decision_count = 1)
#undef REFUSED_WITH
    assert_int_equal(segue_document_write_plan(document, "x", plan, 0, 0, &text, &size, NULL), SEGUE_OK);
    segue_free(text);
    segue_plan_free(plan);
    segue_document_free(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_written_in_the_documents_order_of_members),
        cmocka_unit_test(on_one_line_it_is_the_same_document),
        cmocka_unit_test(a_plan_for_another_group_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
