/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "watch.h"

/* A document that is there; what is in it is of no matter to a watch. */
static json_t *something(void)
{
    return json_true();
}

static cli_instance instance(const char *state)
{
    cli_instance it = {.id = "0b7c6a0e-0000-4000-8000-000000000001"};
    it.presence = (cli_presence){.document = something(), .client_id = "orders-2", .state = state, .deadline_ms = -1};
    it.mark = (cli_mark){.document = something(), .deadline_ms = -1};
    return it;
}

static cli_instance draining(int64_t tasks_left)
{
    cli_instance it = instance("draining");
    it.presence.draining = 1;
    it.presence.tasks_left = tasks_left;
    return it;
}

static cli_end look(cli_watch *watch, cli_instance it, int64_t now_ms)
{
    cli_watch_look(watch, &it, now_ms);
    return watch->end;
}

static cli_watch begin(int64_t deadline_ms)
{
    cli_instance it = instance("running");
    return cli_watch_begin(&it, deadline_ms, 1000);
}

static void one_that_has_gone_with_its_mark_is_drained(void **state)
{
    (void)state;
    cli_watch watch = begin(CLI_UNKNOWN);
    assert_int_equal(look(&watch, instance("running"), 2000), CLI_END_NOT_YET);
    assert_int_equal(look(&watch, draining(2), 3000), CLI_END_NOT_YET);
    assert_int_equal(watch.tasks_left, 2);
    cli_watch_look(&watch, NULL, 4000);
    assert_int_equal(watch.end, CLI_END_LEFT);
}

static void one_that_stays_is_drained_when_it_says_empty(void **state)
{
    (void)state;
    cli_watch watch = begin(CLI_UNKNOWN);
    assert_int_equal(look(&watch, draining(0), 2000), CLI_END_NOT_YET);
    assert_int_equal(look(&watch, instance("empty"), 3000), CLI_END_EMPTY);
}

static void a_mark_that_is_taken_from_a_running_one_is_a_cancel(void **state)
{
    (void)state;
    cli_watch watch = begin(CLI_UNKNOWN);
    cli_instance it = draining(2);
    it.mark.document = NULL;
    assert_int_equal(look(&watch, it, 2000), CLI_END_NOT_YET);
    it = instance("stopping");
    it.mark.document = NULL;
    assert_int_equal(look(&watch, it, 2000), CLI_END_NOT_YET);
    it = instance("running");
    it.mark.document = NULL;
    assert_int_equal(look(&watch, it, 2000), CLI_END_CANCELLED);
}

static void tasks_at_the_deadline_make_it_late_for_good(void **state)
{
    (void)state;
    cli_watch watch = begin(5000);
    cli_instance it = draining(1);
    it.mark.deadline_ms = 5000;
    assert_int_equal(look(&watch, it, 4999), CLI_END_NOT_YET);
    assert_int_equal(look(&watch, it, 5000), CLI_END_NOT_YET);
    it.presence.tasks_left = 0;
    assert_int_equal(look(&watch, it, 6000), CLI_END_NOT_YET);
    cli_watch_look(&watch, NULL, 7000);
    assert_int_equal(watch.end, CLI_END_TIMED_OUT);
}

static void an_empty_one_that_closes_behind_the_deadline_is_in_time(void **state)
{
    (void)state;
    cli_watch watch = begin(5000);
    cli_instance it = draining(0);
    it.mark.deadline_ms = 5000;
    assert_int_equal(look(&watch, it, 4000), CLI_END_NOT_YET);
    assert_int_equal(look(&watch, it, 6000), CLI_END_NOT_YET);
    cli_watch_look(&watch, NULL, 7000);
    assert_int_equal(watch.end, CLI_END_LEFT);
}

static void a_later_deadline_makes_it_punctual_again(void **state)
{
    (void)state;
    cli_watch watch = begin(5000);
    cli_instance it = draining(1);
    it.mark.deadline_ms = 5000;
    assert_int_equal(look(&watch, it, 5500), CLI_END_NOT_YET);
    it.mark.deadline_ms = 9000;
    assert_int_equal(look(&watch, it, 6000), CLI_END_NOT_YET);
    cli_watch_look(&watch, NULL, 7000);
    assert_int_equal(watch.end, CLI_END_LEFT);
}

static void nobody_waits_for_long_behind_a_deadline(void **state)
{
    (void)state;
    cli_watch watch = begin(5000);
    cli_watch_blind(&watch, 64999);
    assert_int_equal(watch.end, CLI_END_NOT_YET);
    cli_watch_blind(&watch, 65000);
    assert_int_equal(watch.end, CLI_END_TIMED_OUT);
}

static void one_that_is_gone_and_left_its_mark_has_vanished(void **state)
{
    (void)state;
    cli_watch watch = begin(CLI_UNKNOWN);
    cli_instance only_mark = {.mark = {.document = something()}};
    assert_int_equal(look(&watch, only_mark, 2000), CLI_END_NOT_YET);
    assert_int_equal(look(&watch, only_mark, 6999), CLI_END_NOT_YET);
    assert_int_equal(look(&watch, only_mark, 7000), CLI_END_VANISHED);
    watch = begin(CLI_UNKNOWN);
    cli_instance silent = draining(1);
    silent.stale = 1;
    assert_int_equal(look(&watch, silent, 2000), CLI_END_VANISHED);
}

static void one_that_the_group_has_lost_has_vanished(void **state)
{
    (void)state;
    cli_watch watch = begin(CLI_UNKNOWN);
    cli_watch_member(&watch, 0, 1000);
    cli_watch_member(&watch, 0, 99000);
    assert_int_equal(look(&watch, draining(2), 99000), CLI_END_NOT_YET);
    cli_watch_member(&watch, 1, 100000);
    cli_watch_member(&watch, 0, 101000);
    cli_watch_member(&watch, 0, 110999);
    assert_int_equal(look(&watch, draining(2), 110999), CLI_END_NOT_YET);
    cli_watch_member(&watch, 0, 111000);
    assert_int_equal(look(&watch, draining(2), 111000), CLI_END_VANISHED);
}

static void one_that_was_empty_when_it_went_is_drained_even_if_its_entries_stay(void **state)
{
    (void)state;
    cli_watch watch = begin(CLI_UNKNOWN);
    assert_int_equal(look(&watch, draining(0), 2000), CLI_END_NOT_YET);
    cli_watch_member(&watch, 1, 2000);
    cli_watch_member(&watch, 0, 3000);
    cli_watch_member(&watch, 0, 13000);
    assert_int_equal(look(&watch, draining(0), 13000), CLI_END_LEFT);
    watch = begin(CLI_UNKNOWN);
    cli_instance only_mark = {.mark = {.document = something()}};
    assert_int_equal(look(&watch, draining(0), 2000), CLI_END_NOT_YET);
    assert_int_equal(look(&watch, only_mark, 3000), CLI_END_NOT_YET);
    assert_int_equal(look(&watch, only_mark, 8000), CLI_END_LEFT);
}

static void a_consumer_and_a_stream_thread_belong_to_their_instance(void **state)
{
    (void)state;
    cli_watch watch = begin(CLI_UNKNOWN);
    assert_true(cli_watch_owns(&watch, "orders-2-StreamThread-1-consumer"));
    assert_false(cli_watch_owns(&watch, "orders-20-StreamThread-1-consumer"));
    assert_true(cli_watch_owns(&watch, "orders-2"));
    assert_false(cli_watch_owns(&watch, "orders-20"));
    assert_false(cli_watch_owns(&watch, "orders"));
    assert_false(cli_watch_owns(&watch, ""));
}

static void one_that_does_not_answer_is_unheard(void **state)
{
    (void)state;
    cli_watch watch = begin(CLI_UNKNOWN);
    look(&watch, instance("running"), 10999);
    assert_int_equal(cli_watch_unheard(&watch, 10999), 0);
    assert_int_equal(cli_watch_unheard(&watch, 11000), 1);
    look(&watch, draining(2), 11500);
    assert_int_equal(cli_watch_unheard(&watch, 11500), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_has_gone_with_its_mark_is_drained),
        cmocka_unit_test(one_that_stays_is_drained_when_it_says_empty),
        cmocka_unit_test(a_mark_that_is_taken_from_a_running_one_is_a_cancel),
        cmocka_unit_test(tasks_at_the_deadline_make_it_late_for_good),
        cmocka_unit_test(an_empty_one_that_closes_behind_the_deadline_is_in_time),
        cmocka_unit_test(a_later_deadline_makes_it_punctual_again),
        cmocka_unit_test(nobody_waits_for_long_behind_a_deadline),
        cmocka_unit_test(one_that_is_gone_and_left_its_mark_has_vanished),
        cmocka_unit_test(one_that_the_group_has_lost_has_vanished),
        cmocka_unit_test(one_that_was_empty_when_it_went_is_drained_even_if_its_entries_stay),
        cmocka_unit_test(a_consumer_and_a_stream_thread_belong_to_their_instance),
        cmocka_unit_test(one_that_does_not_answer_is_unheard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
