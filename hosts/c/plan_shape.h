/* SPDX-License-Identifier: Apache-2.0 */
/* plan_shape.h - is a plan a plan at all: the part of the check that makes the rest safe to read. */
#ifndef SEGUE_HOSTS_C_PLAN_SHAPE_H
#define SEGUE_HOSTS_C_PLAN_SHAPE_H

#include "segue/plan.h"

/* Counts within capacities, handles in range, standbys ascending. E_PLAN: rule 1 for a task or member that there is
 * not, rule 0 for the rest. Any thread, linear, no allocation. */
int32_t sgi_plan_shape(const segue_group *group, const segue_plan *plan, segue_error *error);

#endif
