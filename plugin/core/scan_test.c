/* SPDX-License-Identifier: Apache-2.0 */
#include "core/scan.h"

#include "test/chance.h"
#include "test/testing.h"

#define MOST 300

/* Few different values, so that runs of all lengths occur. */
static uint32_t fill(chance *c, uint32_t *column, uint32_t rareness)
{
    for (uint32_t i = 0; i < MOST; i++) {
        column[i] = chance_once_in(c, rareness) ? 7 : 0;
    }
    return chance_below(c, MOST + 1);
}

static void each_row_of_a_value_is_found_once_and_in_order(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 2000; seed < last; seed++) {
        chance c = chance_of(seed);
        uint32_t column[MOST], count = fill(&c, column, 1 + (uint32_t)(seed % 200)), expected = 0;
        for (uint32_t at = 0; (at = sgp_scan_for(column, 7, at, count)) < count; at++, expected++) {
            while (column[expected] != 7) {
                expected++;
            }
            EXPECT(at == expected, "seed %llu: row %u instead of %u", (unsigned long long)seed, at, expected);
        }
        for (; expected < count; expected++) {
            EXPECT(column[expected] != 7, "seed %llu: row %u is left out", (unsigned long long)seed, expected);
        }
    }
}

static void each_difference_is_found_once_and_in_order(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 2000; seed < last; seed++) {
        chance c = chance_of(seed);
        uint32_t a[MOST], b[MOST], count = fill(&c, a, 1 + (uint32_t)(seed % 200)), expected = 0;
        memcpy(b, a, sizeof b);
        for (uint32_t i = chance_below(&c, 5); i > 0; i--) {
            b[chance_below(&c, MOST)] ^= 1;
        }
        for (uint32_t at = 0; (at = sgp_scan_difference(a, b, at, count)) < count; at++, expected++) {
            while (a[expected] == b[expected]) {
                expected++;
            }
            EXPECT(at == expected, "seed %llu: row %u instead of %u", (unsigned long long)seed, at, expected);
        }
        EXPECT(memcmp(a + expected, b + expected, (count > expected ? count - expected : 0) * sizeof *a) == 0,
               "seed %llu: a difference is left out", (unsigned long long)seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_of_a_value_is_found_once_and_in_order),
        cmocka_unit_test(each_difference_is_found_once_and_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
