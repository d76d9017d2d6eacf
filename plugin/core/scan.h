/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking for the few rows of a column that need work. Whole blocks without one are passed over with a loop of fixed
 * length, which the compiler makes vectors of; inside a block that has one it goes row by row.
 */
#ifndef SGP_SCAN_H
#define SGP_SCAN_H

#include "segue/base.h"

#define SGP_SCAN_BLOCK 64u

/* The end of the block that begins at `at`, of a column of `count` rows. */
static inline uint32_t sgp_scan_end(uint32_t at, uint32_t count)
{
    return count - at < SGP_SCAN_BLOCK ? count : at + SGP_SCAN_BLOCK;
}

/* How many of the rows from `at` to `end`, a block of the column, are SEGUE_NONE? */
static inline uint32_t sgp_scan_nones(const uint32_t *column, uint32_t at, uint32_t end)
{
    const uint32_t *row = column + at, count = end - at;
    uint32_t hits = 0;
    for (uint32_t i = 0; count == SGP_SCAN_BLOCK && i < SGP_SCAN_BLOCK; i++) {
        hits += row[i] == SEGUE_NONE;
    }
    for (uint32_t i = 0; count < SGP_SCAN_BLOCK && i < count; i++) {
        hits += row[i] == SEGUE_NONE;
    }
    return hits;
}

/* Is one of them? */
static inline int sgp_scan_none(const uint32_t *column, uint32_t at, uint32_t end)
{
    return sgp_scan_nones(column, at, end) > 0;
}

/* Do the columns differ between `at` and `end`, a block of them? */
static inline int sgp_scan_differs(const uint32_t *one, const uint32_t *other, uint32_t at, uint32_t end)
{
    const uint32_t *a = one + at, *b = other + at, count = end - at;
    uint32_t hits = 0;
    for (uint32_t i = 0; count == SGP_SCAN_BLOCK && i < SGP_SCAN_BLOCK; i++) {
        hits |= a[i] ^ b[i];
    }
    for (uint32_t i = 0; count < SGP_SCAN_BLOCK && i < count; i++) {
        hits |= a[i] ^ b[i];
    }
    return hits != 0;
}

static inline int sgp_block_is_empty(const uint32_t *row)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < SGP_SCAN_BLOCK; i++) {
        bits |= row[i];
    }
    return bits == 0;
}

/* The first row from `at` on that is above 0; `count` when there is none. */
static inline uint32_t sgp_scan_above_none(const uint32_t *column, uint32_t at, uint32_t count)
{
    while (at < count && column[at] == 0) {
        int whole = at % SGP_SCAN_BLOCK == 0 && count - at >= SGP_SCAN_BLOCK;
        at += whole && sgp_block_is_empty(column + at) ? SGP_SCAN_BLOCK : 1;
    }
    return at;
}

static inline int sgp_moves(const uint32_t *from, const uint32_t *to, uint32_t row)
{
    return (from[row] != to[row]) & (from[row] != SEGUE_NONE);
}

static inline int sgp_block_moves(const uint32_t *from, const uint32_t *to)
{
    int hits = 0;
    for (uint32_t i = 0; i < SGP_SCAN_BLOCK; i++) {
        hits |= sgp_moves(from, to, i);
    }
    return hits;
}

/* The first row from `at` on that goes from one to another; `count` when there is none. */
static inline uint32_t sgp_scan_move(const uint32_t *from, const uint32_t *to, uint32_t at, uint32_t count)
{
    for (; at < count; at++) {
        while (at % SGP_SCAN_BLOCK == 0 && count - at >= SGP_SCAN_BLOCK && !sgp_block_moves(from + at, to + at)) {
            at += SGP_SCAN_BLOCK;
        }
        if (at == count || sgp_moves(from, to, at)) {
            break;
        }
    }
    return at;
}

#endif
