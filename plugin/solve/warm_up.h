/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the balanced layout to the one that can be had now, as Kafka's high-availability assignor does: a role that is
 * meant for a client which is not caught up, while somebody nearer exists, goes to the nearer one, and the client warms up
 * as far as max.warmup.replicas allows. Tasks with the fewest caught-up clients come first, actives before standbys.
 *
 *   active   to the lightest caught-up client, best to one that is its standby (then the two change roles, and no warm-up
 *            is counted), else to the nearest client
 *   standby  to the lightest caught-up client that has no role for the task, else to the nearest; where nobody else has a
 *            copy that is the first client without one, so that a standby is built there for nothing, as in Kafka
 *
 * A warm-up is a learner here. Kafka may warm up two clients for one task, one as active and one as standby; a plan has one
 * learner for a task, so that the second waits for a later round, and its slot goes to the next.
 */
#ifndef SGP_WARM_UP_H
#define SGP_WARM_UP_H

#include "solve/clients.h"
#include "solve/layout.h"

typedef struct sgp_warm_ups {
    uint32_t slots;            /* warm-ups that may still begin */
    uint32_t slots_per_member; /* the same on each member; on a process, times its members */
    uint32_t movements;        /* roles that could not go where they are meant to be */
} sgp_warm_ups;

/* Rewrites the layout; loads follow. E_MEMORY is the only fault. */
int32_t sgp_warm_up(sgp_clients *clients, sgp_layout *layout, sgp_warm_ups *ups, sgp_region *region);

#endif
