/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places standbys as Kafka's high-availability assignor does: task by task, each on the client that is the lightest by
 * threads of those without the task; what exists already does not count.
 *
 * With rack.aware.assignment.tags a standby goes to the lightest client that shares no tag value with the task's earlier
 * copies; a dimension whose values are used up no longer counts. Standbys that find no such client follow when all tasks
 * have had their turn, on the lightest client: in the order of tasks here, in that of a hash map in Kafka.
 */
#ifndef SGP_REPLICATE_H
#define SGP_REPLICATE_H

#include "solve/clients.h"
#include "solve/layout.h"

/* Up to layout->ranks standbys for each task that is active somewhere; loads follow. E_MEMORY is the only fault. */
int32_t sgp_replicate(sgp_clients *clients, sgp_layout *layout, sgp_region *region);

#endif
