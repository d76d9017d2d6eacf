/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/tags.h"

#include "test/solver.h"
#include "test/testing.h"

enum { MEMBERS = 5 };

/* A member on each process; the values of one tag. */
static solver *open_tagged(const uint32_t *values)
{
    draft *d = draft_new();
    for (uint32_t m = 0; m < MEMBERS; m++) {
        draft_member(d, m, 1);
    }
    draft_tag_dimensions(d, 1);
    for (uint32_t m = 0; m < MEMBERS; m++) {
        draft_tag(d, 0, m, values[m]);
    }
    return solver_open(d);
}

static uint32_t count(solver *s, const sgp_tags *tags, const uint32_t *threads)
{
    uint32_t values = 1000;
    assert_int_equal(sgp_tags_count(tags, &s->view, threads, &values, &s->region), SEGUE_OK);
    return values;
}

static void values_are_counted_once_and_by_clients_alone(void **state)
{
    (void)state;
    static const uint32_t values[MEMBERS] = {0, 1, 0, 2, 2}, all[MEMBERS] = {1, 1, 1, 1, 1}, some[MEMBERS] = {1, 0, 3, 0, 1};
    solver *s = open_tagged(values);
    sgp_tags tags;
    assert_int_equal(sgp_tags_build(&tags, &s->view, &s->region), SEGUE_OK);
    assert_int_equal(count(s, &tags, all), 3);
    assert_int_equal(count(s, &tags, some), 2);
    assert_true(sgp_tags_cover(&tags, 0, 2));
    assert_false(sgp_tags_cover(&tags, 0, 1));
    solver_close(s);
}

/* A plugin has to look at handles by itself: a host may have looked at nothing. */
static void a_value_that_is_no_string_is_none(void **state)
{
    (void)state;
    static const uint32_t values[MEMBERS] = {0, 1, 2, 3, 4}, threads[MEMBERS] = {1, 1, 1, 1, 1};
    solver *s = open_tagged(values);
    const uint32_t strings = s->view.group->string_count, wild[] = {strings, strings + 1, SEGUE_NONE};
    for (uint32_t i = 0; i < 3; i++) {
        s->draft->tags[i] = wild[i];
    }
    sgp_tags tags;
    assert_int_equal(sgp_tags_build(&tags, &s->view, &s->region), SEGUE_OK);
    for (uint32_t p = 0; p < MEMBERS; p++) {
        EXPECT((sgp_tag(&tags, 0, p) == SEGUE_NONE) == (p < 3), "process %u has %u", p, sgp_tag(&tags, 0, p));
    }
    assert_int_equal(count(s, &tags, threads), 2);
    solver_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_counted_once_and_by_clients_alone),
        cmocka_unit_test(a_value_that_is_no_string_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
