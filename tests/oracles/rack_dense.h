/* SPDX-License-Identifier: Apache-2.0 */
/* Whose target is whom at the least cost, said the long way: an arc for each task and member, nothing merged. */
#ifndef RACK_DENSE_H
#define RACK_DENSE_H

#include "solve/rack_graph.h"

/* In the order of sgp_rack_measure but for the last; learners are counted positive. */
enum { RACK_VALUES = SGP_RACK_ORDER };

typedef struct rack_value {
    int64_t of[RACK_VALUES];
} rack_value;

typedef struct rack_question {
    const sgp_view *view;
    int stateful;
    const uint32_t *server;  /* by task: a staying member or SEGUE_NONE */
    const uint32_t *learner; /* by task, or NULL */
    const uint8_t *ready;    /* by task: the learner is caught up; where there are learners */
    const uint8_t *receives; /* by member: may take tasks from a server */
    const uint32_t *low, *high; /* by member: bounds of what it ends with */
    const uint8_t *pool;        /* by member, or NULL: enum sgp_rack_pool */
    int64_t budget, heavy;
    int by_subtopology, moves_first;
} rack_question;

/* What LEMON finds. 0 where nothing keeps the bounds. */
int rack_dense_solve(const rack_question *question, rack_value *value);

/* The same measures of targets that somebody else found. */
rack_value rack_value_of(const rack_question *question, const uint32_t *target);

#endif
