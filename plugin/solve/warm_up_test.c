/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/warm_up.h"

#include "test/chance.h"
#include "test/clients_scene.h"
#include "test/testing.h"

static sgp_warm_ups run(clients_scene *s, uint32_t slots)
{
    sgp_warm_ups ups = {.slots = slots, .slots_per_member = SEGUE_NO_LIMIT, .movements = 1000};
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

/* Clients 1 to 3 are to stand by, and 4 to 6 are caught up; there is a slot for one of the former. */
static void of_a_tasks_standbys_the_first_process_gets_the_slot(void **state)
{
    (void)state;
    for (uint32_t turn = 0; turn < 6; turn++) {
        static const uint32_t orders[6][3] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};
        draft *d = clients_draft(1, 7);
        draft_owns(d, 0, 0, 1);
        for (uint32_t m = 4; m < 7; m++) {
            draft_copy(d, m, 0, SEGUE_DORMANT, 0);
        }
        clients_scene s = clients_open(d, 3);
        clients_serve(&s, 0, 0);
        for (uint32_t i = 0; i < 3; i++) {
            clients_stand_by(&s, 0, orders[turn][i]);
        }
        assert_int_equal(run(&s, 1).movements, 3);
        assert_int_equal(s.layout.learner[0], 1);
        clients_close(&s);
    }
}

/* Roles that a client has, of all tasks. */
static uint32_t roles_of(const clients_scene *s, uint32_t client)
{
    uint32_t roles = 0;
    for (uint32_t t = 0; t < s->layout.tasks; t++) {
        roles += (uint32_t)(s->layout.active[t] == client) + (s->layout.learner[t] == client);
        for (uint32_t i = 0; i < s->layout.ranks; i++) {
            roles += s->layout.standby[t * s->layout.ranks + i] == client;
        }
    }
    return roles;
}

static draft *scattered(chance *c, uint32_t members)
{
    draft *d = clients_draft(1 + chance_below(c, 12), members);
    static const int64_t lags[] = {0, 9000, 20000, 30000, SEGUE_LAG_UNKNOWN};
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        for (uint32_t m = 0; m < members; m++) {
            if (chance_once_in(c, 3)) {
                draft_copy(d, m, t, chance_once_in(c, 2) ? SEGUE_STANDBY : SEGUE_DORMANT, lags[chance_below(c, 5)]);
            }
        }
    }
    return d;
}

static void loads_go_on_counting_everybodys_roles(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 500; seed < last; seed++) {
        chance c = chance_of(seed);
        uint32_t members = 3 + chance_below(&c, 4);
        clients_scene s = clients_open(scattered(&c, members), 1);
        for (uint32_t t = 0; t < s.layout.tasks; t++) {
            uint32_t active = chance_below(&c, members);
            clients_serve(&s, t, active);
            clients_stand_by(&s, t, (active + 1 + chance_below(&c, members - 1)) % members);
        }
        run(&s, chance_below(&c, 4));
        for (uint32_t m = 0; m < members; m++) {
            EXPECT(s.clients.load[m] == roles_of(&s, m), "seed %llu: the load of %u is %u, and it has %u roles",
                   (unsigned long long)seed, m, s.clients.load[m], roles_of(&s, m));
        }
        clients_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_tasks_standbys_the_first_process_gets_the_slot),
        cmocka_unit_test(loads_go_on_counting_everybodys_roles),
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
