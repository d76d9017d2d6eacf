/* SPDX-License-Identifier: Apache-2.0 */
/* chance.h - numbers by a seed, the same on every machine (splitmix64, public domain algorithm). One thread. */
#ifndef SEGUE_HOSTS_CLI_SIMULATE_CHANCE_H
#define SEGUE_HOSTS_CLI_SIMULATE_CHANCE_H

#include <stdint.h>

typedef struct sim_chance {
    uint64_t state;
} sim_chance;

static inline uint64_t sim_draw(sim_chance *chance)
{
    uint64_t mixed = chance->state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}

/* From 0 up to, and without, `bound`, which is above 0. The bias of the remainder is below 2^-32 for 32-bit bounds. */
static inline uint64_t sim_draw_below(sim_chance *chance, uint64_t bound)
{
    return sim_draw(chance) % bound;
}

/* From 0 up to, and without, 1. */
static inline double sim_draw_part(sim_chance *chance)
{
    return (double)(sim_draw(chance) >> 11) * 0x1p-53;
}

#endif
