/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin whose entry does what SEGUE_TEST_ODD says, each time it is called: "no-slot 5", "name 3", … See plugin_test.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "segue/abi.h"

SEGUE_DECLARE_NOTE(1, 1, 0x010203, SEGUE_NOTE_ANY_NAME "\0");

static char oddity[32];
static int number;

static int is_odd(const char *what)
{
    return strcmp(oddity, what) == 0;
}

static int32_t describe(uint32_t index, segue_assignor_info *info)
{
    static char names[300][16];
    char *name = names[index % 300];
    if (is_odd("describe-fails") || (is_odd("no-assignors") && index == 0)) {
        return is_odd("no-assignors") ? SEGUE_E_NAME : SEGUE_E_INTERNAL;
    }
    if (index > 0 && !is_odd("endless")) {
        return SEGUE_E_NAME;
    }
    snprintf(name, sizeof names[0], "odd-%u", (unsigned)index);
    info->name = is_odd("no-name") ? NULL : is_odd("bad-name") ? "Odd One" : is_odd("endless") ? name : "odd";
    info->version = is_odd("no-texts") ? NULL : "1.0";
    info->summary = is_odd("no-texts") ? NULL : "odd in one way";
    return SEGUE_OK;
}

static int32_t create(const char *name, segue_instance **instance, segue_error *error)
{
    (void)name;
    (void)error;
    *instance = NULL;
    return SEGUE_OK;
}

static void destroy(segue_instance *instance)
{
    (void)instance;
}

static int32_t plan_bound(const segue_group *group, const segue_config *config, segue_bound *bound)
{
    (void)group;
    (void)config;
    (void)bound;
    return SEGUE_E_INTERNAL;
}

static int32_t assign(segue_instance *instance, const segue_group *group, const segue_config *config, segue_plan *plan,
                      segue_error *error)
{
    (void)instance;
    (void)group;
    (void)config;
    (void)plan;
    (void)error;
    return SEGUE_E_INTERNAL;
}

static int32_t read_memory(segue_instance *instance, segue_memory *memory)
{
    (void)instance;
    (void)memory;
    return SEGUE_E_INTERNAL;
}

static const void *get_extension(const char *id)
{
    (void)id;
    return NULL;
}

/* The slots one by one, so that the nth can be left out. */
static void empty_slot(segue_slots *slots, int place)
{
    int at = 0;
#define EMPTY(since, slot, thread, result, ...)                                                                       \
    if (at++ == place) {                                                                                              \
        slots->slot = NULL;                                                                                           \
    }
    SEGUE_SLOTS(EMPTY, SEGUE_PROTOTYPE_ARG_, SEGUE_COMMA_)
#undef EMPTY
}

int32_t segue_plugin_entry(segue_entry *entry)
{
    static segue_slots slots;
    const char *said = getenv("SEGUE_TEST_ODD");
    oddity[0] = '\0';
    sscanf(said == NULL ? "" : said, "%31s %d", oddity, &number);
    slots = (segue_slots){.size = sizeof slots,
                          .version = 1,
                          .describe = describe,
                          .create = create,
                          .destroy = destroy,
                          .plan_bound = plan_bound,
                          .assign = assign,
                          .read_memory = read_memory,
                          .get_extension = get_extension};
    if (is_odd("no-slot")) {
        empty_slot(&slots, number);
    }
    slots.size = is_odd("size") ? (uint32_t)number : slots.size;
    entry->version = is_odd("version") ? (uint32_t)number : 1;
    entry->floor = 1;
    entry->slots = is_odd("no-slots") ? NULL : &slots;
    entry->plugin_name = is_odd("no-texts") ? NULL : "odd";
    entry->plugin_version = is_odd("no-texts") ? NULL : "3.2.1";
    return is_odd("entry") ? number : SEGUE_OK;
}
