/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "properties.h"

static void assert_reads(const char *text, const char *key, const char *value)
{
    char fault[128] = "";
    cli_properties all = {0};
    assert_int_equal(cli_properties_read(text, strlen(text), &all, fault, sizeof fault), 0);
    assert_non_null(cli_properties_get(&all, key));
    assert_string_equal(cli_properties_get(&all, key), value);
    cli_properties_free(&all);
}

static void assert_refuses(const char *text, size_t size, const char *why)
{
    char fault[128] = "";
    cli_properties all = {0};
    assert_int_equal(cli_properties_read(text, size, &all, fault, sizeof fault), -1);
    assert_string_equal(fault, why);
    cli_properties_free(&all);
}

static void the_three_separators_of_java_end_a_key(void **state)
{
    (void)state;
    assert_reads("a=b", "a", "b");
    assert_reads("a:b", "a", "b");
    assert_reads("a b", "a", "b");
    assert_reads("  a \t= b c ", "a", "b c ");
    assert_reads("a==b", "a", "=b");
    assert_reads("a : =b", "a", "=b");
    assert_reads("a", "a", "");
    assert_reads("a\\=b=c", "a=b", "c");
    assert_reads("a\\ b c", "a b", "c");
    assert_reads("=b", "", "b");
}

static void comments_and_blank_lines_are_skipped(void **state)
{
    (void)state;
    assert_reads("# a=1\n! a=2\n\n \t\f\na=3\n", "a", "3");
    assert_reads("# no \\\na=3", "a", "3");
    assert_reads("a=1\\\n#b", "a", "1#b");
}

static void an_odd_backslash_goes_on_in_the_next_line(void **state)
{
    (void)state;
    assert_reads("a=1,\\\n   2,\\\r\n\t3\nb=4", "a", "1,2,3");
    assert_reads("a=1\\\\\nb=4", "b", "4");
    assert_reads("a=1\\", "a", "1");
    assert_reads("a=\\\n\nb=4", "b", "4");
    assert_reads("a\\\n=1", "a", "1");
}

static void escapes_become_their_character(void **state)
{
    (void)state;
    assert_reads("a=\\t\\n\\r\\f\\\\\\\"\\q", "a", "\t\n\r\f\\\"q");
    assert_reads("a=\\u00e4\\u20AC", "a", "\xc3\xa4\xe2\x82\xac");
    assert_reads("a=\\ud83d\\ude00", "a", "\xf0\x9f\x98\x80");
    assert_reads("a=\xe4", "a", "\xc3\xa4");
}

static void the_last_value_of_a_key_counts(void **state)
{
    (void)state;
    assert_reads("a=1\nb=2\na=3", "a", "3");
}

static void what_java_refuses_is_refused_with_its_line(void **state)
{
    (void)state;
    assert_refuses("a=1\nb=\\u12", 9, "line 2: \\u needs four hexadecimal digits");
    assert_refuses("a=\\ud800", 8, "line 1: half of a surrogate pair");
    assert_refuses("a=\\udc00", 8, "line 1: half of a surrogate pair");
    assert_refuses("a=\\u0000", 8, "line 1: \\u0000 cannot be part of a setting");
    assert_refuses("a=1\\\n2\nb=\0", 10, "line 3: a zero byte: this is no properties file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_three_separators_of_java_end_a_key),
        cmocka_unit_test(comments_and_blank_lines_are_skipped),
        cmocka_unit_test(an_odd_backslash_goes_on_in_the_next_line),
        cmocka_unit_test(escapes_become_their_character),
        cmocka_unit_test(the_last_value_of_a_key_counts),
        cmocka_unit_test(what_java_refuses_is_refused_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
