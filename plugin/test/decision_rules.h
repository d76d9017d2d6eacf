/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether what a plan's decisions say is so: the claim of each reason's sentence (segue/reason.h), worked out anew from the
 * group and the plan alone, slowly.
 */
#ifndef SGP_TEST_DECISION_RULES_H
#define SGP_TEST_DECISION_RULES_H

#include "test/rebalance.h"

enum { DECISION_REASONS = SEGUE_REASON_WARMS_UP + 1 };

/* Fails the test where a decision claims what is not so, or a change has no decision. said, by reason: counts decisions. */
void decisions_are_so(const char *assignor, const draft *d, const rebalance *r, uint32_t *said);

#endif
