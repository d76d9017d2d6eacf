/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin's door: slots over strategies, and the one exported symbol. */
#include "core/arena.h"
#include "core/fault.h"
#include "core/known.h"
#include "core/region.h"
#include "segue/abi.h"
#include "session/session.h"
#include "strategy/answer.h"
#include "strategy/course.h"
#include "strategy/strategy.h"

#include <string.h>

#define PLUGIN_NAME "segue-assignors"
#define PLUGIN_VERSION "1.0.0"

SEGUE_DECLARE_NOTE(SEGUE_ABI_FLOOR, SEGUE_ABI_VERSION, 0x010000, "eager\0sticky\0learner\0scale-down\0balanced\0"
                     "high-availability\0");

struct segue_instance {
    const sgp_strategy *strategy;
    sgp_arena *arena;
    sgp_region region;
};

static int32_t describe(uint32_t index, segue_assignor_info *info)
{
    uint32_t count = 0;
    while (sgp_strategies[count] != NULL) {
        count++;
    }
    if (info == NULL || !SEGUE_HAS(segue_assignor_info, summary, info->size)) {
        return SEGUE_E_ARGUMENT;
    }
    if (index >= count) {
        return SEGUE_E_NAME;
    }
    const sgp_strategy *strategy = sgp_strategies[index];
    info->traits = strategy->traits;
    info->name = strategy->name;
    info->version = strategy->version;
    info->summary = strategy->summary;
    sgp_clear_tail(info, info->size, sizeof *info);
    return SEGUE_OK;
}

static int32_t create(const char *name, segue_instance **instance, segue_error *error)
{
    if (instance == NULL) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, SEGUE_NONE, "instance is NULL");
    }
    *instance = NULL;
    const sgp_strategy *strategy = name == NULL ? NULL : sgp_strategy_find(name);
    if (strategy == NULL) {
        return sgp_fault(error, SEGUE_E_NAME, SEGUE_NONE, "no assignor is called \"%.64s\"", name == NULL ? "" : name);
    }
    sgp_arena *arena = sgp_arena_new();
    segue_instance *made = arena == NULL ? NULL : sgp_arena_take(arena, sizeof *made);
    if (made == NULL) {
        sgp_arena_free(arena);
        return sgp_fault(error, SEGUE_E_MEMORY, SEGUE_NONE, "no memory for an instance of %s", name);
    }
    made->strategy = strategy;
    made->arena = arena;
    sgp_region_init(&made->region, arena);
    *instance = made;
    return SEGUE_OK;
}

static void destroy(segue_instance *instance)
{
    if (instance != NULL) {
        sgp_arena_free(instance->arena);
    }
}

static int32_t plan_bound(const segue_group *group, const segue_config *config, segue_bound *bound)
{
    segue_group group_room;
    segue_config config_room;
    group = sgp_known_group(group, &group_room);
    config = sgp_known_config(config, &config_room);
    if (group == NULL || config == NULL || bound == NULL ||
        !SEGUE_HAS(segue_bound, decision_rows, bound->size)) {
        return SEGUE_E_ARGUMENT;
    }
    segue_bound found = sgp_answer_bound(group, config);
    bound->standby_rows = found.standby_rows;
    bound->decision_rows = found.decision_rows;
    sgp_clear_tail(bound, bound->size, offsetof(segue_bound, reserved));
    return SEGUE_OK;
}

static int32_t assign(segue_instance *instance, const segue_group *group, const segue_config *config, segue_plan *plan,
                      segue_error *error)
{
    if (instance == NULL) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, SEGUE_NONE, "instance is NULL");
    }
    segue_group group_room;
    segue_config config_room;
    segue_plan plan_room, *known = sgp_known_plan(plan, &plan_room);
    int32_t status = sgp_course_run(instance->strategy, sgp_known_group(group, &group_room),
                                    sgp_known_config(config, &config_room), known, &instance->region, error);
    sgp_known_return(plan, known);
    sgp_region_reset(&instance->region);
    return status;
}

static int32_t read_memory(segue_instance *instance, segue_memory *memory)
{
    if (instance == NULL || memory == NULL || !SEGUE_HAS(segue_memory, peak_bytes, memory->size)) {
        return SEGUE_E_ARGUMENT;
    }
    memory->held_bytes = sgp_arena_held(instance->arena);
    memory->peak_bytes = instance->region.peak;
    sgp_clear_tail(memory, memory->size, sizeof *memory);
    return SEGUE_OK;
}

static const void *get_extension(const char *id)
{
    return id != NULL && strcmp(id, SEGUE_SESSION_ID) == 0 ? &sgp_session_slots : NULL;
}

/* A table for each version that a host and this plugin can agree on: hosts of several versions may be in one process. */
#define SLOTS_OF(agreed)                                                                                              \
    {.size = sizeof(segue_slots), .version = (agreed), .describe = describe, .create = create, .destroy = destroy,    \
     .plan_bound = plan_bound, .assign = assign, .read_memory = read_memory, .get_extension = get_extension}

static const segue_slots slots[] = {
    SLOTS_OF(1),
#if SEGUE_ABI_VERSION >= 2
    SLOTS_OF(2),
#endif
};
SEGUE_ASSERT(sizeof slots / sizeof slots[0] == SEGUE_ABI_VERSION);

static const segue_slot_info table[] = SEGUE_SLOT_TABLE;

int32_t segue_plugin_entry(segue_entry *entry)
{
    if (entry == NULL || !SEGUE_HAS(segue_entry, slots, entry->size)) {
        return SEGUE_E_ARGUMENT;
    }
    uint32_t agreed = entry->version < SEGUE_ABI_VERSION ? entry->version : SEGUE_ABI_VERSION;
    int shared = agreed >= SEGUE_ABI_FLOOR && entry->floor <= agreed;
    entry->version = shared ? agreed : SEGUE_ABI_VERSION;
    entry->floor = SEGUE_ABI_FLOOR;
    if (!shared) {
        return SEGUE_E_VERSION;
    }
    entry->slots = &slots[entry->version - 1];
    entry->table_count = sizeof table / sizeof *table;
    if (SEGUE_HAS(segue_entry, table, entry->size)) {
        entry->table = table;
    }
    if (SEGUE_HAS(segue_entry, plugin_version, entry->size)) {
        entry->plugin_name = PLUGIN_NAME;
        entry->plugin_version = PLUGIN_VERSION;
    }
    sgp_clear_tail(entry, entry->size, sizeof *entry);
    return SEGUE_OK;
}
