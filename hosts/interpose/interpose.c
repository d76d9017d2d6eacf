/* SPDX-License-Identifier: Apache-2.0 */
#include "interpose.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "signature.h"

typedef void (*slot_function)(void);

typedef struct wrapped_slot {
    const segue_slot_info *row;
    const sgx_hooks *hooks;
    slot_function function; /* the plugin's */
    sgx_signature signature;
    ffi_closure *closure;
    atomic_ullong calls;
} wrapped_slot;

/* Large enough for any result. */
typedef union outcome {
    ffi_arg word;
    ffi_sarg signed_word;
    int64_t wide;
    void *pointer;
} outcome;

static int64_t read_outcome(char code, const outcome *from)
{
    switch (code) {
    case 'i':
        return (int32_t)from->word;
    case 'u':
        return (uint32_t)from->word;
    case 'l':
        return from->wide;
    case 'p':
        return (int64_t)(intptr_t)from->pointer;
    default:
        return 0;
    }
}

/* libffi wants results narrower than a register as wide as one. */
static void write_outcome(char code, void *to, int64_t result)
{
    switch (code) {
    case 'i':
        *(ffi_sarg *)to = (int32_t)result;
        break;
    case 'u':
        *(ffi_arg *)to = (uint32_t)result;
        break;
    case 'l':
        *(int64_t *)to = result;
        break;
    case 'p':
        *(void **)to = (void *)(intptr_t)result;
        break;
    default:
        break;
    }
}

static void on_call(ffi_cif *cif, void *result, void **values, void *context)
{
    wrapped_slot *slot = context;
    sgx_call call = {.slot = slot->row,
                     .number = atomic_fetch_add(&slot->calls, 1) + 1,
                     .arguments = slot->signature.arguments,
                     .values = values};
    if (slot->hooks->before == NULL || slot->hooks->before(&call)) {
        outcome given = {0};
        ffi_call(cif, slot->function, &given, values);
        call.result = read_outcome(slot->signature.result, &given);
    }
    if (slot->hooks->after != NULL) {
        slot->hooks->after(&call);
    }
    write_outcome(slot->signature.result, result, call.result);
}

/* Puts a closure into the table at `place`, where the plugin's function stands. */
static int32_t wrap_slot(wrapped_slot *slot, char *place, segue_error *error)
{
    const char *name = slot->row->name == NULL ? "(none)" : slot->row->name;
    void *code = NULL;
    memcpy(&slot->function, place, sizeof slot->function);
    if (!sgx_signature_read(&slot->signature, slot->row->signature)) {
        return sgi_fail(error, SEGUE_E_PLUGIN, "the slot %s has no signature that could be wrapped", name);
    }
    slot->closure = ffi_closure_alloc(sizeof *slot->closure, &code);
    if (slot->closure == NULL ||
        ffi_prep_closure_loc(slot->closure, &slot->signature.cif, on_call, slot, code) != FFI_OK) {
        return sgi_fail(error, SEGUE_E_SYSTEM,
                        "the slot %s cannot be wrapped: the system gives no memory that may be executed (SELinux's "
                        "execmem, systemd's MemoryDenyWriteExecute and noexec mounts forbid it)",
                        name);
    }
    memcpy(place, &code, sizeof code);
    return SEGUE_OK;
}

static void give_back(wrapped_slot *wrapped, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (wrapped[i].closure != NULL) {
            ffi_closure_free(wrapped[i].closure);
        }
    }
}

/* Table and slots lie in one block, so that what keeps the one keeps the other. */
int32_t sgx_wrap(const segue_slots *slots, const segue_slot_info *table, uint32_t count, const sgx_hooks *hooks,
                 const segue_slots **wrapped, segue_error *error)
{
    size_t bytes = (slots->size + sizeof(wrapped_slot) - 1) / sizeof(wrapped_slot) * sizeof(wrapped_slot);
    char *copy = calloc(1, bytes + count * sizeof(wrapped_slot));
    int32_t status = SEGUE_OK;
    *wrapped = NULL;
    if (copy == NULL) {
        return sgi_fail(error, SEGUE_E_MEMORY, "no memory to wrap %u slots", count);
    }
    wrapped_slot *made = (wrapped_slot *)(void *)(copy + bytes);
    memcpy(copy, slots, slots->size);
    for (uint32_t i = 0; status == SEGUE_OK && i < count; i++) {
        made[i].row = &table[i];
        made[i].hooks = hooks;
        if ((uint64_t)table[i].offset + sizeof(slot_function) <= slots->size) {
            status = wrap_slot(&made[i], copy + table[i].offset, error);
        }
    }
    if (status != SEGUE_OK) {
        give_back(made, count);
        free(copy);
        return status;
    }
    *wrapped = (const segue_slots *)(const void *)copy;
    return SEGUE_OK;
}
