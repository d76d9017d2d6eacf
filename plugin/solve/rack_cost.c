/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_cost.h"

#include <string.h>

uint32_t sgp_rack_traffic(const segue_group *g, uint32_t task, uint32_t member)
{
    uint32_t rack = g->member_rack[member], from = g->task_rack_start[task], to = g->task_rack_start[task + 1];
    if (rack == SEGUE_NONE || from == to) {
        return 0;
    }
    for (uint32_t i = from; i < to; i++) {
        if (g->task_rack[i] == rack) {
            return g->task_inputs[task] - g->task_rack_inputs[i];
        }
    }
    return g->task_inputs[task];
}

/* ---- members ---- */

/* Numbers the racks that staying members are in, by handle. place_of_rack has a row for each rack. */
static void number_places(sgp_rack_cost *c, const sgp_view *view, uint32_t *place_of_rack)
{
    const uint32_t *rack = view->group->member_rack;
    memset(place_of_rack, 0xff, view->group->rack_count * sizeof *place_of_rack);
    for (uint32_t m = 0; m < view->members; m++) {
        if (view->place[m] == SGP_STAYS && rack[m] != SEGUE_NONE) {
            place_of_rack[rack[m]] = 0;
        }
    }
    c->places = 0;
    for (uint32_t r = 0; r < view->group->rack_count; r++) {
        place_of_rack[r] = place_of_rack[r] == 0 ? c->places++ : SEGUE_NONE;
    }
    for (uint32_t m = 0; m < view->members; m++) {
        uint32_t place = rack[m] == SEGUE_NONE ? c->places : place_of_rack[rack[m]];
        c->place[m] = view->place[m] == SGP_STAYS ? place : SEGUE_NONE;
    }
    c->places++;
}

/* ---- tasks ---- */

/* An open table of the tasks that stand for their equals: most groups have few, so that it begins small. */
typedef struct table {
    uint32_t *vector; /* SEGUE_NONE: free */
    uint32_t mask;
    uint32_t *model, *hash; /* by vector: a task, and what it is found by */
} table;

static uint32_t mix(uint32_t hash, uint32_t value)
{
    hash = (hash ^ value) * 0x9e3779b1u;
    return hash ^ hash >> 15;
}

static uint32_t hash_of(const segue_group *g, uint32_t task)
{
    uint32_t hash = mix(0, g->task_inputs[task]);
    for (uint32_t i = g->task_rack_start[task]; i < g->task_rack_start[task + 1]; i++) {
        hash = mix(mix(hash, g->task_rack[i]), g->task_rack_inputs[i]);
    }
    return hash;
}

static int same_racks(const segue_group *g, uint32_t a, uint32_t b)
{
    uint32_t from = g->task_rack_start[a], other = g->task_rack_start[b], rows = g->task_rack_start[a + 1] - from;
    uint32_t differ = (g->task_inputs[a] ^ g->task_inputs[b]) | (rows ^ (g->task_rack_start[b + 1] - other));
    for (uint32_t i = 0; differ == 0 && i < rows; i++) {
        differ = (g->task_rack[from + i] ^ g->task_rack[other + i]) |
                 (g->task_rack_inputs[from + i] ^ g->task_rack_inputs[other + i]);
    }
    return differ == 0;
}

static uint32_t free_slot(const table *t, uint32_t hash)
{
    uint32_t at = hash & t->mask;
    while (t->vector[at] != SEGUE_NONE) {
        at = (at + 1) & t->mask;
    }
    return at;
}

/* Twice the slots, in the same column, which has room for all tasks. */
static void grow(table *t, uint32_t vectors)
{
    t->mask = 2 * t->mask + 1;
    memset(t->vector, 0xff, ((size_t)t->mask + 1) * sizeof *t->vector);
    for (uint32_t v = 0; v < vectors; v++) {
        t->vector[free_slot(t, t->hash[v])] = v;
    }
}

static uint32_t vector_of(sgp_rack_cost *c, table *t, const segue_group *g, uint32_t task)
{
    uint32_t hash = hash_of(g, task), at = hash & t->mask;
    while (t->vector[at] != SEGUE_NONE && !same_racks(g, t->model[t->vector[at]], task)) {
        at = (at + 1) & t->mask;
    }
    if (t->vector[at] != SEGUE_NONE) {
        return t->vector[at];
    }
    t->vector[at] = c->vectors;
    t->hash[c->vectors] = hash;
    t->model[c->vectors++] = task;
    if (2 * c->vectors > t->mask) {
        grow(t, c->vectors);
    }
    return c->vectors - 1;
}

enum { LEAST_SLOTS = 64 };

static int32_t merge_tasks(sgp_rack_cost *c, const sgp_view *view, table *t, sgp_region *region)
{
    size_t slots = LEAST_SLOTS;
    while (slots < 2 * (size_t)view->tasks) {
        slots *= 2;
    }
    t->mask = LEAST_SLOTS - 1;
    t->vector = SGP_TAKE(region, uint32_t, 2 * slots);
    t->model = SGP_TAKE(region, uint32_t, view->tasks);
    t->hash = SGP_TAKE(region, uint32_t, view->tasks);
    c->vector = SGP_TAKE(region, uint32_t, view->tasks);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    memset(t->vector, 0xff, LEAST_SLOTS * sizeof *t->vector);
    for (uint32_t task = 0; task < view->tasks; task++) {
        c->vector[task] = vector_of(c, t, view->group, task);
    }
    return SEGUE_OK;
}

static void price(sgp_rack_cost *c, const segue_group *g, const uint32_t *place_of_rack, uint32_t task, uint32_t *row)
{
    uint32_t from = g->task_rack_start[task], to = g->task_rack_start[task + 1];
    for (uint32_t p = 0; p + 1 < c->places; p++) {
        row[p] = from == to ? 0 : g->task_inputs[task];
    }
    row[c->places - 1] = 0;
    for (uint32_t i = from; i < to; i++) {
        if (place_of_rack[g->task_rack[i]] != SEGUE_NONE) {
            row[place_of_rack[g->task_rack[i]]] -= g->task_rack_inputs[i];
        }
    }
    for (uint32_t p = 0; p < c->places; p++) {
        c->most = row[p] > c->most ? row[p] : c->most;
    }
}

int32_t sgp_rack_cost_none(sgp_rack_cost *c, const sgp_view *view, sgp_region *region)
{
    *c = (sgp_rack_cost){.is_known = 1, .places = 1, .vectors = 1};
    c->place = SGP_TAKE(region, uint32_t, view->members);
    c->vector = SGP_TAKE_ZERO(region, uint32_t, view->tasks);
    c->cost = SGP_TAKE_ZERO(region, uint32_t, 1);
    for (uint32_t m = 0; !region->failed && m < view->members; m++) {
        c->place[m] = view->place[m] == SGP_STAYS ? 0 : SEGUE_NONE;
    }
    return region->failed ? SEGUE_E_MEMORY : SEGUE_OK;
}

/* Entries that are filled between two looks at the clock: about a tenth of a millisecond. */
enum { MOST_BLIND = 1 << 16 };

/* 0 when the budget has ended. */
static int price_all(sgp_rack_cost *c, const segue_group *g, const uint32_t *place_of_rack, const uint32_t *model,
                     sgp_deadline *deadline)
{
    uint32_t blind = 0;
    for (uint32_t v = 0; v < c->vectors; v++) {
        if (blind > MOST_BLIND && sgp_deadline_look(deadline)) {
            return 0;
        }
        blind = blind > MOST_BLIND ? 0 : blind + c->places;
        price(c, g, place_of_rack, model[v], c->cost + (size_t)v * c->places);
    }
    return 1;
}

int32_t sgp_rack_cost_build(sgp_rack_cost *c, const sgp_view *view, sgp_deadline *deadline, sgp_region *region)
{
    table t;
    *c = (sgp_rack_cost){.is_known = 1, .place = SGP_TAKE(region, uint32_t, view->members)};
    uint32_t *place_of_rack = SGP_TAKE(region, uint32_t, view->group->rack_count);
    if (region->failed || merge_tasks(c, view, &t, region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    number_places(c, view, place_of_rack);
    c->cost = SGP_TAKE(region, uint32_t, (size_t)c->vectors * c->places);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    return price_all(c, view->group, place_of_rack, t.model, deadline) ? SEGUE_OK : sgp_rack_cost_none(c, view, region);
}
