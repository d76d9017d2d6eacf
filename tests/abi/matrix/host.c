/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host PLUGIN: a host that is built from the headers of each version. It calls every slot with records of its own
 * version's size, each with a guard behind it, and prints what came back, one fact a line; promise.py compares. The
 * group: a owns all of three tasks, the last without state, and b has just come.
 * Exit status 0; 3: no version is shared, and the last line says what the plugin speaks; 1: a promise was broken.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../check.h"
#include "guarded.h"
#include "segue/abi.h"

enum { TASKS = 3 };

/* What the plugin left in a field that the next version added: 2 if it knows the field, 0 if it does not. */
#ifdef SEGUE_GROWN_next
#define PRINT_LATER(name, record) printf("later %s %" PRIu64 "\n", name, record.r.later_next)
#else
#define PRINT_LATER(name, record) ((void)0)
#endif

/* ---- the group --------------------------------------------------------------------------------------------------- */

static const char bytes[] = "s0_00_11_0ab";
static const uint32_t offsets[] = {0, 1, 4, 7, 10, 11, 12}, names[] = {0}, task_name[] = {1, 2, 3};
static const uint32_t subtopology[] = {0, 0, 0}, partition[] = {0, 1, 2}, member_name[] = {4, 5}, process[] = {0, 1};
static const uint32_t threads[] = {1, 1}, copy_start[] = {0, 3, 3}, copy_task[] = {0, 1, 2};
static const uint8_t stateful[] = {1, 1, 0}, role[] = {SEGUE_ACTIVE, SEGUE_ACTIVE, SEGUE_ACTIVE};
#ifdef SEGUE_GROWN_next
static const uint32_t task_later[] = {10, 20, 30};
#endif

static void fill_group(segue_group *g) {
    memset(g, 0, sizeof *g);
    *g = (segue_group){.size = sizeof *g, .string_count = 6, .string_bytes_size = 12, .subtopology_count = 1,
                       .task_count = TASKS, .member_count = 2, .process_count = 2, .copy_count = 3,
                       .string_offset = offsets, .string_bytes = bytes, .subtopology_name = names,
                       .task_name = task_name, .task_subtopology = subtopology, .task_partition = partition,
                       .task_stateful = stateful, .member_name = member_name, .member_process = process,
                       .member_threads = threads, .process_name = member_name, .copy_start = copy_start,
                       .copy_task = copy_task, .copy_role = role};
#ifdef SEGUE_GROWN_next
    g->task_later_next = task_later;
#endif
}

static void fill_config(segue_config *c) {
    c->size = sizeof *c;
#define INITIAL(field, type, key, initial, least, greatest) c->field = (initial);
    SEGUE_CONFIG_FIELDS(INITIAL)
#undef INITIAL
#ifdef SEGUE_GROWN_next
    c->later_next = 9;
#endif
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

static const segue_slots *negotiate(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    segue_entry_function enter;
    *(void **)&enter = dlsym(library, SEGUE_ENTRY_SYMBOL);
    CHECK(enter != NULL);
    RECORD(segue_entry, entry);
    entry.r.version = SEGUE_ABI_VERSION;
    entry.r.floor = SEGUE_ABI_FLOOR;
    int32_t status = enter(&entry.r);
    CHECK_GUARD(entry);
    if (status == SEGUE_E_VERSION) {
        printf("refused, speaks %u to %u\n", entry.r.floor, entry.r.version);
        exit(3);
    }
    CHECK(status == SEGUE_OK && entry.r.slots->version == entry.r.version);
    printf("version %u\n", entry.r.version);
    PRINT_LATER("entry", entry);
    return entry.r.slots;
}

#ifdef SEGUE_GROWN_after
/* Of the version before `far`, which only goes on with it. */
#ifdef SEGUE_GROWN_far
static const uint32_t slot_since = SEGUE_ABI_VERSION - 1;
#else
static const uint32_t slot_since = SEGUE_ABI_VERSION;
#endif
#endif

static void use_extension_and_late_slot(const segue_slots *slots) {
#ifdef SEGUE_SESSION_ID
    const segue_session_slots *session = slots->get_extension(SEGUE_SESSION_ID);
    printf("session %s\n", session == NULL ? "no" : session->read_memory != NULL ? "yes" : "broken");
#endif
    CHECK(slots->get_extension("segue.from-next-year/1") == NULL);
#ifdef SEGUE_GROWN_after
    /* A slot of a later version is there only if that version was agreed on. */
    if (slots->version >= slot_since) {
        CHECK(SEGUE_HAS(segue_slots, slot_after, slots->size) && slots->slot_after(3, NULL) == 33);
        printf("late slot\n");
    }
#endif
}

static void print_plan(const char *name, const segue_plan *p) {
    printf("plan of %s:", name);
    for (uint32_t t = 0; t < TASKS; t++) {
        printf(" %u/%d", p->active[t], (int)p->learner[t]);
    }
    printf(" standbys %u moves %u learners %u\n", p->standby_count, p->moves, p->learners);
    printf("later configuration %u, column %u\n", p->held_back, p->extra_moves);
}

static void ask(const segue_slots *slots, const char *name, segue_instance *instance) {
    RECORD(segue_group, group);
    RECORD(segue_config, config);
    RECORD(segue_plan, plan);
    RECORD(segue_error, error);
    RECORD(segue_bound, bound);
    uint32_t active[TASKS], learner[TASKS], start[TASKS + 1], standby[TASKS], later[TASKS] = {0};
    fill_group(&group.r);
    fill_config(&config.r);
    CHECK(slots->plan_bound(&group.r, &config.r, &bound.r) == SEGUE_OK);
    CHECK(bound.r.standby_rows == 0 && bound.r.decision_rows == 9);
    PRINT_LATER("bound", bound);
    memset(&plan.r, 0, sizeof plan.r);
    plan.r = (segue_plan){.size = sizeof plan.r, .standby_capacity = TASKS, .active = active, .learner = learner,
                          .standby_start = start, .standby_member = standby};
#ifdef SEGUE_GROWN_next
    plan.r.later_next = later;
#endif
    error.r.text_size = 0;
    error.r.text = NULL;
    CHECK(slots->assign(instance, &group.r, &config.r, &plan.r, &error.r) == SEGUE_OK);
    print_plan(name, &plan.r);
    printf("later rows %u %u %u\n", later[0], later[1], later[2]);
    CHECK(slots->assign(NULL, &group.r, &config.r, &plan.r, &error.r) == SEGUE_E_ARGUMENT);
    CHECK(error.r.code == SEGUE_E_ARGUMENT);
    PRINT_LATER("error", error);
    CHECK_GUARD(group);
    CHECK_GUARD(config);
    CHECK_GUARD(plan);
    CHECK_GUARD(error);
    CHECK_GUARD(bound);
}

static void use_assignor(const segue_slots *slots, const char *name) {
    segue_instance *instance = NULL;
    RECORD(segue_memory, memory);
    CHECK(slots->create(name, &instance, NULL) == SEGUE_OK && instance != NULL);
    ask(slots, name, instance);
    CHECK(slots->read_memory(instance, &memory.r) == SEGUE_OK);
    CHECK_GUARD(memory);
    PRINT_LATER("memory", memory);
    slots->destroy(instance);
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    const segue_slots *slots = negotiate(arguments[1]);
    use_extension_and_late_slot(slots);
    RECORD(segue_assignor_info, info);
    for (uint32_t i = 0; slots->describe(i, &info.r) == SEGUE_OK; i++) {
        CHECK_GUARD(info);
        PRINT_LATER("info", info);
        use_assignor(slots, info.r.name);
    }
    return 0;
}
