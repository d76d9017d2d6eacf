/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who serves each stateful task from now on, before anything is balanced.
 *
 * An owner that is present goes on, unless it still restores while a caught-up copy exists. A task without an owner
 * goes at once to the best copy: caught up before not, the nearest of those that are not, and at equal readiness
 * an active's before a learner before a standby before a dormant copy, then a member that stays, then the lighter one.
 * Where a member would get more than its quota that way, another caught-up copy takes its place (relief.h).
 * Everything later starts from this, so that feeding a plan back gives the same plan.
 */
#ifndef SGP_SERVE_H
#define SGP_SERVE_H

#include "core/view.h"

/*
 * serve[t] for every stateful task: a member, or SEGUE_NONE where no usable copy exists. Rows of stateless tasks are
 * left alone. load[m] gets the number of stateful tasks that each member serves. cold: an owner that still restores goes on
 * as well. Where it has to give way to a caught-up copy whose member is full, somebody with neither state nor room to spare
 * would get the task, and at the next rebalance another.
 */
int32_t sgp_serve(const sgp_view *view, int cold, uint32_t *serve, uint32_t *load, sgp_region *region);

/* All tasks have state, and owners have everything and are all here: the view's owners are who serves. */
int sgp_everybody_goes_on(const sgp_view *view);

/* The member that takes over a copy held by `holder`: the holder itself if it stays, else the lightest staying member on
 * that disk, else the holder while it lingers; else SEGUE_NONE, since a leaving member takes nothing that is new to it. */
uint32_t sgp_serve_on(const sgp_view *view, uint32_t holder, const uint32_t *load);

#endif
