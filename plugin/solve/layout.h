/* SPDX-License-Identifier: Apache-2.0 */
/* A layout: which process has which role for each task, while a plan by processes is being made. */
#ifndef SGP_LAYOUT_H
#define SGP_LAYOUT_H

#include "core/region.h"
#include "segue/base.h"

typedef struct sgp_layout {
    uint32_t tasks;
    uint32_t *active;  /* by task; SEGUE_NONE: not placed yet */
    uint32_t *learner; /* by task; SEGUE_NONE: none */
    uint32_t ranks;    /* the most standbys that a task can have */
    uint32_t *standby; /* [task * ranks + i]; SEGUE_NONE behind the last */
} sgp_layout;

/* Nobody has anything. Places are numbered with 32 bits. E_MEMORY is the only fault. */
int32_t sgp_layout_clear(sgp_layout *layout, uint32_t tasks, uint32_t ranks, sgp_region *region);

/* The place of a process among the task's standbys, or NULL. Ask for SEGUE_NONE to get the first free place. */
static inline uint32_t *sgp_standby_place(const sgp_layout *l, uint32_t task, uint32_t process)
{
    uint32_t *place = l->standby + (size_t)task * l->ranks;
    for (uint32_t i = 0; i < l->ranks; i++) {
        if (place[i] == process) {
            return place + i;
        }
    }
    return NULL;
}

/* Has the process any role for the task? */
static inline int sgp_takes_part(const sgp_layout *l, uint32_t task, uint32_t process)
{
    return l->active[task] == process || l->learner[task] == process || sgp_standby_place(l, task, process) != NULL;
}

#endif
