/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scale: what members carry and may carry by weight, while the targets of one kind are looked for.
 *
 * A member's share is that of all weight, of both kinds, by threads. Two things are too heavy for any sharing, and are left
 * out of it with the threads they take, which lowers the share of the others:
 *   - what stateful tasks have made of a member that carries more than its share already, when stateless ones come on top;
 *   - boulders: tasks heavier than what a wide member may carry of what is left. Who holds one alone fits, where it has
 *     room enough (weigh_boulder.h).
 */
#ifndef SGP_WEIGH_SCALE_H
#define SGP_WEIGH_SCALE_H

#include "solve/balance.h"
#include "solve/weights.h"

/* What rounding may add to a sum of doubles that should be whole. */
#define SGP_DUST 1e-6

/* How much of what is learned counts as settled where it is learned. What has caught up is given up last. */
enum { SGP_FLIES_NONE, SGP_FLIES_READY, SGP_FLIES_ALL };

struct sgp_scale {
    sgp_balance *b;
    const uint32_t *weight; /* by task */
    const uint32_t *order;  /* tasks of the kind, the heaviest first, then by handle */
    uint32_t *flying;       /* by task: the staying member that learns it, or SEGUE_NONE; NULL: nobody learns */
    uint8_t *ready;         /* by task: that one has caught up; NULL: none has */
    /* by member */
    uint64_t *carried;      /* weight of the other kind, which stays */
    uint64_t *load;         /* carried, and the weight of the kind's targets */
    double *share, *rest;   /* of all weight, and of what overloaded members leave; boulders left out of both */
    uint64_t *low, *high;   /* of `load` */
    uint32_t *held;         /* tasks of the kind */
    uint32_t *bin;          /* by task: the packing (weigh_pack.h) */
    uint64_t boulder;       /* the weight of the lightest one; UINT64_MAX: there is none */
    double alone;           /* weight for each thread up to which one that is alone fits */
    int packed;             /* `bin` is filled */
    int pinned;             /* what of that stays where it is learned: SGP_FLIES_... */
    int in_quota;           /* the targets are those of the counts' quota */
};

/* Takes the columns and finds the shares. `carried` by member: NULL for none. Weights of a kind have been built. */
int32_t sgp_scale_open(sgp_scale *scale, sgp_balance *balance, const sgp_weights *weights, const uint64_t *carried);

/* Sets low and high to `tolerance` (1: 100 %) around the shares; low is at least one task's where there are enough. */
void sgp_scale_tolerate(sgp_scale *scale, double tolerance);

/* Counts load and held of an assignment; tasks at SEGUE_NONE are left out. */
void sgp_scale_weigh(sgp_scale *scale, const uint32_t *holder);

/* The least tolerance that what was weighed keeps. */
double sgp_scale_distance(const sgp_scale *scale);

/* 1 where the weight is that of a boulder which fits the member, with what it carries, if that has nothing else. */
static inline int sgp_scale_hosts(const sgp_scale *s, uint32_t member, uint64_t weight)
{
    return weight >= s->boulder &&
           (double)(s->carried[member] + weight) <= s->alone * s->b->view->threads[member] + SGP_DUST;
}

/* 1 where such a boulder is all that the member has, and enough for it: a light one may be too little for a wide member. */
static inline int sgp_scale_alone(const sgp_scale *s, uint32_t member)
{
    return s->held[member] == 1 && s->load[member] >= s->low[member] &&
           sgp_scale_hosts(s, member, s->load[member] - s->carried[member]);
}

/* Weight above a member's range, and below it. */
static inline uint64_t sgp_scale_over(const sgp_scale *s, uint32_t member)
{
    return sgp_scale_alone(s, member) || s->load[member] <= s->high[member] ? 0 : s->load[member] - s->high[member];
}

static inline uint64_t sgp_scale_under(const sgp_scale *s, uint32_t member)
{
    return s->load[member] >= s->low[member] ? 0 : s->low[member] - s->load[member];
}

static inline int sgp_scale_fits(const sgp_scale *s, uint32_t member)
{
    return sgp_scale_over(s, member) == 0 && sgp_scale_under(s, member) == 0;
}

/* 1 when all staying members fit. */
int sgp_scale_fits_all(const sgp_scale *scale);

/* Takes a target from one member to another; `from` may be SEGUE_NONE. */
static inline void sgp_scale_move(sgp_scale *s, uint32_t task, uint32_t from, uint32_t to)
{
    if (from != SEGUE_NONE) {
        s->load[from] -= s->weight[task];
        s->held[from]--;
    }
    s->load[to] += s->weight[task];
    s->held[to]++;
    s->b->target[task] = to;
}

/* 1 when the task's server may keep it. */
static inline int sgp_scale_keeps(const sgp_scale *s, uint32_t task)
{
    uint32_t server = s->b->serve[task];
    return server != SEGUE_NONE && s->b->view->place[server] == SGP_STAYS;
}

static inline uint32_t sgp_scale_flying(const sgp_scale *s, uint32_t task)
{
    return s->flying == NULL ? SEGUE_NONE : s->flying[task];
}

static inline int sgp_scale_is_ready(const sgp_scale *s, uint32_t task)
{
    return s->ready != NULL && s->ready[task];
}

/* The member has learned the task. */
static inline int sgp_scale_is_done(const sgp_scale *s, uint32_t task, uint32_t member)
{
    return sgp_scale_is_ready(s, task) && s->flying[task] == member;
}

/* The member that learns the task, as far as that counts; else SEGUE_NONE. */
static inline uint32_t sgp_scale_flying_of(const sgp_scale *s, uint32_t task, int flies)
{
    int counts = flies == SGP_FLIES_ALL || (flies == SGP_FLIES_READY && sgp_scale_is_ready(s, task));
    return counts ? sgp_scale_flying(s, task) : SEGUE_NONE;
}

/* It stays there, as long as what is learned is pinned. */
static inline int sgp_scale_pins(const sgp_scale *s, uint32_t task, uint32_t member)
{
    return sgp_scale_flying_of(s, task, s->pinned) == member;
}

/* The most that can count, and after that less and less, down to -1. */
static inline int sgp_flies_most(const sgp_scale *s)
{
    return s->flying != NULL ? SGP_FLIES_ALL : SGP_FLIES_NONE;
}

static inline int sgp_flies_less(const sgp_scale *s, int flies)
{
    return flies == SGP_FLIES_ALL && s->ready == NULL ? SGP_FLIES_NONE : flies - 1;
}

/* The task has to go anyway, and it has been learned, but not by that member: which has to learn it anew. */
static inline int sgp_scale_wastes(const sgp_scale *s, uint32_t task, uint32_t member)
{
    return sgp_scale_is_ready(s, task) && !sgp_scale_keeps(s, task) && s->flying[task] != member;
}

/* What it costs to have a task there, in half moves: nothing with its server or where it has been learned, less where that
 * goes on. What has to go anyway costs nothing, unless it has been learned elsewhere. */
static inline int sgp_scale_price(const sgp_scale *s, uint32_t task, uint32_t member)
{
    int moves = (sgp_scale_keeps(s, task) && s->b->serve[task] != member) || sgp_scale_wastes(s, task, member);
    return 2 * moves - (moves && sgp_scale_flying(s, task) == member) - (moves && sgp_scale_is_done(s, task, member));
}

/* How many moves the targets take from those who serve and stay, or waste: what has caught up where it is to be needs none. */
uint32_t sgp_scale_moves(const sgp_scale *scale, const uint32_t *target);

#endif
