/* SPDX-License-Identifier: Apache-2.0 */
/* A session that is not opened, and calls without what they need: nothing happens, and it is said. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_that_lacks_any_piece_of_memory_is_not_opened),
        cmocka_unit_test(a_group_that_gets_no_memory_is_not_read_but_the_next_time),
        cmocka_unit_test(copies_and_changes_need_all_of_their_columns),
        cmocka_unit_test(names_and_processes_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
