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

/* How many subtopologies each member is rounded up in. */
static void count_roundings(const sgp_balance *b, uint32_t *roundings)
{
    memcpy(roundings, b->want, b->view->members * sizeof *roundings);
    for (uint32_t t = 0; t < b->view->tasks;) {
        part p = next_part(b, t);
        for (uint32_t m = 0; m < b->view->members; m++) {
            roundings[m] -= floor_share(b, &p, m);
        }
        t = p.to;
    }
}

static uint32_t roundings_of(const sgp_balance *b, const part *p)
{
    uint32_t left = p->tasks;
    for (uint32_t m = 0; m < b->view->members; m++) {
        left -= floor_share(b, p, m);
    }
    return left;
}

static void price_part(const sgp_balance *b, const part *p, const uint32_t *held, uint32_t *roundings, uint32_t *above)
{
    uint32_t left = roundings_of(b, p);
    for (uint32_t m = 0; m < b->view->members; m++) {
        uint32_t share = floor_share(b, p, m);
        if (held[m] > share && roundings[m] > 0 && left > 0) {
            roundings[m]--;
            left--;
            share++;
        }
        above[m] += held[m] > share ? held[m] - share : 0;
    }
}

int32_t sgp_buy_spread(sgp_balance *b)
{
    const uint32_t members = b->view->members;
    if ((uint64_t)members * b->view->subtopologies > MOST_CELLS || b->view->nobody_stays) {
        return SEGUE_OK;
    }
    uint32_t *held = SGP_TAKE(b->region, uint32_t, members), *roundings = SGP_TAKE(b->region, uint32_t, members);
    uint32_t *above = SGP_TAKE_ZERO(b->region, uint32_t, members);
    if (b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    count_roundings(b, roundings);
    for (uint32_t t = 0; t < b->view->tasks;) {
        part p = next_part(b, t);
        count_part(b, &p, held);
        price_part(b, &p, held, roundings, above);
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
