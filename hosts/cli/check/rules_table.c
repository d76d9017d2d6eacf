/* SPDX-License-Identifier: Apache-2.0 */
/* C07-C09: the slots, and the plugin's own description of them. */
#include <string.h>

#include "probe.h"

static const char *shown(const char *text)
{
    return text == NULL ? "(none)" : text;
}

/* The subject with its table read; NULL: not run. */
static subject *described(probe *p)
{
    subject *s = &p->subject;
    char why[CHECK_TEXT_MOST];
    if (!subject_load(s, p->path, why, sizeof why) || subject_enter(s) != SEGUE_OK || s->entry.slots == NULL ||
        s->entry.table == NULL) {
        probe_block(p, "the entry gives no table of slots (C03, C04)");
        return NULL;
    }
    subject_read_table(s);
    return s;
}

/* ---- C07 --------------------------------------------------------------------------------------------------------- */

static void check_row(probe *p, const subject *s, const subject_slot *slot, uint32_t least_offset)
{
    const segue_slot_info *row = slot->row;
    const char *name = shown(row->name);
    uint64_t end = (uint64_t)row->offset + sizeof(void (*)(void));
    probe_hold(p, row->name != NULL && row->name[0] != '\0', "a row of the table has no name");
    probe_hold(p, slot->callable, "%s has the signature %s, which is none", name, shown(row->signature));
    probe_hold(p, row->offset >= least_offset && row->offset % sizeof(void (*)(void)) == 0 && end <= s->entry.slots->size,
               "%s has the offset %u, which is not behind the slot before it and inside of %u bytes", name, row->offset,
               s->entry.slots->size);
    probe_hold(p, row->thread == SEGUE_THREAD_ANY || row->thread == SEGUE_THREAD_SERIAL,
               "%s has the thread class %u, which is none", name, row->thread);
    probe_hold(p, row->since >= 1 && row->since <= s->entry.version, "%s is there since version %u, the plugin speaks %u",
               name, row->since, s->entry.version);
    if (slot->known >= 0) {
        const segue_slot_info *own = &subject_own_table[slot->known];
        probe_hold(p, slot->agrees, "%s is described as %s at %u, class %u, since %u; segue/slots.h says %s at %u, class %u, "
                   "since %u", name, shown(row->signature), row->offset, row->thread, row->since, own->signature,
                   own->offset, own->thread, own->since);
    }
}

static void check_completeness(probe *p, const subject *s)
{
    uint32_t places = (uint32_t)((s->entry.slots->size - offsetof(segue_slots, describe)) / sizeof(void (*)(void)));
    probe_hold(p, places == s->entry.table_count, "the table describes %u slots, and there are %u", s->entry.table_count,
               places);
    for (int i = 0; i < KNOWN_COUNT; i++) {
        int found = 0;
        for (uint32_t j = 0; j < s->slot_count; j++) {
            found |= s->slots[j].known == i;
        }
        probe_hold(p, found, "the table does not describe %s", subject_own_table[i].name);
    }
}

void rule_C07(probe *p)
{
    const subject *s = described(p);
    if (s == NULL) {
        return;
    }
    uint32_t least = offsetof(segue_slots, describe);
    for (uint32_t i = 0; i < s->slot_count; i++) {
        check_row(p, s, &s->slots[i], least);
        least = s->slots[i].row->offset + (uint32_t)sizeof(void (*)(void));
    }
    if (probe_hold(p, s->entry.slots->size >= offsetof(segue_slots, describe), "the slots have a size of %u bytes",
                   s->entry.slots->size)) {
        check_completeness(p, s);
    }
}

/* ---- C08 --------------------------------------------------------------------------------------------------------- */

/* By this program's own offsets, since a host calls by them whatever the table says. */
void rule_C08(probe *p)
{
    const subject *s = described(p);
    if (s == NULL) {
        return;
    }
    const segue_slots *slots = s->entry.slots;
#define CHECK(since, name, thread, result, ...)                                                                       \
    if (probe_hold(p, SEGUE_HAS(segue_slots, name, slots->size), "the slots end before %s: they have %u bytes", #name, \
                   slots->size)) {                                                                                    \
        probe_hold(p, slots->name != NULL, "the slot %s is empty", #name);                                            \
    }
    SEGUE_SLOTS(CHECK, SEGUE_PROTOTYPE_ARG_, SEGUE_COMMA_)
#undef CHECK
    for (uint32_t i = 0; i < s->slot_count; i++) {
        probe_hold(p, s->slots[i].known >= 0 || s->slots[i].function != NULL, "the slot %s is empty",
                   shown(s->slots[i].row->name));
    }
}

/* ---- C09 --------------------------------------------------------------------------------------------------------- */

/* A status and nothing but pointers: by the conventions, an argument that is missing gives a fault. */
static int is_harmless(const subject_slot *slot)
{
    const char *codes = slot->row->signature + 2;
    return slot->callable && slot->function != NULL && slot->row->signature[0] == 'i' && slot->signature.arguments > 0 &&
           strspn(codes, "p") == slot->signature.arguments;
}

static void call_without_arguments(probe *p, const subject_slot *slot)
{
    void *nothing = NULL;
    void *values[SGX_ARGUMENTS_MOST];
    for (unsigned i = 0; i < SGX_ARGUMENTS_MOST; i++) {
        values[i] = &nothing;
    }
    probe_doing(p, "calling %s, all of whose arguments are NULL", slot->row->name);
    int32_t status = (int32_t)subject_call(slot, values);
    probe_hold(p, status < 0, "%s answers %d to arguments that are all NULL", slot->row->name, status);
}

void rule_C09(probe *p)
{
    const subject *s = described(p);
    uint32_t later = 0;
    for (uint32_t i = 0; s != NULL && i < s->slot_count; i++) {
        const subject_slot *slot = &s->slots[i];
        later += slot->known < 0;
        if (slot->known < 0 && is_harmless(slot)) {
            call_without_arguments(p, slot);
        }
    }
    if (s != NULL && p->verdict->checks == 0) {
        probe_skip(p, later == 0 ? "there are none" : "none of them takes nothing but pointers");
    }
}
