/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_wares.h"

#include "core/buckets.h"

#include <string.h>

typedef struct gathering {
    sgp_rack_wares *wares;
    const sgp_clients *clients;
    const sgp_layout *layout;
    const sgp_rack_cost *cost;
    sgp_region *region;
} gathering;

/* ---- clients ---- */

static void group_clients(const gathering *g)
{
    sgp_rack_wares *w = g->wares;
    for (uint32_t p = 0; p < g->clients->count; p++) {
        w->place_start[w->place[p] + 1] += w->has[p] > 0;
    }
    uint32_t count = sgp_buckets_open(w->place_start, g->cost->places);
    for (uint32_t p = g->clients->count; p-- > 0;) {
        if (w->has[p] > 0) {
            w->client[--w->place_start[w->place[p] + 1]] = p;
        }
    }
    sgp_buckets_close(w->place_start, g->cost->places, count);
}

static int32_t locate_clients(const gathering *g)
{
    const sgp_view *view = g->clients->view;
    sgp_rack_wares *w = g->wares;
    w->place = SGP_TAKE_ZERO(g->region, uint32_t, g->clients->count);
    w->client = SGP_TAKE(g->region, uint32_t, g->clients->count);
    w->place_start = SGP_TAKE_ZERO(g->region, uint32_t, (size_t)g->cost->places + 1);
    if (g->region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t m = 0; m < view->members; m++) {
        if (g->cost->place[m] != SEGUE_NONE) {
            w->place[sgp_process(view, m)] = g->cost->place[m];
        }
    }
    group_clients(g);
    return SEGUE_OK;
}

/* ---- tasks ---- */

/* Stable, by what `key` says of each task. */
static void order_by(sgp_rack_wares *w, const uint32_t *key, uint32_t keys, uint32_t *start, uint32_t *spare)
{
    memset(start, 0, ((size_t)keys + 1) * sizeof *start);
    memcpy(spare, w->task, w->count * sizeof *spare);
    for (uint32_t i = 0; i < w->count; i++) {
        start[key[spare[i]] + 1]++;
    }
    sgp_buckets_open(start, keys);
    for (uint32_t i = w->count; i-- > 0;) {
        w->task[--start[key[spare[i]] + 1]] = spare[i];
    }
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static int32_t list_tasks(const gathering *g, int stateful)
{
    sgp_rack_wares *w = g->wares;
    const sgp_view *view = g->clients->view;
    const uint32_t keys = larger(larger(g->cost->vectors, g->clients->count), w->parts);
    w->task = SGP_TAKE(g->region, uint32_t, view->tasks);
    w->has = SGP_TAKE_ZERO(g->region, uint32_t, g->clients->count);
    uint32_t *spare = SGP_TAKE(g->region, uint32_t, view->tasks);
    uint32_t *start = SGP_TAKE(g->region, uint32_t, (size_t)keys + 1);
    if (g->region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t t = 0; t < view->tasks; t++) {
        if (sgp_stateful(view, t) == stateful) {
            w->task[w->count++] = t;
            w->has[g->layout->active[t]]++;
        }
    }
    order_by(w, g->cost->vector, g->cost->vectors, start, spare);
    order_by(w, g->layout->active, g->clients->count, start, spare);
    if (w->parts > 1) {
        order_by(w, view->group->task_subtopology, w->parts, start, spare);
    }
    return SEGUE_OK;
}

/* newest: by rack cost its last lot, which is of this part if it is not before the part's first. */
static void merge(const gathering *g, uint32_t row, uint32_t first_lot, uint32_t *newest)
{
    sgp_rack_wares *w = g->wares;
    const uint32_t task = w->task[row], vector = g->cost->vector[task], client = g->layout->active[task];
    if (newest[vector] == SEGUE_NONE || newest[vector] < first_lot) {
        newest[vector] = w->lot_count;
        w->lot_vector[w->lot_count++] = vector;
    }
    sgp_rack_ware *last = w->ware_count == 0 ? NULL : &w->list[w->ware_count - 1];
    if (last != NULL && last->client == client && last->lot == newest[vector]) {
        last->count++;
    } else {
        w->list[w->ware_count++] = (sgp_rack_ware){client, newest[vector], row, 1};
    }
}

static int32_t merge_tasks(const gathering *g)
{
    sgp_rack_wares *w = g->wares;
    const uint32_t *subtopology = g->clients->view->group->task_subtopology;
    uint32_t *newest = SGP_TAKE(g->region, uint32_t, g->cost->vectors);
    w->list = SGP_TAKE(g->region, sgp_rack_ware, w->count);
    w->lot_vector = SGP_TAKE(g->region, uint32_t, w->count);
    w->part = SGP_TAKE(g->region, sgp_rack_part, (size_t)w->parts + 1);
    if (g->region->failed) {
        return SEGUE_E_MEMORY;
    }
    memset(newest, 0xff, g->cost->vectors * sizeof *newest);
    for (uint32_t s = 0, row = 0; s <= w->parts; s++) {
        w->part[s] = (sgp_rack_part){row, w->ware_count, w->lot_count};
        for (; row < w->count && (w->parts == 1 || subtopology[w->task[row]] == s); row++) {
            merge(g, row, w->part[s].lot, newest);
        }
    }
    return SEGUE_OK;
}

int32_t sgp_rack_wares_build(sgp_rack_wares *w, const sgp_clients *clients, const sgp_layout *layout,
                             const sgp_rack_cost *cost, int stateful, int by_subtopology, sgp_region *region)
{
    const gathering g = {w, clients, layout, cost, region};
    *w = (sgp_rack_wares){.parts = by_subtopology ? clients->view->subtopologies : 1};
    return list_tasks(&g, stateful) != SEGUE_OK || locate_clients(&g) != SEGUE_OK ? SEGUE_E_MEMORY : merge_tasks(&g);
}
