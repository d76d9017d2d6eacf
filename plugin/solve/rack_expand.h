/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the optimum's numbers to tasks: how many of a class leave and how many a member takes from its rack's hub are
 * given; which ones is free. Learners that run come first, then copies from the nearest on, then tasks from all over the
 * class, dealt in turns so that subtopologies spread.
 */
#ifndef SGP_RACK_EXPAND_H
#define SGP_RACK_EXPAND_H

#include "solve/rack_graph.h"

/* Sets the targets of the balance's kind. The flow's amounts are used up. */
int32_t sgp_rack_expand(sgp_rack_graph *graph, uint32_t *target);

#endif
