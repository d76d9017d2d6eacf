/* SPDX-License-Identifier: Apache-2.0 */
#include "test/chance.h"

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
