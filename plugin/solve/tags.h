/* SPDX-License-Identifier: Apache-2.0 */
/* The tags of clients (rack.aware.assignment.tags), by process: those of its first member that is present. */
#ifndef SGP_TAGS_H
#define SGP_TAGS_H

#include "core/view.h"

typedef struct sgp_tags {
    uint32_t dimensions;
    uint32_t processes;
    uint32_t *value; /* [dimension * processes + process]; a string, or SEGUE_NONE */
} sgp_tags;

/* E_MEMORY is the only fault. */
int32_t sgp_tags_build(sgp_tags *tags, const sgp_view *view, sgp_region *region);

static inline uint32_t sgp_tag(const sgp_tags *tags, uint32_t dimension, uint32_t process)
{
    return tags->value[(size_t)dimension * tags->processes + process];
}

/* Has `other` every tag of `process`? */
static inline int sgp_tags_cover(const sgp_tags *tags, uint32_t process, uint32_t other)
{
    for (uint32_t k = 0; k < tags->dimensions; k++) {
        if (sgp_tag(tags, k, process) != SEGUE_NONE && sgp_tag(tags, k, process) != sgp_tag(tags, k, other)) {
            return 0;
        }
    }
    return 1;
}

/* By dimension: how many values the clients have (threads 0: no client). */
int32_t sgp_tags_count(const sgp_tags *tags, const sgp_view *view, const uint32_t *threads, uint32_t *values,
                       sgp_region *region);

#endif
