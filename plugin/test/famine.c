/* SPDX-License-Identifier: Apache-2.0 */
#include "test/famine.h"

#include "core/region.h"

static uint32_t arena_left, region_left;
static int struck;

sgp_arena *__real_sgp_arena_new(void);
sgp_arena *__wrap_sgp_arena_new(void);
void *__real_sgp_arena_take(sgp_arena *arena, size_t bytes);
void *__wrap_sgp_arena_take(sgp_arena *arena, size_t bytes);
void *__real_sgp_take(sgp_region *region, size_t count, size_t size);
void *__wrap_sgp_take(sgp_region *region, size_t count, size_t size);
void *__real_sgp_take_zero(sgp_region *region, size_t count, size_t size);
void *__wrap_sgp_take_zero(sgp_region *region, size_t count, size_t size);

void famine_of_arena(uint32_t nth)
{
    arena_left = nth;
    region_left = 0;
    struck = 0;
}

void famine_of_region(uint32_t nth)
{
    arena_left = 0;
    region_left = nth;
    struck = 0;
}

int famine_struck(void)
{
    return struck;
}

/* Threads of a test that never asks for a famine only read. */
static int strikes(uint32_t *left)
{
    if (*left == 0 || --*left > 0) {
        return 0;
    }
    struck = 1;
    return 1;
}

sgp_arena *__wrap_sgp_arena_new(void)
{
    return strikes(&arena_left) ? NULL : __real_sgp_arena_new();
}

void *__wrap_sgp_arena_take(sgp_arena *arena, size_t bytes)
{
    return strikes(&arena_left) ? NULL : __real_sgp_arena_take(arena, bytes);
}

void *__wrap_sgp_take(sgp_region *region, size_t count, size_t size)
{
    if (strikes(&region_left)) {
        region->failed = 1;
        return NULL;
    }
    return __real_sgp_take(region, count, size);
}

void *__wrap_sgp_take_zero(sgp_region *region, size_t count, size_t size)
{
    if (strikes(&region_left)) {
        region->failed = 1;
        return NULL;
    }
    return __real_sgp_take_zero(region, count, size);
}
