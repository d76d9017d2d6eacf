/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What classes that the flow saw as one give each: members that are alike (rack_profile.h) give turn by turn, the next class
 * going on where the last one ended, so that what they give differs by one at most. What they get begins with the same
 * member (rack_expand.c), so that what they end with differs by one at most, too, and lies between their bounds.
 */
#ifndef SGP_RACK_SHARE_H
#define SGP_RACK_SHARE_H

#include "solve/rack_graph.h"

/* leaving, by class: tasks that go to its lot. */
int32_t sgp_rack_share_out(const sgp_rack_graph *graph, uint32_t *leaving);

/* taken, by row of the graph's cells: tasks that come from their hub. Of what a hub has spilled a group takes from the first
 * subtopologies of which some is left; it makes no difference, since it has no room below its ceilings in any of them. */
void sgp_rack_share_taken(const sgp_rack_graph *graph, uint32_t *taken);

#endif
