/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for every plan of every strategy. Written against segue/plan.h and the rules, not against the plugin. */
#ifndef SGP_TEST_PLAN_RULES_H
#define SGP_TEST_PLAN_RULES_H

#include "test/rebalance.h"

/* Fails the test with seed, rule and task. */
void plan_rules_hold(const char *assignor, const draft *d, const rebalance *r);

#endif
