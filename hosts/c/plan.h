/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h - the caller's plan as libsegue sees it before anybody writes into it. Any thread. */
#ifndef SEGUE_HOSTS_C_PLAN_H
#define SEGUE_HOSTS_C_PLAN_H

#include "segue/plan.h"

/* Bytes that a bound has to have: everything that version 1 fills. */
#define SEGUE_BOUND_FLOOR (offsetof(segue_bound, decision_rows) + sizeof(uint32_t))

/* E_ARGUMENT when a column is missing, E_SPACE when a capacity lies below the bound. */
int32_t sgi_plan_ready(const segue_plan *plan, uint32_t task_count, const segue_bound *bound);

/* Sets every scalar that a plugin writes to "nothing happened". */
void sgi_plan_clear(segue_plan *plan);

#endif
