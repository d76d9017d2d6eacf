/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/layout.h"

#include "test/testing.h"

static void nobody_has_anything_at_first(void **state)
{
    (void)state;
    sgp_region region;
    sgp_layout l;
    sgp_arena *arena = sgp_arena_new();
    assert_non_null(arena);
    sgp_region_init(&region, arena);
    assert_int_equal(sgp_layout_clear(&l, 3, 2, &region), SEGUE_OK);
    for (uint32_t task = 0; task < 3; task++) {
        assert_int_equal(l.active[task], SEGUE_NONE);
        assert_int_equal(l.learner[task], SEGUE_NONE);
        assert_ptr_equal(sgp_standby_place(&l, task, SEGUE_NONE), l.standby + 2 * task);
        assert_false(sgp_takes_part(&l, task, 0));
        l.standby[2 * task + 1] = 7;
        assert_true(sgp_takes_part(&l, task, 7));
    }
    sgp_arena_free(arena);
}

/* SEGUE_NONE is no place: 65535 times 65537 rows are 2^32 - 1, one too many. Nothing is taken for what is refused. */
static void places_have_numbers_of_32_bits(void **state)
{
    (void)state;
    sgp_region region;
    sgp_layout l;
    sgp_arena *arena = sgp_arena_new();
    assert_non_null(arena);
    sgp_region_init(&region, arena);
    assert_int_equal(sgp_layout_clear(&l, 65537, 65535, &region), SEGUE_E_MEMORY);
    assert_null(l.active);
    assert_int_equal(sgp_layout_clear(&l, 3, 2, &region), SEGUE_OK);
    sgp_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_has_anything_at_first),
        cmocka_unit_test(places_have_numbers_of_32_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
