/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weights as whole numbers: task_weight times one power of two, so that the heaviest has 30 bits, ratios of whole weights
 * are exact, and sums neither overflow nor depend on the order in which they are made.
 */
#ifndef SGP_WEIGHTS_H
#define SGP_WEIGHTS_H

#include "core/view.h"

typedef struct sgp_weights {
    uint32_t *of;    /* by task, at least 1; NULL where all tasks weigh the same */
    uint32_t *order; /* all tasks, the heaviest first, then by handle */
} sgp_weights;

/* E_MEMORY is the only fault. */
int32_t sgp_weights_build(sgp_weights *weights, const sgp_view *view, sgp_region *region);

/* 1 where tasks of one kind do. */
int sgp_weights_differ(const sgp_view *view, const sgp_weights *weights, int stateful);

/*
 * Of an assignment, holder[t] by task: the largest distance of a staying member's weight from its share by threads, in
 * percent of that share, and a proven bound: no assignment of these tasks to these members has less. E_MEMORY is the only
 * fault.
 */
int32_t sgp_weights_measure(const sgp_view *view, const sgp_weights *weights, const uint32_t *holder, double *imbalance,
                            double *least, sgp_region *region);

#endif
