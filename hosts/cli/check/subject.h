/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subject.h - the plugin under test, and calls of its slots. A call is built by libffi from the signature that the plugin
 * itself states in its table, so that a plugin of any version can be called, and a table that lies is found out.
 */
#ifndef SEGUE_HOSTS_CLI_CHECK_SUBJECT_H
#define SEGUE_HOSTS_CLI_CHECK_SUBJECT_H

#include <stddef.h>

#include "segue/abi.h"
#include "signature.h"

enum { SUBJECT_SLOTS_MOST = 64, SUBJECT_ASSIGNORS_MOST = 256 };

/* The slots that this program knows, by name. */
enum subject_known {
#define SUBJECT_KNOWN(since, name, thread, result, ...) KNOWN_##name,
    SEGUE_SLOTS(SUBJECT_KNOWN, SEGUE_PROTOTYPE_ARG_, SEGUE_COMMA_)
#undef SUBJECT_KNOWN
    KNOWN_COUNT
};

/* One row of the plugin's table, ready to be called. */
typedef struct subject_slot {
    const segue_slot_info *row;
    void (*function)(void); /* NULL: empty, or it lies outside of the table of pointers */
    sgx_signature signature;
    int callable; /* the signature is one */
    int known;    /* index in subject_known, or -1 */
    int agrees;   /* a known one: the row is that of segue/slots.h */
} subject_slot;

typedef struct subject {
    void *library;
    segue_entry_function enter;
    segue_entry entry;
    subject_slot slots[SUBJECT_SLOTS_MOST];
    uint32_t slot_count;
    const subject_slot *known[KNOWN_COUNT]; /* NULL: cannot be called */
    segue_assignor_info assignors[SUBJECT_ASSIGNORS_MOST];
    uint32_t assignor_count;
} subject;

/* What segue/slots.h says itself. */
extern const segue_slot_info subject_own_table[KNOWN_COUNT];

/* Maps the file and finds its entry. 0: `why` says why not. */
int subject_load(subject *s, const char *path, char *why, size_t why_size);

/* Asks the entry for the newest version that the plugin speaks, whatever this program was compiled with. */
int32_t subject_enter(subject *s);

/* Takes the table as it is; wrong rows are left uncallable. */
void subject_read_table(subject *s);

/* The name of the first slot of version 1 that cannot be called, or NULL. */
const char *subject_missing_slot(const subject *s);

/* Takes the assignors that describe gives. */
void subject_read_assignors(subject *s);

/* Calls a slot. `values` points to the arguments; the result is in the low bits. */
ffi_arg subject_call(const subject_slot *slot, void **values);

int32_t slot_describe(const subject *s, uint32_t index, segue_assignor_info *info);
int32_t slot_create(const subject *s, const char *name, segue_instance **instance, segue_error *error);
void slot_destroy(const subject *s, segue_instance *instance);
int32_t slot_plan_bound(const subject *s, const segue_group *group, const segue_config *config, segue_bound *bound);
int32_t slot_assign(const subject *s, segue_instance *instance, const segue_group *group, const segue_config *config,
                    segue_plan *plan, segue_error *error);
int32_t slot_read_memory(const subject *s, segue_instance *instance, segue_memory *memory);
const void *slot_get_extension(const subject *s, const char *id);

#endif
