/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fleet.h"

#define ID "0b7c6a0e-0000-4000-8000-000000000001"
#define FAR (INT64_C(1) << 53)

enum { ROWS = 3 };

static cli_instance instance(int64_t at_ms, int64_t led_ms)
{
    char text[512];
    cli_instance it = {.id = ID};
    int size = snprintf(text, sizeof text,
                        "{\"v\":1,\"kind\":\"presence\",\"instance\":\"" ID "\",\"at_ms\":%lld,\"led\":{\"at_ms\":%lld}}",
                        (long long)at_ms, (long long)led_ms);
    assert_int_equal(cli_presence_read(text, (size_t)size, ID, &it.presence), 1);
    it.stale = cli_presence_is_stale(&it.presence, cli_now_ms());
    return it;
}

/* The row that leads; ROWS for none. */
static size_t leader(cli_instance *rows)
{
    cli_fleet fleet = {.rows = rows, .count = ROWS};
    const cli_instance *found = cli_fleet_leader(&fleet);
    for (int i = 0; i < ROWS; i++) {
        cli_presence_free(&rows[i].presence);
    }
    return found == NULL ? ROWS : (size_t)(found - rows);
}

static void the_newest_of_those_that_led_leads(void **state)
{
    (void)state;
    int64_t now = cli_now_ms();
    assert_int_equal(leader((cli_instance[]){instance(now, now - 9), instance(now, now - 2), instance(now, -1)}), 1);
    assert_int_equal(leader((cli_instance[]){instance(now, -1), instance(now, -1), instance(now, -1)}), ROWS);
}

static void who_writes_of_times_that_are_not_yet_leads_nothing(void **state)
{
    (void)state;
    int64_t now = cli_now_ms();
    assert_int_equal(leader((cli_instance[]){instance(now, now - 9), instance(FAR, FAR), instance(now, FAR)}), 0);
    assert_int_equal(leader((cli_instance[]){instance(now, now - 9), instance(FAR, now), instance(now, -1)}), 0);
}

static void clocks_may_differ_by_what_makes_an_entry_stale(void **state)
{
    (void)state;
    int64_t now = INT64_C(1764450000000);
    cli_instance row = instance(now, now);
    assert_false(cli_presence_is_stale(&row.presence, now + CLI_STALE_MS));
    assert_false(cli_presence_is_stale(&row.presence, now - CLI_STALE_MS));
    assert_true(cli_presence_is_stale(&row.presence, now + CLI_STALE_MS + 1));
    assert_true(cli_presence_is_stale(&row.presence, now - CLI_STALE_MS - 1));
    cli_presence_free(&row.presence);
    assert_false(cli_presence_is_stale(&row.presence, now));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_of_those_that_led_leads),
        cmocka_unit_test(who_writes_of_times_that_are_not_yet_leads_nothing),
        cmocka_unit_test(clocks_may_differ_by_what_makes_an_entry_stale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
