/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "testing.h"
#include "wire_message.h"

static const char GROUP[] =
    "{'segue': 'group/1', 'config': {'num.standby.replicas': 1}, 'subtopologies': [{'id': 0, 'partitions': 2}],"
    " 'members': [{'id': 'a', 'active': ['0_0', '0_1']}, {'id': 'b'}]}";

typedef struct world {
    segue_document *document;
    segue_plan *plan; /* what an assignor says */
    segue_plan *read; /* what the host has for it */
    uint64_t *message;
    size_t size;
    fault fault;
} world;

static void open_world(world *w)
{
    const uint32_t active[] = {1, 0}, learner[] = {SEGUE_NONE, 1}, start[] = {0, 1, 1};
    *w = (world){.document = read_group(GROUP)};
    w->plan = make_plan(w->document);
    w->read = make_plan(w->document);
    w->plan->task_count = 2;
    w->plan->standby_count = 1;
    memcpy(w->plan->active, active, sizeof active);
    memcpy(w->plan->learner, learner, sizeof learner);
    memcpy(w->plan->standby_start, start, sizeof start);
    w->plan->standby_member[0] = 0;
    w->plan->min_moves = SEGUE_NONE;
    w->plan->followup_at_ms = 44;
    w->plan->followup_needed = 1;
    w->plan->held_back = 3;
    w->plan->moves = 77;
}

static void encode(world *w)
{
    segue_wire_encode_plan(w->plan, NULL, 0, &w->size, NULL);
    w->message = malloc(w->size);
    assert_int_equal(segue_wire_encode_plan(w->plan, w->message, w->size, &w->size, NULL), SEGUE_OK);
}

static int32_t read_message(world *w)
{
    return segue_wire_read_plan(segue_document_group(w->document), w->message, w->size, w->read, fault_of(&w->fault));
}

static void close_world(world *w)
{
    free(w->message);
    segue_plan_free(w->plan);
    segue_plan_free(w->read);
    segue_document_free(w->document);
}

static void a_plan_is_taken_into_columns_and_counted(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    encode(&w);
    assert_int_equal(read_message(&w), SEGUE_OK);
    assert_memory_equal(w.read->active, w.plan->active, 2 * sizeof *w.plan->active);
    assert_memory_equal(w.read->standby_start, w.plan->standby_start, 3 * sizeof *w.plan->standby_start);
    assert_int_equal(w.read->standby_count, 1);
    assert_int_equal(w.read->standby_member[0], 0);
    assert_int_equal(w.read->moves, 1);
    assert_int_equal(w.read->min_moves, 1);
    assert_int_equal(w.read->learners, 1);
    assert_int_equal(w.read->followup_at_ms, 44);
    assert_int_equal(w.read->held_back, 3);
    assert_int_equal(w.read->standby_capacity, 2);
    close_world(&w);
}

static void one_that_does_not_fit_the_group_is_refused(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    w.plan->task_count = 1;
    encode(&w);
    assert_int_equal(read_message(&w), SEGUE_E_WIRE);
    assert_mentions(w.fault.text, "the plan is for 1 tasks, the group has 2");
    free(w.message);
    w.plan->task_count = 2;
    encode(&w);
    w.read->standby_capacity = 0;
    assert_int_equal(read_message(&w), SEGUE_E_SPACE);
    w.read->standby_capacity = 2;
    for (w.size -= 1; w.size > 0; w.size--) {
        assert_int_equal(read_message(&w), SEGUE_E_WIRE);
    }
    close_world(&w);
}

static void read_reason(const char *text, const char *expected)
{
    world w;
    const sgi_section section = {SEGUE_WIRE_FAULT, 1, strlen(text), text};
    open_world(&w);
    sgi_wire_write(SEGUE_WIRE_PLAN_MAGIC, &section, 1, NULL, 0, &w.size, NULL);
    w.message = malloc(w.size);
    assert_int_equal(sgi_wire_write(SEGUE_WIRE_PLAN_MAGIC, &section, 1, w.message, w.size, &w.size, NULL), SEGUE_OK);
    assert_int_equal(read_message(&w), SEGUE_E_INTERNAL);
    assert_memory_equal(w.fault.text, expected, strlen(expected));
    close_world(&w);
}

static void a_reason_in_its_place_is_the_faults_text(void **state)
{
    (void)state;
    static char longest[100000] = "ValueError: no room";
    read_reason(longest, "ValueError: no room");
    memset(longest + strlen(longest), '!', sizeof longest - strlen(longest) - 1);
    read_reason(longest, "ValueError: no room!!!!");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_taken_into_columns_and_counted),
        cmocka_unit_test(one_that_does_not_fit_the_group_is_refused),
        cmocka_unit_test(a_reason_in_its_place_is_the_faults_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
