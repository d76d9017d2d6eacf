/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/deal.h"

#include "core/scan.h"

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

/* The pending tasks of one subtopology. */
typedef struct pool {
    const uint32_t *next; /* the one to be dealt next; NULL: all are pending, and they are dealt in their order ... */
    uint32_t first;       /* ... from this one on */
    uint32_t pending;
    uint32_t subtopology, stamp; /* tells this subtopology's counts from older ones */
    uint32_t tasks;              /* of the kind, pending or not */
    uint32_t want, threads;      /* of the member that `most` was last worked out for */
    uint64_t most;
} pool;

static void make_ring(const sgp_balance *b, const uint8_t *takes, ring *r)
{
    uint32_t first = SEGUE_NONE;
    r->last = SEGUE_NONE;
    r->size = 0;
    r->widest = 0;
    for (uint32_t m = 0; (m = sgp_scan_above_none(b->deficit, m, b->view->members)) < b->view->members; m++) {
        if (takes[m]) {
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

static int is_pending(const sgp_balance *b, uint32_t task)
{
    /* The kind first: targets of the other one may not be written yet. */
    return (sgp_is_only_kind(b) || sgp_is_kind(b, task)) && b->target[task] == SEGUE_NONE;
}

static int is_released(const sgp_balance *b, uint32_t task)
{
    uint32_t server = b->serve[task];
    return server != SEGUE_NONE && b->view->place[server] == SGP_STAYS;
}

/* Where there is but one subtopology of the kind, the accounts say what a member has of it before it is dealt anything. */
static uint32_t held_by(const sgp_balance *b, const tick *held, const pool *p, uint32_t member)
{
    uint32_t before = p->tasks == b->count ? b->want[member] + b->surplus[member] - b->deficit[member] : 0;
    return held[member].stamp == p->stamp ? held[member].count : before;
}

static uint32_t count_kind(const sgp_balance *b, uint32_t from, uint32_t to)
{
    uint32_t count = 0;
    for (uint32_t t = from; t < to; t++) {
        count += (uint32_t)sgp_is_kind(b, t);
    }
    return count;
}

/* The pool of the pending tasks from number `at` of `count` on. list NULL: every task is pending. */
static pool open_pool(const sgp_balance *b, const uint32_t *list, uint32_t at, uint32_t count)
{
    pool p = {.next = list == NULL ? NULL : list + at, .first = list == NULL ? at : list[at]};
    p.subtopology = b->view->group->task_subtopology[p.first];
    const uint32_t *start = b->view->subtopology_start + p.subtopology;
    p.stamp = p.subtopology + 1;
    if (b->kind_tasks != NULL) {
        p.tasks = b->kind_tasks[p.subtopology];
    } else {
        p.tasks = sgp_is_only_kind(b) ? start[1] - start[0] : count_kind(b, start[0], start[1]);
    }
    if (list == NULL) {
        p.pending = p.tasks;
        return p;
    }
    while (p.pending < count - at && p.next[p.pending] < start[1]) {
        p.pending++;
    }
    return p;
}

static void count_held(const sgp_balance *b, const pool *p, tick *held)
{
    const uint32_t *start = b->view->subtopology_start + p->subtopology;
    for (uint32_t t = start[0]; p->tasks < b->count && t < start[1]; t++) {
        if (sgp_is_kind(b, t) && b->target[t] != SEGUE_NONE) {
            uint32_t member = b->target[t];
            held[member] = (tick){p->stamp, held_by(b, held, p, member) + 1};
        }
    }
}

/* has: what the member holds of the subtopology already. */
static void deal_some(sgp_balance *b, pool *p, uint32_t member, uint32_t tasks, uint32_t has, tick *held)
{
    uint32_t *target = b->target + p->first;
    if (p->next == NULL) {
        for (uint32_t i = 0; i < tasks; i++) {
            target[i] = member;
        }
        p->first += tasks;
    } else {
        target = b->target;
        for (uint32_t i = 0; i < tasks; i++) {
            target[p->next[i]] = member;
        }
        p->next += tasks;
    }
    p->pending -= tasks;
    b->pending -= tasks;
    b->deficit[member] -= tasks;
    held[member] = (tick){p->stamp, has + tasks};
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
static uint64_t work_out_limit(const sgp_balance *b, const pool *p, uint32_t member, int pass)
{
    uint64_t share = (uint64_t)p->tasks * b->want[member], level = (uint64_t)p->tasks * b->view->threads[member];
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): there is a task to deal */
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

/* Most members are like the one before. */
static uint64_t limit(const sgp_balance *b, pool *p, uint32_t member, int pass)
{
    if (p->want != b->want[member] || p->threads != b->view->threads[member]) {
        p->want = b->want[member];
        p->threads = b->view->threads[member];
        p->most = work_out_limit(b, p, member, pass);
    }
    return p->most;
}

static uint32_t least(uint32_t a, uint64_t b)
{
    return a < b ? a : (uint32_t)b;
}

/* One turn round the ring: everybody below its limit is dealt to, once (or up to the floor at once). */
static void turn(sgp_balance *b, pool *p, ring *r, int pass, tick *held)
{
    p->threads = 0;
    for (uint32_t left = r->size; left > 0 && p->pending > 0 && r->size > 0; left--) {
        uint32_t member = r->next[r->last], has = held_by(b, held, p, member), deficit = b->deficit[member];
        uint64_t most = limit(b, p, member, pass), room = most > has ? most - has : 0;
        if (room > 0) {
            uint32_t tasks = pass == TO_FLOOR ? least(least(deficit, room), p->pending) : 1;
            deal_some(b, p, member, tasks, has, held);
            deficit -= tasks;
        }
        if (deficit == 0) {
            r->next[r->last] = r->next[member];
            r->size--;
        } else {
            r->last = member;
        }
    }
}

static void deal_pool(sgp_balance *b, pool p, ring *r, tick *held)
{
    if (p.pending < p.tasks) {
        count_held(b, &p, held);
    }
    if (p.tasks * r->widest >= b->count) {
        turn(b, &p, r, TO_FLOOR, held);
    }
    turn(b, &p, r, TO_LEVEL, held);
    turn(b, &p, r, TO_CEILING, held);
    while (p.pending > 0 && r->size > 0) {
        turn(b, &p, r, TO_ROOM, held);
    }
}

static uint32_t leave_out_released(const sgp_balance *b, uint32_t *list, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t task = list[i];
        list[kept] = task;
        kept += (uint32_t)!is_released(b, task);
    }
    return kept;
}

/* Returns how many there are. */
static uint32_t list_pending(const sgp_balance *b, int only_unreleased, uint32_t *list)
{
    uint32_t count = 0, tasks = b->view->tasks;
    for (uint32_t from = 0, to; from < tasks; from = to) {
        to = sgp_scan_end(from, tasks);
        int may_be = b->marks == NULL || b->marks[from / SGP_SCAN_BLOCK];
        for (uint32_t t = may_be && sgp_scan_none(b->target, from, to) ? from : to; t < to; t++) {
            list[count] = t;
            count += (uint32_t)is_pending(b, t);
        }
    }
    return only_unreleased ? leave_out_released(b, list, count) : count;
}

int32_t sgp_deal(sgp_balance *b, const uint8_t *takes, int only_unreleased)
{
    ring r;
    if (b->pending == 0) {
        return SEGUE_OK;
    }
    r.next = SGP_TAKE(b->region, uint32_t, b->view->members);
    if (r.next == NULL) {
        return SEGUE_E_MEMORY;
    }
    make_ring(b, takes, &r);
    if (r.size == 0) {
        return SEGUE_OK;
    }
    int all = b->pending == b->view->tasks && !only_unreleased && b->kind_tasks == NULL;
    uint32_t *list = all ? NULL : SGP_TAKE(b->region, uint32_t, (size_t)b->pending + 1);
    tick *held = SGP_TAKE_ZERO(b->region, tick, b->view->members);
    if (b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    uint32_t count = all ? b->pending : list_pending(b, only_unreleased, list);
    for (uint32_t i = 0; i < count && r.size > 0;) {
        pool p = open_pool(b, list, i, count);
        deal_pool(b, p, &r, held);
        i += p.pending;
    }
    return SEGUE_OK;
}
