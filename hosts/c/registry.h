/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry.h - plugins in the order in which they are asked, assignors by name. Any thread: one lock around each call.
 * It is open while a plugin is loaded, which may take its time or hang: who needs that one waits, so that it is loaded
 * once, and others go on. Plugins and assignors live as long as the registry.
 */
#ifndef SEGUE_HOSTS_C_REGISTRY_H
#define SEGUE_HOSTS_C_REGISTRY_H

#include <pthread.h>

#include "callback.h"
#include "plugin.h"
#include "search_path.h"
#include "segue/host.h"

typedef struct sgi_registry {
    sgi_callbacks callbacks; /* asked before all plugins; it has a lock of its own */
    pthread_mutex_t lock;
    pthread_cond_t loaded; /* or refused: some plugin is */
    sgi_search_path search;
    const sgi_isolation *isolation; /* the host's */
    sgi_plugin **plugins; /* those named by segue_host_load, the latest first, then those of the search path, in its order */
    uint32_t count;
    uint32_t named;
    int scanned;
} sgi_registry;

int32_t sgi_registry_open(sgi_registry *registry, const char *plugin_path, int only_path,
                          const sgi_isolation *isolation, segue_error *error);
void sgi_registry_close(sgi_registry *registry);

/* See segue_host_load. */
int32_t sgi_registry_load(sgi_registry *registry, const char *plugin, segue_error *error);

/* The first plugin that offers the name is loaded and gives it; one that refuses is passed over. */
int32_t sgi_registry_find(sgi_registry *registry, const char *name, sgi_assignor **assignor, segue_error *error);

/* For the registry's own units, under its lock. */

/* sgi_plugin_load, with the lock open meanwhile: rows may have come and moved down the list, none up or away. */
int32_t sgi_registry_ready(sgi_registry *registry, sgi_plugin *plugin, segue_error *error);

/* Lists a file, unless it is there already under this or another path; *plugin is its row either way. */
int32_t sgi_registry_add_file(sgi_registry *registry, const char *path, sgi_plugin **plugin, segue_error *error);

/* Lists the search path, once, with the files there that are refused. E_MEMORY, E_SYSTEM: not yet. */
int32_t sgi_registry_scan(sgi_registry *registry, segue_error *error);

/* Why the first file of the search path that is refused is, or "". */
const char *sgi_registry_refusal(const sgi_registry *registry);

/* Does one that is asked before plugin number `place` give that name? */
int sgi_registry_is_shadowed(sgi_registry *registry, uint32_t place, const char *name);

/* E_NAME, with a sentence: nobody has it, or only plugins that were refused, the last one with the text `refusal`. */
int32_t sgi_registry_miss(sgi_registry *registry, const char *name, const char *refusal, segue_error *error);

/* E_NAME behind the last. `row` is one of this library's own. Plugins are listed by their notes; assignors load every
 * plugin, and come behind those that are registered. */
int32_t sgi_registry_plugin(sgi_registry *registry, uint32_t index, segue_plugin_row *row, segue_error *error);
int32_t sgi_registry_assignor(sgi_registry *registry, uint32_t index, segue_assignor_row *row, segue_error *error);

/* Has the assignors of that name, or all, asked again, as far as they were loaded. E_NAME: there is none. */
int32_t sgi_registry_reinstate(sgi_registry *registry, const char *name, segue_error *error);

/* How many are put aside. */
uint32_t sgi_registry_aside(sgi_registry *registry);

#endif
