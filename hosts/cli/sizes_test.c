/* SPDX-License-Identifier: Apache-2.0 */
#include "sizes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void sizes_are_read_with_their_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
    } known[] = {{"1", 1},           {"512MiB", 536870912},        {"1.5GiB", 1610612736}, {"10MB", 10000000},
                 {"3kB", 3000},      {"9007199254740992", INT64_C(9007199254740992)},      {"2TiB", INT64_C(2199023255552)}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        int64_t bytes = 0;
        assert_int_equal(size_read(known[i].text, &bytes), 0);
        assert_int_equal(bytes, known[i].bytes);
    }
}

static void what_is_no_size_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",    "0",     "-1", "MiB", "1 MiB", "1.2.3", "1e9",  "1mib", "0.5",
                                        ".5K", "10000TiB", "99999999999999999999999", "inf", "nan", "0x10", "1MiB "};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        int64_t bytes = 7;
        assert_int_equal(size_read(texts[i], &bytes), -1);
        assert_int_equal(bytes, 7);
    }
}

static void sizes_are_written_with_three_digits(void **state)
{
    (void)state;
    static const struct {
        double bytes;
        const char *text;
    } known[] = {{0, "0 B"},         {1023, "1023 B"},        {1536, "1.5 KiB"},      {3221225472.0, "3 GiB"},
                 {1234567, "1.18 MiB"}, {104857600, "100 MiB"}, {9007199254740992.0, "8192 TiB"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char text[SIZE_ROOM];
        assert_string_equal(size_write(known[i].bytes, text, sizeof text), known[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_read_with_their_units),
        cmocka_unit_test(what_is_no_size_is_refused),
        cmocka_unit_test(sizes_are_written_with_three_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
