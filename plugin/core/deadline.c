/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 199309L

#include "core/deadline.h"

#include <stddef.h>
#include <time.h>

#define NS_IN_US 1000u
#define NS_IN_S 1000000000u

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_IN_S + (uint64_t)now.tv_nsec;
}

sgp_deadline sgp_deadline_start(int64_t max_compute_us)
{
    sgp_deadline deadline = {.at_ns = UINT64_MAX, .questions = SGP_DEADLINE_STRIDE};
    if (max_compute_us > 0) {
        uint64_t now = now_ns(), most = (UINT64_MAX - now) / NS_IN_US, budget = (uint64_t)max_compute_us;
        deadline.at_ns = budget > most ? UINT64_MAX : now + budget * NS_IN_US;
    }
    return deadline;
}

int sgp_deadline_look(sgp_deadline *deadline)
{
    if (deadline == NULL) {
        return 0;
    }
    deadline->questions = SGP_DEADLINE_STRIDE;
    if (!deadline->passed && deadline->at_ns != UINT64_MAX) {
        deadline->passed = now_ns() >= deadline->at_ns;
    }
    return deadline->passed != 0;
}
