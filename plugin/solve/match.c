/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/match.h"

#include "core/sort.h"
#include "solve/nearness.h"
#include "solve/tally.h"

#include <string.h>

/* A copy that could become the owner. */
typedef struct edge {
    uint32_t task, member;
} edge;

typedef struct edges {
    edge *list;
    uint64_t *order, *spare; /* class and lag above, number of the edge below */
    uint32_t *cursor[2];     /* by process, for released and for evicted tasks: members before it take nothing more */
    uint32_t *ready, *next;  /* by member: the last task that its ready learner has taken, by task the one before that;
                              * SEGUE_NONE: none, or none that could go elsewhere */
    uint32_t count;
} edges;

/* May this task move at all, and is it evicted? */
static int movable(const sgp_balance *b, uint32_t task, int *evicted)
{
    uint32_t server = b->serve[task];
    if (!sgp_is_kind(b, task) || server == SEGUE_NONE) {
        return 0;
    }
    *evicted = b->view->place[server] != SGP_STAYS;
    return *evicted || b->surplus[server] > 0;
}

static int may_take(const sgp_balance *b, uint32_t member, int evicted)
{
    return evicted || b->receives[member];
}

static int takes(const sgp_balance *b, uint32_t member, int evicted)
{
    return b->deficit[member] > 0 && may_take(b, member, evicted);
}

/* A member with a deficit on the copy's disk, the holder first. Deficits only shrink, so a cursor for each process never
 * has to go back, however many members share a disk. */
static uint32_t taker(const sgp_balance *b, edges *e, uint32_t holder, int evicted)
{
    const sgp_view *view = b->view;
    uint32_t process = sgp_process(view, holder), end = view->process_start[process + 1];
    uint32_t *cursor = &e->cursor[evicted][process];
    if (takes(b, holder, evicted)) {
        return holder;
    }
    while (*cursor < end && !takes(b, view->process_member[*cursor], evicted)) {
        ++*cursor;
    }
    return *cursor < end ? view->process_member[*cursor] : SEGUE_NONE;
}

static void add_edge(edges *e, uint64_t class, uint64_t nearness, uint32_t task, uint32_t member)
{
    e->order[e->count] = class << 56 | nearness << 48 | e->count;
    e->list[e->count++] = (edge){task, member};
}

static uint64_t class_of(uint64_t order)
{
    return order >> 56;
}

static void collect_task(const sgp_balance *b, edges *e, uint32_t task)
{
    int evicted;
    uint32_t count;
    const sgp_copy *copies = sgp_copies(b->view, task, &count);
    if (!movable(b, task, &evicted)) {
        return;
    }
    uint32_t home = sgp_process(b->view, b->serve[task]);
    if (taker(b, e, b->serve[task], evicted) != SEGUE_NONE) {
        add_edge(e, SGP_OWN_DISK, 0, task, b->serve[task]);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (sgp_process(b->view, copies[i].member) != home && taker(b, e, copies[i].member, evicted) != SEGUE_NONE) {
            uint64_t class = sgp_nearness_of(b->view, &copies[i], evicted);
            add_edge(e, class, class <= SGP_HOT ? 0 : sgp_magnitude(copies[i].lag), task, copies[i].member);
        }
    }
}

static int32_t collect(sgp_balance *b, edges *e)
{
    const sgp_view *view = b->view;
    size_t most = view->tasks + (view->copy_start == NULL ? 0 : (size_t)view->copy_start[view->tasks]);
    e->list = SGP_TAKE(b->region, edge, most);
    e->order = SGP_TAKE(b->region, uint64_t, most);
    e->spare = SGP_TAKE(b->region, uint64_t, most);
    e->count = 0;
    for (int i = 0; i < 2; i++) {
        e->cursor[i] = SGP_TAKE(b->region, uint32_t, view->processes);
    }
    e->ready = SGP_TAKE(b->region, uint32_t, view->members);
    e->next = SGP_TAKE(b->region, uint32_t, view->tasks);
    if (b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    memset(e->ready, 0xff, view->members * sizeof *e->ready);
    for (int i = 0; i < 2; i++) {
        memcpy(e->cursor[i], view->process_start, view->processes * sizeof *e->cursor[i]);
    }
    for (uint32_t t = 0; t < view->tasks; t++) {
        collect_task(b, e, t);
    }
    sgp_sort(e->order, e->spare, e->count);
    return SEGUE_OK;
}

/* Somebody else with room has a copy of the task that is caught up as well. */
static uint32_t find_other(const sgp_balance *b, edges *e, uint32_t task)
{
    uint32_t count, member = b->target[task], other = SEGUE_NONE;
    const sgp_copy *copies = sgp_copies(b->view, task, &count);
    int evicted = b->view->place[b->serve[task]] != SGP_STAYS;
    for (uint32_t i = 0; i < count && other == SEGUE_NONE; i++) {
        int apart = sgp_process(b->view, copies[i].member) != sgp_process(b->view, member);
        other = apart && sgp_hot(b->view, copies[i].lag) ? taker(b, e, copies[i].member, evicted) : SEGUE_NONE;
    }
    return other;
}

/* A full member gives a task that its ready learner has taken to another copy that is caught up, so that another learner of its
 * is not in vain. Room elsewhere only shrinks: what could not go once is not asked again. */
static void make_room(sgp_balance *b, sgp_tally *tally, edges *e, uint32_t member)
{
    uint32_t task = e->ready[member], to = SEGUE_NONE;
    while (task != SEGUE_NONE && to == SEGUE_NONE) {
        to = find_other(b, e, task);
        e->ready[member] = e->next[task];
        if (to != SEGUE_NONE) {
            sgp_tally_move(tally, b->view->group->task_subtopology[task], member, to);
            b->deficit[member]++;
            sgp_settle(b, task, to);
        }
        task = e->ready[member];
    }
}

/* EVENLY: only what evens out its subtopology. WITH_ROOM: a full member may make room. */
enum manner { EVENLY, ANYHOW, WITH_ROOM };

/* Takes the task along the edge if both sides still have room. */
static void take(sgp_balance *b, sgp_tally *tally, edges *e, uint64_t order, enum manner manner)
{
    const edge *along = &e->list[order & 0xffffffffffff];
    uint32_t task = along->task, server = b->serve[task], subtopology = b->view->group->task_subtopology[task];
    int evicted;
    if (!movable(b, task, &evicted) || b->target[task] != (evicted ? SEGUE_NONE : server)) {
        return;
    }
    if (manner == WITH_ROOM && b->deficit[along->member] == 0 && may_take(b, along->member, evicted)) {
        make_room(b, tally, e, along->member);
    }
    uint32_t to = taker(b, e, along->member, evicted);
    if (to == SEGUE_NONE ||
        (manner == EVENLY && !sgp_tally_evens(tally, b, subtopology, evicted ? SEGUE_NONE : server, to))) {
        return;
    }
    b->surplus[server] -= !evicted;
    sgp_tally_move(tally, subtopology, b->target[task], to);
    sgp_settle(b, task, to);
    if (class_of(order) == SGP_EVICTED_READY || class_of(order) == SGP_READY) {
        e->next[task] = e->ready[to];
        e->ready[to] = task;
    }
}

static void take_all(sgp_balance *b, sgp_tally *tally, edges *e, uint32_t from, uint32_t to, enum manner manner)
{
    for (uint32_t i = from; i < to; i++) {
        take(b, tally, e, e->order[i], manner);
    }
}

/* Class by class up to `last`. Returns the first edge behind it. */
static uint32_t take_up_to(sgp_balance *b, sgp_tally *tally, edges *e, uint32_t from, enum sgp_nearness last)
{
    while (from < e->count && class_of(e->order[from]) <= last) {
        uint64_t class = class_of(e->order[from]);
        uint32_t to = from;
        while (to < e->count && class_of(e->order[to]) == class) {
            to++;
        }
        take_all(b, tally, e, from, to, EVENLY);
        take_all(b, tally, e, from, to, ANYHOW);
        from = to;
    }
    return from;
}

int sgp_anything_to_match(const sgp_balance *b)
{
    return b->stateful && (b->view->copy_start != NULL || b->view->processes < b->view->members);
}

int32_t sgp_match_copies(sgp_balance *b)
{
    edges e;
    sgp_tally tally;
    uint8_t *in_set = SGP_TAKE_ZERO(b->region, uint8_t, b->view->members);
    if (b->region->failed || collect(b, &e) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t m = 0; m < b->view->members; m++) {
        in_set[m] = b->surplus[m] > 0 || b->deficit[m] > 0;
    }
    if (e.count == 0) {
        return SEGUE_OK;
    }
    if (sgp_tally_build(&tally, b, in_set) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    uint32_t disks = take_up_to(b, &tally, &e, 0, SGP_OWN_DISK), ready = take_up_to(b, &tally, &e, disks, SGP_READY);
    take_all(b, &tally, &e, disks, ready, WITH_ROOM);
    uint32_t hot = take_up_to(b, &tally, &e, ready, SGP_HOT), running = take_up_to(b, &tally, &e, hot, SGP_LEARNER);
    take_all(b, &tally, &e, hot, running, WITH_ROOM);
    take_up_to(b, &tally, &e, running, SGP_OTHER);
    return SEGUE_OK;
}
