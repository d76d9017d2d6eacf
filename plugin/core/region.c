/* SPDX-License-Identifier: Apache-2.0 */
#include "core/region.h"

#include <string.h>

#define ALIGNMENT 64u
#define SMALLEST_BLOCK ((size_t)64 * 1024)
/* A kept block that is this many times larger than what a call needed is given back. */
#define KEEP_FACTOR 8

struct sgp_block {
    sgp_block *older;
    size_t bytes; /* header included */
};

#define HEADER ((sizeof(sgp_block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

/* Under the address sanitizer nobody may touch what lies between columns, nor what was taken before a reset, and a column
 * that is not cleared does not happen to be zero. */
#ifdef SGP_FENCES
#include <sanitizer/asan_interface.h>

#define FENCE ALIGNMENT

static void fence_off(void *memory, size_t bytes)
{
    ASAN_POISON_MEMORY_REGION(memory, bytes);
}

static void open_column(void *memory, size_t bytes)
{
    ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
    memset(memory, 0xa5, bytes);
}
#else
#define FENCE 0u

static void fence_off(void *memory, size_t bytes)
{
    (void)memory;
    (void)bytes;
}

static void open_column(void *memory, size_t bytes)
{
    (void)memory;
    (void)bytes;
}
#endif

static void fence_off_columns(sgp_block *block)
{
    fence_off(block + 1, block->bytes - sizeof *block);
}

void sgp_region_init(sgp_region *region, sgp_arena *arena)
{
    *region = (sgp_region){.arena = arena};
}

static int grow(sgp_region *region, size_t bytes)
{
    size_t want = region->total + bytes + HEADER;
    if (want < region->expected) {
        want = region->expected;
    }
    if (want < SMALLEST_BLOCK) {
        want = SMALLEST_BLOCK;
    }
    sgp_block *block = sgp_arena_take(region->arena, want);
    if (block == NULL) {
        return -1;
    }
    block->older = region->block;
    block->bytes = want;
    region->block = block;
    region->used = HEADER;
    fence_off_columns(block);
    return 0;
}

void *sgp_take(sgp_region *region, size_t count, size_t size)
{
    if (count > (SIZE_MAX / 4) / size) {
        region->failed = 1;
        return NULL;
    }
    size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    bytes += bytes == 0 ? ALIGNMENT : FENCE;
    if ((region->block == NULL || bytes > region->block->bytes - region->used) && grow(region, bytes) != 0) {
        region->failed = 1;
        return NULL;
    }
    void *memory = (char *)region->block + region->used;
    region->used += bytes;
    region->total += bytes;
    open_column(memory, count * size);
    return memory;
}

void *sgp_take_zero(sgp_region *region, size_t count, size_t size)
{
    void *memory = sgp_take(region, count, size);
    if (memory != NULL) {
        memset(memory, 0, count * size);
    }
    return memory;
}

static void drop(sgp_region *region, sgp_block *from)
{
    while (from != NULL) {
        sgp_block *older = from->older;
        sgp_arena_give(region->arena, from, from->bytes);
        from = older;
    }
}

/* A block is kept if the whole call went into it, and it was not far too large for that. */
static int is_worth_keeping(const sgp_region *region)
{
    const sgp_block *block = region->block;
    return block->older == NULL &&
           (block->bytes <= SMALLEST_BLOCK || block->bytes / KEEP_FACTOR <= region->total + HEADER);
}

void sgp_region_reset(sgp_region *region)
{
    if (region->block != NULL && !is_worth_keeping(region)) {
        region->expected = region->total + HEADER;
        drop(region, region->block);
        region->block = NULL;
    }
    if (region->block != NULL) {
        fence_off_columns(region->block);
    }
    if (region->total > region->peak) {
        region->peak = region->total;
    }
    region->used = HEADER;
    region->total = 0;
    region->failed = 0;
}
