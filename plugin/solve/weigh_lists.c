/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/weigh_lists.h"

#include "core/buckets.h"

int32_t sgp_lists_take(sgp_lists *l, const sgp_scale *s)
{
    l->start = SGP_TAKE(s->b->region, uint32_t, (size_t)s->b->view->members + 1);
    l->task = SGP_TAKE(s->b->region, uint32_t, s->b->count);
    return s->b->region->failed ? SEGUE_E_MEMORY : SEGUE_OK;
}

static int is_listed(uint32_t member, const uint8_t *among)
{
    return member != SEGUE_NONE && (among == NULL || among[member]);
}

void sgp_lists_fill(sgp_lists *l, const sgp_scale *s, const uint32_t *holder, const uint8_t *among)
{
    const uint32_t members = s->b->view->members;
    memset(l->start, 0, ((size_t)members + 1) * sizeof *l->start);
    for (uint32_t i = 0; i < s->b->count; i++) {
        uint32_t member = holder[s->order[i]];
        if (is_listed(member, among)) {
            l->start[member + 1]++;
        }
    }
    uint32_t rows = sgp_buckets_open(l->start, members);
    for (uint32_t i = s->b->count; i-- > 0;) {
        uint32_t member = holder[s->order[i]];
        if (is_listed(member, among)) {
            l->task[--l->start[member + 1]] = s->order[i];
        }
    }
    sgp_buckets_close(l->start, members, rows);
}
