/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standbys that have to be built. Each round gives one to every task that lacks so many: first how many each process
 * gets is settled (fill.h) and how many of them from which tasks (zone_flow.h), then they are dealt (stand_by_round.h).
 */
#include "solve/stand_by_round.h"

#include "core/buckets.h"
#include "core/heap.h"
#include "solve/fill.h"

#include <string.h>

static void begin_round(sgp_builder *b, uint32_t rank)
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

/* The task as it is, with all its copies so far. It lacks one more, so that its row has an end. */
static void open_task(sgp_stander *s, uint32_t task)
{
    const uint32_t *row = s->out->member + (size_t)task * s->out->ranks;
    sgp_stander_open(s, task);
    for (; *row != SEGUE_NONE; row++) {
        sgp_stander_occupy(s, task, sgp_process(s->view, *row), 1);
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

static int has_one_copy(const sgp_stander *s, uint32_t task)
{
    return s->learner[task] == SEGUE_NONE && s->out->member[(size_t)task * s->out->ranks] == SEGUE_NONE;
}

/* Both have one copy, on the same process: their standbys can go to the same places. */
static int are_alike(const sgp_stander *s, uint32_t a, uint32_t b)
{
    return sgp_process(s->view, s->active[a]) == sgp_process(s->view, s->active[b]) && has_one_copy(s, a) &&
           has_one_copy(s, b);
}

static void find_kinds(sgp_builder *b)
{
    uint32_t novelty;
    memset(&b->flow, 0, sizeof b->flow);
    for (uint32_t i = 0; i < b->count; i++) {
        if (i > 0 && are_alike(b->s, b->list[i - 1], b->list[i])) {
            b->allowed[i] = b->allowed[i - 1];
        } else {
            open_task(b->s, b->list[i]);
            b->allowed[i] = sgp_zones_new(&b->s->zones, b->s->open, b->s->used, &novelty);
        }
        b->kind[i] = kind_of(&b->flow, b->allowed[i], i > 0 ? b->kind[i - 1] : 0);
        b->flow.left[b->kind[i]]++;
    }
}

static void bar(sgp_builder *b, uint32_t process)
{
    b->most[process]++;
}

/* A process gets no more than there are tasks of which it has nothing. */
static void limit(sgp_builder *b)
{
    const sgp_stander *s = b->s;
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t task = b->list[i];
        const uint32_t *row = s->out->member + (size_t)task * s->out->ranks;
        bar(b, sgp_process(s->view, s->active[task]));
        if (s->learner[task] != SEGUE_NONE) {
            bar(b, sgp_process(s->view, s->learner[task]));
        }
        for (; *row != SEGUE_NONE; row++) {
            bar(b, sgp_process(s->view, *row));
        }
    }
    for (uint32_t p = 0; p < s->view->processes; p++) {
        b->most[p] = b->most[p] < b->count ? b->count - b->most[p] : 0;
    }
}

/* Fills the processes of some zones with so many standbys, and counts them by zone. */
static uint32_t fill_zones(sgp_builder *b, uint64_t zones, uint32_t count, uint32_t *holders, uint32_t *by_zone)
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
static uint32_t make_room(sgp_builder *b, uint64_t zones, uint32_t *holders)
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
static void settle_numbers(sgp_builder *b)
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

static sgp_heap member_heap(const sgp_builder *b, uint32_t process)
{
    const sgp_view *view = b->s->view;
    return (sgp_heap){b->member_item + view->process_start[process], b->member_count[process], b->s->load,
                      view->threads};
}

/* The lightest members of the chosen processes. */
static void add_chosen(sgp_builder *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        sgp_heap members = member_heap(b, b->chosen[i]);
        uint32_t member = sgp_heap_pop(&members);
        sgp_stander_add(b->s, b->list[i], member);
        sgp_heap_push(&members, member);
    }
}

static void run_round(sgp_builder *b, uint32_t rank)
{
    begin_round(b, rank);
    if (b->s->zones.dimensions > 0) {
        find_kinds(b);
    } else {
        memset(b->allowed, 0xff, b->count * sizeof *b->allowed);
    }
    limit(b);
    settle_numbers(b);
    sgp_stand_by_deal(b);
    add_chosen(b);
}

static void fill_heaps(sgp_builder *b)
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

static void list_zones(sgp_builder *b)
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
static void order_tasks(sgp_builder *b, uint32_t *start)
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

static int32_t take_columns(sgp_builder *b, uint32_t tasks, sgp_region *region)
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
    sgp_builder *b = SGP_TAKE_ZERO(region, sgp_builder, 1);
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
