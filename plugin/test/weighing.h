/* SPDX-License-Identifier: Apache-2.0 */
/* A scale on which a draft lies, for tests of single steps by weight. */
#ifndef SGP_TEST_WEIGHING_H
#define SGP_TEST_WEIGHING_H

#include "solve/weigh_scale.h"
#include "test/chance.h"
#include "test/solver.h"

typedef struct weighing {
    solver *solver;
    sgp_balance balance;
    sgp_weights weights;
    sgp_scale scale;
} weighing;

/* Owns the draft from now on. Weights differ; owners serve, and are the targets where they stay, already weighed. The
 * tolerance is the configuration's. */
weighing *weighing_open(draft *d);
void weighing_close(weighing *w);

/* Stateful tasks of the tail's weights on up to so many members of up to 3 threads, everybody with one at least. */
draft *weighing_draft(uint64_t seed, enum chance_tail tail, uint32_t most_tasks, uint32_t most_members);

/* Up to 7 tasks on 2 to 4 members, of whom one may leave; some tasks have no owner, and now and then one is a boulder. */
draft *weighing_small_draft(uint64_t seed);

/* Shows every assignment of such a draft to those who stay in which everybody fits. The scale is weighed by it meanwhile. */
typedef void (*weighing_see)(void *context, const weighing *w, const uint32_t *holder);
void weighing_each_fit(weighing *w, weighing_see see, void *context);

/* Are load and held those of `holder`, and does every task of the kind have a staying one? */
int weighing_adds_up(const weighing *w, const uint32_t *holder);

/* In percent, of all assignments of up to 8 tasks to up to 4 members that have threads and stay. */
double weighing_least_imbalance(const draft *d);

#endif
