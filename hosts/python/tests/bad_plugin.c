/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin with four assignors: "breaks-r1" gives every task to a member that does not exist, "fails" answers a fault,
 * "crashes" takes its process with it, and "waits" writes a byte into one file, waits until there is one to read in another, and keeps the owners; now_ms is the
 * number of the first times 65536 plus that of the other. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "segue/abi.h"

SEGUE_DECLARE_NOTE(1, 1, 0x010000, "breaks-r1\0" "fails\0" "waits\0" "crashes\0");

struct segue_instance {
    int kind;
};

enum { BREAKS_R1, FAILS, WAITS, CRASHES, KINDS, WAIT_MS = 60000 };

static const char *const names[] = {"breaks-r1", "fails", "waits", "crashes"};

static int32_t describe(uint32_t index, segue_assignor_info *info) {
    if (index >= KINDS) {
        return SEGUE_E_NAME;
    }
    *info = (segue_assignor_info){info->size, 0, names[index], "1.0", "made for a test"};
    return SEGUE_OK;
}

static int32_t create(const char *name, segue_instance **instance, segue_error *error) {
    (void)error;
    *instance = NULL;
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(name, names[i]) == 0) {
            *instance = malloc(sizeof **instance);
            (*instance)->kind = i;
            return SEGUE_OK;
        }
    }
    return SEGUE_E_NAME;
}

static void destroy(segue_instance *instance) { free(instance); }

static int32_t plan_bound(const segue_group *group, const segue_config *config, segue_bound *bound) {
    (void)group, (void)config;
    bound->standby_rows = bound->decision_rows = 0;
    return SEGUE_OK;
}

static int32_t assign(segue_instance *instance, const segue_group *group, const segue_config *config, segue_plan *plan,
                      segue_error *error) {
    (void)config, (void)error;
    if (instance->kind == CRASHES) {
        abort();
    }
    struct pollfd ready = {.fd = (int)(group->now_ms % 65536), .events = POLLIN};
    if (instance->kind == FAILS || (instance->kind == WAITS && (write((int)(group->now_ms / 65536), "!", 1) != 1 ||
                                                                poll(&ready, 1, WAIT_MS) != 1))) {
        return SEGUE_E_INTERNAL;
    }
    plan->task_count = group->task_count;
    plan->standby_count = plan->decision_count = 0;
    memset(plan->standby_start, 0, (group->task_count + 1) * sizeof(uint32_t));
    for (uint32_t task = 0; task < group->task_count; task++) {
        plan->active[task] = group->member_count;
        plan->learner[task] = SEGUE_NONE;
    }
    for (uint32_t member = 0; instance->kind == WAITS && member < group->member_count; member++) {
        for (uint32_t row = group->copy_start[member]; row < group->copy_start[member + 1]; row++) {
            plan->active[group->copy_task[row]] = member;
        }
    }
    return SEGUE_OK;
}

static int32_t read_memory(segue_instance *instance, segue_memory *memory) {
    (void)instance;
    memory->held_bytes = memory->peak_bytes = 0;
    return SEGUE_OK;
}

static const void *get_extension(const char *id) {
    (void)id;
    return NULL;
}

static const segue_slots slots = {sizeof slots, 1,      describe,    create,       destroy,
                                  plan_bound,   assign, read_memory, get_extension};
static const segue_slot_info table[] = SEGUE_SLOT_TABLE;

int32_t segue_plugin_entry(segue_entry *entry) {
    entry->version = entry->floor = 1;
    entry->slots = &slots;
    entry->table = table;
    entry->table_count = sizeof table / sizeof table[0];
    entry->plugin_name = "bad";
    entry->plugin_version = "1.0.0";
    return SEGUE_OK;
}
