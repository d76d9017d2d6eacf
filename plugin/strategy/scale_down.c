/* SPDX-License-Identifier: Apache-2.0 */
/* KIP-429 draft, version 2.0: what a leaving member serves is learned elsewhere, and forced away at its deadline. */
#include "strategy/strategy.h"

const sgp_strategy sgp_scale_down = {
    .name = "scale-down",
    .version = "2.0",
    .summary = "learner, and members that leave are drained by learners elsewhere",
    .traits = SEGUE_TRAIT_LEAVING,
};
