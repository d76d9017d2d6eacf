/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/seat.h"

#include <string.h>

typedef struct seater {
    const sgp_view *view;
    size_t rows;
    const uint32_t *process, *before;
    uint32_t *member;
    uint32_t *held, *floor, *ceiling; /* by member */
    uint32_t *turn;                   /* by process: the member that is looked at first */
    uint8_t *seated;                  /* by row */
} seater;

static uint32_t weight(const sgp_view *view, uint32_t member, enum sgp_share share)
{
    if (view->place[member] == SGP_GONE) {
        return 0;
    }
    return share == SGP_BY_THREADS ? view->threads[member] : 1;
}

static int32_t set_shares(seater *s, enum sgp_share share, sgp_region *region)
{
    uint32_t *count = SGP_TAKE_ZERO(region, uint32_t, s->view->processes);
    uint64_t *weights = SGP_TAKE_ZERO(region, uint64_t, s->view->processes);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (size_t i = 0; i < s->rows; i++) {
        if (s->process[i] != SEGUE_NONE) {
            count[s->process[i]]++;
        }
    }
    for (uint32_t m = 0; m < s->view->members; m++) {
        weights[sgp_process(s->view, m)] += weight(s->view, m, share);
    }
    for (uint32_t m = 0; m < s->view->members; m++) {
        uint32_t p = sgp_process(s->view, m);
        uint64_t part = (uint64_t)count[p] * weight(s->view, m, share), whole = weights[p] > 0 ? weights[p] : 1;
        s->floor[m] = (uint32_t)(part / whole);
        s->ceiling[m] = (uint32_t)((part + whole - 1) / whole);
    }
    return SEGUE_OK;
}

static void seat(seater *s, size_t row, uint32_t member)
{
    s->member[row] = member;
    s->held[member]++;
    s->seated[row] = 1;
}

static int waits(const seater *s, size_t row)
{
    return s->process[row] != SEGUE_NONE && !s->seated[row];
}

static void keep(seater *s, const uint32_t *limit)
{
    for (size_t i = 0; i < s->rows; i++) {
        uint32_t m = s->before[i];
        if (waits(s, i) && m != SEGUE_NONE && sgp_process(s->view, m) == s->process[i] && s->held[m] < limit[m]) {
            seat(s, i, m);
        }
    }
}

static void fill(seater *s, const uint32_t *limit)
{
    const sgp_view *view = s->view;
    memcpy(s->turn, view->process_start, view->processes * sizeof *s->turn);
    for (size_t i = 0; i < s->rows; i++) {
        uint32_t p = s->process[i];
        if (!waits(s, i)) {
            continue;
        }
        while (s->turn[p] < view->process_start[p + 1] &&
               s->held[view->process_member[s->turn[p]]] >= limit[view->process_member[s->turn[p]]]) {
            s->turn[p]++;
        }
        if (s->turn[p] < view->process_start[p + 1]) {
            seat(s, i, view->process_member[s->turn[p]]);
        }
    }
}

int32_t sgp_seat(const sgp_view *view, size_t rows, const uint32_t *process, const uint32_t *before,
                 enum sgp_share share, uint32_t *member, sgp_region *region)
{
    seater s = {.view = view, .rows = rows, .process = process, .before = before, .member = member};
    s.held = SGP_TAKE_ZERO(region, uint32_t, view->members);
    s.floor = SGP_TAKE(region, uint32_t, view->members);
    s.ceiling = SGP_TAKE(region, uint32_t, view->members);
    s.turn = SGP_TAKE(region, uint32_t, view->processes);
    s.seated = SGP_TAKE_ZERO(region, uint8_t, rows);
    if (region->failed || set_shares(&s, share, region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    keep(&s, s.floor);
    fill(&s, s.floor);
    keep(&s, s.ceiling);
    fill(&s, s.ceiling);
    return SEGUE_OK;
}
