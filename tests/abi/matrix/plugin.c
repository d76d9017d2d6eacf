/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin that is built from the headers of each version (grow.py), and tells what it was given: its assignor keeps
 * every task where it is, and says in `held_back` what the next version's configuration told it, in `extra_moves` the sum
 * of the next version's column. Fields behind a caller's size are as if they were not there.
 */
#include <stdlib.h>
#include <string.h>

#include "segue/abi.h"

#define NAME "mirror"

struct segue_instance {
    int unused;
};

SEGUE_DECLARE_NOTE(SEGUE_ABI_FLOOR, SEGUE_ABI_VERSION, 0x010000, NAME "\0");

static void clear_tail(void *record, size_t size, size_t known) {
    if (size > known) {
        memset((char *)record + known, 0, size - known);
    }
}

/* What this plugin says in the fields that the next version has added; nothing where the caller has none. */
#ifdef SEGUE_GROWN_next
#define SAY_LATER(type, record)                                                                                       \
    if (SEGUE_HAS(type, later_next, (record)->size)) {                                                                   \
        (record)->later_next = 2;                                                                                        \
    }
#else
#define SAY_LATER(type, record)
#endif

static int32_t fail(segue_error *error, int32_t code) {
    if (error != NULL) {
        error->code = code;
        error->rule = 0;
        error->row = SEGUE_NONE;
        if (error->text_size > 0) {
            error->text[0] = '\0';
        }
        SAY_LATER(segue_error, error)
        clear_tail(error, error->size, sizeof *error);
    }
    return code;
}

static int32_t describe(uint32_t index, segue_assignor_info *info) {
    if (index > 0) {
        return SEGUE_E_NAME;
    }
    info->traits = 0;
    info->name = NAME;
    info->version = "1.0";
    info->summary = "keeps what is, and says what it saw";
    SAY_LATER(segue_assignor_info, info)
    clear_tail(info, info->size, sizeof *info);
    return SEGUE_OK;
}

static int32_t create(const char *name, segue_instance **instance, segue_error *error) {
    *instance = NULL;
    if (strcmp(name, NAME) != 0) {
        return fail(error, SEGUE_E_NAME);
    }
    *instance = calloc(1, sizeof **instance);
    return *instance == NULL ? fail(error, SEGUE_E_MEMORY) : SEGUE_OK;
}

static void destroy(segue_instance *instance) { free(instance); }

static int32_t plan_bound(const segue_group *group, const segue_config *config, segue_bound *bound) {
    uint32_t others = group->process_count > 0 ? group->process_count - 1 : 0;
    uint32_t ranks = config->num_standby_replicas < others ? config->num_standby_replicas : others;
    bound->standby_rows = group->task_count * ranks;
    bound->decision_rows = group->task_count * 2 + bound->standby_rows + group->copy_count;
    SAY_LATER(segue_bound, bound)
    clear_tail(bound, bound->size, sizeof *bound);
    return SEGUE_OK;
}

static void keep_owners(const segue_group *g, segue_plan *p) {
    for (uint32_t t = 0; t < g->task_count; t++) {
        p->active[t] = 0;
        p->learner[t] = SEGUE_NONE;
        p->standby_start[t] = 0;
    }
    p->standby_start[g->task_count] = 0;
    for (uint32_t m = 0; m < g->member_count; m++) {
        for (uint32_t i = g->copy_start[m]; i < g->copy_start[m + 1]; i++) {
            if (g->copy_role[i] == SEGUE_ACTIVE) {
                p->active[g->copy_task[i]] = m;
            }
        }
    }
}

#ifdef SEGUE_GROWN_next
/* A column that the caller does not have, or left out, has its default: 0. A configuration likewise: 7. */
static void say_what_is_later(const segue_group *g, const segue_config *c, segue_plan *p) {
    int has_column = SEGUE_HAS(segue_group, task_later_next, g->size) && g->task_later_next != NULL;
    int has_room = SEGUE_HAS(segue_plan, later_next, p->size) && p->later_next != NULL;
    p->held_back = SEGUE_HAS(segue_config, later_next, c->size) ? (uint32_t)c->later_next : 7;
    for (uint32_t t = 0; t < g->task_count; t++) {
        p->extra_moves += has_column ? g->task_later_next[t] : 0;
        if (has_room) {
            p->later_next[t] = 2;
        }
    }
}
#endif

static int32_t assign(segue_instance *instance, const segue_group *group, const segue_config *config, segue_plan *plan,
                      segue_error *error) {
    if (instance == NULL) {
        return fail(error, SEGUE_E_ARGUMENT);
    }
    keep_owners(group, plan);
    plan->task_count = group->task_count;
    plan->standby_count = plan->decision_count = plan->followup_needed = plan->followup_reason = 0;
    plan->followup_at_ms = SEGUE_TIME_NONE;
    plan->moves = plan->min_moves = plan->learners = plan->extra_moves = plan->held_back = 0;
    plan->optimal = 1;
    plan->spread = plan->imbalance = plan->min_imbalance = 0;
    plan->traffic = plan->min_traffic = 0;
#ifdef SEGUE_GROWN_next
    say_what_is_later(group, config, plan);
#else
    (void)config;
#endif
    return SEGUE_OK;
}

static int32_t read_memory(segue_instance *instance, segue_memory *memory) {
    memory->held_bytes = memory->peak_bytes = sizeof *instance;
    SAY_LATER(segue_memory, memory)
    clear_tail(memory, memory->size, sizeof *memory);
    return SEGUE_OK;
}

static const void *get_extension(const char *id) {
    (void)id;
    return NULL;
}

#ifdef SEGUE_GROWN_after
static int32_t slot_after(uint32_t number, segue_error *error) {
    return number == 3 ? 33 : fail(error, SEGUE_E_ARGUMENT);
}
#define SLOT_OF_AFTER .slot_after = slot_after,
#else
#define SLOT_OF_AFTER
#endif

/* One table for each version that can be agreed on: its slots are those of its own version. */
#define TABLE(number)                                                                                                 \
    {.size = sizeof(segue_slots), .version = (number), .describe = describe, .create = create, .destroy = destroy,    \
     .plan_bound = plan_bound, .assign = assign, .read_memory = read_memory, .get_extension = get_extension,          \
     SLOT_OF_AFTER}
static const segue_slots tables[] = {TABLE(1), TABLE(2), TABLE(3), TABLE(4), TABLE(5), TABLE(6), TABLE(7), TABLE(8)};
static const segue_slot_info rows[] = SEGUE_SLOT_TABLE;

int32_t segue_plugin_entry(segue_entry *entry) {
    if (entry == NULL || !SEGUE_HAS(segue_entry, slots, entry->size)) {
        return SEGUE_E_ARGUMENT;
    }
    int shared = entry->version >= SEGUE_ABI_FLOOR && entry->floor <= SEGUE_ABI_VERSION;
    if (!shared || entry->version > SEGUE_ABI_VERSION) {
        entry->version = SEGUE_ABI_VERSION;
    }
    entry->floor = SEGUE_ABI_FLOOR;
    if (!shared) {
        return SEGUE_E_VERSION;
    }
    entry->slots = &tables[entry->version - 1];
    entry->table = rows;
    entry->table_count = sizeof rows / sizeof rows[0];
    entry->plugin_name = "matrix";
    entry->plugin_version = "1.0.0";
    SAY_LATER(segue_entry, entry)
    clear_tail(entry, entry->size, sizeof *entry);
    return SEGUE_OK;
}
