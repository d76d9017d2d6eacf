/* SPDX-License-Identifier: Apache-2.0 */
/* What cooperative assignors do today: the least moves, but each of them at once, state or no state. */
#include "strategy/strategy.h"

const sgp_strategy sgp_sticky = {
    .name = "sticky",
    .version = "1.0",
    .summary = "balance at once with the least moves; a baseline that moves state cold",
    .traits = SEGUE_TRAIT_COLD,
    .cold = 1,
    .everyone_receives = 1,
};
