/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segue/slots.h - the slot table: every function that a plugin offers, once.
 *
 * SEGUE_SLOTS is the only source: the struct of function pointers, offset assertions, signature strings, golden
 * description, prober and reference page are all expanded from it, so they cannot disagree.
 *
 * SEGUE_SLOTS(SLOT, ARG, SEP) calls  SLOT(since, name, thread, result, arguments)  for each row, with the arguments as
 * ARG(code, type, name) joined by SEP(). Codes, also in signature strings: p pointer, i int32_t, u uint32_t, v void.
 * Rows are only ever added at the end, in bands named after the version that made them stable; none is removed and
 * none changes its signature. Anything optional is reached by get_extension instead.
 */
#ifndef SEGUE_SLOTS_H
#define SEGUE_SLOTS_H

#include "segue/base.h"
#include "segue/config.h"
#include "segue/group.h"
#include "segue/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Traits of an assignor, as bits. */
#define SEGUE_TRAIT_COLD 1u    /* moves state without replaying it first; a baseline to compare with */
#define SEGUE_TRAIT_LEAVING 2u /* knows leaving members; without it they are treated as if they stayed */
#define SEGUE_TRAIT_LOOSE 4u   /* promises no drain, no exact standbys and no fixed point: a baseline to compare with. Of
                                  leaving members it knows only that one whose deadline has passed is not there */

/* What an assignor is. Set size; the texts belong to the plugin and live as long as the process. */
typedef struct segue_assignor_info {
    uint32_t size;
    uint32_t traits;
    const char *name;    /* lower case, digits and dashes; what `segue.assignor` names */
    const char *version; /* of the strategy, "1.0" */
    const char *summary; /* one line for people */
} segue_assignor_info;

/* Memory of an instance. Set size. */
typedef struct segue_memory {
    uint32_t size;
    uint32_t reserved;
    uint64_t held_bytes; /* what the instance holds from the system now, its arena included */
    uint64_t peak_bytes; /* the most that one call has used of it */
} segue_memory;

/*
 * Band 1 (stable since version 1)
 *
 * describe        the assignor with that index; E_NAME behind the last one. Fills *info.
 * create          an instance of the assignor called `name` (NUL-terminated). *instance is owned by the host, which
 *                 gives it to destroy exactly once. On a fault *instance is set to NULL.
 * destroy         gives everything back. NULL is allowed.
 * plan_bound      the rows that a plan for this group can need; reads counts only, no column.
 * assign          the plan for this group. A pure function of group and configuration: no earlier call, no order of
 *                 input and no clock changes the answer, but that the budget max_compute_us may cut it short. On a fault
 *                 the plan's contents are undefined. It calls nobody back.
 * read_memory     the bytes that the instance holds.
 * get_extension   a const table of an optional ability by its id ("segue.explain/1"), or NULL. Lives as long as the
 *                 process.
 */
#define SEGUE_SLOTS(SLOT, ARG, SEP)                                                                                   \
    SLOT(1, describe, ANY, i, ARG(u, uint32_t, index) SEP() ARG(p, segue_assignor_info *, info))                      \
    SLOT(1, create, ANY, i,                                                                                           \
         ARG(p, const char *, name) SEP() ARG(p, segue_instance **, instance) SEP() ARG(p, segue_error *, error))     \
    SLOT(1, destroy, SERIAL, v, ARG(p, segue_instance *, instance))                                                   \
    SLOT(1, plan_bound, ANY, i,                                                                                       \
         ARG(p, const segue_group *, group) SEP() ARG(p, const segue_config *, config) SEP()                          \
             ARG(p, segue_bound *, bound))                                                                            \
    SLOT(1, assign, SERIAL, i,                                                                                        \
         ARG(p, segue_instance *, instance) SEP() ARG(p, const segue_group *, group) SEP()                            \
             ARG(p, const segue_config *, config) SEP() ARG(p, segue_plan *, plan) SEP()                              \
                 ARG(p, segue_error *, error))                                                                        \
    SLOT(1, read_memory, SERIAL, i, ARG(p, segue_instance *, instance) SEP() ARG(p, segue_memory *, memory))          \
    SLOT(1, get_extension, ANY, p, ARG(p, const char *, id))

/* The C type of a result code. */
#define SEGUE_RESULT_i int32_t
#define SEGUE_RESULT_v void
#define SEGUE_RESULT_p const void *

#define SEGUE_COMMA_() ,
#define SEGUE_PROTOTYPE_ARG_(code, type, name) type name

/* The table of function pointers that the entry hands out. Slots behind `size` do not exist. */
typedef struct segue_slots {
    uint32_t size;
    uint32_t version; /* the version that both sides speak */
#define SEGUE_SLOT_POINTER_(since, name, thread, result, ...) SEGUE_RESULT_##result (*name)(__VA_ARGS__);
    SEGUE_SLOTS(SEGUE_SLOT_POINTER_, SEGUE_PROTOTYPE_ARG_, SEGUE_COMMA_)
#undef SEGUE_SLOT_POINTER_
} segue_slots;

SEGUE_ASSERT(offsetof(segue_slots, describe) == 8);

/* One row of the plugin's own description of its table, for tools that were not compiled with it. */
typedef struct segue_slot_info {
    uint32_t since;
    uint32_t offset; /* of the pointer inside segue_slots */
    uint32_t thread; /* enum segue_thread */
    uint32_t reserved;
    const char *name;
    const char *signature; /* result code, then argument codes in brackets: "i(ppppp)" */
} segue_slot_info;

#define SEGUE_SIGNATURE_ARG_(code, type, name) #code
#define SEGUE_NOTHING_()
#define SEGUE_SLOT_INFO_(since, name, thread, result, ...)                                                            \
    {since, (uint32_t)offsetof(segue_slots, name), SEGUE_THREAD_##thread, 0, #name, #result "(" __VA_ARGS__ ")"},

/* Initializer of a segue_slot_info array with one row for each slot. */
#define SEGUE_SLOT_TABLE {SEGUE_SLOTS(SEGUE_SLOT_INFO_, SEGUE_SIGNATURE_ARG_, SEGUE_NOTHING_)}

#ifdef __cplusplus
}
#endif
#endif
