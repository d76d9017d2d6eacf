/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interpose.h - a plugin's table of slots with somebody in between. Each slot becomes a closure of libffi, made from the
 * plugin's own description of its table, so that there is no code for any slot, and later slots are wrapped as well.
 */
#ifndef SEGUE_HOSTS_INTERPOSE_INTERPOSE_H
#define SEGUE_HOSTS_INTERPOSE_INTERPOSE_H

#include "segue/abi.h"

/* One call on its way. */
typedef struct sgx_call {
    const segue_slot_info *slot;
    uint64_t number;    /* among the calls of this slot, from 1 */
    uint32_t arguments;
    void **values;      /* points to the arguments */
    int64_t result;     /* a number, or a pointer's bits; 0 for nothing */
    uint64_t began_ns;  /* for the hooks */
    const char *fault;  /* likewise */
} sgx_call;

/* What is done around each call, on the thread of the call. Either may be NULL. */
typedef struct sgx_hooks {
    int (*before)(sgx_call *call); /* 0: the plugin is not asked, and `result` is the answer */
    void (*after)(sgx_call *call);
} sgx_hooks;

/*
 * The wrapped table; it lives as long as the process, like the plugin's own. Slots without a row in `table` stay as they
 * are. E_SYSTEM: the system gives no memory that may be executed, and the text says so; E_PLUGIN: a signature is none.
 */
int32_t sgx_wrap(const segue_slots *slots, const segue_slot_info *table, uint32_t count, const sgx_hooks *hooks,
                 const segue_slots **wrapped, segue_error *error);

#endif
