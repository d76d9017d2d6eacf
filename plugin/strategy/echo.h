/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The echo of a plan: the view of the group that the next rebalance would see if the plan were carried out and nothing else
 * happened. Members hold what the plan gives them, copies keep their lags, copies without a role stay on disk, and
 * copies that were just started are far behind.
 *
 * A plan is only an answer when its echo gives the same plan: else the group would be rebalanced for ever.
 */
#ifndef SGP_ECHO_H
#define SGP_ECHO_H

#include "strategy/course.h"

/* Fills *echo. Columns about who has what are new, and live in the region; all others are those of the course's view, and
 * what the group itself says of copies is not the echo's. */
int32_t sgp_echo(const sgp_course *course, sgp_view *echo);

/* 1: the plan leaves everybody what it has, so that the echo is the group and gives the same plan. 0: it may differ. */
int sgp_echo_is_group(const sgp_course *course);

#endif
