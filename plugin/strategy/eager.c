/* SPDX-License-Identifier: Apache-2.0 */
/* The oldest way: everybody gives up everything, and the tasks are dealt anew. Kept to compare with. */
#include "strategy/strategy.h"

const sgp_strategy sgp_eager = {
    .name = "eager",
    .version = "1.0",
    .summary = "deals all tasks anew at every rebalance; a baseline that moves state cold",
    .traits = SEGUE_TRAIT_COLD,
    .forgets = 1,
    .cold = 1,
    .everyone_receives = 1,
};
