/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Targets that read the least across racks (rack.aware.assignment.strategy, after KIP-925), as the exact optimum of a flow.
 *
 * Lexicographic: for min_traffic traffic, then moves; for balance_subtopology first how many tasks lie outside floor and
 * ceiling of their member's share of the subtopology. Where only newcomers may take load, moves come before all else: the
 * racks then choose which tasks move, and where to, but move no further one. At equal cost learners that are caught up
 * become owners, and of the others as many as can go on.
 *
 * A spread that is bought (segue.spread.subtopologies) is the same flow with or without racks. Its targets are among those
 * with the fewest tasks outside floor and ceiling the nearest to what there is, and which these are does not depend on what
 * there is: every task that arrives makes the way shorter by one, so that it ends whatever limit learners have.
 */
#ifndef SGP_RACK_TARGET_H
#define SGP_RACK_TARGET_H

#include "solve/balance.h"

/* Racks are asked for and known, and there is a choice. */
int sgp_rack_wanted(const sgp_view *view);

/*
 * Replaces the targets that a balance has found by better ones within the same quota. When the budget or
 * SGP_FLOW_MOST_WORK ends they are only made better as far as that is quick (rack_exchange.h), and balance->cut is set.
 * E_MEMORY is the only fault.
 */
int32_t sgp_rack_target(sgp_balance *balance, const sgp_quota *quota, const uint8_t *costly, uint32_t budget);

/*
 * Where weights have decided (balance->scale): of tasks that weigh the same those go to a rack that are read there
 * (rack_exchange.h), so that nobody's weight or count changes. E_MEMORY is the only fault.
 */
int32_t sgp_rack_choose(sgp_balance *balance);

#endif
