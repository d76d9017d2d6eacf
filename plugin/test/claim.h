/* SPDX-License-Identifier: Apache-2.0 */
/* What one decision of a plan speaks of, read slowly from the group and the plan (decision_rules.h). */
#ifndef SGP_TEST_CLAIM_H
#define SGP_TEST_CLAIM_H

#include "test/rebalance.h"

typedef struct claim {
    const char *assignor;
    const draft *d;
    const rebalance *r;
    const uint32_t *target; /* by task: who will serve it when all that is learned or held back is done */
    uint32_t task, kind, from, to;
    const int64_t *number;
} claim;

int claim_is(const claim *c, const char *assignor);

/* What the member has of the task, or SEGUE_NONE. */
uint32_t claim_role_of(const claim *c, uint32_t member, uint32_t task);
/* Who claims the task; SEGUE_NONE where nobody does, or several do. */
uint32_t claim_owner_of(const claim *c, uint32_t task, int64_t *claims);
/* Of all copies of the claim's task on the member's disk the least lag that is known, else SEGUE_LAG_UNKNOWN. */
int64_t claim_lag_on(const claim *c, uint32_t member);
int claim_is_ready(const claim *c, int64_t lag);

/* The assignor heeds its mark. */
int claim_is_leaving(const claim *c, uint32_t member);
int claim_has_passed(const claim *c, uint32_t member);

/* Who shares the tasks: those that stay, or else those that have time left, or else everybody. */
enum claim_sharers { CLAIM_STAYS, CLAIM_HAS_TIME, CLAIM_ANYBODY };
enum claim_sharers claim_sharers(const claim *c);

enum claim_tasks { CLAIM_ALL_TASKS, CLAIM_WITH_STATE };

/* The member's tasks by a column, and by who serves them now. */
int64_t claim_count(const claim *c, const uint32_t *column, uint32_t member, enum claim_tasks kind);
int64_t claim_holds(const claim *c, uint32_t member, enum claim_tasks kind);
/* A quota is what the member will hold, or lies between floor and ceiling of its share of the tasks by threads: somebody who
 * keeps more than its share has that quota all the same. high-availability has others. */
int claim_is_quota(const claim *c, uint32_t member, int64_t quota, enum claim_tasks kind);

/* Learners of the plan; SEGUE_NONE: everybody's. */
int64_t claim_learners(const claim *c, uint32_t member);
/* Somebody on the disk of `to` has learned the task so far. */
int claim_goes_on_learning(const claim *c);

/* By the one column the member has another task than the claim's that it has not by the other. */
int claim_changes(const claim *c, uint32_t member, const uint32_t *now, const uint32_t *then);
/* Tasks with state of the claim's subtopology outside floor and ceiling of each member's share, by a column. */
int64_t claim_unevenness(const claim *c, const uint32_t *column);
/* Weights decide. */
int claim_weights_differ(const claim *c);
/* How far the worst member's weight of tasks with state is from its share, for each thread: by targets, or where these do not
 * count but for what somebody has who does not share. */
double claim_distance(const claim *c, int by_target);

#endif
