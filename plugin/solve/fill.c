/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/fill.h"

/* Levels are counted in 1/1024 of a thing for each thread. */
#define FINE 10

/* What a holder gets until it has reached the level. */
static uint32_t until(const sgp_fill *f, uint32_t holder, uint64_t level)
{
    uint64_t full = (level * f->threads[holder] + (1u << FINE) - 1) >> FINE;
    uint64_t given = full > f->load[holder] ? full - f->load[holder] : 0;
    return given < f->most[holder] ? (uint32_t)given : f->most[holder];
}

static uint64_t poured(const sgp_fill *f, uint64_t level)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->holders; i++) {
        sum += until(f, f->holder[i], level);
    }
    return sum;
}

/* A level at which everybody holds its most. */
static uint64_t brim(const sgp_fill *f)
{
    uint64_t highest = 0;
    for (uint32_t i = 0; i < f->holders; i++) {
        uint32_t h = f->holder[i];
        uint64_t level = (((uint64_t)f->load[h] + f->most[h]) << FINE) / f->threads[h] + 1;
        highest = level > highest ? level : highest;
    }
    return highest;
}

/* The highest level for which `count` is enough. */
static uint64_t find_level(const sgp_fill *f, uint32_t count)
{
    uint64_t low = 0, high = brim(f);
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        if (poured(f, middle) <= count) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

uint32_t sgp_fill_up(const sgp_fill *f, uint32_t count, uint32_t *give)
{
    uint64_t level = find_level(f, count);
    uint32_t given = 0;
    for (uint32_t i = 0; i < f->holders; i++) {
        give[f->holder[i]] = until(f, f->holder[i], level);
        given += give[f->holder[i]];
    }
    for (uint32_t i = 0; i < f->holders && given < count; i++) {
        uint32_t more = until(f, f->holder[i], level + 1) - give[f->holder[i]];
        more = more < count - given ? more : count - given;
        give[f->holder[i]] += more;
        given += more;
    }
    return given;
}
