/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/fill.h"

#include "test/chance.h"
#include "test/testing.h"

enum { HOLDERS = 6 };

/* Handles in some order, of which the first so many take part. */
typedef struct glasses {
    uint32_t holder[HOLDERS], load[HOLDERS], threads[HOLDERS], most[HOLDERS];
    sgp_fill fill;
} glasses;

static void make(glasses *g, chance *c, uint32_t most_threads)
{
    for (uint32_t h = 0; h < HOLDERS; h++) {
        g->holder[h] = h;
        g->load[h] = chance_below(c, 40);
        g->threads[h] = 1 + chance_below(c, most_threads);
        g->most[h] = chance_below(c, 5 * most_threads);
    }
    for (uint32_t i = HOLDERS - 1; i > 0; i--) {
        uint32_t j = chance_below(c, i + 1), held = g->holder[i];
        g->holder[i] = g->holder[j];
        g->holder[j] = held;
    }
    g->fill = (sgp_fill){g->holder, chance_below(c, HOLDERS + 1), g->load, g->threads, g->most};
}

/* One thing after the other, as the header has it. */
static uint32_t pour(const sgp_fill *f, uint32_t count, uint32_t *give)
{
    for (uint32_t given = 0; given < count; given++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < f->holders; i++) {
            uint32_t h = f->holder[i];
            uint64_t here = f->load[h] + give[h], there = best == UINT32_MAX ? 0 : f->load[best] + give[best];
            if (give[h] < f->most[h] && (best == UINT32_MAX || here * f->threads[best] < there * f->threads[h])) {
                best = h;
            }
        }
        if (best == UINT32_MAX) {
            return given;
        }
        give[best]++;
    }
    return count;
}

static void filled_at_once_it_is_as_if_poured(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 3000; seed < last; seed++) {
        glasses g;
        chance c = chance_of(seed);
        uint32_t slow[HOLDERS] = {0}, fast[HOLDERS] = {0};
        make(&g, &c, 6);
        uint32_t count = chance_below(&c, 150), given = pour(&g.fill, count, slow);
        EXPECT(sgp_fill_up(&g.fill, count, fast) == given, "seed %llu: not %u are given", (unsigned long long)seed, given);
        for (uint32_t h = 0; h < HOLDERS; h++) {
            EXPECT(fast[h] == slow[h], "seed %llu: %u gets %u, poured %u", (unsigned long long)seed, h, fast[h], slow[h]);
        }
    }
}

/* Of so many threads a step of the level is several things. */
static void of_thousands_of_threads_as_many_are_given_as_there_are(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 1000; seed < last; seed++) {
        glasses g;
        chance c = chance_of(seed);
        uint32_t give[HOLDERS] = {0}, sum = 0, room = 0;
        make(&g, &c, 9000);
        uint32_t count = chance_below(&c, 60000);
        uint32_t given = sgp_fill_up(&g.fill, count, give);
        for (uint32_t i = 0; i < g.fill.holders; i++) {
            uint32_t h = g.holder[i];
            EXPECT(give[h] <= g.most[h], "seed %llu: %u gets more than it can", (unsigned long long)seed, h);
            sum += give[h];
            room += g.most[h];
        }
        EXPECT(given == sum && given == (count < room ? count : room), "seed %llu: %u are given of %u for %u",
               (unsigned long long)seed, given, count, room);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filled_at_once_it_is_as_if_poured),
        cmocka_unit_test(of_thousands_of_threads_as_many_are_given_as_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
