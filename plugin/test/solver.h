/* SPDX-License-Identifier: Apache-2.0 */
/* A view of a draft, and a balance in any state, for tests of single solver steps. */
#ifndef SGP_TEST_SOLVER_H
#define SGP_TEST_SOLVER_H

#include "solve/balance.h"
#include "solve/rack_cost.h"
#include "test/draft.h"

typedef struct solver {
    draft *draft;
    sgp_arena *arena;
    sgp_region region;
    sgp_view view;
    sgp_rack_cost costs;
} solver;

/* Owns the draft from now on. Leaving members are known. */
solver *solver_open(draft *d);
void solver_close(solver *s);

/* Of the stateful tasks: owners serve and are the targets where they stay, everybody receives, and want[m] stands for
 * what members should hold. */
sgp_balance solver_balance(solver *s, const uint32_t *want);

/* Tasks of one subtopology whose target the member is. */
uint32_t solver_held(const sgp_balance *b, uint32_t member, uint32_t subtopology);

#endif
