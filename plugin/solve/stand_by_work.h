/* SPDX-License-Identifier: Apache-2.0 */
/* What the two halves of sgp_stand_by share: copies that are kept (stand_by.c), and those that are built
 * (stand_by_build.c). */
#ifndef SGP_STAND_BY_WORK_H
#define SGP_STAND_BY_WORK_H

#include "solve/stand_by.h"
#include "solve/zones.h"

typedef struct sgp_stander {
    const sgp_view *view;
    const uint32_t *active, *learner;
    sgp_standbys *out;
    sgp_zones zones;
    uint32_t *load;            /* by member: copies it holds */
    uint32_t *process_load;    /* by process: the same */
    uint32_t *process_threads; /* of the members that stay */
    uint32_t *taken;           /* by process: number of the task + 1 that last had a copy there */
    uint32_t *missing;         /* by task: standbys still to be found */
    uint32_t staying_processes;
    /* of one task */
    uint32_t wanted;                   /* standbys that it lacked before any was kept */
    uint64_t used[SGP_DIMENSIONS];     /* zones that share a value with a copy that counts */
    uint64_t foreseen[SGP_DIMENSIONS]; /* of those, the ones that share it with a standby yet to be built; else none */
    uint64_t open;                     /* zones in which a process has no copy yet */
    uint32_t here[SGP_ZONES];          /* processes of each zone that have one */
} sgp_stander;

/* Begins a task: its active and its learner are where they are. */
void sgp_stander_open(sgp_stander *s, uint32_t task);
/* The process of the task's copy that the others have to differ from: the active's, unless that leaves and a learner
 * takes over. */
uint32_t sgp_stander_anchor(const sgp_stander *s, uint32_t task);
/* A further copy on a process; counts: others have to differ from it. */
void sgp_stander_occupy(sgp_stander *s, uint32_t task, uint32_t process, int counts);
/* A further standby of the task. */
void sgp_stander_add(sgp_stander *s, uint32_t task, uint32_t member);

static inline int sgp_stander_is_taken(const sgp_stander *s, uint32_t task, uint32_t process)
{
    return s->taken[process] == task + 1;
}

/* Finds all that is missing, in rounds of one for each task. */
int32_t sgp_stand_by_build(sgp_stander *s, sgp_region *region);

#endif
