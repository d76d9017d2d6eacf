/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIP-429 draft, version 1.0: only new members, and those still learning, take load; they learn first. Where tasks are
 * far fewer than threads a floor of 0 wants nothing of anybody, so nothing is ever shuffled.
 */
#include "strategy/strategy.h"

const sgp_strategy sgp_learner = {
    .name = "learner",
    .version = "1.0",
    .summary = "new members learn their share while the owners serve on; nobody else's load is touched",
};
