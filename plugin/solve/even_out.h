/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evens out tasks over threads as Kafka's high-availability assignor does. Clients take turns, in the order of processes,
 * as the one that gives; each offers its tasks in order to every other client, in the same order, for as long as that
 * leaves the receiver no heavier, by threads, than the giver. A pass in which nothing moves is the last.
 *
 * The result is that of Kafka's passes over all pairs; pairs that cannot trade are left out by a look at the lightest.
 */
#ifndef SGP_EVEN_OUT_H
#define SGP_EVEN_OUT_H

#include "core/deadline.h"
#include "solve/clients.h"
#include "solve/layout.h"

enum sgp_evened { SGP_EVEN_ACTIVES, SGP_EVEN_STANDBYS };

/* Moves rows of that role in the layout; loads follow. Standbys only move to a client that has all tags of the giver.
 * When the budget ends the layout stays as uneven as it is by then. E_MEMORY is the only fault. */
int32_t sgp_even_out(sgp_clients *clients, sgp_layout *layout, enum sgp_evened role, sgp_deadline *deadline,
                     sgp_region *region);

#endif
