/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sound.h - a small plugin that holds every rule of `segue check`, to be broken in one place. Its one assignor keeps the
 * owners, gives orphans to their best copy, and sees to the standbys.
 */
#ifndef SEGUE_TESTS_CHECK_SOUND_H
#define SEGUE_TESTS_CHECK_SOUND_H

#include <stdlib.h>
#include <string.h>

#include "segue/abi.h"

struct segue_instance {
    uint32_t calls, faults;
};

int32_t sound_entry(segue_entry *entry, const segue_slots *slots, const segue_slot_info *table, uint32_t table_count,
                    uint32_t newest);
int32_t sound_describe(uint32_t index, segue_assignor_info *info);
int32_t sound_create(const char *name, segue_instance **instance, segue_error *error);
void sound_destroy(segue_instance *instance);
int32_t sound_plan_bound(const segue_group *group, const segue_config *config, segue_bound *bound);
int32_t sound_assign(segue_instance *instance, const segue_group *group, const segue_config *config, segue_plan *plan,
                     segue_error *error);
int32_t sound_read_memory(segue_instance *instance, segue_memory *memory);
const void *sound_get_extension(const char *id);

/* For what breaks a plan. */
int stays(const segue_group *g, uint32_t member);
int leaves(const segue_group *g, uint32_t member);
int has_copy(const segue_group *g, uint32_t member, uint32_t task, int role); /* role -1: of any kind */
/* The member that owns the task and is the only one to say so, or SEGUE_NONE. */
uint32_t owner_of(const segue_group *g, uint32_t task);
/* Does its process have none of the task's planned copies? */
int is_elsewhere(const segue_group *g, const segue_plan *p, uint32_t member, uint32_t task);
/* Makes learners, moves and follow-up those of the columns. */
void recount(const segue_group *g, segue_plan *p);

#endif
