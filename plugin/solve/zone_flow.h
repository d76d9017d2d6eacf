/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many tasks of each kind go to each zone. A kind is a set of zones, all of which are equally good for its tasks; a
 * zone has room for as many as its processes get when all are filled evenly. A flow: exact where everything fits, and
 * proportional where there is a choice, so that the tasks of one zone do not all depend on one other.
 */
#ifndef SGP_ZONE_FLOW_H
#define SGP_ZONE_FLOW_H

#include "solve/zones.h"

enum { SGP_KINDS = 64 };

typedef struct sgp_zone_flow {
    uint32_t kinds;
    uint64_t allowed[SGP_KINDS];          /* sets of zones */
    uint32_t left[SGP_KINDS];             /* tasks that are not placed */
    uint32_t room[SGP_ZONES];             /* of the zones, as far as it is not taken */
    uint32_t placed[SGP_KINDS][SGP_ZONES];
} sgp_zone_flow;

/* Places as many as there is room for. Returns the zones that those left over would need more room in: 0 when all are
 * placed. May be called again once there is more room. */
uint64_t sgp_zone_flow_run(sgp_zone_flow *flow);

#endif
