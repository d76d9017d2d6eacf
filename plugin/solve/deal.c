/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/deal.h"

#include <string.h>

/* How many tasks of a subtopology a member is to hold; counts of another stamp are stale and mean 0. */
typedef struct tick {
    uint32_t stamp, count;
} tick;

/* The members still to be dealt to, as a ring that shrinks. */
typedef struct ring {
    uint32_t *next; /* by member */
    uint32_t last;  /* the member before the one whose turn it is; SEGUE_NONE: the ring is empty */
    uint32_t size;
    uint64_t widest; /* the most that one of them should hold */
} ring;

typedef struct pool {
    uint32_t stamp;    /* tells this subtopology's counts from older ones */
    uint32_t to;       /* behind the subtopology's tasks */
    uint32_t at;       /* the next one to look at */
    uint32_t pending;
    uint32_t tasks; /* of the kind */
} pool;

static void make_ring(const sgp_balance *b, const uint8_t *takes, ring *r)
{
    uint32_t first = SEGUE_NONE;
    r->last = SEGUE_NONE;
    r->size = 0;
    r->widest = 0;
    for (uint32_t m = 0; m < b->view->members; m++) {
        if (takes[m] && b->deficit[m] > 0) {
            if (r->last == SEGUE_NONE) {
                first = m;
            } else {
                r->next[r->last] = m;
            }
            r->last = m;
            r->size++;
            r->widest = b->want[m] > r->widest ? b->want[m] : r->widest;
        }
    }
    if (r->last != SEGUE_NONE) {
        r->next[r->last] = first;
    }
}

static int is_pending(const sgp_balance *b, uint32_t task, int only_unreleased)
{
    if (!sgp_is_kind(b, task) || b->target[task] != SEGUE_NONE) {
        return 0;
    }
    uint32_t server = b->serve[task];
    return !only_unreleased || server == SEGUE_NONE || b->view->place[server] != SGP_STAYS;
}

static uint32_t held_by(const tick *held, const pool *p, uint32_t member)
{
    return held[member].stamp == p->stamp ? held[member].count : 0;
}

static void hold(tick *held, const pool *p, uint32_t member)
{
    held[member] = (tick){p->stamp, held_by(held, p, member) + 1};
}

/* Finds the extent of the subtopology that begins at `task`, and what is pending in it. */
static pool open_pool(const sgp_balance *b, uint32_t task, int only_unreleased)
{
    const uint32_t *subtopology = b->view->group->task_subtopology;
    pool p = {.stamp = subtopology[task] + 1, .to = task, .at = task};
    for (; p.to < b->view->tasks && subtopology[p.to] == subtopology[task]; p.to++) {
        p.tasks += (uint32_t)sgp_is_kind(b, p.to);
        p.pending += (uint32_t)is_pending(b, p.to, only_unreleased);
    }
    return p;
}

static void count_held(const sgp_balance *b, const pool *p, tick *held)
{
    for (uint32_t t = p->at; t < p->to; t++) {
        if (sgp_is_kind(b, t) && b->target[t] != SEGUE_NONE) {
            hold(held, p, b->target[t]);
        }
    }
}

static void deal_one(sgp_balance *b, pool *p, int only_unreleased, uint32_t member, tick *held)
{
    while (!is_pending(b, p->at, only_unreleased)) {
        p->at++;
    }
    sgp_settle(b, p->at++, member);
    p->pending--;
    hold(held, p, member);
}

enum { TO_FLOOR, TO_LEVEL, TO_CEILING, TO_ROOM };

static uint64_t rounded_up(uint64_t product, uint64_t divisor)
{
    return (product + divisor - 1) / divisor;
}

/*
 * How many tasks of this subtopology the member may hold in this pass: its share by what it should hold in all, and
 * between floor and ceiling of that the share by its threads (the level), since whoever is rounded up in all would be
 * rounded up in every subtopology else, and the others in none.
 */
static uint64_t limit(const sgp_balance *b, const pool *p, uint32_t member, int pass)
{
    uint64_t share = (uint64_t)p->tasks * b->want[member], level = (uint64_t)p->tasks * b->view->threads[member];
    uint64_t low = share / b->count, high = rounded_up(share, b->count);
    switch (pass) {
    case TO_FLOOR:
        level /= b->view->capacity;
        return level < low ? low : (level < high ? level : high);
    case TO_LEVEL:
        return rounded_up(level, b->view->capacity);
    case TO_CEILING:
        return high;
    default:
        return UINT64_MAX;
    }
}

/* One turn round the ring: everybody below its limit is dealt to, once (or up to the floor at once). */
static void turn(sgp_balance *b, pool *p, ring *r, int pass, int only_unreleased, tick *held)
{
    for (uint32_t left = r->size; left > 0 && p->pending > 0 && r->size > 0; left--) {
        uint32_t member = r->next[r->last];
        uint64_t most = limit(b, p, member, pass);
        do {
            if (held_by(held, p, member) >= most || b->deficit[member] == 0 || p->pending == 0) {
                break;
            }
            deal_one(b, p, only_unreleased, member, held);
        } while (pass == TO_FLOOR);
        if (b->deficit[member] == 0) {
            r->next[r->last] = r->next[member];
            r->size--;
        } else {
            r->last = member;
        }
    }
}

static void deal_pool(sgp_balance *b, pool *p, ring *r, int only_unreleased, tick *held)
{
    if (p->pending < p->tasks) {
        count_held(b, p, held);
    }
    if (p->tasks * r->widest >= b->count) {
        turn(b, p, r, TO_FLOOR, only_unreleased, held);
    }
    turn(b, p, r, TO_LEVEL, only_unreleased, held);
    turn(b, p, r, TO_CEILING, only_unreleased, held);
    while (p->pending > 0 && r->size > 0) {
        turn(b, p, r, TO_ROOM, only_unreleased, held);
    }
}

int32_t sgp_deal(sgp_balance *b, const uint8_t *takes, int only_unreleased)
{
    ring r;
    tick *held = SGP_TAKE_ZERO(b->region, tick, b->view->members);
    r.next = SGP_TAKE(b->region, uint32_t, b->view->members);
    if (b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    make_ring(b, takes, &r);
    for (uint32_t t = 0; t < b->view->tasks && r.size > 0;) {
        pool p = open_pool(b, t, only_unreleased);
        if (p.pending > 0) {
            deal_pool(b, &p, &r, only_unreleased, held);
        }
        t = p.to;
    }
    return SEGUE_OK;
}
