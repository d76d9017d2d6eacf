/* SPDX-License-Identifier: Apache-2.0 */
/* Arcs of the racks' flow around its cells, which also say by which of them a cell or hub begins. */
#ifndef SGP_RACK_CELL_H
#define SGP_RACK_CELL_H

#include "solve/rack_graph.h"

/* From the cell's hub, and where subtopologies are balanced to its group and back. */
void sgp_rack_add_cell(sgp_rack_graph *graph, uint32_t group, uint32_t part);

/* From the hubs of a subtopology to the spills; and from these to the groups, which belongs to no subtopology. */
void sgp_rack_add_spills(sgp_rack_graph *graph, uint32_t part);
void sgp_rack_add_spilled(sgp_rack_graph *graph);

#endif
