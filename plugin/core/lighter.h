/* SPDX-License-Identifier: Apache-2.0 */
/* The one order of lightness: load for each thread of capacity, then the lower handle. */
#ifndef SGP_LIGHTER_H
#define SGP_LIGHTER_H

#include <stdint.h>

/* 1 when `a` comes before `b`. Both columns are by handle; threads > 0. Products fit: both factors have 32 bits. */
static inline int sgp_lighter(const uint32_t *load, const uint32_t *threads, uint32_t a, uint32_t b)
{
    uint64_t left = (uint64_t)load[a] * threads[b], right = (uint64_t)load[b] * threads[a];
    return left < right || (left == right && a < b);
}

#endif
