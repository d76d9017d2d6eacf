/* SPDX-License-Identifier: Apache-2.0 */
/* dice.h - random numbers that can be had again from a seed (splitmix64). */
#ifndef SEGUE_HOSTS_CLI_CHECK_DICE_H
#define SEGUE_HOSTS_CLI_CHECK_DICE_H

#include <stdint.h>

typedef struct dice {
    uint64_t state;
} dice;

static inline uint64_t dice_roll(dice *d)
{
    uint64_t z = (d->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* 0 <= number < limit; limit > 0. */
static inline uint32_t dice_below(dice *d, uint32_t limit)
{
    return (uint32_t)(dice_roll(d) % limit);
}

/* True so many times in a hundred. */
static inline int dice_percent(dice *d, uint32_t percent)
{
    return dice_below(d, 100) < percent;
}

#define DICE_CHOICE(d, table) ((table)[dice_below((d), (uint32_t)(sizeof(table) / sizeof *(table)))])

#endif
