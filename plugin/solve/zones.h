/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zones: processes by where they fail together. Each of rack.aware.assignment.tags is a dimension, in the order of that
 * key; without tags a member's rack is the only one, where rack.aware.assignment.strategy asks for racks. A zone is one
 * combination of values.
 *
 * There are at most 64 zones, so that a set of them is one word. Where there are more combinations, values of a dimension
 * share a zone, the earlier dimensions the last: two zones then still differ in value, while processes of one zone may.
 * A dimension for which no room is left does not count.
 *
 * A process has the values of its first member that stays. One without a value is as good as nowhere: it adds nothing.
 */
#ifndef SGP_ZONES_H
#define SGP_ZONES_H

#include "core/view.h"

enum { SGP_ZONES = 64, SGP_DIMENSIONS = 8 };

typedef struct sgp_zones {
    uint32_t dimensions; /* 0: there is one zone, and it does not matter */
    uint32_t count;
    uint8_t *of;                                     /* by process */
    uint32_t *value[SGP_DIMENSIONS];                 /* by process: a number, SEGUE_NONE for no value */
    uint32_t stock[SGP_ZONES];                       /* processes that stay */
    uint64_t stocked;                                /* zones that have some */
    uint64_t valued[SGP_DIMENSIONS];                 /* zones with a value */
    uint64_t same[SGP_DIMENSIONS][SGP_ZONES];        /* zones with the same value as this one; none where it has none */
} sgp_zones;

int32_t sgp_zones_build(sgp_zones *zones, const sgp_view *view, sgp_region *region);

/* The zones among `among` that differ most from those in `used` (by dimension: zones that share a value with what is
 * used): in the first dimension if any does, of these in the second if any does, and so on. *novelty gets a bit for each
 * dimension in which they do, the first one highest. */
uint64_t sgp_zones_new(const sgp_zones *zones, uint64_t among, const uint64_t *used, uint32_t *novelty);

#endif
