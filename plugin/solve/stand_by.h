/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who stands by for each stateful task. What comes first decides, what comes later only where that leaves a choice:
 *
 *   number     min(num.standby.replicas, processes of staying members that hold neither its active nor its learner), one
 *              on a process: always exact
 *   zones      copies that fail apart (zones.h): each further standby differs from the active and the standbys before
 *              it in the first of rack.aware.assignment.tags wherever any process does, of those in the second, and
 *              so on. A standby is given up for that, even a caught-up one, and for nothing else
 *   copies     that exist: caught up before not, running before dormant, the nearest of those. A standby moves for
 *              nobody's load
 *   load       copies for each thread, as even as it can be with what is kept
 *   partners   the standbys of one process's tasks lie on as many others as possible, not all on one
 *
 * One round for each rank of replica, so that no task has its second standby before every task has its first.
 *
 * The number of different values in the first dimension is the greatest that there can be. In later dimensions each
 * standby is the best one given those before it.
 */
#ifndef SGP_STAND_BY_H
#define SGP_STAND_BY_H

#include "core/view.h"

typedef struct sgp_standbys {
    uint32_t ranks;  /* the most standbys that a task can have */
    uint32_t *member; /* [task * ranks + i]; SEGUE_NONE behind the last */
} sgp_standbys;

/* The ranks of a task; NULL where there are none. */
static inline const uint32_t *sgp_standbys_of(const sgp_standbys *standbys, uint32_t task)
{
    return standbys->ranks == 0 ? NULL : standbys->member + (size_t)task * standbys->ranks;
}

/* active and learner by task, as they will be. */
int32_t sgp_stand_by(const sgp_view *view, const uint32_t *active, const uint32_t *learner, sgp_standbys *standbys,
                     sgp_region *region);

#endif
