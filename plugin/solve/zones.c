/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/zones.h"

#include <string.h>

/* Where a dimension's values stand in the group. */
typedef struct source {
    const uint32_t *handle; /* by member, SEGUE_NONE for none */
    uint32_t handles;       /* how many there can be */
} source;

static uint32_t dimensions_of(const sgp_view *view)
{
    const segue_group *g = view->group;
    if (view->nobody_stays || view->idle) {
        return 0;
    }
    if (g->tag_count > 0) {
        return g->member_tag == NULL ? 0 : g->tag_count;
    }
    return g->member_rack != NULL && view->config->rack_strategy != SEGUE_RACK_NONE;
}

static source source_of(const sgp_view *view, uint32_t dimension)
{
    const segue_group *g = view->group;
    if (g->tag_count == 0) {
        return (source){g->member_rack, g->rack_count};
    }
    return (source){g->member_tag + (size_t)dimension * view->members, g->string_count};
}

/* Whose values a process has: its first member that stays, else its first. */
static uint32_t speaker(const sgp_view *view, uint32_t process)
{
    uint32_t first = view->process_start[process], end = view->process_start[process + 1];
    for (uint32_t i = first; i < end; i++) {
        if (view->place[view->process_member[i]] == SGP_STAYS) {
            return view->process_member[i];
        }
    }
    return first < end ? view->process_member[first] : SEGUE_NONE;
}

/* A value out of range is none: the plugin's own check does not look at racks and tags. */
static uint32_t handle_of(const sgp_view *view, source from, uint32_t process)
{
    uint32_t member = speaker(view, process);
    return member != SEGUE_NONE && from.handle[member] < from.handles ? from.handle[member] : SEGUE_NONE;
}

/* Values as numbers, first those of processes that stay, in their order. Returns how many there are; *lacking says whether
 * some process has none. */
static uint32_t number_values(const sgp_view *view, source from, uint32_t *number, uint32_t *value, int *lacking)
{
    uint32_t next = 0;
    *lacking = 0;
    memset(number, 0xff, from.handles * sizeof *number);
    for (int stays = 1; stays >= 0; stays--) {
        for (uint32_t p = 0; p < view->processes; p++) {
            if ((view->process_place[p] == SGP_STAYS) != stays) {
                continue;
            }
            uint32_t handle = handle_of(view, from, p);
            if (handle != SEGUE_NONE && number[handle] == SEGUE_NONE) {
                number[handle] = next++;
            }
            value[p] = handle == SEGUE_NONE ? SEGUE_NONE : number[handle];
            *lacking |= handle == SEGUE_NONE;
        }
    }
    return next;
}

/* The zones of one more dimension: each is a part of a former one. */
typedef struct parts {
    uint32_t values, count; /* values are told apart up to so many */
    uint8_t whole[SGP_ZONES];
    uint32_t value[SGP_ZONES]; /* SEGUE_NONE: that of processes with none */
} parts;

static uint32_t value_of(const sgp_zones *z, const parts *new, uint32_t process)
{
    uint32_t value = z->value[z->dimensions][process];
    return value == SEGUE_NONE ? SEGUE_NONE : value % new->values;
}

/* Numbers the parts that there are; 0 where they are too many. `number` has a row for each whole and value, one of them
 * for none. */
static int find_parts(const sgp_zones *z, const sgp_view *view, parts *new, uint32_t *number)
{
    memset(number, 0xff, (size_t)z->count * (new->values + 1) * sizeof *number);
    new->count = 0;
    for (uint32_t p = 0; p < view->processes; p++) {
        uint32_t value = value_of(z, new, p), row = z->of[p] * (new->values + 1);
        row += value == SEGUE_NONE ? new->values : value;
        if (number[row] == SEGUE_NONE && new->count == SGP_ZONES) {
            return 0;
        }
        if (number[row] == SEGUE_NONE) {
            new->whole[new->count] = z->of[p];
            new->value[new->count] = value;
            number[row] = new->count++;
        }
    }
    return 1;
}

static uint64_t same_whole(const parts *new, uint64_t wholes)
{
    uint64_t same = 0;
    for (uint32_t i = 0; i < new->count; i++) {
        same |= (wholes >> new->whole[i] & 1) << i;
    }
    return same;
}

static uint64_t same_value(const parts *new, uint32_t part)
{
    uint64_t same = 0;
    for (uint32_t i = 0; i < new->count && new->value[part] != SEGUE_NONE; i++) {
        same |= (uint64_t)(new->value[i] == new->value[part]) << i;
    }
    return same;
}

static void split(sgp_zones *z, const sgp_view *view, const parts *new, const uint32_t *number)
{
    for (uint32_t p = 0; p < view->processes; p++) {
        uint32_t value = value_of(z, new, p);
        z->of[p] = (uint8_t)number[z->of[p] * (new->values + 1) + (value == SEGUE_NONE ? new->values : value)];
    }
    for (uint32_t d = 0; d < z->dimensions; d++) {
        uint64_t same[SGP_ZONES];
        for (uint32_t i = 0; i < new->count; i++) {
            same[i] = same_whole(new, z->same[d][new->whole[i]]);
        }
        memcpy(z->same[d], same, new->count * sizeof *same);
    }
    for (uint32_t i = 0; i < new->count; i++) {
        z->same[z->dimensions][i] = same_value(new, i);
    }
    z->count = new->count;
    z->dimensions++;
}

/* Adds a dimension, with its values folded where there would be too many zones; one that tells nothing apart is left out. */
static int32_t add_dimension(sgp_zones *z, const sgp_view *view, source from, sgp_region *region)
{
    uint32_t *value = SGP_TAKE(region, uint32_t, view->processes), *number = SGP_TAKE(region, uint32_t, from.handles);
    int lacking;
    parts new;
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    z->value[z->dimensions] = value;
    new.values = number_values(view, from, number, value, &lacking);
    if (new.values == 0 || (new.values == 1 && !lacking)) {
        return SEGUE_OK;
    }
    number = SGP_TAKE(region, uint32_t, (size_t)z->count * (new.values + 1));
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    int fits = find_parts(z, view, &new, number);
    if (!fits && SGP_ZONES / z->count > 1) {
        uint32_t room = SGP_ZONES / z->count - (uint32_t)lacking;
        new.values = new.values < room ? new.values : room;
        fits = new.values > 0 && find_parts(z, view, &new, number);
    }
    if (fits) {
        split(z, view, &new, number);
    }
    return SEGUE_OK;
}

static void take_stock(sgp_zones *z, const sgp_view *view)
{
    for (uint32_t p = 0; p < view->processes; p++) {
        if (view->process_place[p] == SGP_STAYS) {
            z->stock[z->of[p]]++;
            z->stocked |= (uint64_t)1 << z->of[p];
        }
    }
    for (uint32_t d = 0; d < z->dimensions; d++) {
        for (uint32_t i = 0; i < z->count; i++) {
            z->valued[d] |= (uint64_t)(z->same[d][i] != 0) << i;
        }
    }
}

int32_t sgp_zones_build(sgp_zones *z, const sgp_view *view, sgp_region *region)
{
    uint32_t all = dimensions_of(view);
    *z = (sgp_zones){.count = 1};
    z->of = SGP_TAKE_ZERO(region, uint8_t, view->processes);
    for (uint32_t d = 0; d < all && z->dimensions < SGP_DIMENSIONS; d++) {
        if (region->failed || add_dimension(z, view, source_of(view, d), region) != SEGUE_OK) {
            return SEGUE_E_MEMORY;
        }
    }
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    take_stock(z, view);
    return SEGUE_OK;
}

uint64_t sgp_zones_new(const sgp_zones *z, uint64_t among, const uint64_t *used, uint32_t *novelty)
{
    *novelty = 0;
    for (uint32_t d = 0; d < z->dimensions; d++) {
        uint64_t fresh = among & z->valued[d] & ~used[d];
        *novelty = *novelty << 1 | (fresh != 0);
        among = fresh != 0 ? fresh : among;
    }
    return among;
}
