/* SPDX-License-Identifier: Apache-2.0 */
/* Counting sort of 64-bit keys: linear, stable, no comparisons. */
#ifndef SGP_SORT_H
#define SGP_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts `count` keys ascending; `spare` has as many. Bytes in which all keys agree cost nothing. */
void sgp_sort(uint64_t *keys, uint64_t *spare, size_t count);

/* The same for keys that come in the order of their lowest `bits` bits (a multiple of 8), which then need no pass. */
void sgp_sort_above(unsigned bits, uint64_t *keys, uint64_t *spare, size_t count);

#endif
