/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "duration.h"

static void assert_reads(const char *text, int64_t expected)
{
    int64_t ms = -7;
    assert_int_equal(cli_duration_read(text, &ms), 0);
    assert_int_equal(ms, expected);
}

static void a_number_with_its_unit_is_a_duration(void **state)
{
    (void)state;
    assert_reads("500ms", 500);
    assert_reads("90s", 90000);
    assert_reads("10m", 600000);
    assert_reads("1h30m", 5400000);
    assert_reads("0s", 0);
    assert_reads("365d", CLI_DURATION_MOST);
}

static void anything_else_is_refused(void **state)
{
    (void)state;
    const char *const bad[] = {"",   "10",   "m",    "-1m",    "1.5m",  "10 m",
                               "1w", "10m ", "366d", "365d1s", "1m-1s", "99999999999999999999s"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t ms = -7;
        assert_int_equal(cli_duration_read(bad[i], &ms), -1);
        assert_int_equal(ms, -7);
    }
}

static void a_duration_is_shown_with_its_two_largest_units(void **state)
{
    (void)state;
    char text[CLI_DURATION_ROOM];
    assert_string_equal(cli_duration_write(9999, text, sizeof text), "9s");
    assert_string_equal(cli_duration_write(0, text, sizeof text), "0s");
    assert_string_equal(cli_duration_write(-5, text, sizeof text), "0s");
    assert_string_equal(cli_duration_write(600000, text, sizeof text), "10m");
    assert_string_equal(cli_duration_write(5430000, text, sizeof text), "1h 30m");
    assert_string_equal(cli_duration_write(INT64_MAX, text, sizeof text), "106751991167d 7h");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_with_its_unit_is_a_duration),
        cmocka_unit_test(anything_else_is_refused),
        cmocka_unit_test(a_duration_is_shown_with_its_two_largest_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
