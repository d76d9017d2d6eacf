/* SPDX-License-Identifier: Apache-2.0 */
/* Standbys of a small group whose owners stay as they are, for tests of single rules. */
#ifndef SGP_TEST_STANDING_H
#define SGP_TEST_STANDING_H

#include "solve/stand_by.h"
#include "test/draft.h"
#include "test/solver.h"

enum { STANDING_MOST = 16 }; /* tasks */

typedef struct standing {
    solver *solver;
    uint32_t learner[STANDING_MOST];
    sgp_standbys standbys;
} standing;

/* Stateful tasks without an owner, and members of one thread, each a process. */
draft *standing_group(uint32_t tasks, uint32_t members, uint32_t replicas);

/* Finds the standbys. Owns the draft from now on; solver_close ends it. */
void standing_open(standing *s, draft *d);

/* The same where a member (SEGUE_NONE: nobody) learns task 0. */
void standing_open_with_learner(standing *s, draft *d, uint32_t learner);

/* How many standbys the task has, and whether the member is one of them. */
uint32_t standing_count(const standing *s, uint32_t task);
int standing_has(const standing *s, uint32_t task, uint32_t member);

#endif
