/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers that can be had again: every case has a seed of its own, which failures print. */
#ifndef SGP_TEST_CHANCE_H
#define SGP_TEST_CHANCE_H

#include <stdint.h>

typedef struct chance {
    uint64_t state;
} chance;

/* The seed of a test's first case; the others count up from it. SEGUE_SEED in the environment replaces it. */
uint64_t chance_seed(void);

chance chance_of(uint64_t seed);

/* 0 <= number < limit; limit > 0. */
uint32_t chance_below(chance *c, uint32_t limit);

/* How weights are spread. */
enum chance_tail { CHANCE_EVEN, CHANCE_EXPONENTIAL, CHANCE_LOGNORMAL, CHANCE_PARETO, CHANCE_TAILS };

/* A whole number from 1 on, so that sums are exact. By CHANCE_PARETO a few of many weigh as much as all others. */
double chance_weight(chance *c, enum chance_tail tail);

/* True once in that many times. */
int chance_once_in(chance *c, uint32_t of);

#endif
