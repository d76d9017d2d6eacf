/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A strategy: a name and what it allows. All strategies go the same course (course.h); they differ in four answers.
 */
#ifndef SGP_STRATEGY_H
#define SGP_STRATEGY_H

#include "segue/slots.h"

typedef struct sgp_strategy {
    const char *name, *version, *summary;
    uint32_t traits;       /* SEGUE_TRAIT_... */
    int forgets;           /* owners and copies are ignored: every rebalance starts from the ground */
    int cold;              /* a task moves at once, whether or not its state is there */
    int everyone_receives; /* any staying member may take load from others, not only newcomers */
} sgp_strategy;

extern const sgp_strategy sgp_eager, sgp_sticky, sgp_learner, sgp_scale_down, sgp_balanced;

/* All of them, NULL-terminated. */
extern const sgp_strategy *const sgp_strategies[];

/* NULL when there is none of that name. */
const sgp_strategy *sgp_strategy_find(const char *name);

#endif
