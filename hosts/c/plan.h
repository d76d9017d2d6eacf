/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h - the caller's plan as libsegue sees it before anybody writes into it. Any thread. */
#ifndef SEGUE_HOSTS_C_PLAN_H
#define SEGUE_HOSTS_C_PLAN_H

#include "segue/plan.h"

/* Bytes that a bound has to have: everything that version 1 fills. */
#define SEGUE_BOUND_FLOOR (offsetof(segue_bound, decision_rows) + sizeof(uint32_t))

/* E_ARGUMENT when a column is missing, E_SPACE when a capacity lies below the bound. */
int32_t sgi_plan_ready(const segue_plan *plan, uint32_t task_count, const segue_bound *bound);

/* Columns start at multiples of that many bytes, so that wide loads in a plugin never split a cache line. */
size_t sgi_plan_rounded(size_t bytes);

/* Bytes of the columns together, and their places in such memory for a plan that states its capacities. */
size_t sgi_plan_bytes(uint32_t task_count, uint32_t standby_capacity, uint32_t decision_capacity);
void sgi_plan_place(segue_plan *plan, uint32_t task_count, void *memory);

/* Takes over what a plugin has set elsewhere: the scalars that are its own; then the rows that these state, as far as
 * both sides have room for them. Counts beyond the room of `from` come out as such that no plan has. */
void sgi_plan_take_scalars(segue_plan *plan, const segue_plan *answer);
void sgi_plan_take_columns(segue_plan *plan, const segue_plan *from, uint32_t task_count);

/* Sets every scalar that a plugin writes to "nothing happened". */
void sgi_plan_clear(segue_plan *plan);

#endif
