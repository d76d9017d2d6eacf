/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins that break one of the rules C01 to C19 each; without any BREAK_... a sound one. */
#include <stdio.h>

#include "sound.h"

#if defined(BREAK_C01)
#define NOTE_NAMES "steady\0" "only-in-the-note\0"

#elif defined(BREAK_C02)
/* Linked without the version script. */
SEGUE_EXPORT int segue_helper(void);

int segue_helper(void)
{
    return 1;
}

#elif defined(BREAK_C04)
static int32_t enter(segue_entry *entry, const segue_slots *s, const segue_slot_info *t, uint32_t count, uint32_t newest)
{
    return entry == NULL ? SEGUE_OK : sound_entry(entry, s, t, count, newest);
}
#define ENTRY enter

#elif defined(BREAK_C05)
/* Takes any host for one of its own version. */
static int32_t enter(segue_entry *entry, const segue_slots *s, const segue_slot_info *t, uint32_t count, uint32_t newest)
{
    if (entry != NULL && entry->size >= sizeof *entry) {
        entry->version = newest;
        entry->floor = 1;
    }
    return sound_entry(entry, s, t, count, newest);
}
#define ENTRY enter

#elif defined(BREAK_C06)
/* Knows no size but its own. */
static int32_t enter(segue_entry *entry, const segue_slots *s, const segue_slot_info *t, uint32_t count, uint32_t newest)
{
    int32_t status = sound_entry(entry, s, t, count, newest);
    if (entry != NULL) {
        entry->plugin_name = "steady";
        entry->plugin_version = "1.0.0";
    }
    return status;
}
#define ENTRY enter

#elif defined(BREAK_C07)
/* The last argument of assign is forgotten in the description. */
static const segue_slot_info short_table[] = {
    {1, 8, SEGUE_THREAD_ANY, 0, "describe", "i(up)"},      {1, 16, SEGUE_THREAD_ANY, 0, "create", "i(ppp)"},
    {1, 24, SEGUE_THREAD_SERIAL, 0, "destroy", "v(p)"},    {1, 32, SEGUE_THREAD_ANY, 0, "plan_bound", "i(ppp)"},
    {1, 40, SEGUE_THREAD_SERIAL, 0, "assign", "i(pppp)"},  {1, 48, SEGUE_THREAD_SERIAL, 0, "read_memory", "i(pp)"},
    {1, 56, SEGUE_THREAD_ANY, 0, "get_extension", "p(p)"},
};
#define TABLE short_table

#elif defined(BREAK_C08)
#define GET_EXTENSION NULL

#elif defined(BREAK_C09) || defined(LATER_AND_SOUND)
static int32_t later(const segue_group *group, segue_bound *bound)
{
#ifndef BREAK_C09
    if (group == NULL || bound == NULL) {
        return SEGUE_E_ARGUMENT;
    }
#endif
    bound->decision_rows = group->task_count;
    return SEGUE_OK;
}
static const segue_slot_info later_table[] = {
    {1, 8, SEGUE_THREAD_ANY, 0, "describe", "i(up)"},      {1, 16, SEGUE_THREAD_ANY, 0, "create", "i(ppp)"},
    {1, 24, SEGUE_THREAD_SERIAL, 0, "destroy", "v(p)"},    {1, 32, SEGUE_THREAD_ANY, 0, "plan_bound", "i(ppp)"},
    {1, 40, SEGUE_THREAD_SERIAL, 0, "assign", "i(ppppp)"}, {1, 48, SEGUE_THREAD_SERIAL, 0, "read_memory", "i(pp)"},
    {1, 56, SEGUE_THREAD_ANY, 0, "get_extension", "p(p)"}, {2, 64, SEGUE_THREAD_ANY, 0, "later", "i(pp)"},
};
#define TABLE later_table
#define LATER_SLOT later
#define NOTE_NEWEST 2

#elif defined(BREAK_C10)
static int32_t describe(uint32_t index, segue_assignor_info *info)
{
    return index > 0 ? SEGUE_E_ARGUMENT : sound_describe(index, info);
}
#define DESCRIBE describe

#elif defined(BREAK_C11)
static int32_t create(const char *name, segue_instance **instance, segue_error *error)
{
    segue_instance *before = instance == NULL ? NULL : *instance;
    int32_t status = sound_create(name, instance, error);
    if (status != SEGUE_OK && instance != NULL) {
        *instance = before;
    }
    return status;
}
#define CREATE create

#elif defined(BREAK_C12)
static void destroy(segue_instance *instance)
{
    instance->calls = 0;
    sound_destroy(instance);
}
#define DESTROY destroy

#elif defined(BREAK_C13)
/* Looks at the beginning of the id alone. */
static const void *get_extension(const char *id)
{
    static const segue_session_slots later = {.size = 8};
    return id != NULL && strncmp(id, "segue.session/9", 15) == 0 ? &later : NULL;
}
#define GET_EXTENSION get_extension

#elif defined(BREAK_C14)
static int32_t describe(uint32_t index, segue_assignor_info *info)
{
    int32_t status = sound_describe(index, info);
    if (info != NULL) {
        info->summary = "written whether there is room or not";
    }
    return status;
}
#define DESCRIBE describe

#elif defined(BREAK_C15)
static int32_t create(const char *name, segue_instance **instance, segue_error *error)
{
    int32_t status = sound_create(name, instance, error);
    if (status != SEGUE_OK && error != NULL && error->text != NULL) {
        strcpy(error->text, "no such assignor, sorry");
    }
    return status;
}
#define CREATE create

#elif defined(BREAK_C16)
static int32_t create(const char *name, segue_instance **instance, segue_error *error)
{
    int32_t status = sound_create(name, instance, error);
    if (status != SEGUE_OK && error->size >= sizeof *error) {
        error->code = status;
    }
    return status;
}
#define CREATE create

#elif defined(BREAK_C17)
static int32_t plan_bound(const segue_group *group, const segue_config *config, segue_bound *bound)
{
    return bound->size < sizeof *bound ? SEGUE_E_ARGUMENT : sound_plan_bound(group, config, bound);
}
#define PLAN_BOUND plan_bound

#elif defined(BREAK_C18)
/* States less than assign asks for. */
static int32_t plan_bound(const segue_group *group, const segue_config *config, segue_bound *bound)
{
    int32_t status = sound_plan_bound(group, config, bound);
    if (status == SEGUE_OK) {
        bound->standby_rows = 0;
    }
    return status;
}
#define PLAN_BOUND plan_bound

#elif defined(BREAK_C19)
/* Takes it that there is room. */
static int32_t assign(segue_instance *instance, const segue_group *group, const segue_config *config, segue_plan *plan,
                      segue_error *error)
{
    if (plan == NULL || plan->size < sizeof *plan) {
        return sound_assign(instance, group, config, plan, error);
    }
    uint32_t capacity = plan->standby_capacity;
    plan->standby_capacity = UINT32_MAX;
    int32_t status = sound_assign(instance, group, config, plan, error);
    plan->standby_capacity = capacity;
    return status;
}
#define ASSIGN assign
#endif

#include "table.h"
