/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - the end of every plugin here: note, slots and entry, each of which the file that includes this may have put
 * something else in the place of, by a macro of its name.
 */
#ifndef NOTE_NEWEST
#define NOTE_NEWEST 1
#endif
#ifndef NOTE_NAMES
#define NOTE_NAMES "steady\0"
#endif
#ifndef ENTRY
#define ENTRY sound_entry
#endif
#ifndef DESCRIBE
#define DESCRIBE sound_describe
#endif
#ifndef CREATE
#define CREATE sound_create
#endif
#ifndef DESTROY
#define DESTROY sound_destroy
#endif
#ifndef PLAN_BOUND
#define PLAN_BOUND sound_plan_bound
#endif
#ifndef READ_MEMORY
#define READ_MEMORY sound_read_memory
#endif
#ifndef GET_EXTENSION
#define GET_EXTENSION sound_get_extension
#endif
/* DAMAGE(group, config, plan) is done to a plan that was sound. */
#ifdef DAMAGE
static int32_t assign_and_damage(segue_instance *instance, const segue_group *group, const segue_config *config,
                                 segue_plan *plan, segue_error *error)
{
    int32_t status = sound_assign(instance, group, config, plan, error);
    if (status == SEGUE_OK) {
        DAMAGE(group, config, plan);
    }
    return status;
}
#define ASSIGN assign_and_damage
#endif
#ifndef ASSIGN
#define ASSIGN sound_assign
#endif

SEGUE_DECLARE_NOTE(1, NOTE_NEWEST, 0x010000, NOTE_NAMES);

#ifndef LATER_SLOT
static const segue_slots slots = {sizeof slots, NOTE_NEWEST, DESCRIBE, CREATE, DESTROY, PLAN_BOUND, ASSIGN, READ_MEMORY,
                                  GET_EXTENSION};
#define SLOTS &slots
#else
/* One slot more, as version 2 may have it. */
static const struct later_slots {
    segue_slots known;
    int32_t (*later)(const segue_group *group, segue_bound *bound);
} slots = {{sizeof slots, NOTE_NEWEST, DESCRIBE, CREATE, DESTROY, PLAN_BOUND, ASSIGN, READ_MEMORY, GET_EXTENSION},
           LATER_SLOT};
#define SLOTS &slots.known
#endif

#ifndef TABLE
static const segue_slot_info table[] = SEGUE_SLOT_TABLE;
#define TABLE table
#endif

int32_t segue_plugin_entry(segue_entry *entry)
{
    return ENTRY(entry, SLOTS, TABLE, sizeof TABLE / sizeof TABLE[0], NOTE_NEWEST);
}
