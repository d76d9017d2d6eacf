/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Staying members that are alike for the rack flow: in one rack, with the same bounds and threads, and serving as many tasks
 * of each rack cost. The flow sees them as one; an even share of its answer keeps each one's bounds (the flow of a single
 * member is a network, and whole points of k times its polytope are sums of k whole points).
 *
 * Whoever learns something stands alone, and who serves a task that is learned elsewhere; and members with tasks where it
 * matters which of them is which: where subtopologies are balanced, and where learners wait for slots.
 */
#ifndef SGP_RACK_PROFILE_H
#define SGP_RACK_PROFILE_H

#include "solve/rack_group.h"

typedef struct sgp_rack_profiles {
    uint32_t count;
    uint32_t *of_member; /* counted from 0 in the members' order; SEGUE_NONE where it does not stay */
    uint32_t *model;     /* by class: the class with its rack cost of its profile's first member; else itself */
} sgp_rack_profiles;

int32_t sgp_rack_profiles_build(sgp_rack_profiles *profiles, const sgp_balance *balance, const sgp_rack_bounds *bounds,
                                const sgp_rack_cost *cost, const sgp_rack_classes *classes, int by_subtopology);

#endif
