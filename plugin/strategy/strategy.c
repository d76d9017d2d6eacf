/* SPDX-License-Identifier: Apache-2.0 */
#include "strategy/strategy.h"

#include <string.h>

const sgp_strategy *const sgp_strategies[] = {&sgp_eager,      &sgp_sticky,   &sgp_learner,
                                              &sgp_scale_down, &sgp_balanced, &sgp_high_availability, NULL};

const sgp_strategy *sgp_strategy_find(const char *name)
{
    for (const sgp_strategy *const *at = sgp_strategies; *at != NULL; at++) {
        if (strcmp((*at)->name, name) == 0) {
            return *at;
        }
    }
    return NULL;
}
