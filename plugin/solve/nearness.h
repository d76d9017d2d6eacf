/* SPDX-License-Identifier: Apache-2.0 */
/* In which order copies are taken by tasks that have to move: see match.h. */
#ifndef SGP_NEARNESS_H
#define SGP_NEARNESS_H

#include "core/view.h"

/* Of each class those of evicted tasks come directly in front of the others. */
enum sgp_nearness { SGP_OWN_DISK, SGP_EVICTED_READY, SGP_READY, SGP_EVICTED_HOT, SGP_HOT, SGP_EVICTED_LEARNER,
                    SGP_LEARNER, SGP_EVICTED_OTHER, SGP_OTHER };

static inline uint64_t sgp_nearness_of(const sgp_view *view, const sgp_copy *copy, int evicted)
{
    int hot = sgp_hot(view, copy->lag);
    uint64_t class = hot ? SGP_HOT : SGP_OTHER;
    if (copy->role == SEGUE_LEARNER) {
        class = hot ? SGP_READY : SGP_LEARNER;
    }
    return class - (evicted != 0);
}

/* Lags are sorted by their order of magnitude, 4 steps for each doubling; unknown ones last. */
static inline uint64_t sgp_magnitude(int64_t lag)
{
    if (lag < 0) {
        return 255;
    }
    uint64_t value = (uint64_t)lag + 4;
    unsigned bits = 63 - (unsigned)__builtin_clzll(value);
    return (uint64_t)bits * 4 + ((value >> (bits - 2)) & 3);
}

#endif
