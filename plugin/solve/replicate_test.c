/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/replicate.h"

#include "test/clients_scene.h"
#include "test/testing.h"

#define NO_TAG SEGUE_NONE

static void run(clients_scene *s)
{
    assert_int_equal(sgp_replicate(&s->clients, &s->layout, &s->solver->region), SEGUE_OK);
}

/* Strings 0 to 9 may be values; `values` by dimension, then by member. */
static void tag(clients_scene *s, uint32_t dimensions, const uint32_t *values)
{
    segue_group *g = &s->solver->draft->group;
    g->tag_count = dimensions;
    g->member_tag = values;
    g->string_count = 10;
}

static void standbys_go_to_the_lightest_client_without_the_task(void **state)
{
    (void)state;
    clients_scene s = clients_open(clients_draft(3, 3), 1);
    for (uint32_t t = 0; t < 3; t++) {
        clients_serve(&s, t, 0);
    }
    run(&s);
    const uint32_t wanted[] = {1, 2, 1};
    assert_memory_equal(s.layout.standby, wanted, sizeof wanted);
    assert_int_equal(s.clients.load[1], 2);
    clients_close(&s);
}

static void a_task_that_is_active_nowhere_gets_none(void **state)
{
    (void)state;
    clients_scene s = clients_open(clients_draft(1, 3), 2);
    run(&s);
    assert_int_equal(s.layout.standby[0], SEGUE_NONE);
    clients_close(&s);
}

static void copies_have_different_tags_as_far_as_there_are_values(void **state)
{
    (void)state;
    const uint32_t zones[] = {1, 1, 2, 2, 3};
    clients_scene s = clients_open(clients_draft(1, 5), 3);
    tag(&s, 1, zones);
    clients_serve(&s, 0, 0);
    run(&s);
    const uint32_t wanted[] = {2, 4, 1};
    assert_memory_equal(s.layout.standby, wanted, sizeof wanted);
    clients_close(&s);
}

/* Kafka's own example: two clusters of three zones. The first standby differs in both, the second in the zone. */
static void a_dimension_whose_values_are_used_up_no_longer_counts(void **state)
{
    (void)state;
    const uint32_t tags[] = {1, 2, 3, 1, 2, 3, 4, 4, 4, 5, 5, 5};
    clients_scene s = clients_open(clients_draft(1, 6), 2);
    tag(&s, 2, tags);
    clients_serve(&s, 0, 0);
    run(&s);
    assert_int_equal(s.layout.standby[0], 4);
    assert_int_equal(s.layout.standby[1], 2);
    clients_close(&s);
}

static void a_client_without_a_tag_shares_none(void **state)
{
    (void)state;
    const uint32_t zones[] = {1, 1, NO_TAG};
    clients_scene s = clients_open(clients_draft(1, 3), 2);
    tag(&s, 1, zones);
    clients_serve(&s, 0, 0);
    run(&s);
    assert_int_equal(s.layout.standby[0], 1); /* one value is all there is: the zone does not count */
    assert_int_equal(s.layout.standby[1], 2);
    clients_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standbys_go_to_the_lightest_client_without_the_task),
        cmocka_unit_test(a_task_that_is_active_nowhere_gets_none),
        cmocka_unit_test(copies_have_different_tags_as_far_as_there_are_values),
        cmocka_unit_test(a_dimension_whose_values_are_used_up_no_longer_counts),
        cmocka_unit_test(a_client_without_a_tag_shares_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
