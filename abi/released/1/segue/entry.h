/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segue/entry.h - the one function that a plugin exports.
 */
#ifndef SEGUE_ENTRY_H
#define SEGUE_ENTRY_H

#include "segue/slots.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What host and plugin tell each other at the entry.
 *
 * size        in: sizeof of the host's struct.
 * version     in: the newest version that the host speaks. out: the newest that both do.
 * floor       in: the oldest version that the host speaks. out: the oldest that the plugin speaks.
 * table_count out: rows in `table`.
 * slots       out: the functions; owned by the plugin, lives as long as the process.
 * table       out: the plugin's own description of them, likewise.
 * plugin_name, plugin_version  out: for people.
 */
typedef struct segue_entry {
    uint32_t size;
    uint32_t version;
    uint32_t floor;
    uint32_t table_count;
    const segue_slots *slots;
    const segue_slot_info *table;
    const char *plugin_name;
    const char *plugin_version;
} segue_entry;

/*
 * Any thread, any number of times, the same answer each time. Returns E_VERSION when no version is shared, with
 * `version` set to the newest and `floor` to the oldest that the plugin speaks; E_ARGUMENT when `entry` is NULL or its
 * size does not reach behind `slots`.
 */
#if defined(__GNUC__)
#define SEGUE_EXPORT __attribute__((visibility("default")))
#else
#define SEGUE_EXPORT
#endif

#define SEGUE_ENTRY_SYMBOL "segue_plugin_entry"

SEGUE_EXPORT int32_t segue_plugin_entry(segue_entry *entry);

typedef int32_t (*segue_entry_function)(segue_entry *entry);

#ifdef __cplusplus
}
#endif
#endif
