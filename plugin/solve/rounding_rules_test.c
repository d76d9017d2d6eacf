/* SPDX-License-Identifier: Apache-2.0 */
/* Who is rounded up, against a slow reading of rounding.h. */
#include "solve/rounding.h"

#include "test/chance.h"
#include "test/random_group.h"
#include "test/solver.h"
#include "test/testing.h"

enum { STRENGTHS = 3, CROWD = 7 };

/* By member and strength of the copy (a learner's, caught up, dormant): its tasks that could go there, and what could come. */
typedef struct pulls {
    uint32_t away[CROWD][STRENGTHS], coming[CROWD][STRENGTHS];
} pulls;

static uint32_t strength_of(const sgp_view *view, const sgp_copy *copy)
{
    int hot = copy->lag >= 0 && copy->lag <= view->config->acceptable_recovery_lag;
    return copy->role == SEGUE_LEARNER ? 0 : hot ? 1 : copy->role == SEGUE_DORMANT ? 2 : STRENGTHS;
}

static void find_pulls(const sgp_balance *b, const sgp_quota *quota, pulls *p)
{
    memset(p, 0, sizeof *p);
    for (uint32_t t = 0; t < b->view->tasks; t++) {
        uint32_t count, server = b->serve[t], strongest = STRENGTHS;
        const sgp_copy *copies = sgp_copies(b->view, t, &count);
        int stays = server != SEGUE_NONE && b->view->place[server] == SGP_STAYS;
        if (server == SEGUE_NONE || (stays && b->load[server] <= quota->floor[server])) {
            continue;
        }
        for (uint32_t i = 0; i < count; i++) {
            uint32_t m = copies[i].member, strength = strength_of(b->view, &copies[i]);
            int takes = m != server && b->view->place[m] == SGP_STAYS && (!stays || b->receives[m]) &&
                        b->load[m] < quota->ceiling[m];
            if (takes && strength < STRENGTHS) {
                p->coming[m][strength]++;
                strongest = strength < strongest ? strength : strongest;
            }
        }
        if (strongest < STRENGTHS) {
            p->away[server][strongest]++;
        }
    }
}

/* The weakest of the copies that make up so many tasks; STRENGTHS: all are too few. */
static uint32_t weakest_of(const uint32_t *counts, uint32_t tasks)
{
    uint32_t sum = 0, i = 0;
    while (i < STRENGTHS && (sum += counts[i]) < tasks) {
        i++;
    }
    return i;
}

/* Who keeps a task by it comes first, and of these last whose tasks are on their way; then who learns what it gets, receivers
 * before others, the best copies first; then whose threads carry least. */
static uint64_t place_of(const sgp_balance *b, const sgp_quota *quota, const pulls *p, uint32_t m)
{
    uint32_t floor = quota->floor[m], load = b->load[m];
    if (load > floor) {
        return STRENGTHS - weakest_of(p->away[m], load - floor);
    }
    uint64_t waits = weakest_of(p->coming[m], floor + 1 - load), last = waits > 0 && !b->receives[m];
    return (STRENGTHS + 1 + waits + last * STRENGTHS) << 32 | (floor + 1) * 256 / b->view->threads[m];
}

static void round_up_slowly(const sgp_balance *b, const sgp_quota *quota, const uint8_t *costly, uint32_t budget, uint32_t *want)
{
    pulls p;
    uint32_t left = quota->roundings;
    find_pulls(b, quota, &p);
    memcpy(want, quota->floor, b->view->members * sizeof *want);
    for (int paid = 1; paid >= 0; paid--) {
        for (uint32_t best = 0; left > 0 && best != SEGUE_NONE;) {
            best = SEGUE_NONE;
            for (uint32_t m = 0; m < b->view->members; m++) {
                int may = quota->ceiling[m] > want[m] && (!paid || costly == NULL || !costly[m] || budget > 0);
                best = may && (best == SEGUE_NONE || place_of(b, quota, &p, m) < place_of(b, quota, &p, best)) ? m : best;
            }
            if (best != SEGUE_NONE) {
                want[best]++;
                left--;
                budget -= paid && costly != NULL && costly[best];
            }
        }
    }
}

static void who_is_rounded_up_is_whom_a_slow_reading_of_the_order_names(void **state)
{
    (void)state;
    const unsigned traits = RANDOM_ANYTHING & ~(unsigned)(RANDOM_STATELESS | RANDOM_SHARED_DISKS);
    for (uint64_t seed = chance_seed(), last = seed + 4000; seed < last; seed++) {
        solver *s = solver_open(random_group(seed, (random_size){24, CROWD, 3, 3}, seed % 3 == 0 ? 0 : traits));
        chance c = chance_of(~seed);
        const uint32_t nothing[CROWD] = {0};
        uint32_t low[CROWD], high[CROWD], want[CROWD], budget = chance_below(&c, 4);
        uint8_t costly[CROWD];
        sgp_quota quota = {low, high, 0};
        sgp_balance b = solver_balance(s, nothing);
        for (uint32_t m = 0; m < s->view.members; m++) {
            costly[m] = (uint8_t)chance_below(&c, 2);
            b.receives[m] = b.receives[m] && chance_below(&c, 2);
        }
        const uint8_t *costs = chance_once_in(&c, 2) ? costly : NULL;
        sgp_quota_share(&s->view, s->view.stateful_tasks, &quota);
        assert_int_equal(sgp_round_up(&b, &quota, costs, budget), SEGUE_OK);
        round_up_slowly(&b, &quota, costs, budget, want);
        for (uint32_t m = 0; m < s->view.members; m++) {
            EXPECT(b.want[m] == want[m], "seed %llu: %u wants %u instead of %u", (unsigned long long)seed, m, b.want[m],
                   want[m]);
        }
        solver_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_rounded_up_is_whom_a_slow_reading_of_the_order_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
