/* SPDX-License-Identifier: Apache-2.0 */
#include "core/region.h"

#include "test/famine.h"
#include "test/testing.h"

#ifdef SGP_FENCES
#include <sanitizer/asan_interface.h>
#endif

#define MEGABYTE ((size_t)1 << 20)

static sgp_arena *arena;
static sgp_region region;

static int open_region(void **state)
{
    (void)state;
    famine_of_arena(0);
    arena = sgp_arena_new();
    sgp_region_init(&region, arena);
    return arena == NULL;
}

static int close_region(void **state)
{
    (void)state;
    famine_of_arena(0);
    sgp_arena_free(arena);
    return 0;
}

static void columns_lie_at_whole_cache_lines_and_do_not_overlap(void **state)
{
    (void)state;
    unsigned char *column[40];
    for (unsigned i = 0; i < 40; i++) {
        column[i] = sgp_take(&region, i * 37, 1);
        assert_non_null(column[i]);
        assert_int_equal((uintptr_t)column[i] % 64, 0);
        memset(column[i], (int)i, i * 37);
    }
    for (unsigned i = 0; i < 40; i++) {
        for (unsigned at = 0; at < i * 37; at++) {
            assert_int_equal(column[i][at], i);
        }
    }
}

static void no_elements_still_have_an_address_of_their_own(void **state)
{
    (void)state;
    void *one = sgp_take(&region, 0, 8), *other = sgp_take(&region, 0, 8);
    assert_non_null(one);
    assert_non_null(other);
    assert_ptr_not_equal(one, other);
}

static void growth_leaves_earlier_columns_alone(void **state)
{
    (void)state;
    char *first = sgp_take(&region, 1000, 1);
    memset(first, 0x11, 1000);
    for (int i = 0; i < 5; i++) {
        char *large = sgp_take(&region, MEGABYTE, 1);
        assert_non_null(large);
        memset(large, 0x22, MEGABYTE);
    }
    assert_int_equal(first[0], 0x11);
    assert_int_equal(first[999], 0x11);
    assert_true(region.total >= 5 * MEGABYTE + 1000);
}

static void cleared_columns_are_cleared_where_older_ones_lay(void **state)
{
    (void)state;
    memset(sgp_take(&region, 4096, 1), 0xff, 4096);
    sgp_region_reset(&region);
    const unsigned char *column = sgp_take_zero(&region, 4096, 1);
    for (int i = 0; i < 4096; i++) {
        assert_int_equal(column[i], 0);
    }
}

static void what_lies_beside_a_column_is_out_of_bounds_for_the_sanitizer(void **state)
{
    (void)state;
#ifdef SGP_FENCES
    char *column[] = {sgp_take(&region, 0, 4), sgp_take(&region, 16, 4), sgp_take_zero(&region, 5, 1)};
    const size_t bytes[] = {0, 64, 5};
    for (int i = 0; i < 3; i++) {
        assert_null(__asan_region_is_poisoned(column[i], bytes[i]));
        assert_true(__asan_address_is_poisoned(column[i] - 1));
        assert_true(__asan_address_is_poisoned(column[i] + bytes[i]));
    }
    sgp_region_reset(&region);
    assert_true(__asan_address_is_poisoned(column[1]));
#else
    skip();
#endif
}

static void a_steady_group_takes_nothing_more_from_the_system(void **state)
{
    (void)state;
    size_t held = 0;
    for (int call = 0; call < 10; call++) {
        for (int i = 0; i < 30; i++) {
            assert_non_null(sgp_take(&region, 10000, 8));
        }
        sgp_region_reset(&region);
        /* The second call may still merge the first one's blocks into a single one. */
        if (call == 2) {
            held = sgp_arena_held(arena);
        }
    }
    assert_int_equal(sgp_arena_held(arena), held);
}

static void memory_of_a_large_call_goes_back_when_calls_become_small(void **state)
{
    (void)state;
    assert_non_null(sgp_take(&region, 64 * MEGABYTE, 1));
    sgp_region_reset(&region);
    assert_true(sgp_arena_held(arena) >= 64 * MEGABYTE);
    assert_non_null(sgp_take(&region, 1000, 1));
    sgp_region_reset(&region);
    assert_true(sgp_arena_held(arena) < MEGABYTE);
    assert_non_null(sgp_take(&region, 1000, 1));
}

static void the_peak_is_what_the_largest_call_used(void **state)
{
    (void)state;
    assert_non_null(sgp_take(&region, 3 * MEGABYTE, 1));
    sgp_region_reset(&region);
    assert_non_null(sgp_take(&region, 100, 1));
    sgp_region_reset(&region);
    assert_true(region.peak >= 3 * MEGABYTE);
    assert_true(region.peak < 4 * MEGABYTE);
}

static void a_system_without_memory_sets_the_flag_until_the_reset(void **state)
{
    (void)state;
    famine_of_arena(1);
    assert_null(sgp_take(&region, 100, 1));
    assert_true(famine_struck());
    assert_int_equal(region.failed, 1);
    sgp_region_reset(&region);
    assert_int_equal(region.failed, 0);
    assert_non_null(sgp_take(&region, 100, 1));
}

static void a_failed_growth_keeps_the_columns_before_it(void **state)
{
    (void)state;
    char *first = sgp_take(&region, 1000, 1);
    memset(first, 0x33, 1000);
    famine_of_arena(1);
    assert_null(sgp_take_zero(&region, MEGABYTE, 1));
    assert_int_equal(region.failed, 1);
    assert_int_equal(first[999], 0x33);
    assert_non_null(sgp_take(&region, 100, 1));
    assert_int_equal(region.failed, 1);
}

static void a_count_that_does_not_fit_into_memory_fails_cleanly(void **state)
{
    (void)state;
    assert_null(sgp_take(&region, SIZE_MAX, 8));
    assert_int_equal(region.failed, 1);
    sgp_region_reset(&region);
    assert_null(sgp_take(&region, SIZE_MAX / 8, 8));
    assert_int_equal(region.failed, 1);
    sgp_region_reset(&region);
    assert_null(sgp_take_zero(&region, SIZE_MAX / 2, 1));
    assert_int_equal(region.failed, 1);
}

int main(void)
{
#define REGION_TEST(name) cmocka_unit_test_setup_teardown(name, open_region, close_region)
    const struct CMUnitTest tests[] = {
        REGION_TEST(columns_lie_at_whole_cache_lines_and_do_not_overlap),
        REGION_TEST(no_elements_still_have_an_address_of_their_own),
        REGION_TEST(growth_leaves_earlier_columns_alone),
        REGION_TEST(cleared_columns_are_cleared_where_older_ones_lay),
        REGION_TEST(what_lies_beside_a_column_is_out_of_bounds_for_the_sanitizer),
        REGION_TEST(a_steady_group_takes_nothing_more_from_the_system),
        REGION_TEST(memory_of_a_large_call_goes_back_when_calls_become_small),
        REGION_TEST(the_peak_is_what_the_largest_call_used),
        REGION_TEST(a_system_without_memory_sets_the_flag_until_the_reset),
        REGION_TEST(a_failed_growth_keeps_the_columns_before_it),
        REGION_TEST(a_count_that_does_not_fit_into_memory_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
