/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standbys that have to be built. Each round gives one to every task that lacks so many: first how many each process
 * gets is settled (fill.h) and how many of them from which tasks (zone_flow.h), then they are dealt. The tasks of one
 * process are dealt one after the other along the ring of a zone's processes: so they end on as many as there can be.
 */
#include "solve/stand_by_work.h"

#include "core/buckets.h"
#include "core/heap.h"
#include "solve/fill.h"
#include "solve/zone_flow.h"

#include <string.h>

/* Tasks to look at for one that can give up its place to a task that has found none: on the whole so many for each. What
 * is not found by then costs a little evenness. */
enum { LOOKS = 64, LEAST_LOOKS = 1 << 16 };

typedef struct builder {
    sgp_stander *s;
    uint32_t *order, tasks; /* tasks that lack standbys, those of one process together */
    /* of a round */
    uint32_t *list, *chosen; /* tasks, and the process that each gets */
    uint64_t *allowed;       /* the best zones for each */
    uint8_t *kind;           /* number of that set */
    uint32_t count;
    sgp_zone_flow flow;
    uint32_t *most, *give;               /* by process */
    uint32_t *next;                      /* by process: the next one in the ring of its zone with something to get */
    uint32_t *by_zone, zone_start[SGP_ZONES + 1]; /* processes that stay */
    uint32_t before[SGP_ZONES];          /* where each ring goes on: behind this process; SEGUE_NONE for an empty one */
    uint32_t spare[SGP_ZONES];           /* where each zone goes on once its ring is empty, an index of by_zone */
    int64_t credit[SGP_KINDS][SGP_ZONES];
    /* of a search for a place */
    uint64_t looks;
    uint32_t look_at;
    uint32_t *queue, *sent; /* processes, and by process the row that would go there */
    /* members of each process, side by side in one column */
    uint32_t *member_item, *member_count;
} builder;

static void begin_round(builder *b, uint32_t rank)
{
    sgp_stander *s = b->s;
    const sgp_view *view = s->view;
    b->count = 0;
    memset(b->most, 0, view->processes * sizeof *b->most);
    for (uint32_t i = 0; i < b->tasks; i++) {
        if (s->missing[b->order[i]] >= rank) {
            b->list[b->count++] = b->order[i];
        }
    }
}

/* The task as it is, with all its copies so far. */
static void open_task(sgp_stander *s, uint32_t task)
{
    const uint32_t *row = s->out->member + (size_t)task * s->out->ranks;
    sgp_stander_open(s, task);
    for (uint32_t i = 0; i < s->out->ranks && row[i] != SEGUE_NONE; i++) {
        sgp_stander_occupy(s, task, sgp_process(s->view, row[i]), 1);
    }
}

/* Tasks beyond the last number of a kind are dealt by their own sets, only not counted exactly. */
static uint8_t kind_of(sgp_zone_flow *f, uint64_t allowed, uint8_t guess)
{
    if (guess < f->kinds && f->allowed[guess] == allowed) {
        return guess;
    }
    for (uint32_t k = 0; k < f->kinds; k++) {
        if (f->allowed[k] == allowed) {
            return (uint8_t)k;
        }
    }
    if (f->kinds < SGP_KINDS) {
        f->allowed[f->kinds] = allowed;
        return (uint8_t)f->kinds++;
    }
    f->allowed[SGP_KINDS - 1] |= allowed;
    return SGP_KINDS - 1;
}

static void find_kinds(builder *b)
{
    uint32_t novelty;
    memset(&b->flow, 0, sizeof b->flow);
    for (uint32_t i = 0; i < b->count; i++) {
        open_task(b->s, b->list[i]);
        b->allowed[i] = sgp_zones_new(&b->s->zones, b->s->open, b->s->used, &novelty);
        b->kind[i] = kind_of(&b->flow, b->allowed[i], i > 0 ? b->kind[i - 1] : 0);
        b->flow.left[b->kind[i]]++;
    }
}

static void bar(builder *b, uint32_t process)
{
    b->most[process]++;
}

/* A process gets no more than there are tasks of which it has nothing. */
static void limit(builder *b)
{
    const sgp_stander *s = b->s;
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t task = b->list[i];
        const uint32_t *row = s->out->member + (size_t)task * s->out->ranks;
        bar(b, sgp_process(s->view, s->active[task]));
        if (s->learner[task] != SEGUE_NONE) {
            bar(b, sgp_process(s->view, s->learner[task]));
        }
        for (uint32_t j = 0; j < s->out->ranks && row[j] != SEGUE_NONE; j++) {
            bar(b, sgp_process(s->view, row[j]));
        }
    }
    for (uint32_t p = 0; p < s->view->processes; p++) {
        b->most[p] = b->most[p] < b->count ? b->count - b->most[p] : 0;
    }
}

/* Fills the processes of some zones with so many standbys, and counts them by zone. */
static uint32_t fill_zones(builder *b, uint64_t zones, uint32_t count, uint32_t *holders, uint32_t *by_zone)
{
    const sgp_stander *s = b->s;
    uint32_t some = 0;
    for (uint64_t left = zones; left != 0; left &= left - 1) {
        uint32_t z = (uint32_t)__builtin_ctzll(left), size = b->zone_start[z + 1] - b->zone_start[z];
        memcpy(holders + some, b->by_zone + b->zone_start[z], size * sizeof *holders);
        some += size;
        by_zone[z] = 0;
    }
    sgp_fill fill = {holders, some, s->process_load, s->process_threads, b->most};
    uint32_t given = sgp_fill_up(&fill, count, b->give);
    for (uint32_t i = 0; i < some; i++) {
        by_zone[s->zones.of[holders[i]]] += b->give[holders[i]];
    }
    return given;
}

static uint32_t taken_of(const sgp_zone_flow *f, uint32_t zone)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < f->kinds; k++) {
        sum += f->placed[k][zone];
    }
    return sum;
}

/* More room in the zones that some tasks are bound to. Returns how much there is that was not before. */
static uint32_t make_room(builder *b, uint64_t zones, uint32_t *holders)
{
    sgp_zone_flow *f = &b->flow;
    uint32_t by_zone[SGP_ZONES], count = 0, more = 0;
    for (uint32_t k = 0; k < f->kinds; k++) {
        count += f->left[k];
    }
    for (uint64_t left = zones; left != 0; left &= left - 1) {
        count += taken_of(f, (uint32_t)__builtin_ctzll(left));
    }
    fill_zones(b, zones, count, holders, by_zone);
    for (uint64_t left = zones; left != 0; left &= left - 1) {
        uint32_t z = (uint32_t)__builtin_ctzll(left), taken = taken_of(f, z);
        f->room[z] = by_zone[z] > taken ? by_zone[z] - taken : 0;
        more += f->room[z];
    }
    return more;
}

/* How many each process gets, and how many of each kind each zone. Zones come before load: where tasks are bound to zones
 * that are full, these get more, evenly among themselves. */
static void settle_numbers(builder *b)
{
    uint32_t *holders = b->next; /* not needed until the rings are closed */
    uint64_t zones = b->s->zones.stocked;
    fill_zones(b, zones, b->count, holders, b->flow.room);
    if (b->s->zones.dimensions == 0) {
        return;
    }
    do {
        zones = sgp_zone_flow_run(&b->flow);
    } while (zones != 0 && make_room(b, zones, holders) > 0);
}

static void close_rings(builder *b)
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

/* The next process of the ring that has nothing of the task, which gets it; SEGUE_NONE where all have. */
static uint32_t draw(builder *b, uint32_t task, uint32_t zone)
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
    if (--b->give[process] == 0) {
        b->next[before] = b->next[process];
        b->before[zone] = process == before ? SEGUE_NONE : before;
    }
    return process;
}

/* The zone whose turn it is for a kind: each as often as the flow says, evenly mixed. */
static uint32_t turn(builder *b, uint32_t kind)
{
    uint32_t best = SGP_ZONES;
    int64_t all = 0;
    for (uint64_t left = b->flow.allowed[kind]; left != 0; left &= left - 1) {
        uint32_t z = (uint32_t)__builtin_ctzll(left);
        b->credit[kind][z] += b->flow.placed[kind][z];
        all += b->flow.placed[kind][z];
        best = best == SGP_ZONES || b->credit[kind][z] > b->credit[kind][best] ? z : best;
    }
    if (best < SGP_ZONES) {
        b->credit[kind][best] -= all;
    }
    return best;
}

static uint32_t draw_any(builder *b, uint32_t task, uint64_t zones)
{
    uint32_t process = SEGUE_NONE;
    for (; zones != 0 && process == SEGUE_NONE; zones &= zones - 1) {
        process = draw(b, task, (uint32_t)__builtin_ctzll(zones));
    }
    return process;
}

static void mark(builder *b, uint32_t task)
{
    sgp_stander *s = b->s;
    const uint32_t *row = s->out->member + (size_t)task * s->out->ranks;
    s->taken[sgp_process(s->view, s->active[task])] = task + 1;
    if (s->learner[task] != SEGUE_NONE) {
        s->taken[sgp_process(s->view, s->learner[task])] = task + 1;
    }
    for (uint32_t i = 0; i < s->out->ranks && row[i] != SEGUE_NONE; i++) {
        s->taken[sgp_process(s->view, row[i])] = task + 1;
    }
}

/* Deals along the rings. Who finds no place is left with SEGUE_NONE. */
static void deal(builder *b)
{
    int zones = b->s->zones.dimensions > 0;
    memset(b->credit, 0, sizeof b->credit);
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t zone = zones ? turn(b, b->kind[i]) : 0;
        mark(b, b->list[i]);
        b->chosen[i] = zone < SGP_ZONES && (b->allowed[i] >> zone & 1) ? draw(b, b->list[i], zone) : SEGUE_NONE;
        if (b->chosen[i] == SEGUE_NONE && zones) {
            b->chosen[i] = draw_any(b, b->list[i], b->allowed[i]);
        }
    }
}

/* One less to get for a process, wherever in its ring it is. */
static void use_up(builder *b, uint32_t process)
{
    uint32_t zone = b->s->zones.of[process], before = b->before[zone];
    if (--b->give[process] > 0) {
        return;
    }
    while (b->next[before] != process) {
        before = b->next[before];
    }
    b->next[before] = b->next[process];
    b->before[zone] = process == before ? SEGUE_NONE : before;
}

/* Could this row's task go to the process? Its copies have been marked. */
static int fits(const builder *b, uint32_t row, uint32_t process)
{
    return (b->allowed[row] >> b->s->zones.of[process] & 1) &&
           !sgp_stander_is_taken(b->s, b->list[row], process);
}

/* Processes that a row's task could go to and that nobody on the way was sent to yet join the queue. */
static uint32_t spread(builder *b, uint32_t row, uint32_t end)
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
static int reroute(builder *b, uint32_t row)
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
static int swap(builder *b, uint32_t row, uint32_t process)
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
static uint32_t leftover(const builder *b)
{
    for (uint32_t z = 0; z < b->s->zones.count; z++) {
        if (b->before[z] != SEGUE_NONE) {
            return b->next[b->before[z]];
        }
    }
    return SEGUE_NONE;
}

/* More than its even share, as the last resort: the next process of the best zones that has nothing of the task. */
static uint32_t overload(builder *b, uint32_t row)
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
static void place_rest(builder *b)
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

static sgp_heap member_heap(const builder *b, uint32_t process)
{
    const sgp_view *view = b->s->view;
    return (sgp_heap){b->member_item + view->process_start[process], b->member_count[process], b->s->load,
                      view->threads};
}

/* The lightest members of the chosen processes. */
static void add_chosen(builder *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        sgp_heap members = member_heap(b, b->chosen[i]);
        uint32_t member = sgp_heap_pop(&members);
        sgp_stander_add(b->s, b->list[i], member);
        sgp_heap_push(&members, member);
    }
}

static void run_round(builder *b, uint32_t rank)
{
    begin_round(b, rank);
    if (b->s->zones.dimensions > 0) {
        find_kinds(b);
    } else {
        memset(b->allowed, 0xff, b->count * sizeof *b->allowed);
    }
    limit(b);
    settle_numbers(b);
    close_rings(b);
    deal(b);
    place_rest(b);
    add_chosen(b);
}

static void fill_heaps(builder *b)
{
    const sgp_view *view = b->s->view;
    for (uint32_t p = 0; p < view->processes; p++) {
        sgp_heap members = member_heap(b, p);
        for (uint32_t i = view->process_start[p]; i < view->process_start[p + 1]; i++) {
            if (view->place[view->process_member[i]] == SGP_STAYS) {
                sgp_heap_push(&members, view->process_member[i]);
            }
        }
        b->member_count[p] = members.size;
    }
}

static void list_zones(builder *b)
{
    const sgp_view *view = b->s->view;
    const uint8_t *of = b->s->zones.of;
    memset(b->zone_start, 0, sizeof b->zone_start);
    for (uint32_t p = 0; p < view->processes; p++) {
        b->zone_start[of[p] + 1] += view->process_place[p] == SGP_STAYS;
    }
    uint32_t all = sgp_buckets_open(b->zone_start, SGP_ZONES);
    for (uint32_t p = view->processes; p-- > 0;) {
        if (view->process_place[p] == SGP_STAYS) {
            b->by_zone[--b->zone_start[of[p] + 1]] = p;
        }
    }
    sgp_buckets_close(b->zone_start, SGP_ZONES, all);
}

/* Tasks that lack standbys, by the process whose tasks they are. */
static void order_tasks(builder *b, uint32_t *start)
{
    sgp_stander *s = b->s;
    for (uint32_t t = 0; t < s->view->tasks; t++) {
        start[sgp_stander_anchor(s, t) + 1] += s->missing[t] > 0;
    }
    b->tasks = sgp_buckets_open(start, s->view->processes);
    for (uint32_t t = s->view->tasks; t-- > 0;) {
        if (s->missing[t] > 0) {
            b->order[--start[sgp_stander_anchor(s, t) + 1]] = t;
        }
    }
}

static uint32_t most_missing(const sgp_stander *s, uint32_t *tasks)
{
    uint32_t most = 0;
    *tasks = 0;
    for (uint32_t t = 0; t < s->view->tasks; t++) {
        most = s->missing[t] > most ? s->missing[t] : most;
        *tasks += s->missing[t] > 0;
    }
    return most;
}

static int32_t take_columns(builder *b, uint32_t tasks, sgp_region *region)
{
    const sgp_view *view = b->s->view;
    b->order = SGP_TAKE(region, uint32_t, tasks);
    b->list = SGP_TAKE(region, uint32_t, tasks);
    b->chosen = SGP_TAKE(region, uint32_t, tasks);
    b->allowed = SGP_TAKE(region, uint64_t, tasks);
    b->kind = SGP_TAKE(region, uint8_t, tasks);
    b->most = SGP_TAKE(region, uint32_t, view->processes);
    b->give = SGP_TAKE_ZERO(region, uint32_t, view->processes);
    b->next = SGP_TAKE(region, uint32_t, view->processes);
    b->by_zone = SGP_TAKE(region, uint32_t, view->processes);
    b->queue = SGP_TAKE(region, uint32_t, view->processes);
    b->sent = SGP_TAKE(region, uint32_t, view->processes);
    b->member_item = SGP_TAKE(region, uint32_t, view->members);
    b->member_count = SGP_TAKE_ZERO(region, uint32_t, view->processes);
    return region->failed ? SEGUE_E_MEMORY : SEGUE_OK;
}

int32_t sgp_stand_by_build(sgp_stander *s, sgp_region *region)
{
    uint32_t tasks, rank = most_missing(s, &tasks);
    if (rank == 0) {
        return SEGUE_OK;
    }
    builder *b = SGP_TAKE_ZERO(region, builder, 1);
    uint32_t *start = SGP_TAKE_ZERO(region, uint32_t, (size_t)s->view->processes + 1);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    b->s = s;
    if (take_columns(b, tasks, region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    order_tasks(b, start);
    list_zones(b);
    fill_heaps(b);
    for (; rank > 0; rank--) {
        run_round(b, rank);
    }
    return SEGUE_OK;
}
