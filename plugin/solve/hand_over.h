/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From targets to roles: which tasks change hands now, which are learned first, and which have to wait for a slot.
 *
 * A task goes to its target at once when a caught-up copy is on the target's disk, else the target learns it while the
 * server goes on. Slots under a cap go to leaving members' tasks, then to learners that run, then to members that learn
 * already; among leaving members' tasks to those whose deadline comes first; then to one member after the other, on each
 * to the nearest copy, then to the least state for each unit of weight, so that most balance comes early.
 *
 * Bytes (max_learning_bytes) are given in the same order, and nothing that has state overtakes a task that waits for them.
 * A task larger than the bound starts when no other learner is in flight, and then flies alone.
 */
#ifndef SGP_HAND_OVER_H
#define SGP_HAND_OVER_H

#include "core/view.h"

/* What became of a stateful task that has a target elsewhere. */
enum sgp_outcome {
    SGP_SETTLED,   /* it has none */
    SGP_MOVED,     /* the target is the owner now */
    SGP_LEARNS,    /* the target learns it */
    SGP_WAITS,     /* the target is ready and waits for its other learners (learner.partial.rebalance=false) */
    SGP_HELD_BACK  /* no slot for a learner */
};

typedef struct sgp_roles {
    const uint32_t *serve;
    uint32_t *target;           /* may lie where `active` does, see sgp_hand_over */
    const uint8_t *marks;       /* by block of tasks: some may have another target than its server; NULL: any may */
    uint32_t *active, *learner; /* by task; learner SEGUE_NONE where there is none */
    uint8_t *outcome;           /* by task: enum sgp_outcome; NULL: nobody will ask */
    int unchanged;              /* all targets are the servers: nobody has to look */
    int nobody_serves;          /* there are no servers: nobody has to look either */
    uint32_t learners;          /* in flight */
    uint32_t held_back;         /* tasks that wait for a slot */
    /* Where all tasks have state: */
    uint32_t moves;             /* tasks whose server has to give them up now */
    uint32_t *waiting;          /* tasks that stay with their server, though their target is another one */
    uint32_t waiting_count;
} sgp_roles;

static inline void sgp_note_outcome(const sgp_roles *roles, uint32_t task, enum sgp_outcome outcome)
{
    if (roles->outcome != NULL) {
        roles->outcome[task] = (uint8_t)outcome;
    }
}

/*
 * Fills the columns for stateful tasks. cold: everything moves at once. Targets that lie where `active` does are lost for
 * tasks that are learned first: they are the learners then; they get another place where tasks are held back.
 */
int32_t sgp_hand_over(const sgp_view *view, sgp_roles *roles, int cold, sgp_region *region);

/* The lag of the copy on the process of `member`, SEGUE_LAG_UNKNOWN where it is unknown; *role gets its strongest role
 * there, or SEGUE_NONE where there is no copy. The owner's copy counts as active. */
int64_t sgp_lag_on(const sgp_view *view, uint32_t task, uint32_t member, uint32_t *role);

#endif
