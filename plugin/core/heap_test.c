/* SPDX-License-Identifier: Apache-2.0 */
#include "core/heap.h"

#include "test/chance.h"
#include "test/testing.h"

#define MOST 60

/* Lightest for each thread, then the lowest handle; written with divisions where the heap multiplies. */
static uint32_t lightest(const uint32_t *load, const uint32_t *threads, const int *inside, uint32_t count)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        if (inside[i] && (best == UINT32_MAX || (double)load[i] / threads[i] < (double)load[best] / threads[best])) {
            best = i;
        }
    }
    return best;
}

static void the_lightest_for_each_thread_is_on_top_whatever_happens(void **state)
{
    (void)state;
    uint64_t first = chance_seed();
    for (uint64_t seed = first; seed < first + 200; seed++) {
        chance c = chance_of(seed);
        uint32_t item[MOST], load[MOST], threads[MOST], count = 1 + chance_below(&c, MOST);
        int inside[MOST] = {0};
        sgp_heap heap = {item, 0, load, threads};
        for (uint32_t i = 0; i < count; i++) {
            load[i] = chance_below(&c, 8);
            threads[i] = 1 + chance_below(&c, 4);
            inside[i] = 1;
            sgp_heap_push(&heap, i);
        }
        for (int step = 0; step < 200; step++) {
            uint32_t expected = lightest(load, threads, inside, count), top = sgp_heap_pop(&heap);
            EXPECT(top == expected, "seed %llu: %u instead of %u", (unsigned long long)seed, top, expected);
            load[top] += 1 + chance_below(&c, 3);
            sgp_heap_push(&heap, top);
        }
        assert_int_equal(heap.size, count);
    }
}

static void equals_come_out_by_their_handle(void **state)
{
    (void)state;
    uint32_t item[5], load[5] = {2, 2, 2, 2, 2}, threads[5] = {1, 1, 1, 1, 1};
    sgp_heap heap = {item, 0, load, threads};
    for (uint32_t i = 5; i-- > 0;) {
        sgp_heap_push(&heap, i);
    }
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(sgp_heap_pop(&heap), i);
    }
    assert_int_equal(heap.size, 0);
}

static void loads_near_the_borders_limits_do_not_overflow(void **state)
{
    (void)state;
    uint32_t item[2], load[2] = {UINT32_MAX, UINT32_MAX - 1}, threads[2] = {1048576, 1048576};
    sgp_heap heap = {item, 0, load, threads};
    sgp_heap_push(&heap, 0);
    sgp_heap_push(&heap, 1);
    assert_int_equal(sgp_heap_pop(&heap), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lightest_for_each_thread_is_on_top_whatever_happens),
        cmocka_unit_test(equals_come_out_by_their_handle),
        cmocka_unit_test(loads_near_the_borders_limits_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
