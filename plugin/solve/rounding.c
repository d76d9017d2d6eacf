/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rounding.h"

#include "core/counts.h"
#include "core/sort.h"

#include <string.h>

/*
 * Copies that wait for tasks to change hands, counted on both sides: by the member that would give a task up, and by
 * the one that would get it. A learner in flight weighs more than a copy that is caught up, since the latter changes
 * hands at once and is settled, while the former has to find the same targets round after round.
 */
enum { FLYING, READY, DORMANT, STRENGTHS };

typedef struct pull {
    int any;                     /* 0: nobody has copies, and the columns are not there */
    uint32_t *away[STRENGTHS];   /* by member: its tasks with such a copy on a receiver */
    uint32_t *coming[STRENGTHS]; /* by member: such copies it has of tasks that could be given up */
} pull;

/* Standbys that are not caught up pull at nothing: they come and go with the plan that is made here. */
static int strength(const sgp_view *view, const sgp_copy *copy)
{
    if (copy->role == SEGUE_LEARNER) {
        return FLYING;
    }
    if (sgp_hot(view, copy->lag)) {
        return READY;
    }
    return copy->role == SEGUE_DORMANT ? DORMANT : STRENGTHS;
}

static void pull_task(const sgp_balance *b, const sgp_quota *quota, uint32_t task, pull *p)
{
    uint32_t count, server = b->serve[task];
    const sgp_copy *copies = sgp_copies(b->view, task, &count);
    int evicted = b->view->place[server] != SGP_STAYS, strongest = STRENGTHS;
    if (!evicted && b->load[server] <= quota->floor[server]) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t member = copies[i].member;
        int pulls = strength(b->view, &copies[i]);
        if (member == server || b->view->place[member] != SGP_STAYS || !(evicted || b->receives[member]) ||
            b->load[member] >= quota->ceiling[member] || pulls == STRENGTHS) {
            continue;
        }
        p->coming[pulls][member]++;
        strongest = pulls < strongest ? pulls : strongest;
    }
    if (strongest < STRENGTHS) {
        p->away[strongest][server]++;
    }
}

static int32_t find_pull(const sgp_balance *b, const sgp_quota *quota, pull *p)
{
    p->any = b->view->copy_start != NULL && b->stateful;
    for (int i = 0; p->any && i < STRENGTHS; i++) {
        p->away[i] = SGP_TAKE_ZERO(b->region, uint32_t, b->view->members);
        p->coming[i] = SGP_TAKE_ZERO(b->region, uint32_t, b->view->members);
    }
    if (b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t t = 0; p->any && t < b->view->tasks; t++) {
        if (sgp_is_kind(b, t) && b->serve[t] != SEGUE_NONE) {
            pull_task(b, quota, t, p);
        }
    }
    return SEGUE_OK;
}

/* The weakest copies that have to be counted in before `tasks` of them are there; STRENGTHS when there are too few. */
static uint64_t reached(const pull *p, uint32_t *const counts[STRENGTHS], uint32_t member, uint64_t tasks)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; p->any && i < STRENGTHS; i++) {
        sum += counts[i][member];
        if (sum >= tasks) {
            return i;
        }
    }
    return STRENGTHS;
}

/*
 * Order of a candidate: first keepers, those last whose tasks above the floor are on their way already; then whoever
 * learns its floor and rounding, then receivers, then the others, in both those first for whom copies wait, then those
 * whose threads carry least once they are rounded up (`carries`, in 256ths). Nothing here changes while learners run.
 */
static uint64_t rank(const sgp_balance *b, const sgp_quota *quota, const pull *p, uint32_t member, uint64_t carries)
{
    uint64_t load = b->load[member], floor = quota->floor[member];
    if (load > floor) {
        return (STRENGTHS - reached(p, p->away, member, load - floor)) << 56 | member;
    }
    uint64_t waits = reached(p, p->coming, member, floor + 1 - load), class = STRENGTHS + 1 + waits;
    class += waits == FLYING || b->receives[member] ? 0 : STRENGTHS;
    return class << 56 | (carries > 0xffffffff ? 0xffffffff : carries) << 24 | member;
}

static void give(sgp_balance *b, const sgp_quota *quota, const uint64_t *order, uint32_t candidates, const uint8_t *costly,
                 uint32_t budget, uint32_t roundings)
{
    /* The second pass ignores the budget: better a total off by one than a task without a place. */
    for (int pass = 0; pass < 2 && roundings > 0; pass++) {
        for (uint32_t i = 0; i < candidates && roundings > 0; i++) {
            uint32_t member = (uint32_t)(order[i] & 0xffffff);
            int costs = costly != NULL && costly[member], is_up = b->want[member] > quota->floor[member];
            if (is_up || (pass == 0 && costs && budget == 0)) {
                continue;
            }
            budget -= pass == 0 && costs;
            b->want[member]++;
            roundings--;
        }
    }
}

/* Where no copies pull and no rounding costs more than another, those above their floor come first, in the members' order.
 * Returns how many roundings they leave. */
static uint32_t give_to_keepers(sgp_balance *b, const sgp_quota *quota)
{
    const uint32_t members = b->view->members, *load = b->load, *floor = quota->floor, *ceiling = quota->ceiling;
    uint32_t *restrict want = b->want, keepers = 0;
    for (uint32_t m = 0; m < members; m++) {
        uint32_t keeps = sgp_is_above(load[m], floor[m]) & sgp_is_above(ceiling[m], floor[m]);
        want[m] = floor[m] + keeps;
        keepers += keeps;
    }
    for (uint32_t m = members; keepers > quota->roundings;) {
        m--;
        keepers -= want[m] - floor[m];
        want[m] = floor[m];
    }
    return quota->roundings - keepers;
}

/* Members of equal threads, whose shares of the stateful tasks are equal too, come in their own order, receivers first. */
static uint32_t give_to_others(sgp_balance *b, const sgp_quota *quota, uint32_t roundings)
{
    for (int receives = 1; receives >= 0; receives--) {
        for (uint32_t m = 0; m < b->view->members && roundings > 0; m++) {
            uint32_t up = b->receives[m] == receives && quota->ceiling[m] > b->want[m];
            b->want[m] += up;
            roundings -= up;
        }
    }
    return roundings;
}

/* Lists who may be rounded up and is not yet, in the members' order. Most are like the one before. */
static uint32_t list_candidates(const sgp_balance *b, const sgp_quota *quota, const pull *p, uint64_t *order)
{
    const uint32_t members = b->view->members, *floor = quota->floor, *ceiling = quota->ceiling, *want = b->want;
    const uint32_t *threads = b->view->threads;
    uint32_t candidates = 0, last = 0;
    uint64_t carries = 0;
    for (uint32_t m = 0; m < members; m++) {
        if (ceiling[m] > want[m]) {
            if (carries == 0 || floor[m] != floor[last] || threads[m] != threads[last]) {
                carries = ((uint64_t)(floor[m] + 1) << 8) / threads[m];
                last = m;
            }
            order[candidates++] = rank(b, quota, p, m, carries);
        }
    }
    return candidates;
}

int32_t sgp_round_up(sgp_balance *b, const sgp_quota *quota, const uint8_t *costly, uint32_t budget)
{
    const sgp_view *view = b->view;
    uint32_t left = quota->roundings;
    pull p;
    uint64_t *order = SGP_TAKE(b->region, uint64_t, view->members);
    uint64_t *spare = SGP_TAKE(b->region, uint64_t, view->members);
    if (find_pull(b, quota, &p) != SEGUE_OK || b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    if (p.any || costly != NULL) {
        memcpy(b->want, quota->floor, view->members * sizeof *b->want);
    } else {
        left = give_to_keepers(b, quota);
        left = b->stateful && view->threads_each > 0 ? give_to_others(b, quota, left) : left;
    }
    uint32_t candidates = left > 0 ? list_candidates(b, quota, &p, order) : 0;
    if (left < candidates) {
        sgp_sort_above(24, order, spare, candidates); /* members ascend already */
    }
    give(b, quota, order, candidates, costly, budget, left);
    return SEGUE_OK;
}

uint32_t sgp_least_moves(const sgp_view *view, const uint32_t *owned, const sgp_quota *quota)
{
    const uint32_t members = view->members, *floor = quota->floor, *ceiling = quota->ceiling;
    uint32_t keepers = 0, above = 0;
    for (uint32_t m = 0; m < members; m++) {
        above += sgp_above(owned[m], floor[m]);
        keepers += sgp_is_above(owned[m], floor[m]) & sgp_is_above(ceiling[m], floor[m]);
    }
    return above - (keepers < quota->roundings ? keepers : quota->roundings);
}
