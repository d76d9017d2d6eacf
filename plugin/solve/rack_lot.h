/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lots: what leaves, whoever gives it up. Tasks of the same rack cost cost the same wherever they go, so that the flow need
 * not know whose of them goes there. Those that nobody serves are lots of their own, since more hubs are open to them, and
 * so are those of each part: of each subtopology where it is balanced.
 */
#ifndef SGP_RACK_LOT_H
#define SGP_RACK_LOT_H

#include "solve/rack_class.h"

typedef struct sgp_rack_lot {
    uint32_t vector, part;
    uint8_t served;
} sgp_rack_lot;

typedef struct sgp_rack_lots {
    sgp_rack_lot *list;
    uint32_t count;
    uint32_t *of_class;
    uint32_t *first, *class; /* part p: its classes are class[first[p]] up to the next one's; lots come in that order */
} sgp_rack_lots;

/* parts: how many there are, 1 where they are not told apart. Linear. E_MEMORY is the only fault. */
int32_t sgp_rack_lots_build(sgp_rack_lots *lots, const sgp_rack_classes *classes, const sgp_rack_cost *cost,
                             uint32_t parts, sgp_region *region);

#endif
