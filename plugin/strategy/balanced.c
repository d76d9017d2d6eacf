/* SPDX-License-Identifier: Apache-2.0 */
/* KIP-429 draft, version 4.0: eventual balance; any member may learn what it lacks. */
#include "strategy/strategy.h"

const sgp_strategy sgp_balanced = {
    .name = "balanced",
    .version = "4.0",
    .summary = "scale-down, and every member learns until all are within quota and tolerance",
    .traits = SEGUE_TRAIT_LEAVING,
    .everyone_receives = 1,
    .weighs = 1,
};
