/* SPDX-License-Identifier: Apache-2.0 */
/* The slots that plan, called with what they cannot work with, and what is said to that. */
#include "segue/abi.h"

#include "test/rebalance.h"
#include "test/testing.h"

#include <math.h>

/* One task on one of two members: the least that needs every column. */
static draft *small_group(void)
{
    draft *d = draft_new();
    draft_tasks(d, 3, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_member(d, 2, 1);
    draft_owns(d, 0, 0, 3);
    d->config.num_standby_replicas = 1;
    return d;
}

static void the_bound_reads_counts_only_and_is_what_the_header_says(void **state)
{
    (void)state;
    segue_group counts = {
        .size = sizeof counts, .task_count = 10, .member_count = 6, .process_count = 4, .copy_count = 17};
    draft *d = small_group();
    segue_bound bound = {.size = sizeof bound};
    d->config.num_standby_replicas = 2;
    assert_int_equal(rebalance_slots()->plan_bound(&counts, &d->config, &bound), SEGUE_OK);
    assert_int_equal(bound.standby_rows, 20);
    assert_int_equal(bound.decision_rows, 57);
    d->config.num_standby_replicas = 9;
    assert_int_equal(rebalance_slots()->plan_bound(&counts, &d->config, &bound), SEGUE_OK);
    assert_int_equal(bound.standby_rows, 30);
    counts.task_count = counts.process_count = UINT32_MAX;
    d->config.num_standby_replicas = UINT32_MAX;
    assert_int_equal(rebalance_slots()->plan_bound(&counts, &d->config, &bound), SEGUE_OK);
    assert_int_equal(bound.standby_rows, UINT32_MAX);
    assert_int_equal(bound.decision_rows, UINT32_MAX);
    draft_free(d);
}

static void a_bound_without_its_arguments_is_refused(void **state)
{
    (void)state;
    const segue_slots *slots = rebalance_slots();
    draft *d = small_group();
    const segue_group *g = draft_group(d);
    segue_group older = *g;
    segue_config older_config = d->config;
    segue_bound bound = {.size = sizeof bound}, small = {.size = offsetof(segue_bound, reserved) - 1};
    older.size--;
    older_config.size--;
    assert_int_equal(slots->plan_bound(NULL, &d->config, &bound), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->plan_bound(g, NULL, &bound), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->plan_bound(g, &d->config, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->plan_bound(g, &d->config, &small), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->plan_bound(&older, &d->config, &bound), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->plan_bound(g, &older_config, &bound), SEGUE_E_ARGUMENT);
    draft_free(d);
}

/* What a plan can lack, and what is said to that. */
typedef struct lack {
    void (*take_away)(segue_plan *plan);
    int32_t status;
} lack;

static void no_size(segue_plan *p) { p->size = 0; }
static void size_short_by_one(segue_plan *p) { p->size--; }
static void no_active(segue_plan *p) { p->active = NULL; }
static void no_learner(segue_plan *p) { p->learner = NULL; }
static void no_standby_start(segue_plan *p) { p->standby_start = NULL; }
static void no_standby_member(segue_plan *p) { p->standby_member = NULL; }
static void one_standby_row_less(segue_plan *p) { p->standby_capacity--; }
static void no_standby_rows(segue_plan *p) { p->standby_capacity = 0; }
static void one_decision_row_less(segue_plan *p) { p->decision_capacity--; }
static void one_decision_row(segue_plan *p) { p->decision_capacity = 1; }
static void no_decision_task(segue_plan *p) { p->decision_task = NULL; }
static void no_decision_kind(segue_plan *p) { p->decision_kind = NULL; }
static void no_decision_reason(segue_plan *p) { p->decision_reason = NULL; }
static void no_decision_from(segue_plan *p) { p->decision_from = NULL; }
static void no_decision_to(segue_plan *p) { p->decision_to = NULL; }
static void no_decision_number(segue_plan *p) { p->decision_number = NULL; }

static const lack lacks[] = {
    {no_size,               SEGUE_E_ARGUMENT},
    {size_short_by_one,     SEGUE_E_ARGUMENT},
    {no_active,             SEGUE_E_ARGUMENT},
    {no_learner,            SEGUE_E_ARGUMENT},
    {no_standby_start,      SEGUE_E_ARGUMENT},
    {no_standby_member,     SEGUE_E_SPACE   },
    {one_standby_row_less,  SEGUE_E_SPACE   },
    {no_standby_rows,       SEGUE_E_SPACE   },
    {one_decision_row_less, SEGUE_E_SPACE   },
    {one_decision_row,      SEGUE_E_SPACE   },
    {no_decision_task,      SEGUE_E_ARGUMENT},
    {no_decision_kind,      SEGUE_E_ARGUMENT},
    {no_decision_reason,    SEGUE_E_ARGUMENT},
    {no_decision_from,      SEGUE_E_ARGUMENT},
    {no_decision_to,        SEGUE_E_ARGUMENT},
    {no_decision_number,    SEGUE_E_ARGUMENT},
};

static segue_instance *learner(void)
{
    segue_instance *instance = NULL;
    assert_int_equal(rebalance_slots()->create("learner", &instance, NULL), SEGUE_OK);
    assert_non_null(instance);
    return instance;
}

static void a_plan_with_too_little_room_is_refused_before_anything_is_written(void **state)
{
    (void)state;
    const segue_slots *slots = rebalance_slots();
    segue_instance *instance = learner();
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++) {
        draft *d = small_group();
        rebalance *r = rebalance_room(d);
        segue_plan lacking = r->plan;
        segue_error error = {.size = sizeof error, .text = r->text, .text_size = sizeof r->text};
        lacks[i].take_away(&lacking);
        int32_t status = slots->assign(instance, &d->group, &d->config, &lacking, &error);
        EXPECT(status == lacks[i].status, "lack %zu: status %d", i, (int)status);
        EXPECT(error.code == status && r->text[0] != '\0', "lack %zu: no text", i);
        EXPECT(r->plan.active[0] == 0xa5a5a5a5, "lack %zu: something was written", i);
        rebalance_free(r);
        draft_free(d);
    }
    slots->destroy(instance);
}

static void no_instance_group_configuration_or_plan_are_bad_arguments(void **state)
{
    (void)state;
    const segue_slots *slots = rebalance_slots();
    segue_instance *instance = learner();
    draft *d = small_group();
    rebalance *r = rebalance_room(d);
    assert_int_equal(slots->assign(NULL, &d->group, &d->config, &r->plan, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->assign(instance, NULL, &d->config, &r->plan, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->assign(instance, &d->group, NULL, &r->plan, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->assign(instance, &d->group, &d->config, NULL, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->assign(instance, &d->group, &d->config, &r->plan, NULL), SEGUE_OK);
    slots->destroy(instance);
    rebalance_free(r);
    draft_free(d);
}

static void decisions_that_nobody_wants_need_no_columns(void **state)
{
    (void)state;
    segue_instance *instance = learner();
    draft *d = small_group();
    rebalance *r = rebalance_room(d), *with = rebalance_run("learner", d);
    segue_plan bare = r->plan;
    bare.decision_capacity = 0;
    bare.decision_task = bare.decision_from = bare.decision_to = NULL;
    bare.decision_kind = NULL;
    bare.decision_reason = NULL;
    bare.decision_number = NULL;
    assert_int_equal(rebalance_slots()->assign(instance, &d->group, &d->config, &bare, NULL), SEGUE_OK);
    assert_int_equal(bare.decision_count, 0);
    assert_memory_equal(bare.active, with->plan.active, 3 * sizeof *bare.active);
    rebalance_slots()->destroy(instance);
    rebalance_free(r);
    rebalance_free(with);
    draft_free(d);
}

static void structs_of_a_later_version_are_served_and_their_tails_left_alone(void **state)
{
    (void)state;
    struct {
        segue_plan plan;
        unsigned char tail[32];
    } later;
    segue_instance *instance = learner();
    draft *d = small_group();
    rebalance *r = rebalance_room(d);
    later.plan = r->plan;
    later.plan.size = sizeof later;
    memset(later.tail, 0x3c, sizeof later.tail);
    d->group.size += 100;
    d->config.size += 100;
    assert_int_equal(rebalance_slots()->assign(instance, &d->group, &d->config, &later.plan, NULL), SEGUE_OK);
    for (size_t i = 0; i < sizeof later.tail; i++) {
        assert_true(later.tail[i] == 0x3c || later.tail[i] == 0);
    }
    rebalance_slots()->destroy(instance);
    rebalance_free(r);
    draft_free(d);
}

static void an_error_text_fits_buffers_of_no_one_and_two_bytes(void **state)
{
    (void)state;
    segue_instance *instance = learner();
    for (uint32_t size = 0; size <= 2; size++) {
        char text[] = "~~~~";
        segue_error error = {.size = sizeof error, .text = text, .text_size = size};
        assert_int_equal(rebalance_slots()->assign(instance, NULL, NULL, NULL, &error), SEGUE_E_ARGUMENT);
        assert_int_equal(error.code, SEGUE_E_ARGUMENT);
        assert_string_equal(text + size, &"~~~~"[size]);
        assert_true(size == 0 || text[size - 1] == '\0');
    }
    rebalance_slots()->destroy(instance);
}

static void memory_is_read_and_comes_back_after_a_large_call(void **state)
{
    (void)state;
    const segue_slots *slots = rebalance_slots();
    segue_instance *instance = learner();
    segue_memory before = {.size = sizeof before}, after = {.size = sizeof after}, small = {.size = 8};
    assert_int_equal(slots->read_memory(instance, &before), SEGUE_OK);
    assert_true(before.held_bytes > 0);
    assert_int_equal(before.peak_bytes, 0);
    draft *d = draft_new();
    draft_tasks(d, 200000, 1);
    draft_member(d, 0, 1);
    rebalance *r = rebalance_room(d), *little;
    assert_int_equal(slots->assign(instance, &d->group, &d->config, &r->plan, NULL), SEGUE_OK);
    assert_int_equal(slots->read_memory(instance, &after), SEGUE_OK);
    assert_true(after.peak_bytes > 200000 * sizeof(uint32_t));
    rebalance_free(r);
    draft_free(d);
    d = small_group();
    little = rebalance_room(d);
    assert_int_equal(slots->assign(instance, &d->group, &d->config, &little->plan, NULL), SEGUE_OK);
    assert_int_equal(slots->read_memory(instance, &after), SEGUE_OK);
    assert_true(after.held_bytes < before.held_bytes + 200000);
    assert_int_equal(slots->read_memory(NULL, &after), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->read_memory(instance, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(slots->read_memory(instance, &small), SEGUE_E_ARGUMENT);
    slots->destroy(instance);
    rebalance_free(little);
    draft_free(d);
}

static void a_value_outside_its_range_is_refused_by_its_key(void **state)
{
    (void)state;
    segue_instance *instance = learner();
    draft *d = small_group();
    const segue_config right = d->config;
    rebalance *r = rebalance_room(d);
    segue_error error = {.size = sizeof error, .text = r->text, .text_size = sizeof r->text};
    segue_config wrong[] = {right, right, right};
    const char *const keys[] = {"stream.imbalance.percentage", "rack.aware.assignment.strategy",
                                "probing.rebalance.interval.ms"};
    wrong[0].imbalance_percentage = NAN;
    wrong[1].rack_strategy = SEGUE_RACK_BALANCE_SUBTOPOLOGY + 1;
    wrong[2].probing_rebalance_interval_ms = 0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(rebalance_slots()->assign(instance, &d->group, &wrong[i], &r->plan, &error), SEGUE_E_CONFIG);
        assert_non_null(strstr(r->text, keys[i]));
    }
    rebalance_slots()->destroy(instance);
    rebalance_free(r);
    draft_free(d);
}

static void a_fault_leaves_the_instance_as_it_was(void **state)
{
    (void)state;
    segue_instance *instance = learner();
    draft *d = small_group(), *bad = small_group();
    rebalance *r = rebalance_room(d), *expected = rebalance_run("learner", d), *spoilt = rebalance_room(bad);
    bad->copy_task[0] = 99;
    assert_int_equal(rebalance_slots()->assign(instance, &bad->group, &bad->config, &spoilt->plan, NULL),
                     SEGUE_E_GROUP);
    assert_int_equal(rebalance_slots()->assign(instance, &d->group, &d->config, &r->plan, NULL), SEGUE_OK);
    assert_true(rebalance_same(r, expected));
    rebalance_slots()->destroy(instance);
    rebalance_free(r);
    rebalance_free(expected);
    rebalance_free(spoilt);
    draft_free(d);
    draft_free(bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bound_reads_counts_only_and_is_what_the_header_says),
        cmocka_unit_test(a_bound_without_its_arguments_is_refused),
        cmocka_unit_test(a_plan_with_too_little_room_is_refused_before_anything_is_written),
        cmocka_unit_test(no_instance_group_configuration_or_plan_are_bad_arguments),
        cmocka_unit_test(decisions_that_nobody_wants_need_no_columns),
        cmocka_unit_test(structs_of_a_later_version_are_served_and_their_tails_left_alone),
        cmocka_unit_test(an_error_text_fits_buffers_of_no_one_and_two_bytes),
        cmocka_unit_test(memory_is_read_and_comes_back_after_a_large_call),
        cmocka_unit_test(a_value_outside_its_range_is_refused_by_its_key),
        cmocka_unit_test(a_fault_leaves_the_instance_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
