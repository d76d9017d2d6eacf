/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mends targets that some member does not fit: pairs of a heavy and a light member give and exchange tasks until both fit
 * or nothing more helps. Every step brings a member that does not fit nearer and takes none that does out of its range, so
 * that mending ends; of the steps that bring both home the one is taken that adds the fewest moves.
 */
#ifndef SGP_WEIGH_MEND_H
#define SGP_WEIGH_MEND_H

#include "solve/weigh_scale.h"

/* *mended: whether all fit now. */
int32_t sgp_mend(sgp_scale *scale, int *mended);

#endif
