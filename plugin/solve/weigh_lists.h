/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks by member, on each the heaviest first. */
#ifndef SGP_WEIGH_LISTS_H
#define SGP_WEIGH_LISTS_H

#include "solve/weigh_scale.h"

typedef struct sgp_lists {
    uint32_t *start; /* by member, into `task`; one entry more */
    uint32_t *task;
} sgp_lists;

int32_t sgp_lists_take(sgp_lists *lists, const sgp_scale *scale);

/* holder[t] by task, SEGUE_NONE for none. among: members whose lists are made; NULL: all. */
void sgp_lists_fill(sgp_lists *lists, const sgp_scale *scale, const uint32_t *holder, const uint8_t *among);

#endif
