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

static uint32_t speaker(const sgp_view *view, uint32_t process)
{
    for (uint32_t i = view->process_start[process]; i < view->process_start[process + 1]; i++) {
        if (view->place[view->process_member[i]] == SGP_STAYS) {
            return view->process_member[i];
        }
    }
    return view->process_member[view->process_start[process]];
}

/* Values as numbers: first those of processes that stay, in their order, then the others. Returns how many of the first
 * kind there are; *lacking says whether some process has none. */
static uint32_t number_values(const sgp_view *view, source from, uint32_t *number, uint32_t *value, int *lacking)
{
    uint32_t next = 0, staying = 0;
    *lacking = 0;
    memset(number, 0xff, from.handles * sizeof *number);
    for (int stays = 1; stays >= 0; stays--) {
        for (uint32_t p = 0; p < view->processes; p++) {
            if ((view->process_place[p] == SGP_STAYS) != stays) {
                continue;
            }
            uint32_t handle = from.handle[speaker(view, p)];
            if (handle != SEGUE_NONE && number[handle] == SEGUE_NONE) {
                number[handle] = next++;
            }
            value[p] = handle == SEGUE_NONE ? SEGUE_NONE : number[handle];
            *lacking |= handle == SEGUE_NONE;
        }
        staying = stays ? next : staying;
    }
    return staying;
}

/* Each zone so far becomes `parts` zones; processes with no value are the last part. */
static void split(sgp_zones *z, const sgp_view *view, uint32_t parts, uint32_t values)
{
    const uint32_t *value = z->value[z->dimensions];
    for (uint32_t p = 0; p < view->processes; p++) {
        uint32_t part = value[p] == SEGUE_NONE ? values : value[p] % values;
        z->of[p] = (uint8_t)(z->of[p] * parts + part);
    }
    for (uint32_t d = 0; d < z->dimensions; d++) {
        uint64_t same[SGP_ZONES];
        for (uint32_t i = 0; i < z->count * parts; i++) {
            same[i] = 0;
            for (uint32_t j = 0; j < z->count * parts; j++) {
                same[i] |= (uint64_t)(z->same[d][i / parts] >> (j / parts) & 1) << j;
            }
        }
        memcpy(z->same[d], same, sizeof same);
    }
    z->count *= parts;
    for (uint32_t i = 0; i < z->count; i++) {
        uint64_t same = 0;
        for (uint32_t j = i % parts; j < z->count && i % parts < values; j += parts) {
            same |= (uint64_t)1 << j;
        }
        z->same[z->dimensions][i] = same;
    }
    z->dimensions++;
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
    uint32_t *number = all > 0 ? SGP_TAKE(region, uint32_t, source_of(view, 0).handles) : NULL;
    for (uint32_t d = 0; d < all && z->dimensions < SGP_DIMENSIONS && !region->failed; d++) {
        uint32_t *value = SGP_TAKE(region, uint32_t, view->processes), room = SGP_ZONES / z->count;
        int lacking;
        if (region->failed) {
            break;
        }
        uint32_t values = number_values(view, source_of(view, d), number, value, &lacking);
        uint32_t parts = values + (uint32_t)lacking < room ? values + (uint32_t)lacking : room;
        if (values > 1 && parts - (uint32_t)lacking > 1) {
            z->value[z->dimensions] = value;
            split(z, view, parts, parts - (uint32_t)lacking);
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
