/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/tags.h"

#include <string.h>

int32_t sgp_tags_build(sgp_tags *tags, const sgp_view *view, sgp_region *region)
{
    const segue_group *g = view->group;
    const uint32_t dimensions = g->member_tag == NULL ? 0 : g->tag_count;
    *tags = (sgp_tags){.dimensions = dimensions, .processes = view->processes};
    tags->value = SGP_TAKE(region, uint32_t, (size_t)dimensions * tags->processes);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    memset(tags->value, 0xff, (size_t)dimensions * tags->processes * sizeof *tags->value);
    for (uint32_t k = 0; k < dimensions; k++) {
        for (uint32_t m = view->members; m-- > 0;) {
            uint32_t value = g->member_tag[(size_t)k * view->members + m];
            if (view->place[m] != SGP_GONE) {
                tags->value[(size_t)k * tags->processes + sgp_process(view, m)] =
                    value < g->string_count ? value : SEGUE_NONE;
            }
        }
    }
    return SEGUE_OK;
}

int32_t sgp_tags_count(const sgp_tags *tags, const sgp_view *view, const uint32_t *threads, uint32_t *values,
                       sgp_region *region)
{
    uint32_t *seen = SGP_TAKE_ZERO(region, uint32_t, view->group->string_count); /* by string: the dimension + 1 */
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t k = 0; k < tags->dimensions; k++) {
        values[k] = 0;
        for (uint32_t p = 0; p < tags->processes; p++) {
            uint32_t value = sgp_tag(tags, k, p);
            if (threads[p] > 0 && value != SEGUE_NONE && seen[value] != k + 1) {
                seen[value] = k + 1;
                values[k]++;
            }
        }
    }
    return SEGUE_OK;
}
