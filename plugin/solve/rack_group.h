/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The members as the rack flow sees them: those that are alike (rack_profile.h) merged, and between which numbers of tasks
 * each may end.
 */
#ifndef SGP_RACK_GROUP_H
#define SGP_RACK_GROUP_H

#include "solve/rack_class.h"

/* Whether what a member has above its low is counted together with others'. */
enum sgp_rack_pool {
    SGP_RACK_FREE,
    SGP_RACK_BUDGET, /* at most the budget's number of such tasks */
    SGP_RACK_HEAVY   /* exactly as many as the heavy ones cannot get rid of */
};

/* Between which numbers of tasks each member may end. */
typedef struct sgp_rack_bounds {
    uint32_t *low, *high; /* by member */
    uint8_t *pool;        /* by member: enum sgp_rack_pool */
    uint32_t budget;
    int64_t heavy;
} sgp_rack_bounds;

typedef struct sgp_rack_group {
    uint32_t hub;       /* place * 2 + takes released tasks */
    uint32_t low, high; /* of each member */
    uint32_t threads;   /* the same */
    uint32_t load;      /* what its members serve, all together */
    uint32_t first, count; /* rows in `member` */
    uint8_t pool;
} sgp_rack_group;

typedef struct sgp_rack_groups {
    sgp_rack_group *list; /* by hub */
    uint32_t count, hubs;
    uint32_t *member;   /* group by group, ascending inside each */
    uint32_t *of_member; /* SEGUE_NONE where it does not stay */
    uint32_t *model;     /* by class: the one that stands for it in the flow, which is of its group's first member */
    uint32_t models;     /* classes that are their own */
} sgp_rack_groups;

/*
 * The bounds are the quota's, so that roundings may go to other members than the targets so far have them: as many, and no
 * more of them from the budget. Members below their floor, which the targets could not fill, end where they are. Where the
 * others have too little room for what lies above ceilings, as much of it goes as in the targets so far, from the heaviest
 * members first; nothing of this depends on who was rounded up.
 */
int32_t sgp_rack_bounds_set(sgp_rack_bounds *bounds, const sgp_balance *balance, const sgp_quota *quota,
                            const uint8_t *costly, uint32_t budget);

/* Learners may have to wait for a slot. */
int sgp_rack_has_slots(const sgp_balance *balance);

int32_t sgp_rack_groups_build(sgp_rack_groups *groups, const sgp_balance *balance, const sgp_rack_bounds *bounds,
                              const sgp_rack_cost *cost, const sgp_rack_classes *classes, int by_subtopology);

#endif
