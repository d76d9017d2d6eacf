/* SPDX-License-Identifier: Apache-2.0 */
#include "core/sort.h"

#include "test/chance.h"
#include "test/testing.h"

#define MOST 2000

static int compare(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return a < b ? -1 : a > b;
}

/* Some bytes agree in all keys, as they do in the solver's: the mask says which differ. */
static void fill(uint64_t *keys, uint32_t count, chance *c)
{
    uint64_t mask = 0;
    for (unsigned byte = 0; byte < 8; byte++) {
        mask |= (uint64_t)(chance_once_in(c, 2) ? 0xff : 0) << (byte * 8);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t low = chance_below(c, UINT32_MAX), high = chance_below(c, UINT32_MAX);
        keys[i] = (high << 32 | low) & mask;
    }
}

static void keys_come_out_as_the_librarys_sort_has_them(void **state)
{
    (void)state;
    static uint64_t keys[MOST], spare[MOST], expected[MOST];
    uint64_t first = chance_seed();
    for (uint64_t seed = first; seed < first + 300; seed++) {
        chance c = chance_of(seed);
        uint32_t count = chance_below(&c, MOST + 1);
        fill(keys, count, &c);
        memcpy(expected, keys, sizeof keys);
        qsort(expected, count, sizeof *expected, compare);
        sgp_sort(keys, spare, count);
        EXPECT(memcmp(keys, expected, count * sizeof *keys) == 0, "seed %llu", (unsigned long long)seed);
    }
}

static void one_key_and_none_are_sorted_already(void **state)
{
    (void)state;
    uint64_t key = 42, spare = 0;
    sgp_sort(&key, &spare, 1);
    assert_int_equal(key, 42);
    sgp_sort(NULL, NULL, 0);
}

static void the_largest_keys_sort_last(void **state)
{
    (void)state;
    uint64_t keys[] = {UINT64_MAX, 0, (uint64_t)1 << 63, 1}, spare[4];
    sgp_sort(keys, spare, 4);
    assert_int_equal(keys[0], 0);
    assert_int_equal(keys[1], 1);
    assert_true(keys[2] == (uint64_t)1 << 63);
    assert_true(keys[3] == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_come_out_as_the_librarys_sort_has_them),
        cmocka_unit_test(one_key_and_none_are_sorted_already),
        cmocka_unit_test(the_largest_keys_sort_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
