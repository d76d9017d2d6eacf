/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bump region: all memory of one call, given back whole. The block of the largest recent call is kept, so that a
 * steady group allocates nothing; it shrinks when a call needed far less.
 */
#ifndef SGP_REGION_H
#define SGP_REGION_H

#include "core/arena.h"

#include <stddef.h>
#include <stdint.h>

/* The address sanitizer (gcc says so in one way, clang in another) sees who reads or writes beside a column. */
#if defined(__SANITIZE_ADDRESS__)
#define SGP_FENCES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SGP_FENCES 1
#endif
#endif

typedef struct sgp_block sgp_block;

typedef struct sgp_region {
    sgp_arena *arena;
    sgp_block *block; /* the newest first */
    size_t used;      /* of the newest block */
    size_t total;     /* bytes taken since the last reset */
    size_t peak;      /* the largest `total` ever */
    size_t expected;  /* what the last call needed, where its blocks were not kept: the next block is at least that */
    int failed;       /* some sgp_take gave NULL */
} sgp_region;

void sgp_region_init(sgp_region *region, sgp_arena *arena);

/*
 * `count` elements of `size` bytes, aligned to 64, not cleared; never NULL for a count of 0. On a fault NULL, and
 * `failed` is set: a phase takes all its columns first and looks at `failed` once.
 */
void *sgp_take(sgp_region *region, size_t count, size_t size);
/* The same, cleared. */
void *sgp_take_zero(sgp_region *region, size_t count, size_t size);

/* Forgets everything that was taken. */
void sgp_region_reset(sgp_region *region);

#define SGP_TAKE(region, type, count) ((type *)sgp_take((region), (count), sizeof(type)))
#define SGP_TAKE_ZERO(region, type, count) ((type *)sgp_take_zero((region), (count), sizeof(type)))

#endif
