/* SPDX-License-Identifier: Apache-2.0 */
/* The seam to the allocator, whichever of the two this build has; arena_system_test.c holds the other to the same. */
#include "core/arena.h"

#include "test/testing.h"

static void pieces_lie_at_whole_cache_lines_and_hold_what_was_asked(void **state)
{
    (void)state;
    sgp_arena *arena = sgp_arena_new();
    for (size_t bytes = 1; bytes < 5000; bytes = bytes * 2 + 1) {
        char *memory = sgp_arena_take(arena, bytes);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 64, 0);
        memset(memory, 0x5a, bytes);
    }
    sgp_arena_free(arena);
}

static void what_is_held_grows_with_each_piece_and_shrinks_when_it_is_given_back(void **state)
{
    (void)state;
    sgp_arena *arena = sgp_arena_new();
    size_t empty = sgp_arena_held(arena);
    void *one = sgp_arena_take(arena, 1000), *other = sgp_arena_take(arena, 100000);
    assert_true(empty > 0);
    assert_true(sgp_arena_held(arena) >= empty + 101000);
    sgp_arena_give(arena, one, 1000);
    assert_true(sgp_arena_held(arena) >= empty + 100000);
    assert_true(sgp_arena_held(arena) < empty + 200000);
    sgp_arena_give(arena, other, 100000);
    assert_int_equal(sgp_arena_held(arena), empty);
    sgp_arena_free(arena);
}

static void pieces_are_given_back_in_any_order(void **state)
{
    (void)state;
    sgp_arena *arena = sgp_arena_new();
    size_t empty = sgp_arena_held(arena);
    void *three[3];
    for (int i = 0; i < 3; i++) {
        three[i] = sgp_arena_take(arena, 100);
    }
    sgp_arena_give(arena, three[1], 100);
    sgp_arena_give(arena, three[0], 100);
    sgp_arena_give(arena, three[2], 100);
    assert_int_equal(sgp_arena_held(arena), empty);
    sgp_arena_free(arena);
}

/* The address sanitizer's leak check is the judge of the first line. */
static void an_arena_is_freed_with_all_that_it_gave_and_others_stay(void **state)
{
    (void)state;
    sgp_arena *gone = sgp_arena_new(), *stays = sgp_arena_new();
    assert_non_null(sgp_arena_take(gone, 1 << 20));
    char *kept = sgp_arena_take(stays, 100);
    memset(kept, 0x77, 100);
    sgp_arena_free(gone);
    assert_int_equal(kept[0], 0x77);
    assert_int_equal(kept[99], 0x77);
    sgp_arena_free(stays);
}

static void giving_back_and_freeing_nothing_is_allowed(void **state)
{
    (void)state;
    sgp_arena *arena = sgp_arena_new();
    size_t empty = sgp_arena_held(arena);
    sgp_arena_give(arena, NULL, 100);
    assert_int_equal(sgp_arena_held(arena), empty);
    sgp_arena_free(arena);
    sgp_arena_free(NULL);
}

static void more_than_there_can_be_gives_nothing(void **state)
{
    (void)state;
    sgp_arena *arena = sgp_arena_new();
    size_t empty = sgp_arena_held(arena);
    assert_null(sgp_arena_take(arena, SIZE_MAX));
    assert_null(sgp_arena_take(arena, SIZE_MAX - 63));
    assert_null(sgp_arena_take(arena, PTRDIFF_MAX));
    assert_int_equal(sgp_arena_held(arena), empty);
    sgp_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_lie_at_whole_cache_lines_and_hold_what_was_asked),
        cmocka_unit_test(what_is_held_grows_with_each_piece_and_shrinks_when_it_is_given_back),
        cmocka_unit_test(pieces_are_given_back_in_any_order),
        cmocka_unit_test(an_arena_is_freed_with_all_that_it_gave_and_others_stay),
        cmocka_unit_test(giving_back_and_freeing_nothing_is_allowed),
        cmocka_unit_test(more_than_there_can_be_gives_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
