/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A balance: the working columns by which one kind of task (stateful or stateless) finds its targets.
 *
 * A staying member that serves more than it should hold has a surplus, one that serves less a deficit. Tasks that have
 * to move are pending until a deficit takes them:
 *   free      nobody serves the task and no copy of it exists
 *   evicted   its server does not stay
 *   released  its server gives it up to get down to what it should hold
 * Released tasks go to receivers only; the others go to anybody.
 */
#ifndef SGP_BALANCE_H
#define SGP_BALANCE_H

#include "core/deadline.h"
#include "core/scan.h"
#include "core/view.h"
#include "solve/quota.h"

#include <string.h>

typedef struct sgp_scale sgp_scale;
typedef struct sgp_rack_cost sgp_rack_cost;

typedef struct sgp_balance {
    const sgp_view *view;
    sgp_region *region;
    sgp_deadline *deadline; /* NULL: no budget */
    int stateful;          /* which kind */
    uint32_t count;        /* tasks of that kind */
    const uint32_t *kind_tasks; /* by subtopology; NULL: as in the view. Else the view shows only a part of the tasks, in
                                   which are all that are pending and all of its members (session/part.c) */
    const uint32_t *serve; /* by task: who serves it; SEGUE_NONE for free ones */
    uint32_t *target;      /* by task: who should; SEGUE_NONE while pending */
    uint32_t *aside;       /* where servers are taken that lie where targets are found, if these come to differ ... */
    int by_blocks;         /* ... 1: only in blocks that are marked; in the others, then, the targets are the servers */
    const uint32_t *load;  /* by member: tasks of the kind that it serves */
    int buys_spread;       /* moves are spent on an even spread of each subtopology */
    sgp_scale *scale;      /* weights decide as well (weigh.h); NULL: all tasks of the kind weigh the same */
    int racks;             /* sgp_rack_wanted */
    sgp_rack_cost *costs;  /* made when they are first asked for (rack_cost.h) */
    int moves_first;       /* racks may not cost a further move */
    int cut;               /* the budget ended before the racks' optimum was found */
    int64_t min_traffic;   /* proven by it */
    uint8_t *receives;     /* by member: may take released tasks */
    uint32_t *want;        /* by member: what it should hold */
    uint32_t *surplus, *deficit;
    uint32_t pending; /* tasks without a target */
    uint8_t *marks;   /* by block of SGP_SCAN_BLOCK tasks: one of them may have another target than its server; NULL: any may */
    int unchanged;    /* all targets are the servers */
    int serve_will_do; /* where they are, `target` needs not be written */
} sgp_balance;

/* All tasks are of the kind. */
static inline int sgp_is_only_kind(const sgp_balance *b)
{
    return b->count == b->view->tasks;
}

static inline int sgp_is_kind(const sgp_balance *b, uint32_t task)
{
    return sgp_stateful(b->view, task) == b->stateful;
}

/* Who serves the task and stays; SEGUE_NONE: nobody. */
static inline uint32_t sgp_staying_server(const sgp_balance *b, uint32_t task)
{
    uint32_t server = b->serve[task];
    return server != SEGUE_NONE && b->view->place[server] == SGP_STAYS ? server : SEGUE_NONE;
}

/* Takes the servers of the block that begins with this task aside. */
static inline void sgp_take_aside(const sgp_balance *b, uint32_t from)
{
    memcpy(b->aside + from, b->target + from, (sgp_scan_end(from, b->count) - from) * sizeof *b->aside);
}

/* Comes before the task gets another target. */
static inline void sgp_mark(const sgp_balance *b, uint32_t task)
{
    uint32_t block = task / SGP_SCAN_BLOCK;
    if (b->marks != NULL && !b->marks[block]) {
        b->marks[block] = 1;
        if (b->by_blocks) {
            sgp_take_aside(b, block * SGP_SCAN_BLOCK);
        }
    }
}

/* Who serves the task. Where it is pending, or of another kind, `serve` will do. */
static inline uint32_t sgp_server(const sgp_balance *b, uint32_t task)
{
    return b->by_blocks && !b->marks[task / SGP_SCAN_BLOCK] ? b->target[task] : b->serve[task];
}

/* Takes a task, pending or not, to a member with a deficit. */
static inline void sgp_settle(sgp_balance *b, uint32_t task, uint32_t member)
{
    b->pending -= b->target[task] == SEGUE_NONE;
    sgp_mark(b, task);
    b->target[task] = member;
    b->deficit[member]--;
}

/* Makes its server give up a task. */
static inline void sgp_give_up(sgp_balance *b, uint32_t task)
{
    sgp_mark(b, task);
    b->surplus[b->target[task]]--;
    b->target[task] = SEGUE_NONE;
    b->pending++;
}

/*
 * Finds the target of every task of the kind. `costly` marks members whose rounding uses up `budget` of the other
 * kind's room (NULL: none does). Linear but for one sort of the members.
 */
int32_t sgp_balance_run(sgp_balance *balance, const sgp_quota *quota, const uint8_t *costly, uint32_t budget);

/* The same from what each member should hold on, by counts alone: `want` is filled, surplus and deficit have room. */
int32_t sgp_balance_find_targets(sgp_balance *balance);

#endif
