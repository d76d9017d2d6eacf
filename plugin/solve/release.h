/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which tasks a member gives up when it has to: from the subtopologies of which it holds most above its share, and
 * where that leaves a choice, from those of which the receivers get least.
 */
#ifndef SGP_RELEASE_H
#define SGP_RELEASE_H

#include "solve/balance.h"

/* Makes `give[m]` tasks of each member pending. give[m] <= its tasks whose target it is. */
int32_t sgp_release(sgp_balance *balance, const uint32_t *give);

#endif
