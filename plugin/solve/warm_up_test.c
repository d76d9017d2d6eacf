/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/warm_up.h"

#include "test/clients_scene.h"
#include "test/testing.h"

static sgp_warm_ups run(clients_scene *s, uint32_t slots)
{
    sgp_warm_ups ups = {.slots = slots, .slots_per_member = SEGUE_NO_LIMIT};
    assert_int_equal(sgp_warm_up(&s->clients, &s->layout, &ups, &s->solver->region), SEGUE_OK);
    return ups;
}

static void a_task_stays_with_its_owner_while_the_client_that_is_meant_warms_up(void **state)
{
    (void)state;
    draft *d = clients_draft(1, 2);
    draft_owns(d, 0, 0, 1);
    clients_scene s = clients_open(d, 0);
    clients_serve(&s, 0, 1);
    assert_int_equal(run(&s, 2).movements, 1);
    assert_int_equal(s.layout.active[0], 0);
    assert_int_equal(s.layout.learner[0], 1);
    assert_int_equal(s.clients.load[1], 1);
    clients_close(&s);
}

static void a_caught_up_standby_changes_roles_with_the_client_that_is_meant(void **state)
{
    (void)state;
    draft *d = clients_draft(1, 3);
    draft_owns(d, 0, 0, 1);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 0);
    clients_scene s = clients_open(d, 1);
    clients_serve(&s, 0, 2);
    clients_stand_by(&s, 0, 1);
    s.clients.load[1] = 7; /* lighter ones are caught up as well */
    sgp_warm_ups ups = run(&s, 0);
    assert_int_equal(s.layout.active[0], 1);
    assert_int_equal(s.layout.learner[0], SEGUE_NONE);
    assert_true(ups.movements > 0);
    clients_close(&s);
}

static void without_a_caught_up_copy_the_nearest_serves(void **state)
{
    (void)state;
    draft *d = clients_draft(1, 4);
    draft_copy(d, 1, 0, SEGUE_DORMANT, 60000);
    draft_copy(d, 2, 0, SEGUE_DORMANT, 50000);
    draft_copy(d, 3, 0, SEGUE_DORMANT, SEGUE_LAG_UNKNOWN);
    clients_scene s = clients_open(d, 0);
    clients_serve(&s, 0, 0);
    run(&s, 1);
    assert_int_equal(s.layout.active[0], 2);
    assert_int_equal(s.layout.learner[0], 0);
    clients_close(&s);
}

static void tasks_with_fewer_caught_up_clients_get_the_slots_first(void **state)
{
    (void)state;
    draft *d = clients_draft(2, 3);
    draft_owns(d, 0, 0, 2);
    draft_copy(d, 1, 0, SEGUE_DORMANT, 0);
    clients_scene s = clients_open(d, 0);
    clients_serve(&s, 0, 2);
    clients_serve(&s, 1, 2);
    run(&s, 1);
    assert_int_equal(s.layout.learner[0], SEGUE_NONE);
    assert_int_equal(s.layout.learner[1], 2);
    clients_close(&s);
}

/* Nobody but the owner has a copy: Kafka builds the standby on the first client that comes before the one meant. */
static void a_standby_without_any_copy_is_built_on_the_first_client(void **state)
{
    (void)state;
    draft *d = clients_draft(1, 4);
    draft_owns(d, 1, 0, 1);
    clients_scene s = clients_open(d, 1);
    clients_serve(&s, 0, 1);
    clients_stand_by(&s, 0, 3);
    assert_int_equal(run(&s, 1).movements, 1);
    assert_int_equal(s.layout.standby[0], 0);
    assert_int_equal(s.layout.learner[0], 3);
    clients_close(&s);
}

static void a_standby_that_comes_first_itself_stays(void **state)
{
    (void)state;
    draft *d = clients_draft(1, 4);
    draft_owns(d, 1, 0, 1);
    clients_scene s = clients_open(d, 1);
    clients_serve(&s, 0, 1);
    clients_stand_by(&s, 0, 0);
    assert_int_equal(run(&s, 1).movements, 0);
    assert_int_equal(s.layout.standby[0], 0);
    clients_close(&s);
}

static void a_task_has_one_learner_at_the_most(void **state)
{
    (void)state;
    draft *d = clients_draft(1, 4);
    draft_owns(d, 0, 0, 1);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 0);
    clients_scene s = clients_open(d, 1);
    clients_serve(&s, 0, 2);
    clients_stand_by(&s, 0, 3);
    sgp_warm_ups ups = run(&s, 5);
    assert_int_equal(ups.movements, 2);
    assert_int_equal(ups.slots, 4);
    assert_int_equal(s.layout.learner[0], 2);
    assert_true(s.layout.standby[0] < 2 && s.layout.active[0] < 2);
    clients_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_stays_with_its_owner_while_the_client_that_is_meant_warms_up),
        cmocka_unit_test(a_caught_up_standby_changes_roles_with_the_client_that_is_meant),
        cmocka_unit_test(without_a_caught_up_copy_the_nearest_serves),
        cmocka_unit_test(tasks_with_fewer_caught_up_clients_get_the_slots_first),
        cmocka_unit_test(a_standby_without_any_copy_is_built_on_the_first_client),
        cmocka_unit_test(a_standby_that_comes_first_itself_stays),
        cmocka_unit_test(a_task_has_one_learner_at_the_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
