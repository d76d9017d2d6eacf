/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/even_out.h"

#include "test/chance.h"
#include "test/clients_scene.h"
#include "test/testing.h"

static int32_t even(clients_scene *s, enum sgp_evened role)
{
    return sgp_even_out(&s->clients, &s->layout, role, NULL, &s->solver->region);
}

static void the_first_tasks_move_to_the_lighter_until_threads_are_even(void **state)
{
    (void)state;
    clients_scene s = clients_open(clients_draft(5, 2), 0);
    for (uint32_t t = 0; t < 5; t++) {
        clients_serve(&s, t, 0);
    }
    assert_int_equal(even(&s, SGP_EVEN_ACTIVES), SEGUE_OK);
    const uint32_t wanted[] = {1, 1, 0, 0, 0};
    assert_memory_equal(s.layout.active, wanted, sizeof wanted);
    assert_int_equal(s.clients.load[0], 3);
    assert_int_equal(s.clients.load[1], 2);
    clients_close(&s);
}

static void a_standby_stays_where_the_lighter_has_the_task_already(void **state)
{
    (void)state;
    clients_scene s = clients_open(clients_draft(4, 3), 1);
    for (uint32_t t = 0; t < 4; t++) {
        clients_serve(&s, t, 1);
        clients_stand_by(&s, t, 0);
    }
    assert_int_equal(even(&s, SGP_EVEN_STANDBYS), SEGUE_OK);
    for (uint32_t t = 0; t < 4; t++) {
        assert_int_equal(s.layout.standby[t], t < 2 ? 2 : 0);
    }
    clients_close(&s);
}

/* The passes as Kafka makes them, over all pairs and by scanning tasks. */
static int gave_by_pairs(uint32_t *holder, uint32_t *load, const uint32_t *threads, uint32_t tasks, uint32_t clients)
{
    int gave = 0;
    for (uint32_t from = 0; from < clients; from++) {
        for (uint32_t to = 0; to < clients; to++) {
            for (uint32_t t = 0; t < tasks && from != to; t++) {
                int even = (load[to] + 1) * threads[from] > (load[from] == 0 ? 0 : load[from] - 1) * threads[to];
                if (holder[t] == from && !even) {
                    holder[t] = to;
                    load[from]--;
                    load[to]++;
                    gave = 1;
                }
            }
        }
    }
    return gave;
}

static void the_result_is_that_of_passes_over_all_pairs(void **state)
{
    (void)state;
    enum { TASKS = 40, CLIENTS = 9 };
    for (uint64_t seed = chance_seed(), last = seed + 500; seed < last; seed++) {
        chance dice = chance_of(seed);
        draft *d = clients_draft(TASKS, CLIENTS);
        for (uint32_t m = 0; m < CLIENTS; m++) {
            d->threads[m] = 1 + chance_below(&dice, 4);
        }
        clients_scene s = clients_open(d, 0);
        uint32_t holder[TASKS], load[CLIENTS] = {0}, threads[CLIENTS];
        memcpy(threads, s.clients.threads, sizeof threads);
        for (uint32_t t = 0; t < TASKS; t++) {
            holder[t] = chance_below(&dice, CLIENTS);
            clients_serve(&s, t, holder[t]);
            load[holder[t]]++;
        }
        while (gave_by_pairs(holder, load, threads, TASKS, CLIENTS)) {
        }
        assert_int_equal(even(&s, SGP_EVEN_ACTIVES), SEGUE_OK);
        EXPECT(memcmp(s.layout.active, holder, sizeof holder) == 0, "seed %llu", (unsigned long long)seed);
        clients_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_tasks_move_to_the_lighter_until_threads_are_even),
        cmocka_unit_test(a_standby_stays_where_the_lighter_has_the_task_already),
        cmocka_unit_test(the_result_is_that_of_passes_over_all_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
