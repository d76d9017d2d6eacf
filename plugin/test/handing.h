/* SPDX-License-Identifier: Apache-2.0 */
/* Roles of a small group whose owners serve, with targets as a test says. */
#ifndef SGP_TEST_HANDING_H
#define SGP_TEST_HANDING_H

#include "solve/hand_over.h"
#include "test/solver.h"

enum { HANDING_MOST = 8 }; /* tasks */

typedef struct handing {
    solver *solver;
    uint32_t target[HANDING_MOST], active[HANDING_MOST], learner[HANDING_MOST];
    uint8_t outcome[HANDING_MOST];
    sgp_roles roles;
} handing;

/* Hands over. What is given up now, and what waits, has to be counted where all tasks have state. Owns the draft from now on;
 * solver_close ends it. */
void handing_open(handing *h, draft *d, const uint32_t *target, int cold);

/* What became of the task, which member 0 served. */
void handing_moved(const handing *h, uint32_t task);
void handing_learns(const handing *h, uint32_t task);
void handing_held_back(const handing *h, uint32_t task);

#endif
