/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "nearest.h"

static const char *const known[] = {"threads", "tags", "rack", NULL};

static void a_misspelt_word_finds_the_one_that_was_meant(void **state)
{
    (void)state;
    assert_string_equal(sgi_nearest("thread", known), "threads");
    assert_string_equal(sgi_nearest("rak", known), "rack");
    assert_string_equal(sgi_nearest("tgas", known), "tags");
}

static void a_strange_word_finds_none(void **state)
{
    (void)state;
    char longest[200];
    memset(longest, 't', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_null(sgi_nearest("zzzzzzzz", known));
    assert_null(sgi_nearest(longest, known));
    assert_null(sgi_nearest("", known));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_misspelt_word_finds_the_one_that_was_meant),
        cmocka_unit_test(a_strange_word_finds_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
