/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "swap_watch.h"

#define FIRST "0b7c6a0e-0000-4000-8000-000000000001"
#define SECOND "0b7c6a0e-0000-4000-8000-000000000002"

/* A document that is there; what is in it is of no matter to a watch. */
static json_t *something(void)
{
    return json_true();
}

static cli_instance leader(const char *id, int64_t at_ms, const char *assignor)
{
    cli_instance it = {.presence = {.document = something(), .assignor = "sticky", .configured = "sticky",
                                    .swap_refused = "", .led = {.at_ms = at_ms, .assignor = assignor}}};
    memcpy(it.id, id, sizeof it.id);
    return it;
}

static cli_fleet fleet(cli_instance *rows, size_t count, const char *wish)
{
    cli_fleet it = {.rows = rows, .count = count};
    if (wish != NULL) {
        it.wish = (cli_wish){.document = something(), .name = wish, .by = ""};
    }
    return it;
}

static cli_swap_end look(const cli_swap_watch *watch, cli_instance row, const char *wish)
{
    cli_fleet now = fleet(&row, 1, wish);
    return cli_swap_watch_look(watch, &now);
}

static cli_swap_watch begin(const char *name, int changed)
{
    cli_instance row = leader(FIRST, 500, "sticky");
    cli_fleet before = fleet(&row, 1, NULL);
    return cli_swap_watch_begin(&before, name, changed);
}

static void the_first_rebalance_by_it_ends_the_waiting(void **state)
{
    (void)state;
    cli_swap_watch watch = begin("balanced", 1);
    assert_int_equal(look(&watch, leader(FIRST, 500, "sticky"), "balanced"), CLI_SWAP_NOT_YET);
    assert_int_equal(look(&watch, leader(FIRST, 600, "sticky"), "balanced"), CLI_SWAP_NOT_YET);
    assert_int_equal(look(&watch, leader(FIRST, 700, "balanced"), "balanced"), CLI_SWAP_DONE);
    assert_int_equal(look(&watch, leader(SECOND, 500, "balanced"), "balanced"), CLI_SWAP_DONE);
    assert_int_equal(look(&watch, leader(FIRST, CLI_UNKNOWN, ""), "balanced"), CLI_SWAP_NOT_YET);
}

static void a_clock_that_is_behind_hides_no_rebalance(void **state)
{
    (void)state;
    cli_swap_watch watch = begin("balanced", 1);
    assert_int_equal(look(&watch, leader(FIRST, 400, "balanced"), "balanced"), CLI_SWAP_DONE);
}

static void the_rebalance_before_a_wish_does_not_count(void **state)
{
    (void)state;
    cli_swap_watch watch = begin("sticky", 1);
    assert_int_equal(look(&watch, leader(FIRST, 500, "sticky"), "sticky"), CLI_SWAP_NOT_YET);
    assert_int_equal(look(&watch, leader(FIRST, 501, "sticky"), "sticky"), CLI_SWAP_DONE);
    watch = begin("sticky", 0);
    assert_int_equal(look(&watch, leader(FIRST, 500, "sticky"), "sticky"), CLI_SWAP_DONE);
}

static void another_wish_is_a_cancel(void **state)
{
    (void)state;
    cli_swap_watch watch = begin("balanced", 1);
    assert_int_equal(look(&watch, leader(FIRST, 700, "balanced"), "learner"), CLI_SWAP_REPLACED);
    assert_int_equal(look(&watch, leader(FIRST, 700, "balanced"), NULL), CLI_SWAP_REPLACED);
    watch = begin(NULL, 1);
    assert_int_equal(look(&watch, leader(FIRST, 700, "sticky"), "learner"), CLI_SWAP_REPLACED);
}

static void going_back_ends_with_what_the_leader_has_configured(void **state)
{
    (void)state;
    cli_swap_watch watch = begin(NULL, 1);
    assert_int_equal(look(&watch, leader(FIRST, 700, "balanced"), NULL), CLI_SWAP_NOT_YET);
    assert_int_equal(look(&watch, leader(FIRST, 500, "sticky"), NULL), CLI_SWAP_NOT_YET);
    assert_int_equal(look(&watch, leader(FIRST, 800, "sticky"), NULL), CLI_SWAP_DONE);
}

static void the_newest_that_lives_is_the_leader(void **state)
{
    (void)state;
    cli_instance rows[] = {leader(FIRST, 500, "balanced"), leader(SECOND, 900, "sticky"), leader(FIRST, 950, "eager")};
    rows[2].stale = 1;
    cli_fleet now = fleet(rows, 3, "balanced");
    assert_ptr_equal(cli_fleet_leader(&now), &rows[1]);
    rows[1].presence.led.at_ms = CLI_UNKNOWN;
    assert_ptr_equal(cli_fleet_leader(&now), &rows[0]);
    rows[0].presence.document = NULL;
    assert_null(cli_fleet_leader(&now));
}

static void a_leader_that_refuses_is_named(void **state)
{
    (void)state;
    cli_swap_watch watch = begin("balanced", 1);
    cli_instance row = leader(FIRST, 700, "sticky");
    cli_fleet now = fleet(&row, 1, "balanced");
    assert_null(cli_swap_watch_refuser(&watch, &now));
    row.presence.swap_refused = "balanced";
    assert_ptr_equal(cli_swap_watch_refuser(&watch, &now), &row);
    watch = begin(NULL, 1);
    assert_null(cli_swap_watch_refuser(&watch, &now));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_rebalance_by_it_ends_the_waiting),
        cmocka_unit_test(a_clock_that_is_behind_hides_no_rebalance),
        cmocka_unit_test(the_rebalance_before_a_wish_does_not_count),
        cmocka_unit_test(another_wish_is_a_cancel),
        cmocka_unit_test(going_back_ends_with_what_the_leader_has_configured),
        cmocka_unit_test(the_newest_that_lives_is_the_leader),
        cmocka_unit_test(a_leader_that_refuses_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
