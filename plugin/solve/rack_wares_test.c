/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_wares.h"

#include "test/chance.h"
#include "test/rack_trading.h"
#include "test/testing.h"

/* Tasks that are in one ware: of one client, read alike, and of one part. in_lot: wherever they are. */
static int are_alike(const rack_trading *t, uint32_t a, uint32_t b, int by_subtopology, int in_lot)
{
    const uint32_t *subtopology = t->scene.solver->view.group->task_subtopology;
    return (in_lot || t->before[a] == t->before[b]) && t->cost.vector[a] == t->cost.vector[b] &&
           (!by_subtopology || subtopology[a] == subtopology[b]);
}

/* Kinds of the tasks. */
static uint32_t count_kinds(const rack_trading *t, int stateful, int by_subtopology, int in_lot)
{
    const sgp_view *view = &t->scene.solver->view;
    uint32_t kinds = 0;
    for (uint32_t a = 0; a < view->tasks; a++) {
        int first = sgp_stateful(view, a) == stateful;
        for (uint32_t b = 0; b < a; b++) {
            first &= sgp_stateful(view, b) != stateful || !are_alike(t, a, b, by_subtopology, in_lot);
        }
        kinds += (uint32_t)first;
    }
    return kinds;
}

static void there_is_one_ware_and_one_lot_for_all_that_are_alike(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 400; seed < last; seed++) {
        rack_trading t = rack_trading_open(seed, 60, 4);
        int stateful = (int)(seed % 2), by_subtopology = (int)(seed / 2 % 2);
        sgp_rack_wares w;
        assert_int_equal(sgp_rack_wares_build(&w, &t.scene.clients, &t.scene.layout, &t.cost, stateful, by_subtopology,
                                              &t.scene.solver->region),
                         SEGUE_OK);
        EXPECT(w.ware_count == count_kinds(&t, stateful, by_subtopology, 0), "seed %llu: %u wares", (unsigned long long)seed,
               w.ware_count);
        EXPECT(w.lot_count == count_kinds(&t, stateful, by_subtopology, 1), "seed %llu: %u lots", (unsigned long long)seed,
               w.lot_count);
        rack_trading_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_one_ware_and_one_lot_for_all_that_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
