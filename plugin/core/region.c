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
    return 0;
}

void *sgp_take(sgp_region *region, size_t count, size_t size)
{
    if (count > (SIZE_MAX / 4) / size) {
        region->failed = 1;
        return NULL;
    }
    size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes == 0) {
        bytes = ALIGNMENT;
    }
    if ((region->block == NULL || bytes > region->block->bytes - region->used) && grow(region, bytes) != 0) {
        region->failed = 1;
        return NULL;
    }
    void *memory = (char *)region->block + region->used;
    region->used += bytes;
    region->total += bytes;
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
    if (region->total > region->peak) {
        region->peak = region->total;
    }
    region->used = HEADER;
    region->total = 0;
    region->failed = 0;
}
