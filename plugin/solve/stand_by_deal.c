/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/stand_by_round.h"

#include <string.h>

/* Tasks to look at for one that can give up its place to a task that has found none: on the whole so many for each. What
 * is not found by then costs a little evenness. */
enum { LOOKS = 64, LEAST_LOOKS = 1 << 16 };

static void close_rings(sgp_builder *b)
{
    for (uint32_t z = 0; z < b->s->zones.count; z++) {
        uint32_t first = SEGUE_NONE, last = SEGUE_NONE;
        for (uint32_t i = b->zone_start[z]; i < b->zone_start[z + 1]; i++) {
            uint32_t p = b->by_zone[i];
            if (b->give[p] == 0) {
                continue;
            }
            first = first == SEGUE_NONE ? p : first;
            b->next[last == SEGUE_NONE ? p : last] = p;
            b->next[p] = first;
            last = p;
        }
        b->before[z] = last;
    }
}

/* One less to get for the process behind `before` in its ring, which it leaves when that was the last. */
static void use_next(sgp_builder *b, uint32_t zone, uint32_t before)
{
    uint32_t process = b->next[before];
    if (--b->give[process] == 0) {
        b->next[before] = b->next[process];
        b->before[zone] = process == before ? SEGUE_NONE : before;
    }
}

/* The next process of the ring that has nothing of the task, which gets it; SEGUE_NONE where all have. */
static uint32_t draw(sgp_builder *b, uint32_t task, uint32_t zone)
{
    uint32_t start = b->before[zone], before = start;
    if (start == SEGUE_NONE) {
        return SEGUE_NONE;
    }
    while (sgp_stander_is_taken(b->s, task, b->next[before])) {
        before = b->next[before];
        if (before == start) {
            return SEGUE_NONE;
        }
    }
    uint32_t process = b->next[before];
    b->before[zone] = process;
    use_next(b, zone, before);
    return process;
}

/* The zone whose turn it is for a kind: each as often as the flow says, evenly mixed. There is one: a task lacks no more
 * standbys than processes have nothing of it. */
static uint32_t turn(sgp_builder *b, uint32_t kind)
{
    uint64_t left = b->flow.allowed[kind];
    uint32_t best = (uint32_t)__builtin_ctzll(left);
    int64_t all = 0;
    for (; left != 0; left &= left - 1) {
        uint32_t z = (uint32_t)__builtin_ctzll(left);
        b->credit[kind][z] += b->flow.placed[kind][z];
        all += b->flow.placed[kind][z];
        best = b->credit[kind][z] > b->credit[kind][best] ? z : best;
    }
    b->credit[kind][best] -= all;
    return best;
}

static uint32_t draw_any(sgp_builder *b, uint32_t task, uint64_t zones)
{
    uint32_t process = SEGUE_NONE;
    for (; zones != 0 && process == SEGUE_NONE; zones &= zones - 1) {
        process = draw(b, task, (uint32_t)__builtin_ctzll(zones));
    }
    return process;
}

/* The task lacks a standby, so that its row has an end. */
static void mark(sgp_builder *b, uint32_t task)
{
    sgp_stander *s = b->s;
    const uint32_t *row = s->out->member + (size_t)task * s->out->ranks;
    s->taken[sgp_process(s->view, s->active[task])] = task + 1;
    if (s->learner[task] != SEGUE_NONE) {
        s->taken[sgp_process(s->view, s->learner[task])] = task + 1;
    }
    for (; *row != SEGUE_NONE; row++) {
        s->taken[sgp_process(s->view, *row)] = task + 1;
    }
}

/* Deals along the rings. Who finds no place is left with SEGUE_NONE. */
static void deal(sgp_builder *b)
{
    int zones = b->s->zones.dimensions > 0;
    memset(b->credit, 0, sizeof b->credit);
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t zone = zones ? turn(b, b->kind[i]) : 0;
        mark(b, b->list[i]);
        b->chosen[i] = b->allowed[i] >> zone & 1 ? draw(b, b->list[i], zone) : SEGUE_NONE;
        if (b->chosen[i] == SEGUE_NONE && zones) {
            b->chosen[i] = draw_any(b, b->list[i], b->allowed[i]);
        }
    }
}

/* The same for a process wherever in its ring it is. */
static void use_up(sgp_builder *b, uint32_t process)
{
    uint32_t zone = b->s->zones.of[process], before = b->before[zone];
    while (b->next[before] != process) {
        before = b->next[before];
    }
    use_next(b, zone, before);
}

/* Could this row's task go to the process? Its copies have been marked. */
static int fits(const sgp_builder *b, uint32_t row, uint32_t process)
{
    return (b->allowed[row] >> b->s->zones.of[process] & 1) &&
           !sgp_stander_is_taken(b->s, b->list[row], process);
}

/* Processes that a row's task could go to and that nobody on the way was sent to yet join the queue. */
static uint32_t spread(sgp_builder *b, uint32_t row, uint32_t end)
{
    mark(b, b->list[row]);
    for (uint32_t i = 0; i < b->zone_start[SGP_ZONES]; i++) {
        uint32_t process = b->by_zone[i];
        if (b->sent[process] == SEGUE_NONE && fits(b, row, process)) {
            b->sent[process] = row;
            b->queue[end++] = process;
        }
    }
    return end;
}

/* The row's task goes to a process whose own task goes to another one, and so on to one that still has something to get.
 * Returns 0 where no such path is found. */
static int reroute(sgp_builder *b, uint32_t row)
{
    uint32_t at = 0, end;
    memset(b->sent, 0xff, b->s->view->processes * sizeof *b->sent);
    for (end = spread(b, row, 0); at < end && b->give[b->queue[at]] == 0 && b->looks > 0; at++) {
        for (uint32_t i = 0; i < b->count && b->looks > 0; i++, b->looks--) {
            if (b->chosen[i] == b->queue[at]) {
                end = spread(b, i, end);
                b->looks -= b->looks < end ? b->looks : end;
            }
        }
    }
    if (at == end || b->give[b->queue[at]] == 0) {
        return 0;
    }
    use_up(b, b->queue[at]);
    for (uint32_t process = b->queue[at], moved = SEGUE_NONE; moved != row;) {
        uint32_t left = b->chosen[moved = b->sent[process]];
        b->chosen[moved] = process;
        process = left;
    }
    return 1;
}

/* The same with one step, from the row where the last such search ended. */
static int swap(sgp_builder *b, uint32_t row, uint32_t process)
{
    for (uint32_t i = 0; i < LOOKS && b->looks > 0; i++, b->looks--) {
        uint32_t at = b->look_at, other = b->chosen[at];
        b->look_at = at + 1 < b->count ? at + 1 : 0;
        mark(b, b->list[at]);
        if (other == SEGUE_NONE || !fits(b, at, process)) {
            continue;
        }
        mark(b, b->list[row]);
        if (fits(b, row, other)) {
            use_up(b, process);
            b->chosen[at] = process;
            b->chosen[row] = other;
            return 1;
        }
    }
    return 0;
}

/* Somebody who still has something to get. */
static uint32_t leftover(const sgp_builder *b)
{
    for (uint32_t z = 0; z < b->s->zones.count; z++) {
        if (b->before[z] != SEGUE_NONE) {
            return b->next[b->before[z]];
        }
    }
    return SEGUE_NONE;
}

/* More than its even share, as the last resort: the next process of the best zones that has nothing of the task. */
static uint32_t overload(sgp_builder *b, uint32_t row)
{
    for (uint64_t zones = b->allowed[row]; zones != 0; zones &= zones - 1) {
        uint32_t z = (uint32_t)__builtin_ctzll(zones), size = b->zone_start[z + 1] - b->zone_start[z];
        for (uint32_t i = 0; i < size; i++) {
            uint32_t process = b->by_zone[b->zone_start[z] + b->spare[z]];
            b->spare[z] = b->spare[z] + 1 < size ? b->spare[z] + 1 : 0;
            if (!sgp_stander_is_taken(b->s, b->list[row], process)) {
                return process;
            }
        }
    }
    return SEGUE_NONE;
}

/* Tasks of which every process that still has something to get has a copy already. */
static void place_rest(sgp_builder *b)
{
    b->looks = (uint64_t)b->count * LOOKS + LEAST_LOOKS;
    b->look_at = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t left = b->chosen[i] == SEGUE_NONE ? leftover(b) : SEGUE_NONE;
        if (b->chosen[i] != SEGUE_NONE || (left != SEGUE_NONE && (swap(b, i, left) || reroute(b, i)))) {
            continue;
        }
        mark(b, b->list[i]);
        b->chosen[i] = overload(b, i);
    }
}

void sgp_stand_by_deal(sgp_builder *b)
{
    close_rings(b);
    deal(b);
    place_rest(b);
}
