/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buys an even spread of each subtopology with moves that the totals alone do not need
 * (segue.spread.subtopologies=true).
 */
#ifndef SGP_SPREAD_H
#define SGP_SPREAD_H

#include "solve/balance.h"

/* Not where members x subtopologies is above 64 million, and not where nobody stays. */
int sgp_can_buy_spread(const sgp_balance *balance);

/* How many tasks the targets have outside floor and ceiling of their members' shares of the subtopologies, a share being
 * that of the tasks that a member should hold. */
int32_t sgp_spread_faults(const sgp_balance *balance, uint64_t *faults);

/* Adds to surplus and deficit what has to move for that number to become 0. */
int32_t sgp_buy_spread(sgp_balance *balance);

#endif
