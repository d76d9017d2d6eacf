/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who stands by for each stateful task: min(num.standby.replicas, processes of staying members that hold neither its
 * active nor its learner), one a process. Copies that exist come first: caught up before not, running before dormant,
 * the nearest of those; then the least loaded process, and on it the least loaded member. One round for each rank of
 * replica, so that no task has its second standby before every task has its first.
 */
#ifndef SGP_STAND_BY_H
#define SGP_STAND_BY_H

#include "core/view.h"

typedef struct sgp_standbys {
    uint32_t ranks;  /* the most standbys that a task can have */
    uint32_t *member; /* [task * ranks + i]; SEGUE_NONE behind the last */
} sgp_standbys;

/* active and learner by task, as they will be. */
int32_t sgp_stand_by(const sgp_view *view, const uint32_t *active, const uint32_t *learner, sgp_standbys *standbys,
                     sgp_region *region);

#endif
