/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boulders: tasks too heavy for any sharing, who may hold one, and what is left to share.
 *
 * Tasks by weight w1 >= w2 >= ..., members by threads t1 >= t2 >= ...; W and T are the sums of what takes part in the sharing.
 * The i-th task is set against the i-th member. It is a boulder, and both are left out, as long as
 *   - it weighs more than that member may carry of what is left: wi > (1 + percentage) * ti * (W - w1 - ...) / (T - t1 - ...),
 *   - it had better not lie on top of another one: wi / ti <= (wj + wi) / tj for each j < i, which is what the packing asks,
 *   - and some member is left for the rest.
 *
 * One to a member they reach A = max(wi / ti), weight for each thread, and no way of giving each a member of its own reaches
 * less: of the i heaviest one is on a member no wider than ti. So who holds a boulder and nothing else fits up to A * threads,
 * and as far above that as others may be above their shares. With equal threads every boulder may be anywhere.
 *
 * Who of those that may will hold them is open. What the others may carry at the most is what is left when the widest do,
 * and what they need at the least is what is left when the narrowest do that may.
 */
#ifndef SGP_WEIGH_BOULDER_H
#define SGP_WEIGH_BOULDER_H

#include "solve/weigh_scale.h"

/* Finds the scale's boulders and their level, and takes them out of its shares. `left` weight is shared by members with so
 * many threads together: those that carry no more than `rest`. E_MEMORY is the only fault. */
int32_t sgp_boulders_leave(sgp_scale *scale, double left, double capacity);

#endif
