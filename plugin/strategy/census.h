/* SPDX-License-Identifier: Apache-2.0 */
/* How many tasks members have, will have and should have by a plan: what its decisions (decide.h) say of quotas. */
#ifndef SGP_CENSUS_H
#define SGP_CENSUS_H

#include "strategy/course.h"

typedef struct sgp_census {
    const sgp_course *course;
    const sgp_view *view;
    const segue_plan *plan;
    uint32_t *held[2];     /* by member: stateless and stateful actives it has now */
    uint32_t *will;        /* by member: tasks that it will have when all that is learned or held back is done */
    uint8_t *gives, *gets; /* by member: a task of its is to go to another one, or one comes from there */
    uint32_t *learning;    /* by member: learners it has now */
    uint32_t learners;     /* all of them */
    sgp_quota share;       /* of all tasks; no columns where everybody's tasks can come to what they should */
    int by_weight;         /* tasks with state differ in weight, which decides */
    uint32_t subtopology;  /* that was looked at last; SEGUE_NONE: none yet */
    uint32_t *cell, *then; /* by member: its stateful tasks that it has now, and will have */
    uint32_t cell_tasks;   /* all of these */
    int becomes_even;      /* it will be shared more evenly than it is */
} sgp_census;

/* The numbers of a decision. */
typedef struct sgp_numbers {
    int64_t at[SEGUE_DECISION_NUMBERS];
} sgp_numbers;

/* The plan's columns but those of decisions are in place. E_MEMORY is the only fault. */
int32_t sgp_census_take(sgp_census *census, const sgp_course *course, const segue_plan *plan);

/* What `to` holds, its quota, and the same of `from`; 0 where that is SEGUE_NONE. The second: of tasks with state. */
sgp_numbers sgp_quota_of(const sgp_census *census, uint32_t to, uint32_t from);
sgp_numbers sgp_quota_with_state(const sgp_census *census, uint32_t to, uint32_t from);

/* Where subtopologies are balanced: the task's becomes more even, and this move does its part of that by itself. Asked of tasks
 * in their order it is linear in all of them. */
int sgp_census_evens(sgp_census *census, uint32_t task, uint32_t from, uint32_t to);

#endif
