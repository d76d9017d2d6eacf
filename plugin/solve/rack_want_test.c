/* SPDX-License-Identifier: Apache-2.0 */
/* After the racks have chosen everybody should hold what it ends with, where that is within its quota. */
#include "solve/rack_target.h"

#include "solve/rounding.h"
#include "test/chance.h"
#include "test/rack_scene.h"
#include "test/testing.h"

static void members_are_to_hold_what_they_end_with(void **state)
{
    (void)state;
    uint32_t first = 0;
    for (uint64_t seed = chance_seed(), last = seed + 1000; seed < last; seed++) {
        solver *s = solver_open(rack_scene_draft(seed, (rack_size){20, 6, 0}));
        const sgp_view *view = &s->view;
        sgp_balance b = solver_balance(s, SGP_TAKE_ZERO(&s->region, uint32_t, view->members));
        sgp_quota quota = {SGP_TAKE(&s->region, uint32_t, view->members), SGP_TAKE(&s->region, uint32_t, view->members), 0};
        sgp_quota_share(view, view->stateful_tasks, &quota);
        b.racks = sgp_rack_wanted(view);
        assert_int_equal(sgp_round_up(&b, &quota, NULL, 0), SEGUE_OK);
        uint32_t rounded = b.want[0];
        assert_int_equal(sgp_balance_run(&b, &quota, NULL, 0), SEGUE_OK);
        for (uint32_t m = 0; m < view->members; m++) {
            uint32_t ends = 0;
            for (uint32_t t = 0; t < view->tasks; t++) {
                ends += b.target[t] == m;
            }
            int fits = view->place[m] == SGP_STAYS && ends >= quota.floor[m] && ends <= quota.ceiling[m];
            EXPECT(!fits || b.want[m] == ends, "seed %llu: %u ends with %u and should hold %u", (unsigned long long)seed, m,
                   ends, b.want[m]);
            first += m == 0 && fits && rounded != ends;
        }
        solver_close(s);
    }
    assert_true(first > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_to_hold_what_they_end_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
