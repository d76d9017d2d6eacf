/* SPDX-License-Identifier: Apache-2.0 */
#include "core/scan.h"

#include "test/chance.h"
#include "test/testing.h"

#define MOST 300

/* Few rows that stand out, so that runs of all lengths occur. Returns how many rows are looked at. */
static uint32_t fill(chance *c, uint32_t *column, uint32_t rareness)
{
    for (uint32_t i = 0; i < MOST; i++) {
        column[i] = chance_once_in(c, rareness) ? SEGUE_NONE : chance_below(c, 3);
    }
    return chance_below(c, MOST + 1);
}

static void the_blocks_that_have_a_none_are_those_that_are_found(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 2000; seed < last; seed++) {
        chance c = chance_of(seed);
        uint32_t column[MOST], count = fill(&c, column, 1 + (uint32_t)(seed % 200)), covered = 0;
        for (uint32_t at = 0, end; at < count; at = end) {
            uint32_t expected = 0;
            end = sgp_scan_end(at, count);
            for (uint32_t i = at; i < end; i++, covered++) {
                expected += column[i] == SEGUE_NONE;
            }
            EXPECT(sgp_scan_nones(column, at, end) == expected &&
                       sgp_scan_none(column, at, end) == (expected > 0), "seed %llu: the block at %u", (unsigned long long)seed,
                   at);
        }
        assert_int_equal(covered, count);
    }
}

static void the_blocks_that_differ_are_those_that_are_found(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 2000; seed < last; seed++) {
        chance c = chance_of(seed);
        uint32_t one[MOST], other[MOST], count = fill(&c, one, 50);
        memcpy(other, one, sizeof other);
        for (uint32_t i = chance_below(&c, 4); i > 0; i--) {
            other[chance_below(&c, MOST)] ^= 1u << chance_below(&c, 32);
        }
        for (uint32_t at = 0, end; at < count; at = end) {
            end = sgp_scan_end(at, count);
            int expected = memcmp(one + at, other + at, (end - at) * sizeof *one) != 0;
            EXPECT(sgp_scan_differs(one, other, at, end) == expected, "seed %llu: the block at %u",
                   (unsigned long long)seed, at);
        }
    }
}

static void each_move_is_found_once_and_in_order(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 2000; seed < last; seed++) {
        chance c = chance_of(seed);
        uint32_t from[MOST], to[MOST], count = fill(&c, from, 1 + (uint32_t)(seed % 200)), expected = 0;
        memcpy(to, from, sizeof to);
        for (uint32_t i = chance_below(&c, (uint32_t)(seed % 2 ? 5 : 400)); i > 0; i--) {
            to[chance_below(&c, MOST)] = 3;
        }
        for (uint32_t at = 0; (at = sgp_scan_move(from, to, at, count)) < count; at++, expected++) {
            while (from[expected] == SEGUE_NONE || from[expected] == to[expected]) {
                expected++;
            }
            EXPECT(at == expected, "seed %llu: row %u instead of %u", (unsigned long long)seed, at, expected);
        }
        for (; expected < count; expected++) {
            EXPECT(from[expected] == SEGUE_NONE || from[expected] == to[expected], "seed %llu: row %u is left out",
                   (unsigned long long)seed, expected);
        }
    }
}

static void each_row_above_none_is_found_once_and_in_order(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 2000; seed < last; seed++) {
        chance c = chance_of(seed);
        uint32_t column[MOST], count = chance_below(&c, MOST + 1), rareness = 1 + (uint32_t)(seed % 200), expected = 0;
        for (uint32_t i = 0; i < MOST; i++) {
            column[i] = chance_once_in(&c, rareness) ? 1 + chance_below(&c, UINT32_MAX) : 0;
        }
        for (uint32_t at = 0; (at = sgp_scan_above_none(column, at, count)) < count; at++, expected++) {
            while (expected < count && column[expected] == 0) {
                expected++;
            }
            EXPECT(at == expected, "seed %llu: row %u instead of %u", (unsigned long long)seed, at, expected);
        }
        for (; expected < count; expected++) {
            EXPECT(column[expected] == 0, "seed %llu: row %u is left out", (unsigned long long)seed, expected);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_blocks_that_have_a_none_are_those_that_are_found),
        cmocka_unit_test(the_blocks_that_differ_are_those_that_are_found),
        cmocka_unit_test(each_move_is_found_once_and_in_order),
        cmocka_unit_test(each_row_above_none_is_found_once_and_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
