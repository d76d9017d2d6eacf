/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/stand_by.h"

#include "core/heap.h"
#include "solve/serve.h"

#include <string.h>

typedef struct stander {
    const sgp_view *view;
    const uint32_t *active, *learner;
    sgp_standbys *out;
    uint32_t *load;           /* by member: copies it holds */
    uint32_t *process_load;   /* by process: the same */
    uint32_t *process_threads;
    uint32_t *taken;          /* by process: number of the task + 1 that last had a copy there */
    uint32_t *missing;        /* by task: standbys still to be found */
    uint32_t staying_processes;
} stander;

static void occupy(stander *s, uint32_t task, uint32_t member)
{
    if (member != SEGUE_NONE) {
        s->taken[sgp_process(s->view, member)] = task + 1;
    }
}

static int is_taken(const stander *s, uint32_t task, uint32_t member)
{
    return s->taken[sgp_process(s->view, member)] == task + 1;
}

static void carry(stander *s, uint32_t member)
{
    s->load[member]++;
    s->process_load[sgp_process(s->view, member)]++;
}

static void add(stander *s, uint32_t task, uint32_t member)
{
    uint32_t *row = s->out->member + (size_t)task * s->out->ranks;
    while (*row != SEGUE_NONE) {
        row++;
    }
    *row = member;
    s->missing[task]--;
    occupy(s, task, member);
    carry(s, member);
}

/* How good a copy is as a standby: class above, lag below; smaller is better. */
static uint64_t grade(const sgp_view *view, const sgp_copy *copy)
{
    static const uint8_t weakness[] = {[SEGUE_STANDBY] = 0, [SEGUE_ACTIVE] = 1, [SEGUE_LEARNER] = 2, [SEGUE_DORMANT] = 3};
    uint64_t class = copy->role == SEGUE_DORMANT ? 3 : 1;
    uint64_t lag = copy->lag < 0 ? 0 : (uint64_t)copy->lag;
    if (sgp_hot(view, copy->lag)) {
        return weakness[copy->role];
    }
    class += copy->lag < 0;
    lag = lag > ((uint64_t)1 << 56) - 1 ? ((uint64_t)1 << 56) - 1 : lag;
    return class << 60 | lag << 2 | weakness[copy->role];
}

/* Only running standbys count where nobody stays: then everything is left as it is. */
static int eligible(const stander *s, uint32_t task, const sgp_copy *copy)
{
    const sgp_view *view = s->view;
    if (copy->member == SEGUE_NONE || is_taken(s, task, copy->member)) {
        return 0;
    }
    if (view->nobody_stays) {
        return copy->role == SEGUE_STANDBY && view->place[copy->member] == SGP_STAYS;
    }
    return view->process_place[sgp_process(view, copy->member)] == SGP_STAYS;
}

static uint32_t nearest(const stander *s, uint32_t task)
{
    uint32_t count, holder = SEGUE_NONE;
    const sgp_copy *copies = sgp_copies(s->view, task, &count);
    sgp_copy own = {sgp_owner_lag(s->view, task), s->view->owner[task], SEGUE_ACTIVE};
    uint64_t best = UINT64_MAX;
    for (uint32_t i = 0; i <= count; i++) {
        const sgp_copy *copy = i < count ? &copies[i] : &own;
        if (eligible(s, task, copy) && grade(s->view, copy) < best) {
            best = grade(s->view, copy);
            holder = copy->member;
        }
    }
    return holder == SEGUE_NONE ? SEGUE_NONE : sgp_serve_on(s->view, holder, s->load);
}

static uint32_t wanted(const stander *s, uint32_t task)
{
    const sgp_view *view = s->view;
    uint32_t free = s->staying_processes, active = s->active[task], learner = s->learner[task];
    if (!sgp_stateful(view, task)) {
        return 0;
    }
    free -= view->process_place[sgp_process(view, active)] == SGP_STAYS;
    free -= learner != SEGUE_NONE && view->process_place[sgp_process(view, learner)] == SGP_STAYS;
    return free < s->out->ranks ? free : s->out->ranks;
}

static void keep_copies(stander *s)
{
    for (uint32_t t = 0; t < s->view->tasks; t++) {
        s->missing[t] = wanted(s, t);
        occupy(s, t, s->missing[t] > 0 ? s->active[t] : SEGUE_NONE);
        occupy(s, t, s->missing[t] > 0 ? s->learner[t] : SEGUE_NONE);
        for (uint32_t member; s->missing[t] > 0 && (member = nearest(s, t)) != SEGUE_NONE;) {
            add(s, t, member);
        }
    }
}

/* Heaps of members on each process, side by side in one column, and one of processes. */
typedef struct heaps {
    sgp_heap process;
    uint32_t *member_item;
    uint32_t *member_count;
    uint32_t *aside;
} heaps;

static sgp_heap member_heap(const stander *s, const heaps *h, uint32_t process)
{
    return (sgp_heap){h->member_item + s->view->process_start[process], h->member_count[process], s->load,
                      s->view->threads};
}

static void fill_heaps(stander *s, heaps *h)
{
    const sgp_view *view = s->view;
    for (uint32_t p = 0; p < view->processes; p++) {
        sgp_heap members = member_heap(s, h, p);
        for (uint32_t i = view->process_start[p]; i < view->process_start[p + 1]; i++) {
            if (view->place[view->process_member[i]] == SGP_STAYS) {
                sgp_heap_push(&members, view->process_member[i]);
            }
        }
        h->member_count[p] = members.size;
        if (members.size > 0) {
            sgp_heap_push(&h->process, p);
        }
    }
}

/* The lightest process that has no copy of the task yet, and its lightest member. */
static void build(stander *s, heaps *h, uint32_t task)
{
    uint32_t aside = 0, process = SEGUE_NONE;
    while (h->process.size > 0) {
        uint32_t p = sgp_heap_pop(&h->process);
        h->aside[aside++] = p;
        if (s->taken[p] != task + 1) {
            process = p;
            break;
        }
    }
    if (process != SEGUE_NONE) {
        sgp_heap members = member_heap(s, h, process);
        uint32_t member = sgp_heap_pop(&members);
        add(s, task, member);
        sgp_heap_push(&members, member);
    }
    while (aside > 0) {
        sgp_heap_push(&h->process, h->aside[--aside]);
    }
}

static void retake(stander *s, uint32_t task)
{
    const uint32_t *row = s->out->member + (size_t)task * s->out->ranks;
    occupy(s, task, s->active[task]);
    occupy(s, task, s->learner[task]);
    for (uint32_t i = 0; i < s->out->ranks && row[i] != SEGUE_NONE; i++) {
        occupy(s, task, row[i]);
    }
}

static int32_t build_missing(stander *s, sgp_region *region)
{
    const sgp_view *view = s->view;
    uint64_t missing = 0;
    for (uint32_t t = 0; t < view->tasks; t++) {
        missing += s->missing[t];
    }
    if (missing == 0 || view->nobody_stays) {
        return SEGUE_OK;
    }
    heaps h = {.process = {SGP_TAKE(region, uint32_t, view->processes), 0, s->process_load, s->process_threads}};
    h.member_item = SGP_TAKE(region, uint32_t, view->members);
    h.member_count = SGP_TAKE_ZERO(region, uint32_t, view->processes);
    h.aside = SGP_TAKE(region, uint32_t, view->processes);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    fill_heaps(s, &h);
    for (uint32_t rank = s->out->ranks; rank > 0; rank--) {
        for (uint32_t t = 0; t < view->tasks; t++) {
            if (s->missing[t] >= rank) {
                retake(s, t);
                build(s, &h, t);
            }
        }
    }
    return SEGUE_OK;
}

static void weigh(stander *s)
{
    const sgp_view *view = s->view;
    for (uint32_t m = 0; m < view->members; m++) {
        s->process_threads[sgp_process(view, m)] += view->place[m] == SGP_STAYS ? view->threads[m] : 0;
    }
    for (uint32_t p = 0; p < view->processes; p++) {
        s->staying_processes += view->process_place[p] == SGP_STAYS;
    }
    for (uint32_t t = 0; t < view->tasks; t++) {
        carry(s, s->active[t]);
        if (s->learner[t] != SEGUE_NONE) {
            carry(s, s->learner[t]);
        }
    }
}

int32_t sgp_stand_by(const sgp_view *view, const uint32_t *active, const uint32_t *learner, sgp_standbys *standbys,
                     sgp_region *region)
{
    uint32_t want = view->idle ? 0 : view->config->num_standby_replicas;
    uint32_t most = view->processes > 0 ? view->processes - 1 : 0;
    *standbys = (sgp_standbys){.ranks = want < most ? want : most};
    if (standbys->ranks == 0 || view->stateful_tasks == 0) {
        standbys->ranks = 0;
        return SEGUE_OK;
    }
    stander s = {.view = view, .active = active, .learner = learner, .out = standbys};
    size_t cells = (size_t)view->tasks * standbys->ranks;
    standbys->member = SGP_TAKE(region, uint32_t, cells);
    s.load = SGP_TAKE_ZERO(region, uint32_t, view->members);
    s.process_load = SGP_TAKE_ZERO(region, uint32_t, view->processes);
    s.process_threads = SGP_TAKE_ZERO(region, uint32_t, view->processes);
    s.taken = SGP_TAKE_ZERO(region, uint32_t, view->processes);
    s.missing = SGP_TAKE_ZERO(region, uint32_t, view->tasks);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    memset(standbys->member, 0xff, cells * sizeof *standbys->member);
    weigh(&s);
    keep_copies(&s);
    return build_missing(&s, region);
}
