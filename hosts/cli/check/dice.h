/* SPDX-License-Identifier: Apache-2.0 */
/* dice.h - random numbers that can be had again: from a seed (splitmix64), or one by one out of a fuzzer's bytes. */
#ifndef SEGUE_HOSTS_CLI_CHECK_DICE_H
#define SEGUE_HOSTS_CLI_CHECK_DICE_H

#include <stddef.h>
#include <stdint.h>

/* With `bytes` they are what is rolled, and the seed does not matter; behind the last one every roll is 0. */
typedef struct dice {
    uint64_t state;
    const uint8_t *bytes;
    size_t left;
} dice;

static inline uint64_t dice_roll(dice *d)
{
    uint64_t z = (d->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* No more bytes than the limit asks for, so that a fuzzer that changes one changes one thing. */
static inline uint64_t dice_read(dice *d, uint64_t limit)
{
    uint64_t value = 0;
    for (uint64_t most = 1; most < limit && d->left > 0; most *= 256) {
        value = value << 8 | *d->bytes++;
        d->left--;
    }
    return value;
}

/* 0 <= number < limit; limit > 0. */
static inline uint32_t dice_below(dice *d, uint32_t limit)
{
    return (uint32_t)((d->bytes != NULL ? dice_read(d, limit) : dice_roll(d)) % limit);
}

/* True so many times in a hundred. Where the bytes have ended nothing more happens. */
static inline int dice_percent(dice *d, uint32_t percent)
{
    int more = d->bytes == NULL || d->left > 0;
    return more && dice_below(d, 100) < percent;
}

#define DICE_CHOICE(d, table) ((table)[dice_below((d), (uint32_t)(sizeof(table) / sizeof *(table)))])

#endif
