/* SPDX-License-Identifier: Apache-2.0 */
#include "subject.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

const segue_slot_info subject_own_table[KNOWN_COUNT] = SEGUE_SLOT_TABLE;

int subject_load(subject *s, const char *path, char *why, size_t why_size)
{
    /* The linker looks for a bare name on its own search path. */
    char name[4096];
    snprintf(name, sizeof name, "%s%s", strchr(path, '/') == NULL ? "./" : "", path);
    s->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (s->library == NULL) {
        const char *text = dlerror();
        snprintf(why, why_size, "%s", text == NULL ? "the linker does not say why" : text);
        return 0;
    }
    void *symbol = dlsym(s->library, SEGUE_ENTRY_SYMBOL);
    memcpy(&s->enter, &symbol, sizeof s->enter);
    if (symbol == NULL) {
        snprintf(why, why_size, "it has no function " SEGUE_ENTRY_SYMBOL);
    }
    return symbol != NULL;
}

int32_t subject_enter(subject *s)
{
    s->entry = (segue_entry){.size = sizeof s->entry, .version = UINT32_MAX, .floor = SEGUE_ABI_FLOOR};
    return s->enter(&s->entry);
}

ffi_arg subject_call(const subject_slot *slot, void **values)
{
    union {
        ffi_arg word;
        int64_t wide;
    } result = {0};
    ffi_cif cif = slot->signature.cif; /* ffi_call takes no const, and slots are called from several threads */
    ffi_call(&cif, slot->function, &result, values);
    return result.word;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static int find_known(const char *name)
{
    for (int i = 0; name != NULL && i < KNOWN_COUNT; i++) {
        if (strcmp(subject_own_table[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static int is_as_known(const segue_slot_info *row, int known)
{
    const segue_slot_info *own = &subject_own_table[known];
    return row->offset == own->offset && row->since == own->since && row->thread == own->thread &&
           row->signature != NULL && strcmp(row->signature, own->signature) == 0;
}

static void read_row(subject *s, subject_slot *slot)
{
    const segue_slots *slots = s->entry.slots;
    uint64_t end = (uint64_t)slot->row->offset + sizeof slot->function;
    slot->known = find_known(slot->row->name);
    slot->agrees = slot->known >= 0 && is_as_known(slot->row, slot->known);
    slot->callable = sgx_signature_read(&slot->signature, slot->row->signature);
    if (end <= slots->size && slot->row->offset % sizeof slot->function == 0) {
        memcpy(&slot->function, (const char *)slots + slot->row->offset, sizeof slot->function);
    }
    if (slot->agrees && slot->callable && slot->function != NULL) {
        s->known[slot->known] = slot;
    }
}

void subject_read_table(subject *s)
{
    for (uint32_t i = 0; i < s->entry.table_count && i < SUBJECT_SLOTS_MOST; i++) {
        s->slots[i] = (subject_slot){.row = &s->entry.table[i]};
        read_row(s, &s->slots[i]);
        s->slot_count = i + 1;
    }
}

const char *subject_missing_slot(const subject *s)
{
    for (int i = 0; i < KNOWN_COUNT; i++) {
        if (s->known[i] == NULL && subject_own_table[i].since <= s->entry.version) {
            return subject_own_table[i].name;
        }
    }
    return NULL;
}

void subject_read_assignors(subject *s)
{
    for (uint32_t i = 0; i < SUBJECT_ASSIGNORS_MOST; i++) {
        segue_assignor_info info = {.size = sizeof info};
        if (slot_describe(s, i, &info) != SEGUE_OK || info.name == NULL) {
            return;
        }
        s->assignors[s->assignor_count++] = info;
    }
}

/* ---- the slots of version 1 -------------------------------------------------------------------------------------- */

int32_t slot_describe(const subject *s, uint32_t index, segue_assignor_info *info)
{
    void *values[] = {&index, &info};
    return (int32_t)subject_call(s->known[KNOWN_describe], values);
}

int32_t slot_create(const subject *s, const char *name, segue_instance **instance, segue_error *error)
{
    void *values[] = {&name, &instance, &error};
    return (int32_t)subject_call(s->known[KNOWN_create], values);
}

void slot_destroy(const subject *s, segue_instance *instance)
{
    void *values[] = {&instance};
    subject_call(s->known[KNOWN_destroy], values);
}

int32_t slot_plan_bound(const subject *s, const segue_group *group, const segue_config *config, segue_bound *bound)
{
    void *values[] = {&group, &config, &bound};
    return (int32_t)subject_call(s->known[KNOWN_plan_bound], values);
}

int32_t slot_assign(const subject *s, segue_instance *instance, const segue_group *group, const segue_config *config,
                    segue_plan *plan, segue_error *error)
{
    void *values[] = {&instance, &group, &config, &plan, &error};
    return (int32_t)subject_call(s->known[KNOWN_assign], values);
}

int32_t slot_read_memory(const subject *s, segue_instance *instance, segue_memory *memory)
{
    void *values[] = {&instance, &memory};
    return (int32_t)subject_call(s->known[KNOWN_read_memory], values);
}

const void *slot_get_extension(const subject *s, const char *id)
{
    void *values[] = {&id};
    ffi_arg word = subject_call(s->known[KNOWN_get_extension], values);
    const void *found;
    memcpy(&found, &word, sizeof found);
    return found;
}
