/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buys an even spread of each subtopology with moves that the totals alone do not need
 * (segue.spread.subtopologies=true).
 */
#ifndef SGP_SPREAD_H
#define SGP_SPREAD_H

#include "solve/balance.h"

/*
 * Adds to surplus and deficit what each member holds above its share of a subtopology: the share is that of the tasks
 * that it should hold, rounded up for those that hold more than its floor already as far as roundings go. Leaves the
 * accounts alone where members x subtopologies is above 64 million.
 */
int32_t sgp_buy_spread(sgp_balance *balance);

#endif
