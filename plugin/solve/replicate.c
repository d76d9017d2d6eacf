/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/replicate.h"

#include "core/heap.h"
#include "solve/tags.h"

#include <string.h>

/* A tag value that copies of the task at hand have. */
typedef struct used_tag {
    uint32_t dimension, value;
} used_tag;

typedef struct replicator {
    sgp_clients *clients;
    sgp_layout *layout;
    sgp_heap lightest;
    uint32_t *aside; /* clients that the task at hand could not take */
    sgp_tags tags;
    uint32_t *values; /* by dimension: values that the clients have */
    used_tag *used;   /* at most dimensions * copies */
    uint32_t used_count;
} replicator;

static int shares_a_used_tag(const replicator *r, uint32_t client)
{
    for (uint32_t i = 0; i < r->used_count; i++) {
        if (sgp_tag(&r->tags, r->used[i].dimension, client) == r->used[i].value) {
            return 1;
        }
    }
    return 0;
}

/* The lightest client that fits, out of the heap; SEGUE_NONE when none does. */
static uint32_t take_lightest(replicator *r, uint32_t task)
{
    uint32_t found = SEGUE_NONE, passed = 0;
    while (found == SEGUE_NONE && r->lightest.size > 0) {
        uint32_t client = sgp_heap_pop(&r->lightest);
        if (sgp_takes_part(r->layout, task, client) || shares_a_used_tag(r, client)) {
            r->aside[passed++] = client;
        } else {
            found = client;
        }
    }
    while (passed > 0) {
        sgp_heap_push(&r->lightest, r->aside[--passed]);
    }
    return found;
}

static uint32_t add_standby(replicator *r, uint32_t task, uint32_t *place)
{
    uint32_t client = take_lightest(r, task);
    if (client != SEGUE_NONE) {
        *place = client;
        r->clients->load[client]++;
        sgp_heap_push(&r->lightest, client);
    }
    return client;
}

static void forget_dimension(replicator *r, uint32_t dimension)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->used_count; i++) {
        if (r->used[i].dimension != dimension) {
            r->used[kept++] = r->used[i];
        }
    }
    r->used_count = kept;
}

/* The tags of the last copy are used now, but for dimensions in which `copies` copies have used up the values. */
static void use_tags(replicator *r, uint32_t client, uint32_t copies)
{
    for (uint32_t k = 0; k < r->tags.dimensions; k++) {
        uint32_t value = sgp_tag(&r->tags, k, client);
        if (value == SEGUE_NONE) {
            continue;
        }
        if (r->values[k] <= copies) {
            forget_dimension(r, k);
        } else {
            r->used[r->used_count++] = (used_tag){k, value};
        }
    }
}

static void spread_over_tags(replicator *r, uint32_t task)
{
    uint32_t last = r->layout->active[task];
    r->used_count = 0;
    for (uint32_t i = 0; i < r->layout->ranks && last != SEGUE_NONE; i++) {
        use_tags(r, last, i + 1);
        last = add_standby(r, task, r->layout->standby + (size_t)task * r->layout->ranks + i);
    }
    r->used_count = 0;
}

static void fill_up(replicator *r, uint32_t task)
{
    uint32_t *place = sgp_standby_place(r->layout, task, SEGUE_NONE);
    while (place != NULL && add_standby(r, task, place) != SEGUE_NONE) {
        place = sgp_standby_place(r->layout, task, SEGUE_NONE);
    }
}

static int32_t open(replicator *r, sgp_region *region)
{
    const sgp_view *view = r->clients->view;
    if (sgp_tags_build(&r->tags, view, region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    r->values = SGP_TAKE(region, uint32_t, r->tags.dimensions);
    r->used = SGP_TAKE(region, used_tag, (size_t)r->tags.dimensions * (r->layout->ranks + 1));
    r->aside = SGP_TAKE(region, uint32_t, r->clients->count);
    r->lightest = (sgp_heap){SGP_TAKE(region, uint32_t, r->clients->count), 0, r->clients->load, r->clients->threads};
    return region->failed ? SEGUE_E_MEMORY
                          : sgp_tags_count(&r->tags, view, r->clients->threads, r->values, region);
}

int32_t sgp_replicate(sgp_clients *c, sgp_layout *layout, sgp_region *region)
{
    replicator r = {.clients = c, .layout = layout};
    if (layout->ranks == 0) {
        return SEGUE_OK;
    }
    if (open(&r, region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t p = 0; p < c->count; p++) {
        if (c->threads[p] > 0) {
            sgp_heap_push(&r.lightest, p);
        }
    }
    for (uint32_t t = 0; r.tags.dimensions > 0 && t < layout->tasks; t++) {
        spread_over_tags(&r, t);
    }
    for (uint32_t t = 0; t < layout->tasks; t++) {
        if (layout->active[t] != SEGUE_NONE) {
            fill_up(&r, t);
        }
    }
    return SEGUE_OK;
}
