/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The course of one `assign`, the same for every strategy:
 *
 *   view      the group as columns by task
 *   serve     who serves each stateful task from now on
 *   balance   who should serve it in the end: quotas, roundings, copies, release, deal
 *   hand over what of that happens now, and what is learned first
 *   fill      stateless tasks against the load that the targets will have
 *   stand by  standbys
 *   settle    the plan fed back must give itself; where it does not, the echo's plan is tried instead (settle.h)
 *   answer    columns, decisions, follow-up and figures of the plan
 *
 * Each step reads what the earlier ones wrote and nothing else. When the budget has ended no further echo is looked at,
 * and steps that search take the best they have found: the plan holds all rules and says optimal 0.
 */
#ifndef SGP_COURSE_H
#define SGP_COURSE_H

#include "core/deadline.h"
#include "solve/hand_over.h"
#include "solve/quota.h"
#include "solve/rack_cost.h"
#include "solve/stand_by.h"
#include "solve/weights.h"
#include "strategy/strategy.h"

/* What weights made of the tasks of one kind. */
typedef struct sgp_weighed {
    int alone;          /* the quota of the counts was given up for them */
    uint32_t min_moves; /* without which not all members fit their share of the weight */
} sgp_weighed;

typedef struct sgp_course {
    const sgp_strategy *strategy;
    sgp_region *region;
    sgp_deadline *deadline;
    int buys_spread; /* segue.spread.subtopologies */
    int is_echo;     /* of another course, whose weights and rack costs it has, and of which only the plan counts */
    int settled;     /* the echo gave the plan back */
    int decides;     /* decisions are asked for, which look at every task's owner and outcome */
    int only_moves;  /* nobody looks at tasks that do not move, as long as all members stay */
    int asks_again;  /* a later rebalance is needed, learners or not (strategies with their own solve) */
    sgp_view view;
    uint32_t *serve, *target; /* by task, both kinds; read targets with sgp_course_target once roles are known */
    uint32_t *served;         /* by member: stateful tasks it serves */
    uint32_t *promised;       /* by member: stateful tasks whose target it is */
    uint32_t *held;           /* by member: tasks that it owns from now on; NULL: not counted on the way */
    uint32_t *wanted[2];      /* by member: stateless and stateful tasks that it should hold in the end */
    sgp_quota quota;          /* of the stateful tasks */
    sgp_weights weights;      /* none where they decide nothing */
    sgp_weighed weighed[2];   /* of stateless and of stateful tasks */
    sgp_rack_cost costs;      /* made when they are first asked for */
    uint32_t min_moves;
    int racks;           /* they are asked for and known */
    int cut;             /* the best targets were not found in time, or the group is too large to look for them */
    int64_t min_traffic; /* proven; 0 where racks do not count */
    sgp_roles roles;
    sgp_standbys standbys;
} sgp_course;

int32_t sgp_course_run(const sgp_strategy *strategy, const segue_group *group, const segue_config *config,
                       segue_plan *plan, sgp_region *region, segue_error *error);

/* From the view, which is there, to roles and standbys in columns by task. */
int32_t sgp_course_solve(sgp_course *course, uint32_t *active, uint32_t *learner);

/* A task's target. Where targets lie in the place of the actives, learners tell of those that are learned first. */
static inline uint32_t sgp_course_target(const sgp_course *course, uint32_t task)
{
    uint32_t learner = course->target == course->roles.active ? course->roles.learner[task] : SEGUE_NONE;
    return learner != SEGUE_NONE ? learner : course->target[task];
}

/* Takes the owners out of the place of the actives, before these come to differ. E_MEMORY is the only fault. */
int32_t sgp_course_part_owners(sgp_course *course);

/* Fills min_moves from the view, `quota` and `promised`. E_MEMORY is the only fault. */
int32_t sgp_course_least_moves(sgp_course *course);

#endif
