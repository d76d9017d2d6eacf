/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the plan of a group to one that its echo (echo.h) gives back.
 *
 * The plan of the echo takes the place of the plan until both are the same. Some plans go round, each the echo's of the one
 * before: a task that can change hands at once goes to and fro, while what would balance it waits for a slot. Then the same
 * one of them, by an order that looks at nothing else, is taken wherever the circle is entered.
 */
#ifndef SGP_SETTLE_H
#define SGP_SETTLE_H

#include "strategy/course.h"

/* The course has been solved. Sets `settled`; an echo that was cut short says nothing. E_MEMORY is the only fault. */
int32_t sgp_settle_plan(sgp_course *course);

/*
 * 1: where everybody stays, only owners have state, and weights decide nothing, the plan is settled by construction
 * whatever it is, so that no echo will look at the group. Known before there is a view.
 */
int sgp_settles_anyway(const sgp_strategy *strategy, const segue_group *group, const segue_config *config);

#endif
