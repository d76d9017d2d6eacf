/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_lot.h"

#include "core/buckets.h"

#include <string.h>

/* Classes by subtopology, stable. `start` has a row more than there are subtopologies. */
static void order_classes(const sgp_rack_classes *c, uint32_t parts, uint32_t *start, uint32_t *order)
{
    for (uint32_t i = 0; i < c->count; i++) {
        start[c->list[i].subtopology + 1]++;
    }
    sgp_buckets_open(start, parts);
    for (uint32_t i = c->count; i-- > 0;) {
        order[--start[c->list[i].subtopology + 1]] = i;
    }
}

/* newest: the last lot of the vector and kind. It is of this subtopology if it is not before `run`. */
static uint32_t lot_of(sgp_rack_lots *p, const sgp_rack_class *c, uint32_t *newest, uint32_t run)
{
    uint8_t served = c->server != SEGUE_NONE;
    uint32_t *last = &newest[2 * (size_t)c->vector + served];
    if (*last == SEGUE_NONE || *last < run) {
        *last = p->count;
        p->list[p->count++] = (sgp_rack_lot){c->vector, c->subtopology, served};
    }
    return *last;
}

int32_t sgp_rack_lots_build(sgp_rack_lots *p, const sgp_rack_classes *c, const sgp_rack_cost *cost, uint32_t parts,
                             sgp_region *region)
{
    uint32_t *newest = SGP_TAKE(region, uint32_t, 2 * (size_t)cost->vectors);
    uint32_t *order = SGP_TAKE(region, uint32_t, c->count), *start = SGP_TAKE_ZERO(region, uint32_t, (size_t)parts + 1);
    *p = (sgp_rack_lots){.list = SGP_TAKE(region, sgp_rack_lot, c->count)};
    p->of_class = SGP_TAKE(region, uint32_t, c->count);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    memset(newest, 0xff, 2 * cost->vectors * sizeof *newest);
    order_classes(c, parts, start, order);
    for (uint32_t i = 0, run = 0; i < c->count; i++) {
        const sgp_rack_class *of = &c->list[order[i]];
        run = i > 0 && c->list[order[i - 1]].subtopology == of->subtopology ? run : p->count;
        p->of_class[order[i]] = lot_of(p, of, newest, run);
    }
    return SEGUE_OK;
}
