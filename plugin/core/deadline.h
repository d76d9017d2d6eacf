/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The budget of one `assign` (max_compute_us). A loop that looks for something better asks between two steps whether the
 * time is up, and then leaves with the best it has so far, which holds all rules; what has to be done for any plan at all
 * is linear and does not ask. Whoever was told "passed" has cut something short, so the plan says optimal 0.
 */
#ifndef SGP_DEADLINE_H
#define SGP_DEADLINE_H

#include <stdint.h>

/* The clock is read once in so many questions. */
#define SGP_DEADLINE_STRIDE 64u

typedef struct sgp_deadline {
    uint64_t at_ns;     /* of CLOCK_MONOTONIC; UINT64_MAX: no budget */
    uint32_t questions; /* left until the clock is read again */
    uint32_t passed;    /* somebody was told so: there is no way back */
} sgp_deadline;

/* Starts now. 0: no budget, and the clock is never read. */
sgp_deadline sgp_deadline_start(int64_t max_compute_us);

/* Reads the clock. For steps that take long themselves: phases, rounds. NULL: no budget. */
int sgp_deadline_look(sgp_deadline *deadline);

/* For inner loops: most calls cost a decrement. NULL: no budget. */
static inline int sgp_deadline_passed(sgp_deadline *deadline)
{
    if (deadline == 0 || deadline->passed) {
        return deadline != 0;
    }
    return --deadline->questions == 0 && sgp_deadline_look(deadline);
}

#endif
