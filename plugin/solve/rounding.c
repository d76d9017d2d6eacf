/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rounding.h"

#include "core/sort.h"

/* What copies elsewhere say about a member's rounding. */
typedef struct pull {
    uint8_t *away;   /* how near the nearest copy on a receiver is to one of its tasks: 3 caught up, 2 learner, 1 other */
    uint32_t *coming; /* tasks that wait on it, caught up or learned, and could be given up */
} pull;

static uint8_t nearness(const sgp_view *view, const sgp_copy *copy)
{
    if (sgp_hot(view, copy->lag)) {
        return 3;
    }
    return copy->role == SEGUE_LEARNER ? 2 : 1;
}

static void pull_task(const sgp_balance *b, const sgp_quota *quota, uint32_t task, pull *p)
{
    uint32_t count, server = b->serve[task];
    const sgp_copy *copies = sgp_copies(b->view, task, &count);
    int evicted = b->view->place[server] != SGP_STAYS;
    if (!evicted && b->load[server] <= quota->floor[server]) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t member = copies[i].member;
        uint8_t near = nearness(b->view, &copies[i]);
        if (member == server || b->view->place[member] != SGP_STAYS || !(evicted || b->receives[member]) ||
            b->load[member] >= quota->ceiling[member]) {
            continue;
        }
        p->coming[member] += near > 1;
        if (near > p->away[server]) {
            p->away[server] = near;
        }
    }
}

static int32_t find_pull(const sgp_balance *b, const sgp_quota *quota, pull *p)
{
    p->away = SGP_TAKE_ZERO(b->region, uint8_t, b->view->members);
    p->coming = SGP_TAKE_ZERO(b->region, uint32_t, b->view->members);
    if (b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    if (b->view->copy_start == NULL || !b->stateful) {
        return SEGUE_OK;
    }
    for (uint32_t t = 0; t < b->view->tasks; t++) {
        if (sgp_is_kind(b, t) && b->serve[t] != SEGUE_NONE) {
            pull_task(b, quota, t, p);
        }
    }
    return SEGUE_OK;
}

/* Order of a candidate: keepers by how little pulls at them, then the others. Ends in the member's number. */
static uint64_t rank(const sgp_balance *b, const sgp_quota *quota, const pull *p, uint32_t member)
{
    uint64_t load = b->load[member], floor = quota->floor[member];
    if (load > floor) {
        return (uint64_t)p->away[member] << 56 | member;
    }
    uint64_t waits = load + p->coming[member] > floor ? 4 : 5;
    uint64_t weight = (load << 12) / b->view->threads[member];
    return waits << 56 | (weight > 0xffffffff ? 0xffffffff : weight) << 24 | member;
}

static void give(sgp_balance *b, const uint64_t *order, uint32_t candidates, const uint8_t *costly, uint32_t roundings,
                 uint32_t budget)
{
    /* The second pass ignores the budget: better a total off by one than a task without a place. */
    for (int pass = 0; pass < 2 && roundings > 0; pass++) {
        for (uint32_t i = 0; i < candidates && roundings > 0; i++) {
            uint32_t member = (uint32_t)(order[i] & 0xffffff);
            int costs = costly != NULL && costly[member];
            if (pass == 0 ? costs && budget == 0 : !(costs && b->deficit[member] == 0)) {
                continue;
            }
            b->deficit[member] = 1; /* marks the member as rounded up until deficits are set */
            budget -= pass == 0 && costs;
            b->want[member]++;
            roundings--;
        }
    }
}

int32_t sgp_round_up(sgp_balance *b, const sgp_quota *quota, const uint8_t *costly, uint32_t budget)
{
    const sgp_view *view = b->view;
    uint32_t candidates = 0;
    pull p;
    uint64_t *order = SGP_TAKE(b->region, uint64_t, view->members);
    uint64_t *spare = SGP_TAKE(b->region, uint64_t, view->members);
    if (find_pull(b, quota, &p) != SEGUE_OK || b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t m = 0; m < view->members; m++) {
        b->want[m] = quota->floor[m];
        b->deficit[m] = 0;
        if (quota->ceiling[m] > quota->floor[m]) {
            order[candidates++] = rank(b, quota, &p, m);
        }
    }
    if (quota->roundings < candidates) {
        sgp_sort(order, spare, candidates);
    }
    give(b, order, candidates, costly, quota->roundings, budget);
    return SEGUE_OK;
}

uint32_t sgp_least_moves(const sgp_view *view, const uint32_t *owned, const sgp_quota *quota)
{
    uint64_t above = 0;
    uint32_t keepers = 0, all = 0;
    for (uint32_t m = 0; m < view->members; m++) {
        all += owned[m];
        above += owned[m] < quota->floor[m] ? owned[m] : quota->floor[m];
        keepers += owned[m] > quota->floor[m] && quota->ceiling[m] > quota->floor[m];
    }
    return all - (uint32_t)above - (keepers < quota->roundings ? keepers : quota->roundings);
}
