/* SPDX-License-Identifier: Apache-2.0 */
/* The plan's columns and figures, from what the course found. */
#ifndef SGP_ANSWER_H
#define SGP_ANSWER_H

#include "strategy/course.h"

/* The rows that a plan for these counts can need. */
segue_bound sgp_answer_bound(const segue_group *group, const segue_config *config);

/* Has the caller provided every column with that many rows? E_ARGUMENT or E_SPACE. */
int32_t sgp_answer_fits(const segue_group *group, const segue_config *config, const segue_plan *plan,
                        segue_error *error);

/* active and learner are in place already; writes all the rest. */
int32_t sgp_answer(const sgp_course *course, segue_plan *plan);

#endif
