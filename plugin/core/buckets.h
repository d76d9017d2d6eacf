/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows grouped by bucket with one pass to count and one, backwards, to fill:
 *   count bucket b in start[b + 1]; sgp_buckets_open; put each row at --start[b + 1], the last row first;
 *   sgp_buckets_close.
 */
#ifndef SGP_BUCKETS_H
#define SGP_BUCKETS_H

#include <stdint.h>
#include <string.h>

/* Counts become ends. Returns the number of rows. `start` has `buckets` + 1 entries, the first of them 0. */
static inline uint32_t sgp_buckets_open(uint32_t *start, uint32_t buckets)
{
    for (uint32_t b = 0; b < buckets; b++) {
        start[b + 1] += start[b];
    }
    return start[buckets];
}

/* After the filling each entry holds its own start, one place too far to the right. */
static inline void sgp_buckets_close(uint32_t *start, uint32_t buckets, uint32_t rows)
{
    memmove(start, start + 1, (size_t)buckets * sizeof *start);
    start[buckets] = rows;
}

#endif
