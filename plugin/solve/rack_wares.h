/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What clients have to trade (rack_trade.h): tasks that are alike, merged, and the clients of each rack. Of one client, rack
 * cost and part they are a class; of one rack cost and part they are a lot, whoever gives them up.
 */
#ifndef SGP_RACK_WARES_H
#define SGP_RACK_WARES_H

#include "solve/clients.h"
#include "solve/layout.h"
#include "solve/rack_cost.h"

typedef struct sgp_rack_ware {
    uint32_t client, lot;
    uint32_t first, count; /* rows in `task` */
} sgp_rack_ware;

/* The first of each kind that a part has. */
typedef struct sgp_rack_part {
    uint32_t task, ware, lot;
} sgp_rack_part;

typedef struct sgp_rack_wares {
    uint32_t *task; /* part by part, class by class, ascending inside each */
    uint32_t count;
    sgp_rack_ware *list; /* part by part */
    uint32_t ware_count;
    uint32_t *lot_vector; /* by lot, part by part: its rack cost */
    uint32_t lot_count;
    sgp_rack_part *part;  /* the last entry is behind the last part */
    uint32_t parts;       /* subtopologies that are told apart: all, or 1 */
    uint32_t *has;        /* by client: tasks of all parts */
    uint32_t *place;      /* by client: its place in the rack cost */
    uint32_t *client, *place_start; /* clients that have something, place by place */
} sgp_rack_wares;

/* The layout's actives with state, or those without. The cost is made from the view. E_MEMORY is the only fault. */
int32_t sgp_rack_wares_build(sgp_rack_wares *wares, const sgp_clients *clients, const sgp_layout *layout,
                             const sgp_rack_cost *cost, int stateful, int by_subtopology, sgp_region *region);

#endif
