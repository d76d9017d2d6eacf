/* SPDX-License-Identifier: Apache-2.0 */
/* The named sizes of `segue bench --grid`, and what varies inside one. */
#include <stddef.h>

#include "bench.h"

const bench_size bench_sizes[] = {
    {"S",              50,      5,     1 },
    {"M",              500,     25,    3 },
    {"L",              5000,    200,   5 },
    {"10000x1000",     10000,   1000,  10},
    {"100000x10000",   100000,  10000, 1 },
    {"1000000x10000",  1000000, 10000, 10},
    {NULL,             0,       0,     0 },
};

const char *const bench_size_names[] = {"S", "M", "L", "10000x1000", "100000x10000", "1000000x10000", NULL};

const bench_variant bench_variants[BENCH_VARIANTS] = {
    {.standbys = 0},
    {.standbys = 1},
    {.racks = 3},
    {.weights = BENCH_LIGHT},
    {.leaving = 1},
    {.standbys = 1, .racks = 3, .leaving = 1, .weights = BENCH_LIGHT},
};
