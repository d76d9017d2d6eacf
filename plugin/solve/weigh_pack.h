/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packing: all tasks of a kind dealt anew by weight, the heaviest first and each to the member that then carries least for
 * each thread (of equal ones the narrower, then the lower handle); the last ones to members without a task. It looks at nobody's present tasks, so that it is the same for a group whatever its history: it says which
 * tolerance can be kept, and is the target of last resort.
 */
#ifndef SGP_WEIGH_PACK_H
#define SGP_WEIGH_PACK_H

#include "solve/weigh_scale.h"

/* Fills bin[t] for tasks of the kind, and leaves the scale weighed by it. */
int32_t sgp_pack(sgp_scale *scale, uint32_t *bin);

/* Goes on from what is weighed: tasks of the kind whose target is SEGUE_NONE get one. */
int32_t sgp_pack_pending(sgp_scale *scale);

/* Names the bins so that members keep as much as they can of what they serve: members that may carry the same may change
 * places. Sets the targets and weighs them. */
int32_t sgp_pack_label(sgp_scale *scale, const uint32_t *bin);

#endif
