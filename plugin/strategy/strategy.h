/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A strategy: a name and what it allows. All strategies go the same course (course.h); they differ in four answers, and
 * one brings its own way from the view to roles and standbys.
 */
#ifndef SGP_STRATEGY_H
#define SGP_STRATEGY_H

#include "segue/slots.h"

struct sgp_course;

typedef struct sgp_strategy {
    const char *name, *version, *summary;
    uint32_t traits;       /* SEGUE_TRAIT_... */
    int forgets;           /* owners and copies are ignored: every rebalance starts from the ground */
    int cold;              /* a task moves at once, whether or not its state is there */
    int everyone_receives; /* any staying member may take load from others, not only newcomers */
    int weighs;            /* what tasks weigh decides as well as how many they are */
    /* Fills the course's columns by itself, once; its plans are not asked whether they settle. NULL: the common way. */
    int32_t (*solve)(struct sgp_course *course);
} sgp_strategy;

extern const sgp_strategy sgp_eager, sgp_sticky, sgp_learner, sgp_scale_down, sgp_balanced, sgp_high_availability;

/* All of them, NULL-terminated. */
extern const sgp_strategy *const sgp_strategies[];

/* NULL when there is none of that name. */
const sgp_strategy *sgp_strategy_find(const char *name);

#endif
