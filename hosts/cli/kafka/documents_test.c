/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "clean.h"
#include "documents.h"
#include "side_group.h"

#define ID "0b7c6a0e-0000-4000-8000-000000000001"

static int read_mark(const char *text, cli_mark *mark)
{
    return cli_mark_read(text, strlen(text), mark);
}

static int read_presence(const char *text, cli_presence *presence)
{
    return cli_presence_read(text, strlen(text), ID, presence);
}

static void a_mark_is_read_as_it_was_written(void **state)
{
    (void)state;
    cli_mark mark = {0};
    char *text = cli_mark_write(ID, 5, 9, 1);
    assert_int_equal(read_mark(text, &mark), 1);
    assert_int_equal(mark.since_ms, 5);
    assert_int_equal(mark.deadline_ms, 9);
    assert_int_equal(mark.stay, 1);
    assert_string_equal(mark.by, "segue drain");
    free(text);
    cli_mark_free(&mark);
    text = cli_mark_write(ID, 5, CLI_UNKNOWN, 0);
    assert_int_equal(read_mark(text, &mark), 1);
    assert_int_equal(mark.deadline_ms, CLI_UNKNOWN);
    assert_int_equal(mark.stay, 0);
    free(text);
    cli_mark_free(&mark);
}

/* MARKS is the table that Java and Python are held against too. */
static void a_mark_counts_here_where_it_counts_for_every_host(void **state)
{
    (void)state;
    json_t *table = json_load_file(MARKS, 0, NULL);
    json_t *rows = json_object_get(table, "rows"), *row;
    size_t index;
    assert_true(json_array_size(rows) > 0);
    json_array_foreach(rows, index, row) {
        cli_mark mark = {0};
        const json_t *expected = json_object_get(row, "mark"), *deadline = json_object_get(expected, "deadline_ms");
        int counts = read_mark(json_string_value(json_object_get(row, "text")), &mark);
        if (counts != json_is_object(expected)) {
            fail_msg("%s: counts %d", json_string_value(json_object_get(row, "what")), counts);
        }
        if (counts) {
            assert_int_equal(mark.since_ms, json_integer_value(json_object_get(expected, "since_ms")));
            assert_int_equal(mark.deadline_ms, json_is_null(deadline) ? CLI_UNKNOWN : json_integer_value(deadline));
            assert_int_equal(mark.stay, json_is_true(json_object_get(expected, "stay")));
            assert_string_equal(mark.by, json_string_value(json_object_get(expected, "by")));
        }
        cli_mark_free(&mark);
    }
    json_decref(table);
}

static void the_newest_of_several_counts(void **state)
{
    (void)state;
    cli_mark mark = {0};
    assert_int_equal(read_mark("{\"v\":1,\"kind\":\"leaving\",\"instance\":\"" ID "\",\"since_ms\":7}", &mark), 1);
    assert_int_equal(read_mark("{\"v\":1,\"kind\":\"leaving\",\"instance\":\"" ID "\",\"since_ms\":6}", &mark), 0);
    assert_int_equal(mark.since_ms, 7);
    assert_int_equal(read_mark("{\"v\":1,\"kind\":\"leaving\",\"instance\":\"" ID "\",\"since_ms\":8}", &mark), 1);
    assert_int_equal(mark.since_ms, 8);
    cli_mark_free(&mark);
}

static void a_presence_says_what_it_knows(void **state)
{
    (void)state;
    cli_presence it = {0};
    assert_int_equal(read_presence("{\"v\":1,\"kind\":\"presence\",\"instance\":\"" ID "\",\"at_ms\":3,\"pid\":\"x\","
                                   "\"client_id\":7,\"copies\":-1,\"active\":2,\"later\":{},"
                                   "\"drain\":{\"since_ms\":1,\"tasks_left\":2,\"stay\":true}}",
                                   &it),
                     1);
    assert_string_equal(it.client_id, "");
    assert_int_equal(it.pid, CLI_UNKNOWN);
    assert_int_equal(it.copies, CLI_UNKNOWN);
    assert_int_equal(it.active, 2);
    assert_int_equal(it.draining, 1);
    assert_int_equal(it.tasks_left, 2);
    assert_int_equal(it.deadline_ms, CLI_UNKNOWN);
    assert_int_equal(it.stay, 1);
    cli_presence_free(&it);
}

static void a_wish_is_read_as_it_was_written(void **state)
{
    (void)state;
    cli_wish wish = {0};
    char *text = cli_wish_write("balanced", 5);
    assert_int_equal(cli_wish_read(text, strlen(text), &wish), 1);
    assert_string_equal(wish.name, "balanced");
    assert_string_equal(wish.by, "segue swap");
    assert_int_equal(wish.since_ms, 5);
    free(text);
    cli_wish_free(&wish);
    assert_null(cli_wish_write("\xff", 5));
}

static void what_is_no_wish_counts_as_none(void **state)
{
    (void)state;
    const char *const texts[] = {
        "",
        "{}",
        "{\"v\":2,\"kind\":\"assignor\",\"name\":\"x\",\"since_ms\":1}",
        "{\"v\":1,\"kind\":\"leaving\",\"name\":\"x\",\"since_ms\":1}",
        "{\"v\":1,\"kind\":\"assignor\",\"name\":\"\",\"since_ms\":1}",
        "{\"v\":1,\"kind\":\"assignor\",\"name\":[\"x\"],\"since_ms\":1}",
        "{\"v\":1,\"kind\":\"assignor\",\"since_ms\":1}",
        "{\"v\":1,\"kind\":\"assignor\",\"name\":\"x\"}",
        "{\"v\":1,\"kind\":\"assignor\",\"name\":\"x\",\"since_ms\":1.5}",
    };
    cli_wish wish = {0};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(cli_wish_read(texts[i], strlen(texts[i]), &wish), 0);
        assert_null(wish.document);
    }
}

static void a_leader_says_how_the_last_rebalance_went(void **state)
{
    (void)state;
    cli_presence it = {0};
    assert_int_equal(read_presence("{\"v\":1,\"kind\":\"presence\",\"instance\":\"" ID "\",\"at_ms\":3,"
                                   "\"assignor\":\"balanced\",\"configured\":\"sticky\",\"assignors\":[\"x\"],"
                                   "\"swap_refused\":\"mine\",\"led\":{\"at_ms\":2,\"assignor\":\"balanced\","
                                   "\"plugin\":\"segue\",\"plugin_version\":7,\"fault\":null,\"tasks\":8,"
                                   "\"moves\":-1,\"min_moves\":1e9,\"followup_ms\":9,\"followup\":\"capped\"}}",
                                   &it),
                     1);
    assert_string_equal(it.configured, "sticky");
    assert_string_equal(it.swap_refused, "mine");
    assert_int_equal(json_array_size(it.assignors), 1);
    assert_int_equal(it.led.at_ms, 2);
    assert_string_equal(it.led.assignor, "balanced");
    assert_string_equal(it.led.plugin, "segue");
    assert_string_equal(it.led.plugin_version, "");
    assert_string_equal(it.led.fault, "");
    assert_int_equal(it.led.tasks, 8);
    assert_int_equal(it.led.members, CLI_UNKNOWN);
    assert_int_equal(it.led.moves, CLI_UNKNOWN);
    assert_int_equal(it.led.min_moves, CLI_UNKNOWN);
    assert_int_equal(it.led.followup_ms, 9);
    assert_string_equal(it.led.followup, "capped");
    cli_presence_free(&it);
}

static void one_that_says_nothing_of_it_did_not_lead(void **state)
{
    (void)state;
    const char *const more[] = {"", ",\"led\":7", ",\"led\":[]", ",\"led\":{}", ",\"led\":{\"at_ms\":\"2\"}",
                                ",\"led\":null,\"assignors\":{},\"configured\":[]"};
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        char text[256];
        cli_presence it = {0};
        snprintf(text, sizeof text,
                 "{\"v\":1,\"kind\":\"presence\",\"instance\":\"" ID "\",\"at_ms\":3,\"assignor\":\"x\"%s}",
                 more[i]);
        assert_int_equal(read_presence(text, &it), 1);
        assert_int_equal(it.led.at_ms, CLI_UNKNOWN);
        assert_string_equal(it.led.assignor, "");
        assert_null(it.assignors);
        assert_string_equal(it.configured, "x");
        cli_presence_free(&it);
    }
}

static void a_side_group_is_known_by_its_name(void **state)
{
    (void)state;
    char id[CLI_INSTANCE_ROOM] = "";
    assert_int_equal(cli_side_read("a.b", "a.b.segue.mark." ID, id), CLI_SIDE_MARK);
    assert_string_equal(id, ID);
    assert_int_equal(cli_side_read("a.b", "a.b.segue.presence." ID, id), CLI_SIDE_PRESENCE);
    assert_int_equal(cli_side_read("a.b", "a.b.segue.assignor", id), CLI_SIDE_ASSIGNOR);
    const char *const others[] = {"a.b",
                                  "a.b.segue.mark.",
                                  "a.b.segue.mark." ID "0",
                                  "a.b.segue.mark.0B7C6A0E-0000-4000-8000-000000000001",
                                  "a.bc.segue.mark." ID,
                                  "a.b.segue.other." ID,
                                  "a.b.segue.assignor." ID,
                                  "a.b.segue.assigno",
                                  "a.b.segue.mark.0b7c6a0e-0000-4000-8000-00000000000"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_int_equal(cli_side_read("a.b", others[i], id), CLI_SIDE_NONE);
    }
    char *name = cli_side_write("a.b", CLI_SIDE_MARK, ID);
    assert_string_equal(name, "a.b.segue.mark." ID);
    free(name);
    name = cli_side_write("a.b", CLI_SIDE_ASSIGNOR, "");
    assert_string_equal(name, "a.b.segue.assignor");
    free(name);
}

static void a_foreign_text_cannot_steer_a_terminal(void **state)
{
    (void)state;
    char out[4];
    assert_string_equal(cli_clean(out, sizeof out, "a\x1b\n"), "a??");
    assert_string_equal(cli_clean(out, sizeof out, "ab\xc3\xa4"), "ab");
    assert_string_equal(cli_clean(out, sizeof out, "a\xc3\xa4"), "a\xc3\xa4");
    assert_string_equal(cli_clean(out, sizeof out, "\xe2\x82\xac\xe2\x82\xac"), "\xe2\x82\xac");
    assert_string_equal(cli_clean(out, sizeof out, ""), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mark_is_read_as_it_was_written),
        cmocka_unit_test(a_mark_counts_here_where_it_counts_for_every_host),
        cmocka_unit_test(the_newest_of_several_counts),
        cmocka_unit_test(a_presence_says_what_it_knows),
        cmocka_unit_test(a_wish_is_read_as_it_was_written),
        cmocka_unit_test(what_is_no_wish_counts_as_none),
        cmocka_unit_test(a_leader_says_how_the_last_rebalance_went),
        cmocka_unit_test(one_that_says_nothing_of_it_did_not_lead),
        cmocka_unit_test(a_side_group_is_known_by_its_name),
        cmocka_unit_test(a_foreign_text_cannot_steer_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
