/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/spread.h"

#include <string.h>

#define MOST_CELLS 67108864u

/* One subtopology's tasks of the kind. */
typedef struct part {
    uint32_t from, to, tasks;
} part;

static part next_part(const sgp_balance *b, uint32_t task)
{
    const uint32_t *subtopology = b->view->group->task_subtopology;
    part p = {task, task, 0};
    for (; p.to < b->view->tasks && subtopology[p.to] == subtopology[task]; p.to++) {
        p.tasks += (uint32_t)sgp_is_kind(b, p.to);
    }
    return p;
}

static uint32_t floor_share(const sgp_balance *b, const part *p, uint32_t member)
{
    return (uint32_t)((uint64_t)p->tasks * b->want[member] / b->count);
}

static void count_part(const sgp_balance *b, const part *p, uint32_t *held)
{
    memset(held, 0, b->view->members * sizeof *held);
    for (uint32_t t = p->from; t < p->to; t++) {
        if (sgp_is_kind(b, t) && b->target[t] != SEGUE_NONE) {
            held[b->target[t]]++;
        }
    }
}

static uint32_t ceiling_share(const sgp_balance *b, const part *p, uint32_t member)
{
    return (uint32_t)(((uint64_t)p->tasks * b->want[member] + b->count - 1) / b->count);
}

/* What lies above ceilings has to go, and as much more from above floors as others lack to theirs. */
static void price_part(const sgp_balance *b, const part *p, const uint32_t *held, uint32_t *above)
{
    uint32_t over = 0, under = 0;
    for (uint32_t m = 0; m < b->view->members; m++) {
        uint32_t low = floor_share(b, p, m), high = ceiling_share(b, p, m), out = held[m] > high ? held[m] - high : 0;
        above[m] += out;
        over += out;
        under += held[m] < low ? low - held[m] : 0;
    }
    for (uint32_t m = 0; m < b->view->members && over < under; m++) {
        int spare = held[m] > floor_share(b, p, m) && ceiling_share(b, p, m) > floor_share(b, p, m);
        above[m] += (uint32_t)spare;
        over += (uint32_t)spare;
    }
}

static uint64_t part_faults(const sgp_balance *b, const part *p, const uint32_t *held)
{
    uint64_t faults = 0;
    for (uint32_t m = 0; m < b->view->members; m++) {
        uint32_t low = floor_share(b, p, m), high = ceiling_share(b, p, m);
        faults += held[m] > high ? held[m] - high : 0;
        faults += held[m] < low ? low - held[m] : 0;
    }
    return faults;
}

int sgp_can_buy_spread(const sgp_balance *b)
{
    return (uint64_t)b->view->members * b->view->subtopologies <= MOST_CELLS && !b->view->nobody_stays;
}

int32_t sgp_spread_faults(const sgp_balance *b, uint64_t *faults)
{
    uint32_t *held = SGP_TAKE(b->region, uint32_t, b->view->members);
    if (held == NULL) {
        return SEGUE_E_MEMORY;
    }
    *faults = 0;
    for (uint32_t t = 0; t < b->view->tasks;) {
        part p = next_part(b, t);
        count_part(b, &p, held);
        *faults += part_faults(b, &p, held);
        t = p.to;
    }
    return SEGUE_OK;
}

int32_t sgp_buy_spread(sgp_balance *b)
{
    const uint32_t members = b->view->members;
    uint32_t *held = SGP_TAKE(b->region, uint32_t, members);
    uint32_t *above = SGP_TAKE_ZERO(b->region, uint32_t, members);
    if (b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t t = 0; t < b->view->tasks;) {
        part p = next_part(b, t);
        count_part(b, &p, held);
        price_part(b, &p, held, above);
        t = p.to;
    }
    for (uint32_t m = 0; m < members; m++) {
        if (above[m] > b->surplus[m]) {
            b->deficit[m] += above[m] - b->surplus[m];
            b->surplus[m] = above[m];
        }
    }
    return SEGUE_OK;
}
