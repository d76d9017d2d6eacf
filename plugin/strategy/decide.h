/* SPDX-License-Identifier: Apache-2.0 */
/* The decisions of a plan: what changed, what was held back, and why (segue/reason.h). */
#ifndef SGP_DECIDE_H
#define SGP_DECIDE_H

#include "strategy/course.h"

/* Writes the decision columns, by task. The other columns of the plan are in place. */
int32_t sgp_decide(const sgp_course *course, segue_plan *plan);

#endif
