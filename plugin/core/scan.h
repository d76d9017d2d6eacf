/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking for the few rows of a column that need work. Whole blocks without one are passed over with a loop of fixed
 * length, which the compiler makes vectors of; inside a block that has one it goes row by row.
 */
#ifndef SGP_SCAN_H
#define SGP_SCAN_H

#include <stdint.h>

#define SGP_SCAN_BLOCK 64u

/* The first row from `at` on that is `value`; `count` when there is none. */
static inline uint32_t sgp_scan_for(const uint32_t *column, uint32_t value, uint32_t at, uint32_t count)
{
    for (; at < count; at++) {
        for (uint32_t hits = 0; at % SGP_SCAN_BLOCK == 0 && count - at >= SGP_SCAN_BLOCK; at += SGP_SCAN_BLOCK) {
            for (uint32_t i = 0; i < SGP_SCAN_BLOCK; i++) {
                hits |= column[at + i] == value;
            }
            if (hits != 0) {
                break;
            }
        }
        if (at == count || column[at] == value) {
            break;
        }
    }
    return at;
}

/* The first row from `at` on in which the columns differ; `count` when there is none. */
static inline uint32_t sgp_scan_difference(const uint32_t *a, const uint32_t *b, uint32_t at, uint32_t count)
{
    for (; at < count; at++) {
        for (uint32_t differ = 0; at % SGP_SCAN_BLOCK == 0 && count - at >= SGP_SCAN_BLOCK; at += SGP_SCAN_BLOCK) {
            for (uint32_t i = 0; i < SGP_SCAN_BLOCK; i++) {
                differ |= a[at + i] ^ b[at + i];
            }
            if (differ != 0) {
                break;
            }
        }
        if (at == count || a[at] != b[at]) {
            break;
        }
    }
    return at;
}

#endif
