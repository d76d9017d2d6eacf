/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin.h - one plugin: listed by its note first, loaded when one of its assignors is needed, never unloaded.
 * The owner (the registry) calls these one at a time, but for loading: while that goes on, a plugin is what its note
 * says. What a loaded plugin holds never changes any more.
 */
#ifndef SEGUE_HOSTS_C_PLUGIN_H
#define SEGUE_HOSTS_C_PLUGIN_H

#include "elf_note.h"
#include "health.h"
#include "isolate_pool.h"
#include "pool.h"
#include "segue/host.h"

typedef struct sgi_assignor {
    segue_assignor_info info;
    sgi_pool pool; /* unless the plugin is isolated */
    sgi_health health;
    const struct sgi_plugin *plugin;
} sgi_assignor;

enum sgi_plugin_state { SGI_LISTED = 0, SGI_LOADED = 1, SGI_REFUSED = 2 };

typedef struct sgi_plugin {
    char *path;
    char *file_name; /* "segue-assignors": what it is called while nothing of it has run */
    char file_version[16];
    sgi_note note;
    int is_program; /* an assignor in another language: it runs in processes of its own, whatever the isolation */
    int is_loading; /* the owner's: nothing else below is looked at meanwhile */
    enum sgi_plugin_state state;
    int32_t refusal; /* status and text once refused */
    char refusal_text[512];
    const segue_slots *slots;
    uint32_t abi_version;
    const char *name;
    const char *version;
    sgi_assignor *assignors;
    uint32_t assignor_count;
    /* Of a program, or a plugin that is loaded in processes of its own; else NULL. */
    sgi_isolate_pool *isolates;
    char *whole_path;
    char *description; /* where its texts lie */
} sgi_plugin;

/* Of an assignor for listing. */
segue_assignor_row sgi_assignor_row(sgi_assignor *assignor);

/* Reads the note, or what stands for it of a program (program_note.h). Faults as those, and E_PLUGIN for a border that is too
 * old or too new. */
int32_t sgi_plugin_list(const char *path, sgi_plugin **plugin, segue_error *error);

/* What stands for a file that sgi_plugin_list has refused: it is there to be told, and gives nothing. Until that file is read
 * after all, which makes another plugin of it: what `listed` has is taken, and no text that was told before is moved. NULL when
 * there is no memory. */
sgi_plugin *sgi_plugin_of_refused(const char *path, int32_t status, const char *why);
int sgi_plugin_is_unread(const sgi_plugin *plugin);
void sgi_plugin_take_note(sgi_plugin *unread, sgi_plugin *listed);

static inline enum sgi_plugin_state sgi_plugin_state(const sgi_plugin *plugin)
{
    return plugin->is_loading ? SGI_LISTED : plugin->state;
}

/* Maps it, here or in a process of its own, and takes its assignors. Once refused, refused for good, with the same text;
 * for a lack of memory or processes nothing is refused, and the next call tries again. */
int32_t sgi_plugin_load(sgi_plugin *plugin, const sgi_isolation *isolation, segue_error *error);

/* The same of one that is loaded or refused, or was refused for now, without another try. */
int32_t sgi_plugin_verdict(const sgi_plugin *plugin, segue_error *error);

/* Room for its assignors, and one more of them; slots are NULL where its process has them. E_PLUGIN: an assignor without
 * a right name, a second one of a name, or one too many. */
int32_t sgi_plugin_room(sgi_plugin *plugin, segue_error *error);
int32_t sgi_plugin_add(sgi_plugin *plugin, const segue_assignor_info *info, const segue_slots *slots,
                       segue_error *error);

/* The name behind `before`, the first behind NULL, or NULL: of its assignors once it is loaded, of its note before that. */
const char *sgi_plugin_next_name(const sgi_plugin *plugin, const char *before);

/* True when the plugin has that assignor; before it is loaded, when its note says so. */
int sgi_plugin_offers(const sgi_plugin *plugin, const char *assignor);

/* The same, and also when its note says that nobody knows before it is loaded. */
int sgi_plugin_may_offer(const sgi_plugin *plugin, const char *assignor);

/* The assignor of that name of a loaded plugin, or NULL. */
sgi_assignor *sgi_plugin_find(sgi_plugin *plugin, const char *assignor);

/* Destroys the instances and forgets it; the library stays mapped. */
void sgi_plugin_forget(sgi_plugin *plugin);

#endif
