/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_lot.h"

#include "core/buckets.h"

#include <string.h>

/* By part, stable. */
static void order_classes(sgp_rack_lots *l, const sgp_rack_classes *c, uint32_t parts)
{
    for (uint32_t i = 0; i < c->count; i++) {
        l->first[c->list[i].part + 1]++;
    }
    sgp_buckets_open(l->first, parts);
    for (uint32_t i = c->count; i-- > 0;) {
        l->class[--l->first[c->list[i].part + 1]] = i;
    }
    sgp_buckets_close(l->first, parts, c->count);
}

/* newest: the last lot of the vector and kind. It is of this part if it is not before `run`. */
static uint32_t lot_of(sgp_rack_lots *l, const sgp_rack_class *c, uint32_t *newest, uint32_t run)
{
    uint8_t served = c->server != SEGUE_NONE;
    uint32_t *last = &newest[2 * (size_t)c->vector + served];
    if (*last == SEGUE_NONE || *last < run) {
        *last = l->count;
        l->list[l->count++] = (sgp_rack_lot){c->vector, c->part, served};
    }
    return *last;
}

int32_t sgp_rack_lots_build(sgp_rack_lots *l, const sgp_rack_classes *c, const sgp_rack_cost *cost, uint32_t parts,
                            sgp_region *region)
{
    uint32_t *newest = SGP_TAKE(region, uint32_t, 2 * (size_t)cost->vectors);
    *l = (sgp_rack_lots){.list = SGP_TAKE(region, sgp_rack_lot, c->count)};
    l->of_class = SGP_TAKE(region, uint32_t, c->count);
    l->class = SGP_TAKE(region, uint32_t, c->count);
    l->first = SGP_TAKE_ZERO(region, uint32_t, (size_t)parts + 1);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    memset(newest, 0xff, 2 * (size_t)cost->vectors * sizeof *newest);
    order_classes(l, c, parts);
    for (uint32_t s = 0; s < parts; s++) {
        const uint32_t run = l->count;
        for (uint32_t i = l->first[s]; i < l->first[s + 1]; i++) {
            l->of_class[l->class[i]] = lot_of(l, &c->list[l->class[i]], newest, run);
        }
    }
    return SEGUE_OK;
}
