/* SPDX-License-Identifier: Apache-2.0 */
#include "core/known.h"

#include <string.h>

/* Bytes of a record up to the last field that version 1 has. */
#define FIRST_SIZE(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

/* `room` is filled with what stands for "not set". A record's first field is its size. */
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

const segue_group *sgp_known_group(const segue_group *group, segue_group *room)
{
    if (group == NULL || group->size >= sizeof *group) {
        return group;
    }
    memset(room, 0, sizeof *room);
    return complete(group, FIRST_SIZE(segue_group, copy_lag), room, sizeof *room);
}

const segue_config *sgp_known_config(const segue_config *config, segue_config *room)
{
    if (config == NULL || config->size >= sizeof *config) {
        return config;
    }
    memset(room, 0, sizeof *room);
#define INITIAL(field, type, key, initial, least, greatest) room->field = (initial);
    SEGUE_CONFIG_FIELDS(INITIAL)
#undef INITIAL
    return complete(config, FIRST_SIZE(segue_config, rebalancing_mode), room, sizeof *room);
}

segue_plan *sgp_known_plan(segue_plan *plan, segue_plan *room)
{
    if (plan == NULL || plan->size >= sizeof *plan) {
        return plan;
    }
    memset(room, 0, sizeof *room);
    return complete(plan, FIRST_SIZE(segue_plan, decision_number), room, sizeof *room);
}

void sgp_clear_tail(void *record, size_t size, size_t known)
{
    if (size > known) {
        memset((char *)record + known, 0, size - known);
    }
}

void sgp_known_return(void *record, const void *known)
{
    if (record != known && known != NULL) {
        uint32_t size;
        memcpy(&size, record, sizeof size);
        memcpy(record, known, size);
        memcpy(record, &size, sizeof size);
    }
}
