/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "offers.h"

#define ID "0b7c6a0e-0000-4000-8000-000000000001"

enum { ROWS = 3 };

/* A living instance that says `more` besides, or one that is silent. */
static cli_instance instance(const char *more, int stale)
{
    char text[2048];
    cli_instance it = {.id = ID, .stale = stale};
    int size = snprintf(text, sizeof text, "{\"v\":1,\"kind\":\"presence\",\"instance\":\"" ID "\",\"at_ms\":1%s}", more);
    assert_int_equal(cli_presence_read(text, (size_t)size, ID, &it.presence), 1);
    return it;
}

static int offers(const char *more, const char *name)
{
    cli_instance it = instance(more, 0);
    int has = cli_instance_offers(&it, name);
    cli_presence_free(&it.presence);
    return has;
}

static void an_instance_has_what_it_lists_and_what_it_uses(void **state)
{
    (void)state;
    assert_true(offers(",\"assignors\":[\"eager\",\"sticky\"]", "sticky"));
    assert_true(offers(",\"assignor\":\"learner\"", "learner"));
    assert_true(offers(",\"assignor\":\"learner\",\"configured\":\"mine\"", "mine"));
    assert_false(offers(",\"assignors\":[\"eager\",\"sticky\"]", "balanced"));
    assert_false(offers(",\"assignor\":\"learner\",\"assignors\":[\"sticky\"],\"swap_refused\":\"sticky\"", "sticky"));
    assert_false(offers("", "sticky"));
}

static void a_list_of_anything_else_offers_nothing(void **state)
{
    (void)state;
    const char *const lists[] = {"7", "\"sticky\"", "{\"sticky\":1}", "[[\"sticky\"]]", "[null,7,{}]", "[\"sticky \"]"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        char more[64];
        snprintf(more, sizeof more, ",\"assignors\":%s", lists[i]);
        assert_false(offers(more, "sticky"));
    }
}

static void living_instances_are_read_together_by_the_alphabet(void **state)
{
    (void)state;
    cli_instance rows[ROWS] = {
        instance(",\"assignor\":\"sticky\",\"assignors\":[\"learner\",\"balanced\",7,\"\"]", 0),
        instance(",\"assignor\":\"balanced\",\"configured\":\"eager\"", 0),
        instance(",\"assignor\":\"of-a-silent-one\"", 1),
    };
    cli_offers out;
    cli_fleet fleet = {.rows = rows, .count = ROWS};
    cli_offers_read(&fleet, &out);
    assert_int_equal(out.count, 4);
    assert_string_equal(out.names[0], "balanced");
    assert_string_equal(out.names[1], "eager");
    assert_string_equal(out.names[2], "learner");
    assert_string_equal(out.names[3], "sticky");
    assert_null(out.names[4]);
    for (int i = 0; i < ROWS; i++) {
        cli_presence_free(&rows[i].presence);
    }
}

/* Whoever asks for it would be told that nobody has it, and that it may be meant. */
static void what_is_refused_is_not_among_the_names(void **state)
{
    (void)state;
    cli_instance row = instance(",\"assignors\":[\"eager\",\"sticky\"],\"swap_refused\":\"sticky\"", 0);
    cli_offers out;
    cli_fleet fleet = {.rows = &row, .count = 1};
    cli_offers_read(&fleet, &out);
    assert_int_equal(out.count, 1);
    assert_string_equal(out.names[0], "eager");
    cli_presence_free(&row.presence);
}

static void no_list_is_too_long(void **state)
{
    (void)state;
    char more[1024] = ",\"assignors\":[\"a\"";
    for (int i = 0; i < 99; i++) {
        size_t used = strlen(more);
        snprintf(more + used, sizeof more - used, ",\"b%02d\"", 98 - i);
    }
    strcat(more, "]");
    cli_instance row = instance(more, 0);
    cli_offers out;
    cli_fleet fleet = {.rows = &row, .count = 1};
    cli_offers_read(&fleet, &out);
    assert_int_equal(out.count, CLI_OFFERS_MOST);
    assert_null(out.names[CLI_OFFERS_MOST]);
    assert_true(cli_instance_offers(&row, "b00"));
    cli_presence_free(&row.presence);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instance_has_what_it_lists_and_what_it_uses),
        cmocka_unit_test(a_list_of_anything_else_offers_nothing),
        cmocka_unit_test(living_instances_are_read_together_by_the_alphabet),
        cmocka_unit_test(what_is_refused_is_not_among_the_names),
        cmocka_unit_test(no_list_is_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
