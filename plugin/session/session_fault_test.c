/* SPDX-License-Identifier: Apache-2.0 */
/* A session that is not opened, and calls without what they need or with what cannot be: nothing happens, and it is said. */
#include "segue/abi.h"
#include "test/draft.h"
#include "test/famine.h"
#include "test/rebalance.h"
#include "test/session_world.h"
#include "test/testing.h"

/* Members with names, and every column that there can be. */
static draft *full_group(void)
{
    draft *d = draft_new();
    draft_tasks(d, 70, 1);
    draft_tasks(d, 3, 0);
    for (uint32_t m = 0; m < 5; m++) {
        draft_member(d, m / 2, 1 + m);
    }
    draft_owns(d, 0, 0, 70);
    draft_copy(d, 2, 1, SEGUE_STANDBY, 5);
    draft_leaves(d, 1, 1000);
    draft_racks(d, 3);
    d->member_rack[0] = 2;
    draft_input(d, 1, 1 << 0 | 1 << 2);
    draft_tag_dimensions(d, 2);
    draft_tag(d, 1, 3, 7);
    return d;
}

static void a_session_that_lacks_any_piece_of_memory_is_not_opened(void **state)
{
    world w;
    segue_group group = {.size = sizeof group};
    const uint32_t *numbers;
    draft *d = full_group();
    uint32_t refused = 0;
    (void)state;
    world_open(&w, "balanced", d);
    assert_int_equal(w.slots->read_group(w.session, 0, &group, &numbers, NULL), SEGUE_OK);
    for (uint32_t nth = 1, struck = 1; struck; nth++) {
        char text[200] = "";
        segue_error error = {.size = sizeof error, .text = text, .text_size = sizeof text};
        segue_session *session = (segue_session *)(uintptr_t)&w;
        famine_of_arena(nth);
        int32_t status = w.slots->open("balanced", &group, &d->config, &session, &error);
        struck = (uint32_t)famine_struck();
        famine_of_arena(0);
        assert_int_equal(status, struck ? SEGUE_E_MEMORY : SEGUE_OK);
        assert_true((session == NULL) == (status != SEGUE_OK));
        assert_true((text[0] != '\0') == (status != SEGUE_OK));
        refused += struck;
        w.slots->close(session);
    }
    assert_true(refused > 20);
    world_close(&w);
    draft_free(d);
}

static void a_group_that_gets_no_memory_is_not_read_but_the_next_time(void **state)
{
    world w;
    draft *d = full_group();
    (void)state;
    world_open(&w, "learner", d);
    for (uint32_t nth = 1, struck = 1; struck; nth++) {
        segue_group group = {.size = sizeof group};
        const uint32_t *numbers = NULL;
        famine_of_region(nth);
        int32_t status = w.slots->read_group(w.session, 0, &group, &numbers, &w.error);
        struck = (uint32_t)famine_struck();
        famine_of_region(0);
        assert_int_equal(status, struck ? SEGUE_E_MEMORY : SEGUE_OK);
        assert_true((numbers == NULL) == (status != SEGUE_OK));
        assert_int_equal(w.slots->read_group(w.session, 0, &group, &numbers, NULL), SEGUE_OK);
        assert_int_equal(group.member_count, 5);
    }
    world_close(&w);
    draft_free(d);
}

/* One column after the other is NULL. */
static void copies_and_changes_need_all_of_their_columns(void **state)
{
    world w;
    draft *d = full_group();
    uint32_t task = 0, member = 0;
    uint8_t role = SEGUE_LEARNER;
    int64_t lag = 5;
    (void)state;
    world_open(&w, "learner", d);
    for (int missing = 0; missing < 5; missing++) {
        segue_plan plan = {.size = sizeof plan};
        segue_copies copies = {sizeof copies,           1, 1, 0, missing == 0 ? NULL : &task, missing == 1 ? NULL : &member,
                               missing == 2 ? NULL : &role, missing == 3 ? NULL : &lag};
        copies.size -= missing == 4 ? 8 : 0;
        copies.count = 1;
        copies.capacity = 1;
        assert_int_equal(w.slots->put(w.session, &copies, &w.error), SEGUE_E_ARGUMENT);
        assert_int_equal(w.slots->decide(w.session, 0, &copies, &plan, &w.error), SEGUE_E_ARGUMENT);
    }
    segue_memory small = {.size = 8};
    segue_group group = {.size = sizeof group};
    const uint32_t *numbers;
    assert_int_equal(w.slots->read_memory(w.session, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(w.slots->read_memory(w.session, &small), SEGUE_E_ARGUMENT);
    assert_int_equal(w.slots->read_group(NULL, 0, &group, &numbers, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(w.slots->read_group(w.session, 0, &group, NULL, NULL), SEGUE_E_ARGUMENT);
    world_close(&w);
    draft_free(d);
}

/* What segue_group_check would find, and what a session cannot live with. */
static void names_and_processes_that_are_none_are_refused(void **state)
{
    world w;
    draft *d = full_group();
    segue_group whole = {.size = sizeof whole};
    const uint32_t *numbers;
    (void)state;
    world_open(&w, "learner", d);
    assert_int_equal(w.slots->read_group(w.session, 0, &whole, &numbers, NULL), SEGUE_OK);
    for (int wrong = 0; wrong < 4; wrong++) {
        segue_group group = whole;
        uint32_t names[5], processes[5] = {0, 0, 0, 0, 0}, *offsets = calloc(whole.string_count + 1, sizeof *offsets);
        segue_session *session = NULL;
        memcpy(names, whole.member_name, sizeof names);
        memcpy(offsets, whole.string_offset, (whole.string_count + 1) * sizeof *offsets);
        group.member_name = names;
        group.string_offset = offsets;
        if (wrong == 0) {
            names[3] = whole.string_count;
        } else if (wrong == 1) {
            offsets[names[3] + 1] = offsets[names[3]] - 1;
        } else if (wrong == 2) {
            offsets[names[3] + 1] = whole.string_bytes_size + 1;
        } else {
            group.member_process = processes;
        }
        assert_int_equal(w.slots->open("learner", &group, &d->config, &session, &w.error), SEGUE_E_GROUP);
        assert_int_equal(w.error.row, wrong < 3 ? 3 : 1);
        assert_null(session);
        free(offsets);
    }
    world_close(&w);
    draft_free(d);
}

static void too_little_room_is_told_how_much_is_needed(void **state)
{
    world w;
    draft *d = world_even(4, 25);
    (void)state;
    world_open(&w, "sticky", d);
    world_join(&w, 4, "m9", 1, 4, SEGUE_NONE);
    segue_copies small = {.size = sizeof small};
    segue_plan plan = {.size = sizeof plan};
    assert_int_equal(w.slots->decide(w.session, 0, &small, &plan, &w.error), SEGUE_E_SPACE);
    assert_int_equal(small.count, 40);
    world_decide(&w, 0);
    assert_int_equal(w.changes.count, 40);
    world_close(&w);
    draft_free(d);
}

static void refuse_joiner(world *w, segue_joiner joiner)
{
    assert_int_equal(w->slots->join(w->session, &joiner, &w->error), SEGUE_E_ARGUMENT);
    assert_true(w->text[0] != '\0');
    w->text[0] = '\0';
}

static void a_joiner_that_cannot_be_is_refused(void **state)
{
    world w;
    draft *d = world_even(4, 10);
    (void)state;
    world_open(&w, "learner", d);
    uint32_t size = sizeof(segue_joiner);
    refuse_joiner(&w, (segue_joiner){size, 3, 1, 3, SEGUE_NONE, 2, "mx"});
    refuse_joiner(&w, (segue_joiner){size, SEGUE_MAX_MEMBERS, 1, SEGUE_MAX_MEMBERS, SEGUE_NONE, 2, "mx"});
    refuse_joiner(&w, (segue_joiner){size, SEGUE_NONE, 1, SEGUE_NONE, SEGUE_NONE, 2, "mx"});
    refuse_joiner(&w, (segue_joiner){size, 7, SEGUE_MAX_THREADS + 1, 7, SEGUE_NONE, 2, "mx"});
    refuse_joiner(&w, (segue_joiner){size, 7, 1, 6, SEGUE_NONE, 2, "mx"});
    refuse_joiner(&w, (segue_joiner){size, 7, 1, 7, 0, 2, "mx"});
    refuse_joiner(&w, (segue_joiner){size, 7, 1, 7, SEGUE_NONE, 7, "m000100"});
    refuse_joiner(&w, (segue_joiner){size, 7, 1, 7, SEGUE_NONE, 2, NULL});
    refuse_joiner(&w, (segue_joiner){8, 7, 1, 7, SEGUE_NONE, 2, "mx"});
    assert_int_equal(w.slots->join(w.session, NULL, NULL), SEGUE_E_ARGUMENT);
    world_decide(&w, 0);
    world_close(&w);
    draft_free(d);
}

static void wrong_rows_are_named_and_nothing_of_the_call_happens(void **state)
{
    world w;
    draft *d = world_even(4, 10);
    (void)state;
    world_open(&w, "learner", d);
    for (uint32_t wrong = 0; wrong < 4; wrong++) {
        uint32_t task[] = {0, wrong == 0 ? 40 : 1}, member[] = {3, wrong == 1 ? 4 : 3};
        uint8_t role[] = {SEGUE_LEARNER, wrong == 2 ? 4 : SEGUE_LEARNER};
        int64_t lag[] = {5, wrong == 3 ? -2 : 5};
        segue_copies copies = {sizeof copies, 2, 0, 0, task, member, role, lag};
        assert_int_equal(w.slots->put(w.session, &copies, &w.error), SEGUE_E_ARGUMENT);
        assert_int_equal(w.error.row, 1);
    }
    segue_copies none = {.size = sizeof none, .count = 1};
    assert_int_equal(w.slots->put(w.session, &none, &w.error), SEGUE_E_ARGUMENT);
    assert_int_equal(w.slots->put(w.session, NULL, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(w.slots->leave(w.session, 4, &w.error), SEGUE_E_ARGUMENT);
    assert_int_equal(w.slots->leave(w.session, SEGUE_NONE, &w.error), SEGUE_E_ARGUMENT);
    assert_int_equal(w.slots->mark(w.session, 4, 0, 0, &w.error), SEGUE_E_ARGUMENT);
    world_decide(&w, 0);
    assert_int_equal(w.changes.count, 0);
    world_close(&w);
    draft_free(d);
}

static void nothing_and_too_small_records_are_refused(void **state)
{
    world w;
    draft *d = world_even(4, 10);
    segue_plan plan = {.size = sizeof plan};
    segue_copies changes = {.size = sizeof changes};
    segue_group group = {.size = sizeof group - 1};
    segue_memory memory = {.size = sizeof memory};
    const uint32_t *numbers;
    (void)state;
    world_open(&w, "learner", d);
    const segue_session_slots *s = w.slots;
    assert_int_equal(s->decide(NULL, 0, &changes, &plan, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(s->decide(w.session, 0, NULL, &plan, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(s->decide(w.session, 0, &changes, NULL, NULL), SEGUE_E_ARGUMENT);
    changes.capacity = 1;
    assert_int_equal(s->decide(w.session, 0, &changes, &plan, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(s->read_group(w.session, 0, &group, &numbers, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(s->read_group(w.session, 0, NULL, &numbers, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(s->read_memory(NULL, &memory), SEGUE_E_ARGUMENT);
    assert_int_equal(s->read_memory(w.session, &memory), SEGUE_OK);
    assert_true(memory.held_bytes > 0);
    assert_int_equal(s->join(NULL, NULL, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(s->leave(NULL, 0, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(s->mark(NULL, 0, 0, 0, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(s->put(NULL, NULL, NULL), SEGUE_E_ARGUMENT);
    s->close(NULL);
    world_close(&w);
    draft_free(d);
}

static void a_session_opens_only_on_what_it_can_keep(void **state)
{
    const segue_session_slots *s = rebalance_slots()->get_extension(SEGUE_SESSION_ID);
    draft *d = world_even(4, 10);
    segue_session *session = NULL;
    (void)state;
    /* All members of a draft have the same name. */
    assert_int_equal(s->open("learner", draft_group(d), &d->config, &session, NULL), SEGUE_E_GROUP);
    assert_null(session);
    assert_int_equal(s->open("lerner", draft_group(d), &d->config, &session, NULL), SEGUE_E_NAME);
    assert_int_equal(s->open(NULL, draft_group(d), &d->config, &session, NULL), SEGUE_E_NAME);
    assert_int_equal(s->open("learner", NULL, &d->config, &session, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(s->open("learner", draft_group(d), NULL, &session, NULL), SEGUE_E_ARGUMENT);
    assert_int_equal(s->open("learner", draft_group(d), &d->config, NULL, NULL), SEGUE_E_ARGUMENT);
    draft_free(d);
}

/* Every request for memory fails once: the call says so, and the session is as it was. */
static void starve(void (*famine)(uint32_t), uint32_t standbys)
{
    for (uint32_t nth = 1, struck = 1; struck; nth++) {
        world w;
        draft *d = world_even(4, 10);
        d->config.num_standby_replicas = standbys;
        world_open(&w, "balanced", d);
        famine(nth);
        segue_joiner joiner = {sizeof joiner, 5, 1, 5, SEGUE_NONE, 2, "mx"};
        int32_t joins = w.slots->join(w.session, &joiner, &w.error);
        int32_t decides = w.slots->decide(w.session, 0, &w.changes, &w.plan, &w.error);
        struck = (uint32_t)famine_struck();
        famine(0);
        assert_true(joins == SEGUE_OK || joins == SEGUE_E_MEMORY);
        assert_true(decides == SEGUE_OK || decides == SEGUE_E_MEMORY);
        assert_int_equal(struck != 0, joins != SEGUE_OK || decides != SEGUE_OK);
        if (joins != SEGUE_OK) {
            world_join(&w, 5, "mx", 1, 5, SEGUE_NONE);
            world_leave(&w, 5);
        } else {
            w.slots->leave(w.session, 5, NULL);
        }
        world_decide(&w, 0);
        world_close(&w);
        draft_free(d);
    }
}

static void a_call_that_gets_no_memory_changes_nothing(void **state)
{
    (void)state;
    starve(famine_of_region, 0);
    starve(famine_of_region, 1);
    starve(famine_of_arena, 0);
    starve(famine_of_arena, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_that_lacks_any_piece_of_memory_is_not_opened),
        cmocka_unit_test(a_group_that_gets_no_memory_is_not_read_but_the_next_time),
        cmocka_unit_test(copies_and_changes_need_all_of_their_columns),
        cmocka_unit_test(names_and_processes_that_are_none_are_refused),
        cmocka_unit_test(too_little_room_is_told_how_much_is_needed),
        cmocka_unit_test(a_joiner_that_cannot_be_is_refused),
        cmocka_unit_test(wrong_rows_are_named_and_nothing_of_the_call_happens),
        cmocka_unit_test(nothing_and_too_small_records_are_refused),
        cmocka_unit_test(a_session_opens_only_on_what_it_can_keep),
        cmocka_unit_test(a_call_that_gets_no_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
