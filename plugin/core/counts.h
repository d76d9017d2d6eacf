/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Differences of counts. Counts of tasks and threads stay below 2^31 (SEGUE_MAX_TASKS and its like in segue/group.h), so
 * that the sign of a difference says which one is larger. Columns are compared this way where they are long: vectors of
 * 16 bytes have no comparison of numbers without a sign.
 */
#ifndef SGP_COUNTS_H
#define SGP_COUNTS_H

#include <stdint.h>

/* 1 when `count` is larger than `other`. */
static inline uint32_t sgp_is_above(uint32_t count, uint32_t other)
{
    return (other - count) >> 31;
}

/* By how much `count` is larger; 0 when it is not. */
static inline uint32_t sgp_above(uint32_t count, uint32_t other)
{
    int32_t more = (int32_t)(count - other);
    return more > 0 ? (uint32_t)more : 0;
}

#endif
