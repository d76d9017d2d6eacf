/* SPDX-License-Identifier: Apache-2.0 */
#include "known.h"

#include <string.h>

#include "segue/host.h"

/* Bytes of a record up to the last field that version 1 has. */
#define FIRST_SIZE(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

/* `room` has its `bytes` bytes filled with what stands for "not set". A record's first field is its size. */
static void *complete(const void *record, size_t least, void *room, uint32_t bytes)
{
    uint32_t size;
    memcpy(&size, record, sizeof size);
    if (size < least) {
        return NULL;
    }
    memcpy(room, record, size);
    memcpy(room, &bytes, sizeof bytes);
    return room;
}

const segue_group *sgi_known_group(const segue_group *group, segue_group *room)
{
    if (group == NULL || group->size >= sizeof *group) {
        return group;
    }
    memset(room, 0, sizeof *room);
    return complete(group, FIRST_SIZE(segue_group, copy_lag), room, sizeof *room);
}

const segue_config *sgi_known_config(const segue_config *config, segue_config *room)
{
    if (config == NULL || config->size >= sizeof *config) {
        return config;
    }
    room->size = sizeof *room;
    segue_config_init(room);
    return complete(config, FIRST_SIZE(segue_config, rebalancing_mode), room, sizeof *room);
}

segue_plan *sgi_known_plan(const segue_plan *plan, segue_plan *room)
{
    if (plan == NULL || plan->size >= sizeof *plan) {
        return (segue_plan *)(uintptr_t)plan;
    }
    memset(room, 0, sizeof *room);
    return complete(plan, FIRST_SIZE(segue_plan, decision_number), room, sizeof *room);
}

void sgi_known_return(void *record, const void *known)
{
    if (record != known && known != NULL) {
        uint32_t size;
        memcpy(&size, record, sizeof size);
        memcpy(record, known, size);
        memcpy(record, &size, sizeof size);
    }
}
