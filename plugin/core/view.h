/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The view: a group as the solver wants it. One pass over the copies turns rows by member into owners by task, and
 * indexes by task only those copies that say more than "the owner is caught up".
 */
#ifndef SGP_VIEW_H
#define SGP_VIEW_H

#include "core/region.h"
#include "segue/config.h"
#include "segue/group.h"

/* What a member may hold. */
enum sgp_place {
    SGP_GONE,    /* nothing: no threads while others have some, or its deadline has passed */
    SGP_LINGERS, /* marked as leaving, with time left: serves what it has, gets nothing new */
    SGP_STAYS    /* a target */
};

/* State of a task on a member's disk. */
typedef struct sgp_copy {
    int64_t lag;
    uint32_t member;
    uint32_t role; /* enum segue_role; SEGUE_ACTIVE when several members claim the task */
} sgp_copy;

typedef struct sgp_view {
    const segue_group *group;
    const segue_config *config;
    uint32_t tasks, members, processes, subtopologies;
    uint32_t stateful_tasks;

    /* members */
    uint32_t *threads; /* capacity: 1 for each when all have 0 */
    uint8_t *place;    /* enum sgp_place */
    uint32_t staying;  /* members that stay */
    uint64_t capacity; /* their threads */
    uint32_t threads_each; /* of every one of them, where they have the same number; else 0 */
    int nobody_stays;  /* everybody leaves: those with time left (or all) count as staying, and nothing is moved */
    int idle;           /* nobody has threads: each counts as 1, and no standbys are kept */
    uint32_t *owned[2]; /* stateless and stateful tasks that it owns */
    uint8_t *newcomer; /* has no stateful active, or still learns from a member that stays */

    /* processes: members of each, and whether one of them stays or is present at all */
    uint32_t *process_start, *process_member;
    uint8_t *process_place; /* the best enum sgp_place of its members */

    /* members' rows in the group; NULL: the view was not made from any */
    const uint32_t *row_start, *row_task;

    /* tasks */
    uint32_t *subtopology_start; /* by subtopology, into the tasks; the last entry is their count */
    uint32_t *owner;       /* the one member that claims it, else SEGUE_NONE */
    uint8_t *vacant;       /* by block (core/scan.h), where all copies are owners': has a task without one */
    int64_t *owner_lag;    /* NULL: every owner is caught up, or nobody asks (only_moves) */
    uint32_t *copy_start;  /* rows of each stateful task in `copy`; NULL: no copies but the owners' */
    sgp_copy *copy;        /* all copies but the sole owner's, by member */
} sgp_view;

/*
 * Builds the view. knows_leaving 0: nobody counts as leaving. only_moves 1: tasks that do not move interest nobody, so
 * that lags of owners that go on in any case need not be known. The group has passed sgp_check and outlives the view; the
 * rest lives in `region`, but for the owners where every copy is that of a task's one owner: they come into `room`, which
 * has a row for each task (NULL: into `region` as well). E_MEMORY is the only fault.
 */
int32_t sgp_view_build(sgp_view *view, const segue_group *group, const segue_config *config, int knows_leaving,
                       int only_moves, uint32_t *room, sgp_region *region);

static inline int sgp_stateful(const sgp_view *view, uint32_t task)
{
    return view->group->task_stateful[task] != 0;
}

static inline uint32_t sgp_process(const sgp_view *view, uint32_t member)
{
    return view->group->member_process[member];
}

/* Caught up: the lag is known and acceptable. */
static inline int sgp_hot(const sgp_view *view, int64_t lag)
{
    return lag >= 0 && lag <= view->config->acceptable_recovery_lag;
}

static inline int64_t sgp_owner_lag(const sgp_view *view, uint32_t task)
{
    return view->owner_lag == NULL ? 0 : view->owner_lag[task];
}

static inline const sgp_copy *sgp_copies(const sgp_view *view, uint32_t task, uint32_t *count)
{
    const uint32_t *start = view->copy_start;
    *count = start == NULL ? 0 : start[task + 1] - start[task];
    return start == NULL ? view->copy : view->copy + start[task];
}

#endif
