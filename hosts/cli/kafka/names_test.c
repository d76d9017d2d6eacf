/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "names.h"

static void a_few_names_are_all_there(void **state)
{
    (void)state;
    cli_names list = {0};
    assert_string_equal(cli_names_end(&list), "");
    cli_names_add(&list, "%s", "a");
    cli_names_add(&list, "%s keeps %s", "b", "c");
    assert_string_equal(cli_names_end(&list), "a, b keeps c");
}

static void many_names_are_counted(void **state)
{
    (void)state;
    cli_names list = {0};
    for (int i = 0; i < 1000; i++) {
        cli_names_add(&list, "orders-%03d", i);
    }
    assert_int_equal(list.count + list.left_out, 1000);
    const char *text = cli_names_end(&list);
    assert_true(strlen(text) < CLI_NAMES_ROOM);
    assert_non_null(strstr(text, "orders-000, orders-001, "));
    assert_non_null(strstr(text, " more"));
}

static void a_long_name_is_cut(void **state)
{
    (void)state;
    char name[4096];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    cli_names list = {0};
    for (int i = 0; i < 9; i++) {
        cli_names_add(&list, "%s", name);
    }
    assert_true(list.count >= 1);
    assert_true(strlen(cli_names_end(&list)) < CLI_NAMES_ROOM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_few_names_are_all_there),
        cmocka_unit_test(many_names_are_counted),
        cmocka_unit_test(a_long_name_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
