/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks that are alike for the racks, merged: the same server, the same cost from every rack, the same member that learns
 * them already and is caught up on all of them or on none, and the same part: their subtopology where these are balanced,
 * their weight where that counts.
 */
#ifndef SGP_RACK_CLASS_H
#define SGP_RACK_CLASS_H

#include "solve/balance.h"
#include "solve/rack_cost.h"

typedef struct sgp_rack_class {
    uint32_t server;      /* a staying member; SEGUE_NONE: the tasks have to be placed */
    uint32_t learner;     /* a member that may take them and learns them; SEGUE_NONE */
    uint32_t vector;      /* of the rack cost */
    uint32_t part;        /* 0 where they are not told apart */
    uint32_t first, count; /* rows in `task` */
    uint8_t ready;         /* the learner is caught up */
} sgp_rack_class;

typedef struct sgp_rack_classes {
    sgp_rack_class *list;
    uint32_t count;
    uint32_t *task;    /* class by class, ascending inside each */
    uint32_t *of_task; /* SEGUE_NONE for tasks that are left out */
    uint32_t loose;    /* tasks that have to be placed */
} sgp_rack_classes;

/* part, by task: NULL where they are not told apart. among, by task: those that are looked at; NULL: all of the kind.
 * Linear. */
int32_t sgp_rack_classes_build(sgp_rack_classes *classes, const sgp_balance *balance, const sgp_rack_cost *cost,
                               const uint32_t *part, uint32_t parts, const uint8_t *among);

#endif
