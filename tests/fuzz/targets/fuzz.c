/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "segue/entry.h"

static const made_group *about;

void fuzz_about(const made_group *made)
{
    about = made;
}

static void show_group(void)
{
    char *text = NULL;
    size_t size = 0;
    fuzz_fault fault;
    if (about != NULL) {
        segue_document_write_group(&about->group, &about->config, 0, &text, &size, fuzz_error(&fault));
        fprintf(stderr, "the group: %s\n", text != NULL ? text : fault.text);
    }
    segue_free(text);
}

void fuzz_broken(const char *file, int line, const char *text, ...)
{
    va_list arguments;
    va_start(arguments, text);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, text, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    show_group();
    abort();
}

segue_error *fuzz_error(fuzz_fault *fault)
{
    *fault = (fuzz_fault){.error = {.size = sizeof fault->error, .text_size = sizeof fault->text}};
    fault->error.text = fault->text;
    return &fault->error;
}

void fuzz_hold_said(const fuzz_fault *fault, int32_t status)
{
    HOLD(status < 0, "a fault has the status %d", status);
    HOLD(fault->error.code == status, "the status is %d, the error says %d", status, fault->error.code);
    HOLD(fault->text[0] != '\0' && strchr(fault->text, '\n') == NULL, "no line says why: '%s'", fault->text);
}

void *fuzz_copy(const uint8_t *data, size_t size)
{
    void *copy = malloc(size);
    HOLD(copy != NULL, "no memory");
    if (size > 0) {
        memcpy(copy, data, size);
    }
    return copy;
}

static volatile uint8_t touched;

void fuzz_touch(const void *column, size_t count, size_t element_bytes)
{
    const uint8_t *bytes = column;
    HOLD((uintptr_t)column % element_bytes == 0, "a column is not aligned");
    if (column != NULL && count > 0) {
        touched = bytes[0] ^ bytes[count * element_bytes - 1];
    }
}

segue_plan *fuzz_plan(const segue_group *group, const segue_config *config)
{
    segue_bound bound = {.size = sizeof bound};
    segue_plan *plan = NULL;
    HOLD(segue_host_bound(group, config, &bound) == SEGUE_OK, "no bound");
    HOLD(segue_plan_new(group->task_count, &bound, 1, &plan) == SEGUE_OK, "no memory");
    return plan;
}

int fuzz_same(const segue_plan *a, const segue_plan *b)
{
    int same = 1;
#define SAME(field, type, way) same = same && memcmp(&a->field, &b->field, sizeof(type)) == 0;
    SEGUE_PLAN_SCALARS(SAME)
#undef SAME
    if (!same) {
        return 0;
    }
    const segue_plan *p = a;
#define SAME(id, field, type, used, capacity) same = same && memcmp(a->field, b->field, (used) * sizeof(type)) == 0;
    SEGUE_PLAN_COLUMNS(SAME)
#undef SAME
    return same;
}

const segue_slots *fuzz_slots(void)
{
    static segue_entry entry = {.size = sizeof entry, .version = SEGUE_ABI_VERSION, .floor = SEGUE_ABI_FLOOR};
    if (entry.slots == NULL) {
        HOLD(segue_plugin_entry(&entry) == SEGUE_OK, "the plugin does not answer");
    }
    return entry.slots;
}

static fuzz_assignor all[FUZZ_ASSIGNORS];

static void give_back(void)
{
    for (int i = 0; i < FUZZ_ASSIGNORS; i++) {
        fuzz_slots()->destroy(all[i].instance);
    }
}

/* One instance of each for all inputs, as in a host: what one leaves behind must not change the next answer. */
fuzz_assignor *fuzz_assignors(void)
{
    for (uint32_t i = 0; all[0].instance == NULL || (i > 0 && i < FUZZ_ASSIGNORS); i++) {
        fuzz_fault fault;
        all[i].info.size = sizeof all[i].info;
        HOLD(fuzz_slots()->describe(i, &all[i].info) == SEGUE_OK, "there is no assignor %u", i);
        HOLD(fuzz_slots()->create(all[i].info.name, &all[i].instance, fuzz_error(&fault)) == SEGUE_OK, "%s", fault.text);
        if (i == 0) {
            atexit(give_back);
        }
    }
    return all;
}

void fuzz_assign(const fuzz_assignor *assignor, const segue_group *group, const segue_config *config, segue_plan *plan)
{
    fuzz_fault fault;
    const char *name = assignor->info.name;
    int32_t status = fuzz_slots()->assign(assignor->instance, group, config, plan, fuzz_error(&fault));
    HOLD(status == SEGUE_OK, "%s refuses a well-formed group: %d, %s", name, status, fault.text);
    status = segue_plan_check(group, config, plan, assignor->info.traits, fuzz_error(&fault));
    HOLD(status == SEGUE_OK, "%s: %s", name, fault.text);
}
