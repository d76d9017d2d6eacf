/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "member.h"

enum { ROWS = 4 };

/* Two pods of one node, one that is silent and had the name of the second, and one that left only a mark. */
static cli_fleet fleet(cli_instance rows[ROWS])
{
    static const char *const ids[ROWS] = {
        "0b7c6a0e-0000-4000-8000-000000000001", "0b7c6a0e-0000-4000-8000-000000000002",
        "33333333-0000-4000-8000-000000000003", "44444444-0000-4000-8000-000000000004"};
    static const char *const clients[ROWS] = {"orders-1", "orders-2", "orders-2", ""};
    for (int i = 0; i < ROWS; i++) {
        rows[i] = (cli_instance){.stale = i == 2};
        memcpy(rows[i].id, ids[i], sizeof rows[i].id);
        rows[i].presence = (cli_presence){.document = i == 3 ? NULL : json_true(),
                                          .client_id = clients[i],
                                          .host = "node-a",
                                          .application_server = "",
                                          .pid = 7 + i};
        rows[i].mark.document = i == 3 ? json_true() : NULL;
    }
    return (cli_fleet){.application = "shop", .rows = rows, .count = ROWS};
}

static void assert_finds(const char *name, int row)
{
    cli_instance rows[ROWS];
    cli_fleet all = fleet(rows);
    const cli_instance *found = NULL;
    char list[512];
    assert_int_equal(cli_member_find(&all, name, &found, list, sizeof list), CLI_FOUND_ONE);
    assert_ptr_equal(found, &rows[row]);
}

static void each_name_that_people_know_finds_its_instance(void **state)
{
    (void)state;
    assert_finds("orders-1", 0);
    assert_finds("0b7c6a0e-0000-4000-8000-000000000002", 1);
    assert_finds("33333333", 2);
    assert_finds("44444444-0000", 3);
    assert_finds("8", 1);
}

static void one_that_lives_comes_before_its_silent_namesake(void **state)
{
    (void)state;
    assert_finds("orders-2", 1);
}

static void a_name_of_several_is_answered_with_all_of_them(void **state)
{
    (void)state;
    cli_instance rows[ROWS];
    cli_fleet all = fleet(rows);
    const cli_instance *found = NULL;
    char list[512];
    assert_int_equal(cli_member_find(&all, "node-a", &found, list, sizeof list), CLI_FOUND_SEVERAL);
    assert_string_equal(list, "orders-1 (host node-a, 0b7c6a0e-0000-4000-8000-000000000001), "
                              "orders-2 (host node-a, 0b7c6a0e-0000-4000-8000-000000000002)");
    assert_int_equal(cli_member_find(&all, "0b7c6a0e", &found, list, sizeof list), CLI_FOUND_SEVERAL);
}

static void an_unknown_name_is_answered_with_those_that_live(void **state)
{
    (void)state;
    cli_instance rows[ROWS];
    cli_fleet all = fleet(rows);
    const cli_instance *found = &rows[0];
    char list[512];
    const char *const names[] = {"", "orders", "0b7c6a0", "70", "node"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(cli_member_find(&all, names[i], &found, list, sizeof list), CLI_FOUND_NONE);
        assert_null(found);
        assert_non_null(strstr(list, "orders-1 (host node-a, "));
        assert_null(strstr(list, "33333333"));
    }
}

static void a_list_that_is_too_long_is_cut(void **state)
{
    (void)state;
    cli_instance rows[ROWS];
    cli_fleet all = fleet(rows);
    const cli_instance *found = NULL;
    char list[16];
    assert_int_equal(cli_member_find(&all, "node-a", &found, list, sizeof list), CLI_FOUND_SEVERAL);
    assert_string_equal(list, "orders-1 (host ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_name_that_people_know_finds_its_instance),
        cmocka_unit_test(one_that_lives_comes_before_its_silent_namesake),
        cmocka_unit_test(a_name_of_several_is_answered_with_all_of_them),
        cmocka_unit_test(an_unknown_name_is_answered_with_those_that_live),
        cmocka_unit_test(a_list_that_is_too_long_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
