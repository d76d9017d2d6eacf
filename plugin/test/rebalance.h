/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One rebalance through the plugin's slots: a draft goes in, a plan in memory of exactly the stated bound comes out.
 * Every plan is held against what holds for all of them, whatever a test is about.
 */
#ifndef SGP_TEST_REBALANCE_H
#define SGP_TEST_REBALANCE_H

#include "test/draft.h"

typedef struct rebalance {
    segue_plan plan;
    segue_bound bound;
    char text[256];
} rebalance;

/* The slots, from the one exported symbol. */
const segue_slots *rebalance_slots(void);

/* Room for a plan of the draft, with the columns for decisions. */
rebalance *rebalance_room(draft *d);
void rebalance_free(rebalance *r);
/* Frees both. */
void rebalance_finish(draft *d, rebalance *r);

/* A plan by a fresh instance; fails the test on a fault or a broken rule. */
rebalance *rebalance_run(const char *assignor, draft *d);

/* The same without decisions, which lets the plugin leave out what only they look at. */
rebalance *rebalance_run_silently(const char *assignor, draft *d);

/* Wherever memory runs out in one call the fault is clean, and the next call of the same instance gives the plan. */
void rebalance_survives_famine(const char *assignor, draft *d);

/* The group that the next rebalance sees once the plan was carried out. */
enum aftermath {
    SAME_LAGS, /* nothing was replayed meanwhile; what was started is 100000 records behind */
    CAUGHT_UP  /* every copy has been replayed */
};
draft *rebalance_next(const draft *before, const rebalance *r, enum aftermath aftermath);

/* Replaces both by the next round's. */
void rebalance_again(const char *assignor, draft **d, rebalance **r, enum aftermath aftermath);

/* Same owners, learners and standbys. */
int rebalance_same(const rebalance *a, const rebalance *b);

/* Actives of a member, and all its learners. */
uint32_t rebalance_actives(const rebalance *r, uint32_t member);
uint32_t rebalance_learners(const rebalance *r, uint32_t member);
int rebalance_stands_by(const rebalance *r, uint32_t task, uint32_t member);
uint32_t rebalance_standbys(const rebalance *r, uint32_t task);

/* Row of the task's first decision of that kind, or SEGUE_NONE. */
uint32_t rebalance_decision(const rebalance *r, uint32_t task, uint32_t kind);
/* Its reason, or 0. */
uint32_t rebalance_reason(const rebalance *r, uint32_t task, uint32_t kind);

#endif
