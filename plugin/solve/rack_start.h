/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the racks' flow begins. From everybody keeping what it serves the simplex would take a step for nearly each task
 * that moves; so most of it is done before, greedily, and the simplex only mends that:
 *
 *   - A member gives up what costs less elsewhere, unless moves come first, and of what it cannot end with the cheapest.
 *   - Where subtopologies are balanced each hub deals what comes there: first where a floor is missed, then where there is
 *     room and the member wants some more, then where there is room. Elsewhere a member takes from its hub what it lacks.
 *
 * Nothing of it has to be right, or to fit together. It is a basis "advanced" by an inside knowledge of the problem, as
 * textbooks call it; here the arcs that are full in it are chosen, and the tree follows (sgp_flow_start).
 */
#ifndef SGP_RACK_START_H
#define SGP_RACK_START_H

#include "solve/rack_graph.h"

/* Fills least, given, waiting, and of each cell what it has and what it starts with. Hubs are open. Linear. */
int32_t sgp_rack_start(sgp_rack_graph *graph);

#endif
