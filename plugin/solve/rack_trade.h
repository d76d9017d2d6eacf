/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients trade actives so that less is read across racks, as Kafka's RackAwareTaskAssignor lets them (KIP-925): each ends
 * with as many as it had, and what it costs is the least. A task costs the traffic's price for each input partition that is
 * read from another rack, and the move's where it is not at the client that the layout had for it; who owns it now does not
 * matter.
 *
 *   min_traffic           that is all
 *   balance_subtopology   and no client has more of a subtopology than its part of all traded tasks, rounded up
 *
 * The optimum is exact, and so is Kafka's: the costs are the same. Where several cost the same it may be another one. Where
 * balance_subtopology is too large a flow (more than SGP_RACK_MOST_CELLS clients times subtopologies) or too long a one,
 * each subtopology is traded by itself: everybody ends with as many of each as it had, and what that costs is the least.
 *
 * Racks count all or not at all, as for Kafka: each client's members are in one known rack, and each task's inputs are known
 * to be somewhere. (An input of which nothing is known is not seen beside one that is in two racks.) Where standbys are
 * wanted Kafka asks the same of the changelogs; a group does not tell of them.
 */
#ifndef SGP_RACK_TRADE_H
#define SGP_RACK_TRADE_H

#include "core/deadline.h"
#include "solve/clients.h"
#include "solve/layout.h"
#include "solve/rack_cost.h"

typedef struct sgp_rack_prices {
    uint32_t traffic, move;
} sgp_rack_prices;

/* Racks are asked for, all known, and somebody is there to trade with. */
int sgp_rack_trade_wanted(const sgp_clients *clients);

/*
 * Actives with state, or those without, change their clients in the layout; nobody's load changes. cost is made from the
 * view. When the budget or SGP_FLOW_MOST_WORK ends, or the flow would be larger than is sensible, *cut is set to 1, and the
 * layout stays as it is where subtopologies by themselves are too much, too. E_MEMORY is the only fault.
 */
int32_t sgp_rack_trade(const sgp_clients *clients, const sgp_rack_cost *cost, int stateful, sgp_rack_prices prices,
                       sgp_deadline *deadline, sgp_layout *layout, sgp_region *region, int *cut);

#endif
