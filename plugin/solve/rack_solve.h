/* SPDX-License-Identifier: Apache-2.0 */
/* The optimum of the racks' flow: measure after measure, as many of them at once as fit into one cost. */
#ifndef SGP_RACK_SOLVE_H
#define SGP_RACK_SOLVE_H

#include "solve/rack_graph.h"

/* moves_first: movement counts before traffic and evenness. The graph has been built and its bound is set here. */
enum sgp_flow_end sgp_rack_graph_solve(sgp_rack_graph *graph, int moves_first);

#endif
