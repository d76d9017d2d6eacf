/* SPDX-License-Identifier: Apache-2.0 */
#include "test/chance.h"

#include <math.h>
#include <stdlib.h>

#define FIRST_SEED 20261129u

uint64_t chance_seed(void)
{
    const char *given = getenv("SEGUE_SEED");
    return given != NULL && *given != '\0' ? strtoull(given, NULL, 10) : FIRST_SEED;
}

chance chance_of(uint64_t seed)
{
    return (chance){seed};
}

/* splitmix64: neighbouring seeds give unrelated numbers. */
static uint64_t next(chance *c)
{
    uint64_t z = c->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint32_t chance_below(chance *c, uint32_t limit)
{
    return (uint32_t)(next(c) % limit);
}

int chance_once_in(chance *c, uint32_t of)
{
    return chance_below(c, of) == 0;
}

double chance_weight(chance *c, enum chance_tail tail)
{
    const double whole = 1 << 20, turn = 6.283185307179586;
    const double one = (chance_below(c, 1 << 20) + 1) / whole, other = chance_below(c, 1 << 20) / whole;
    switch (tail) {
    case CHANCE_EXPONENTIAL:
        return 1 + floor(-20 * log(one));
    case CHANCE_LOGNORMAL:
        return 1 + floor(10 * exp(2 * sqrt(-2 * log(one)) * cos(turn * other)));
    case CHANCE_PARETO:
        return floor(10 * pow(one, -1 / 1.2));
    default:
        return 1 + chance_below(c, 8);
    }
}
