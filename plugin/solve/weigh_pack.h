/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packing: all tasks of a kind dealt anew by weight, the heaviest first and each to the member that then carries least for
 * each thread (of equal ones the narrower, then the lower handle); the last ones to members without a task. It looks at
 * nobody's present tasks, so that it is the same for a group whatever its history: it says which tolerance can be kept, and
 * is the target of last resort.
 */
#ifndef SGP_WEIGH_PACK_H
#define SGP_WEIGH_PACK_H

#include "solve/weigh_scale.h"

/* Fills bin[t] for tasks of the kind, and leaves the scale weighed by it. */
int32_t sgp_pack(sgp_scale *scale, uint32_t *bin);

/*
 * 1 in *certain where all members would fit their ranges with the packing, found without it. Tasks are light that weigh no
 * more than what may be lacking from anybody's range. The heavier ones are packed; if they leave nobody above its range, and
 * the light ones fill the others up to a level that is a light task's weight inside all ranges, nothing can go wrong any
 * more: the member that then carries least is at most one light task below that level, and nobody who has got one is more
 * than that above. 0 where that is not so, or not known. Uses bin[t] for tasks of the kind.
 */
int32_t sgp_pack_surely_fits(sgp_scale *scale, uint32_t *bin, int *certain);

/* Goes on from what is weighed: tasks of the kind whose target is SEGUE_NONE get one. */
int32_t sgp_pack_pending(sgp_scale *scale);

/* Names the bins so that members keep as much as they can of what they serve: members that may carry the same may change
 * places. Sets the targets and weighs them. */
int32_t sgp_pack_label(sgp_scale *scale, const uint32_t *bin);

#endif
