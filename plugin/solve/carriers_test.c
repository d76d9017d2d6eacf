/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/carriers.h"

#include "test/chance.h"
#include "test/testing.h"

enum { MOST = 40 };

typedef struct scene {
    sgp_carrier list[MOST], spare[MOST];
    sgp_carrier plain[MOST]; /* the same carriers by member, for a look at all of them */
    sgp_carriers carriers;
} scene;

static void set_scene(scene *s, chance *c, uint32_t size, uint32_t loads, int even)
{
    uint32_t each = 1 + chance_below(c, 3);
    for (uint32_t m = 0; m < size; m++) {
        uint32_t threads = even ? each : 1 + chance_below(c, 3);
        s->plain[m] = s->list[m] = (sgp_carrier){chance_below(c, loads), m, threads};
    }
    for (uint32_t m = size; m-- > 1;) {
        uint32_t other = chance_below(c, m + 1);
        sgp_carrier at = s->list[m];
        s->list[m] = s->list[other];
        s->list[other] = at;
    }
    memset(&s->carriers, 0xa5, sizeof s->carriers); /* what is not said is not asked for */
    s->carriers.list = s->list;
    s->carriers.spare = s->spare;
    s->carriers.size = size;
    sgp_carriers_open(&s->carriers);
}

/* Whoever is on top takes the task, and must be the one that a look at all finds. */
static void take(scene *s, uint32_t weight)
{
    uint32_t best = 0;
    for (uint32_t m = 1; m < s->carriers.size; m++) {
        best = sgp_carrier_before(&s->plain[m], &s->plain[best]) ? m : best;
    }
    const sgp_carrier *first = sgp_carriers_first(&s->carriers);
    assert_int_equal(first->member, best);
    assert_int_equal(first->load, s->plain[best].load);
    s->plain[best].load += weight;
    sgp_carriers_load(&s->carriers, weight);
}

static void the_lightest_takes_every_task(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 300; i++) {
        scene s;
        chance c = chance_of(chance_seed() + i);
        set_scene(&s, &c, 1 + chance_below(&c, MOST), 1 + chance_below(&c, 100), chance_once_in(&c, 2));
        for (uint32_t tasks = chance_below(&c, 200); tasks > 0; tasks--) {
            take(&s, 1 + chance_below(&c, 30));
        }
    }
}

static void runs_of_equal_tasks_between_others_change_nothing(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 300; i++) {
        scene s;
        chance c = chance_of(chance_seed() + i);
        set_scene(&s, &c, 1 + chance_below(&c, MOST), 1 + chance_below(&c, 100), 1);
        for (uint32_t part = 0; part < 8; part++) {
            int runs = chance_once_in(&c, 2);
            uint32_t weight = 1 + chance_below(&c, 30);
            if (runs) {
                sgp_carriers_begin_run(&s.carriers);
            }
            for (uint32_t tasks = chance_below(&c, 3 * MOST); tasks > 0; tasks--) {
                take(&s, runs ? weight : 1 + chance_below(&c, 30));
            }
            if (runs) {
                sgp_carriers_end_run(&s.carriers);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lightest_takes_every_task),
        cmocka_unit_test(runs_of_equal_tasks_between_others_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
