/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boulders: tasks too heavy for any sharing, who may hold one, and what is left to share.
 *
 * Tasks by weight w1 >= w2 >= ..., members by the room that they have for the heaviest: t1 / (c1 + w1) >= t2 / (c2 + w1) >=
 * ..., with t threads and c of the other kind that stays (nothing for stateful tasks: then the widest come first). W and T are
 * the sums of what takes part in the sharing, with what is carried. The i-th task is set against the i-th member. It is a
 * boulder, and both are left out, as long as
 *   - it weighs more than that member may carry of what is left:
 *     wi > (1 + percentage) * ti * (W - c1 - w1 - ...) / (T - t1 - ...),
 *   - it had better not lie on top of another one: (ci + wi) / ti <= (cj + wj + wi) / tj for each j < i, which is what the
 *     packing asks,
 *   - and some member is left for the rest.
 *
 * One to a member they reach A = max((ci + wi) / ti), weight for each thread. Where all have equal threads, or nobody carries
 * anything, no way of giving each a member of its own reaches less: of the i heaviest one is on a member with no more room
 * than the i-th. So who holds a boulder and no other task of the kind fits up to A * threads with what it carries, and as far
 * above that as others may be above their shares. With equal threads and nothing carried every boulder may be anywhere; with
 * something, not on top of much: state that lies on a member has taken its room.
 *
 * A counts what is carried, a boulder does not: it is one by its own weight. Else A would be a level that nobody reaches where
 * all carry something, or a task would be heavy for what lies below it.
 *
 * Who of those that may will hold them is open. What the others may carry at the most is what is left when the first members
 * do, and what they need at the least is what is left when the narrowest do that may.
 */
#ifndef SGP_WEIGH_BOULDER_H
#define SGP_WEIGH_BOULDER_H

#include "solve/weigh_scale.h"

/* Finds the scale's boulders and their level, and takes them out of its shares. `left` weight is shared by members with so
 * many threads together: those that carry no more than `rest`. E_MEMORY is the only fault. */
int32_t sgp_boulders_leave(sgp_scale *scale, double left, double capacity);

#endif
