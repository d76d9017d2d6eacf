/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives tasks that have to move to members on whose disk a copy waits: the server's own process first, then learners that
 * are ready (they become owners in that same rebalance, whatever else is caught up), then other caught-up copies, then
 * running learners, then the other copies from the nearest on. A learner that finds its member full takes the place of a
 * ready one whose task another caught-up copy can take: else it would be dropped, and its task copied anew elsewhere.
 * Inside a class a task is preferred that also evens out its subtopology on both sides.
 */
#ifndef SGP_MATCH_H
#define SGP_MATCH_H

#include "solve/balance.h"

/* Takes surplus and pending tasks to deficits as far as copies reach. */
int32_t sgp_match_copies(sgp_balance *balance);

/* Can there be any such copy? */
int sgp_anything_to_match(const sgp_balance *balance);

#endif
