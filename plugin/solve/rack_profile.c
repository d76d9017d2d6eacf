/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_profile.h"

#include <string.h>

typedef struct maker {
    const sgp_balance *b;
    const sgp_rack_bounds *bounds;
    const sgp_rack_cost *cost;
    const sgp_rack_classes *classes;
    uint8_t *alone;          /* by member */
    uint32_t *first, *count; /* by member: its rows in the list of classes */
    uint32_t *row;           /* by vector: where it was seen last in that list */
    uint32_t *slot, mask;    /* an open table of profiles; SEGUE_NONE: free */
    uint32_t *model;         /* by profile: its first member */
} maker;

/* Classes come by server. */
static void index_servers(maker *k, int by_subtopology)
{
    const sgp_rack_classes *classes = k->classes;
    int apart = by_subtopology || sgp_rack_has_slots(k->b);
    for (uint32_t i = 0; i < classes->count; i++) {
        const sgp_rack_class *c = &classes->list[i];
        if (c->learner != SEGUE_NONE) {
            k->alone[c->learner] = 1;
        }
        if (c->server != SEGUE_NONE) {
            k->alone[c->server] |= apart || c->learner != SEGUE_NONE;
            k->first[c->server] = k->count[c->server]++ == 0 ? i : k->first[c->server];
        }
    }
}

static uint32_t mix(uint32_t hash, uint32_t value)
{
    hash = (hash ^ value) * 0x9e3779b1u;
    return hash ^ hash >> 15;
}

/* The same whatever the order of a member's classes. */
static uint32_t hash_of(const maker *k, uint32_t member)
{
    const sgp_rack_class *c = k->classes->list + k->first[member];
    uint32_t hash = mix(k->cost->place[member] * 2 + k->b->receives[member], k->bounds->low[member]);
    for (uint32_t i = 0; i < k->count[member]; i++) {
        hash += mix(mix(0, c[i].vector), c[i].count);
    }
    return mix(hash, k->b->view->threads[member]);
}

static int same_bounds(const maker *k, uint32_t a, uint32_t b)
{
    const sgp_rack_bounds *s = k->bounds;
    return k->cost->place[a] == k->cost->place[b] && k->b->receives[a] == k->b->receives[b] &&
           s->low[a] == s->low[b] && s->high[a] == s->high[b] && s->pool[a] == s->pool[b] &&
           k->b->view->threads[a] == k->b->view->threads[b] && k->count[a] == k->count[b];
}

/* The model's class of the same rack cost, if it has as many tasks; else SEGUE_NONE. */
static uint32_t match(const maker *k, uint32_t model, const sgp_rack_class *c)
{
    uint32_t row = k->row[c->vector];
    int inside = row >= k->first[model] && row - k->first[model] < k->count[model];
    return inside && k->classes->list[row].vector == c->vector && k->classes->list[row].count == c->count ? row
                                                                                                          : SEGUE_NONE;
}

static int same_classes(maker *k, uint32_t model, uint32_t member)
{
    const sgp_rack_class *list = k->classes->list;
    for (uint32_t i = k->first[model]; i < k->first[model] + k->count[model]; i++) {
        k->row[list[i].vector] = i;
    }
    for (uint32_t i = k->first[member]; i < k->first[member] + k->count[member]; i++) {
        if (match(k, model, &list[i]) == SEGUE_NONE) {
            return 0;
        }
    }
    return 1;
}

static uint32_t fresh(maker *k, sgp_rack_profiles *p, uint32_t member)
{
    k->model[p->count] = member;
    return p->count++;
}

/* Its classes are the model's, which same_classes has just seen. */
static void follow(const maker *k, sgp_rack_profiles *p, uint32_t model, uint32_t member)
{
    for (uint32_t i = k->first[member]; i < k->first[member] + k->count[member]; i++) {
        p->model[i] = match(k, model, &k->classes->list[i]);
    }
}

static uint32_t profile_of(maker *k, sgp_rack_profiles *p, uint32_t member)
{
    if (k->alone[member]) {
        return fresh(k, p, member);
    }
    for (uint32_t at = hash_of(k, member) & k->mask;; at = (at + 1) & k->mask) {
        if (k->slot[at] == SEGUE_NONE) {
            return k->slot[at] = fresh(k, p, member);
        }
        uint32_t model = k->model[k->slot[at]];
        if (same_bounds(k, model, member) && same_classes(k, model, member)) {
            follow(k, p, model, member);
            return k->slot[at];
        }
    }
}

static int32_t open_maker(maker *k, uint32_t members, sgp_region *region)
{
    uint32_t slots = 16;
    while (slots < 2 * members) {
        slots *= 2;
    }
    k->mask = slots - 1;
    k->alone = SGP_TAKE_ZERO(region, uint8_t, members);
    k->first = SGP_TAKE_ZERO(region, uint32_t, members);
    k->count = SGP_TAKE_ZERO(region, uint32_t, members);
    k->row = SGP_TAKE_ZERO(region, uint32_t, k->cost->vectors);
    k->slot = SGP_TAKE(region, uint32_t, slots);
    k->model = SGP_TAKE(region, uint32_t, members);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    memset(k->slot, 0xff, slots * sizeof *k->slot);
    return SEGUE_OK;
}

int32_t sgp_rack_profiles_build(sgp_rack_profiles *p, const sgp_balance *b, const sgp_rack_bounds *bounds,
                                const sgp_rack_cost *cost, const sgp_rack_classes *classes, int by_subtopology)
{
    const uint32_t members = b->view->members;
    maker k = {.b = b, .bounds = bounds, .cost = cost, .classes = classes};
    *p = (sgp_rack_profiles){.of_member = SGP_TAKE(b->region, uint32_t, members)};
    p->model = SGP_TAKE(b->region, uint32_t, classes->count);
    if (open_maker(&k, members, b->region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t i = 0; i < classes->count; i++) {
        p->model[i] = i;
    }
    index_servers(&k, by_subtopology);
    for (uint32_t m = 0; m < members; m++) {
        p->of_member[m] = b->view->place[m] == SGP_STAYS ? profile_of(&k, p, m) : SEGUE_NONE;
    }
    return SEGUE_OK;
}
