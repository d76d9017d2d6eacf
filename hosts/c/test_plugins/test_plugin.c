/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin for the tests of libsegue, sound by default. CMakeLists.txt builds one library for each defect from it: a
 * macro whose name begins with NOTE_, ENTRY_ or SLOTS_ takes one thing away. Its assignors serve each task where it is
 * owned, or by its caught-up copy, and the faulty ones then break the rule that they are named after.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "segue/abi.h"
#ifdef ROGUE_TOO
#include "rogue.h"
#else
#define ROGUES(X)
#endif

#ifndef NOTE_FLOOR
#define NOTE_FLOOR 1
#endif
#ifndef NOTE_NEWEST
#define NOTE_NEWEST 1
#endif
#ifndef PLUGIN_VERSION
#define PLUGIN_VERSION "1.2.3"
#endif

struct segue_instance {
    const char *name;
    atomic_int busy;
};

typedef struct assignor {
    const char *name;
    uint32_t traits;
    void (*damage)(const segue_group *group, segue_plan *plan);
    int32_t status;
} assignor;

#ifndef ONE_ASSIGNOR
static uint32_t find_member(const segue_group *g, char initial)
{
    for (uint32_t m = 0; m < g->member_count; m++) {
        if (g->string_bytes[g->string_offset[g->member_name[m]]] == initial) {
            return m;
        }
    }
    return SEGUE_NONE;
}

/* ---- damage; the group is that of assign_test.c: a and b work, c is leaving, d has no threads -------------------- */

static void break_r1(const segue_group *g, segue_plan *p)
{
    p->active[1] = g->member_count;
}

static void break_r2(const segue_group *g, segue_plan *p)
{
    (void)g;
    p->learner[0] = p->active[0];
}

static void break_r3(const segue_group *g, segue_plan *p)
{
    p->learner[2] = find_member(g, 'b');
}

static void break_r4(const segue_group *g, segue_plan *p)
{
    p->active[0] = find_member(g, 'b');
}

static void break_r5(const segue_group *g, segue_plan *p)
{
    p->active[1] = find_member(g, 'a');
}

static void break_r6(const segue_group *g, segue_plan *p)
{
    p->active[2] = find_member(g, 'c');
}

static void break_r7(const segue_group *g, segue_plan *p)
{
    p->active[2] = find_member(g, 'd');
}

static void break_r8(const segue_group *g, segue_plan *p)
{
    p->learner[0] = find_member(g, 'b');
    p->learner[1] = find_member(g, 'a');
}

static void break_counts(const segue_group *g, segue_plan *p)
{
    (void)g;
    p->standby_count = p->standby_capacity + 1000;
    p->decision_count = UINT32_MAX;
}

/* Pointers and capacities are the host's; a plugin that bends them must not reach the caller's plan. */
static void bend_columns(const segue_group *g, segue_plan *p)
{
    (void)g;
    p->active = NULL;
    p->standby_member = NULL;
    p->standby_capacity = p->decision_capacity = UINT32_MAX;
}

#endif

static const assignor assignors[] = {
    {"steady", SEGUE_TRAIT_LEAVING, NULL, SEGUE_OK},
#ifdef TWICE
    {"steady", SEGUE_TRAIT_LEAVING, NULL, SEGUE_OK},
#endif
#ifndef ONE_ASSIGNOR
    {"breaks-r1", SEGUE_TRAIT_LEAVING, break_r1, SEGUE_OK},
    {"breaks-r2", SEGUE_TRAIT_LEAVING, break_r2, SEGUE_OK},
    {"breaks-r3", SEGUE_TRAIT_LEAVING, break_r3, SEGUE_OK},
    {"breaks-r4", SEGUE_TRAIT_LEAVING, break_r4, SEGUE_OK},
    {"breaks-r5", SEGUE_TRAIT_LEAVING, break_r5, SEGUE_OK},
    {"breaks-r6", SEGUE_TRAIT_LEAVING, break_r6, SEGUE_OK},
    {"breaks-r7", SEGUE_TRAIT_LEAVING, break_r7, SEGUE_OK},
    {"breaks-r8", SEGUE_TRAIT_LEAVING, break_r8, SEGUE_OK},
    {"breaks-r9", SEGUE_TRAIT_LEAVING, NULL, SEGUE_OK}, /* gives no standbys, whatever is wanted */
    {"breaks-counts", SEGUE_TRAIT_LEAVING, break_counts, SEGUE_OK},
    {"bends-columns", SEGUE_TRAIT_LEAVING, bend_columns, SEGUE_OK},
    {"fails", SEGUE_TRAIT_LEAVING, NULL, SEGUE_E_INTERNAL},
    {"fails-silently", SEGUE_TRAIT_LEAVING, NULL, SEGUE_E_DEADLINE},
    {"cannot-be-made", SEGUE_TRAIT_LEAVING, NULL, SEGUE_OK},
    {"cold-r4", SEGUE_TRAIT_COLD, break_r4, SEGUE_OK},
    ROGUES(ROGUE_ROW)
#endif
};

enum { ASSIGNOR_COUNT = sizeof assignors / sizeof assignors[0] };

#ifndef NOTE_MISSING
#ifdef ONE_ASSIGNOR
SEGUE_DECLARE_NOTE(NOTE_FLOOR, NOTE_NEWEST, 0x010203, "steady\0");
#else
SEGUE_DECLARE_NOTE(NOTE_FLOOR, NOTE_NEWEST, 0x010203,
                   "steady\0" "breaks-r1\0" "breaks-r2\0" "breaks-r3\0" "breaks-r4\0" "breaks-r5\0" "breaks-r6\0"
                   "breaks-r7\0" "breaks-r8\0" "breaks-r9\0" "breaks-counts\0" "bends-columns\0" "fails\0"
                   "fails-silently\0" "cannot-be-made\0" "cold-r4\0" "only-in-the-note\0" ROGUES(ROGUE_NAME));
#endif
#endif

/* ---- the slots --------------------------------------------------------------------------------------------------- */

static void say(segue_error *error, int32_t code, const char *text)
{
    if (error != NULL) {
        error->code = code;
        if (error->text_size > 0) {
            strncpy(error->text, text, error->text_size - 1);
            error->text[error->text_size - 1] = '\0';
        }
    }
}

static int32_t describe(uint32_t index, segue_assignor_info *info)
{
    if (index >= ASSIGNOR_COUNT) {
        return SEGUE_E_NAME;
    }
    info->traits = assignors[index].traits;
    info->name = assignors[index].name;
    info->version = "1.0";
    info->summary = "for tests";
    return SEGUE_OK;
}

static const assignor *find_assignor(const char *name)
{
    for (size_t i = 0; i < ASSIGNOR_COUNT; i++) {
        if (strcmp(assignors[i].name, name) == 0) {
            return &assignors[i];
        }
    }
    return NULL;
}

static int32_t create(const char *name, segue_instance **instance, segue_error *error)
{
    *instance = NULL;
    if (strcmp(name, "cannot-be-made") == 0) {
        say(error, SEGUE_E_MEMORY, "no instance today");
        return SEGUE_E_MEMORY;
    }
#ifdef ROGUE_TOO
    if (strcmp(name, "multiplies-when-made") == 0 && fork() < 0) {
        return SEGUE_E_SYSTEM;
    }
#endif
    *instance = calloc(1, sizeof **instance);
    (*instance)->name = find_assignor(name)->name;
    return SEGUE_OK;
}

static void destroy(segue_instance *instance)
{
    free(instance);
}

static int32_t plan_bound(const segue_group *group, const segue_config *config, segue_bound *bound)
{
    (void)group;
    (void)config;
    (void)bound;
    return SEGUE_E_INTERNAL;
}

/* The owner, else the nearest caught-up copy, else the first member that stays and has threads. */
static void serve(const segue_group *g, const segue_config *c, segue_plan *p)
{
    for (uint32_t t = 0; t < g->task_count; t++) {
        p->active[t] = p->learner[t] = SEGUE_NONE;
        p->standby_start[t] = 0;
    }
    p->standby_start[g->task_count] = 0;
    for (int owned = 1; owned >= 0; owned--) {
        for (uint32_t m = 0; m < g->member_count; m++) {
            for (uint32_t i = g->copy_start[m]; i < g->copy_start[m + 1]; i++) {
                int fits = owned ? g->copy_role[i] == SEGUE_ACTIVE
                                 : g->copy_lag != NULL && g->copy_lag[i] >= 0 &&
                                       g->copy_lag[i] <= c->acceptable_recovery_lag;
                if (fits && p->active[g->copy_task[i]] == SEGUE_NONE) {
                    p->active[g->copy_task[i]] = m;
                }
            }
        }
    }
    for (uint32_t t = 0; t < g->task_count; t++) {
        p->active[t] = p->active[t] == SEGUE_NONE ? 0 : p->active[t];
    }
    p->task_count = g->task_count;
    p->optimal = 1;
}

static int32_t assign(segue_instance *instance, const segue_group *group, const segue_config *config, segue_plan *plan,
                      segue_error *error)
{
    const assignor *a = find_assignor(instance->name);
    if (atomic_exchange(&instance->busy, 1) != 0) {
        say(error, SEGUE_E_INTERNAL, "two calls at the same time on one instance");
        return SEGUE_E_INTERNAL;
    }
    serve(group, config, plan);
    if (a->damage != NULL) {
        a->damage(group, plan);
    }
    if (a->status == SEGUE_E_INTERNAL) {
        say(error, a->status, "tripped over\nits own feet");
    }
    atomic_store(&instance->busy, 0);
    return a->status;
}

static int32_t read_memory(segue_instance *instance, segue_memory *memory)
{
    (void)instance;
    memory->held_bytes = memory->peak_bytes = sizeof(segue_instance);
    return SEGUE_OK;
}

static const void *get_extension(const char *id)
{
    (void)id;
    return NULL;
}

static const segue_slots slots = {
#ifdef SLOTS_SMALL
    .size = 16,
#else
    .size = sizeof(segue_slots),
#endif
    .version = 1,
    .describe = describe,
    .create = create,
    .destroy = destroy,
    .plan_bound = plan_bound,
#ifndef SLOTS_EMPTY
    .assign = assign,
#endif
    .read_memory = read_memory,
    .get_extension = get_extension,
};

#ifdef FORKS_WHEN_LOADED
__attribute__((constructor)) static void multiply(void)
{
    if (fork() < 0) {
        abort();
    }
}
#endif

#ifdef DIES_WHEN_LOADED
__attribute__((constructor)) static void die(void)
{
    abort();
}
#endif

extern const void *const segue_unused[];
static const segue_slot_info table[] = SEGUE_SLOT_TABLE;

#ifndef ENTRY_MISSING
int32_t segue_plugin_entry(segue_entry *entry)
{
#ifdef SLOTS_EMPTY
    (void)assign;
#endif
#ifdef ENTRY_FAILS
    (void)entry;
    (void)slots;
    (void)table;
    return SEGUE_E_INTERNAL;
#else
#ifdef ENTRY_TOO_NEW
    entry->version = 9;
    entry->floor = 7;
    return SEGUE_E_VERSION;
#endif
    entry->version = 1;
    entry->floor = 1;
    entry->slots = &slots;
    entry->table = table;
    entry->table_count = sizeof table / sizeof table[0];
    entry->plugin_name = "test";
    entry->plugin_version = PLUGIN_VERSION;
    return SEGUE_OK;
#endif
}
#else
/* Without it nothing uses these. */
const void *const segue_unused[] = {&slots, table};
#endif
