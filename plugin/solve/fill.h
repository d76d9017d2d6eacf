/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Water into unequal glasses: how many of `count` further things each holder gets when each goes to the one that then
 * carries least for its threads. Found by the level that the water reaches, not by pouring.
 */
#ifndef SGP_FILL_H
#define SGP_FILL_H

#include <stdint.h>

typedef struct sgp_fill {
    const uint32_t *holder; /* who takes part */
    uint32_t holders;
    const uint32_t *load, *threads, *most; /* by handle: what it carries, for how many threads, and the most it can get */
} sgp_fill;

/* give[h] for every holder; returns how many were given, `count` unless all hold their most. Ties go to the first. */
uint32_t sgp_fill_up(const sgp_fill *fill, uint32_t count, uint32_t *give);

#endif
