/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "isolated.h"
#include "program_note.h"
#include "segue/abi.h"

enum { ASSIGNORS_MOST = 256 };

#define REFUSE(...) return sgi_fail(error, SEGUE_E_PLUGIN, __VA_ARGS__)

static int32_t check_versions(const char *path, uint32_t floor, uint32_t newest, segue_error *error)
{
    if (newest < SEGUE_ABI_FLOOR) {
        REFUSE("%s: too old: it speaks versions %u to %u of the border, libsegue %u to %u", path, floor, newest,
               SEGUE_ABI_FLOOR, SEGUE_ABI_VERSION);
    }
    if (floor > SEGUE_ABI_VERSION) {
        REFUSE("%s: too new: it speaks versions %u to %u of the border, libsegue %u to %u", path, floor, newest,
               SEGUE_ABI_FLOOR, SEGUE_ABI_VERSION);
    }
    return SEGUE_OK;
}

/* The linker would look for a bare name on its own search path. */
static char *with_slash(const char *path)
{
    char *copy = NULL;
    return asprintf(&copy, "%s%s", strchr(path, '/') == NULL ? "./" : "", path) < 0 ? NULL : copy;
}

static char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    size_t length = strlen(base);
    int has_suffix = sgi_is_program(path) || (length > 3 && strcmp(base + length - 3, ".so") == 0);
    return strndup(base, has_suffix ? (size_t)(strrchr(base, '.') - base) : length);
}

static sgi_plugin *make(const char *path)
{
    sgi_plugin *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->is_program = sgi_is_program(path);
    made->path = with_slash(path);
    made->file_name = base_name(path);
    made->name = made->file_name;
    made->version = "";
    if (made->path == NULL || made->file_name == NULL) {
        sgi_plugin_forget(made);
        return NULL;
    }
    return made;
}

static int32_t no_memory_to_list(const char *path, segue_error *error)
{
    return sgi_fail(error, SEGUE_E_MEMORY, "%s: no memory to list it", path);
}

static void tell_version(sgi_plugin *plugin)
{
    uint32_t v = plugin->note.record.plugin_version;
    snprintf(plugin->file_version, sizeof plugin->file_version, "%u.%u.%u", v >> 16, v >> 8 & 255, v & 255);
    plugin->version = plugin->file_version;
}

int32_t sgi_plugin_list(const char *path, sgi_plugin **plugin, segue_error *error)
{
    sgi_plugin *made = make(path);
    if (made == NULL) {
        return no_memory_to_list(path, error);
    }
    sgi_note *note = &made->note;
    int32_t status = made->is_program ? sgi_program_note(path, note, error) : sgi_note_read(path, note, error);
    if (status == SEGUE_OK) {
        status = check_versions(path, note->record.abi_floor, note->record.abi_newest, error);
    }
    if (status != SEGUE_OK) {
        sgi_plugin_forget(made);
        return status;
    }
    tell_version(made);
    *plugin = made;
    return SEGUE_OK;
}

/* Of a program the name is known, if it is one. */
sgi_plugin *sgi_plugin_of_refused(const char *path, int32_t status, const char *why)
{
    sgi_plugin *made = make(path);
    if (made == NULL) {
        return NULL;
    }
    size_t bytes = made->is_program && sgi_is_assignor_name(made->file_name) ? strlen(made->file_name) : 0;
    made->note.names = calloc(1, bytes + 2);
    if (made->note.names == NULL) {
        sgi_plugin_forget(made);
        return NULL;
    }
    memcpy(made->note.names, made->file_name, bytes);
    made->state = SGI_REFUSED;
    made->refusal = status;
    snprintf(made->refusal_text, sizeof made->refusal_text, "%s", why);
    return made;
}

/* Every file has a number. */
int sgi_plugin_is_unread(const sgi_plugin *plugin)
{
    return sgi_plugin_state(plugin) == SGI_REFUSED && plugin->note.file == 0;
}

void sgi_plugin_take_note(sgi_plugin *unread, sgi_plugin *listed)
{
    sgi_note_free(&unread->note);
    unread->note = listed->note;
    listed->note.names = NULL;
    unread->state = SGI_LISTED;
    unread->refusal = SEGUE_OK;
    tell_version(unread);
    sgi_plugin_forget(listed);
}

static int32_t call_entry(sgi_plugin *plugin, void *library, segue_entry *entry, segue_error *error)
{
    segue_entry_function function = NULL;
    void *symbol = dlsym(library, SEGUE_ENTRY_SYMBOL);
    if (symbol == NULL) {
        REFUSE("%s: it has no function " SEGUE_ENTRY_SYMBOL, plugin->path);
    }
    memcpy(&function, &symbol, sizeof function); /* the one portable way from an object pointer to a function's */
    int32_t status = function(entry);
    if (status == SEGUE_E_VERSION) {
        int32_t judged = check_versions(plugin->path, entry->floor, entry->version, error);
        return judged != SEGUE_OK ? judged
                                  : sgi_fail(error, SEGUE_E_PLUGIN,
                                             "%s: its entry speaks no version that libsegue does", plugin->path);
    }
    if (status < 0) {
        REFUSE("%s: its entry failed with status %d (%s)", plugin->path, status, segue_status_word(status));
    }
    if (entry->version < SEGUE_ABI_FLOOR || entry->version > SEGUE_ABI_VERSION || entry->slots == NULL) {
        REFUSE("%s: its entry chose version %u and %s table of slots; libsegue speaks %u to %u", plugin->path,
               entry->version, entry->slots == NULL ? "gave no" : "a", SEGUE_ABI_FLOOR, SEGUE_ABI_VERSION);
    }
    return SEGUE_OK;
}

/* The slots one by one: since which version, where they end, and what they are called. */
static const struct {
    uint32_t since;
    size_t offset;
    const char *name;
} wanted_slots[] = {
#define WANTED(since, slot, thread, result, ...) {since, offsetof(segue_slots, slot), #slot},
    SEGUE_SLOTS(WANTED, SEGUE_PROTOTYPE_ARG_, SEGUE_COMMA_)
#undef WANTED
};

static int32_t check_slots(const sgi_plugin *plugin, const segue_slots *slots, uint32_t version, segue_error *error)
{
    for (size_t i = 0; i < sizeof wanted_slots / sizeof *wanted_slots && wanted_slots[i].since <= version; i++) {
        void (*slot)(void);
        if (slots->size < wanted_slots[i].offset + sizeof slot) {
            REFUSE("%s: its table of slots has %u bytes, too few for '%s'", plugin->path, slots->size,
                   wanted_slots[i].name);
        }
        memcpy(&slot, (const char *)slots + wanted_slots[i].offset, sizeof slot);
        if (slot == NULL) {
            REFUSE("%s: its slot '%s' is empty", plugin->path, wanted_slots[i].name);
        }
    }
    return SEGUE_OK;
}

static int32_t check_info(sgi_plugin *plugin, uint32_t index, segue_assignor_info *info, segue_error *error)
{
    if (info->name == NULL || !sgi_is_assignor_name(info->name)) {
        REFUSE("%s: its assignor %u has no name of up to %d lower-case letters, digits and dashes",
               plugin->path, index, SGI_NAME_MOST);
    }
    if (sgi_plugin_find(plugin, info->name) != NULL) {
        REFUSE("%s: it has two assignors called %s", plugin->path, info->name);
    }
    info->version = info->version == NULL ? "" : info->version;
    info->summary = info->summary == NULL ? "" : info->summary;
    return SEGUE_OK;
}

segue_assignor_row sgi_assignor_row(sgi_assignor *assignor)
{
    const segue_assignor_info *info = &assignor->info;
    sgi_condition condition = sgi_health_read(&assignor->health);
    return (segue_assignor_row){.size = sizeof(segue_assignor_row),
                                .traits = info->traits,
                                .name = info->name,
                                .version = info->version,
                                .summary = info->summary,
                                .plugin = assignor->plugin->path,
                                .faults = condition.faults,
                                .aside = condition.aside};
}

/* Their final size at once: pools hold locks and must not move. */
int32_t sgi_plugin_room(sgi_plugin *plugin, segue_error *error)
{
    plugin->assignors = calloc(ASSIGNORS_MOST, sizeof *plugin->assignors);
    return plugin->assignors != NULL ? SEGUE_OK
                                     : sgi_fail(error, SEGUE_E_MEMORY, "%s: no memory for its assignors", plugin->path);
}

int32_t sgi_plugin_add(sgi_plugin *plugin, const segue_assignor_info *info, const segue_slots *slots,
                       segue_error *error)
{
    uint32_t i = plugin->assignor_count;
    if (i >= ASSIGNORS_MOST) {
        REFUSE("%s: it has more than %d assignors", plugin->path, ASSIGNORS_MOST);
    }
    segue_assignor_info checked = *info;
    int32_t status = check_info(plugin, i, &checked, error);
    if (status != SEGUE_OK) {
        return status;
    }
    plugin->assignors[i].info = checked;
    plugin->assignors[i].plugin = plugin;
    sgi_pool_init(&plugin->assignors[i].pool, slots, checked.name);
    sgi_health_init(&plugin->assignors[i].health);
    plugin->assignor_count = i + 1;
    return SEGUE_OK;
}

static int32_t take_assignors(sgi_plugin *plugin, const segue_slots *slots, segue_error *error)
{
    for (uint32_t i = 0;; i++) {
        segue_assignor_info info = {.size = sizeof info};
        int32_t status = slots->describe(i, &info);
        if (status == SEGUE_E_NAME && i > 0) {
            return SEGUE_OK;
        }
        if (status < 0) {
            REFUSE("%s: describing its assignor %u failed with status %d", plugin->path, i, status);
        }
        status = sgi_plugin_add(plugin, &info, slots, error);
        if (status != SEGUE_OK) {
            return status;
        }
    }
}

static int32_t load_here(sgi_plugin *plugin, segue_error *error)
{
    void *library = dlopen(plugin->path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *why = dlerror();
        REFUSE("%s: it cannot be loaded: %s", plugin->path, why == NULL ? "the linker does not say why" : why);
    }
    segue_entry entry = {.size = sizeof entry, .version = SEGUE_ABI_VERSION, .floor = SEGUE_ABI_FLOOR};
    int32_t status = call_entry(plugin, library, &entry, error);
    if (status == SEGUE_OK) {
        status = check_slots(plugin, entry.slots, entry.version, error);
    }
    if (status != SEGUE_OK) {
        return status;
    }
    status = sgi_plugin_room(plugin, error);
    if (status != SEGUE_OK) {
        return status;
    }
    status = take_assignors(plugin, entry.slots, error);
    if (status == SEGUE_OK) {
        plugin->slots = entry.slots;
        plugin->abi_version = entry.version;
        plugin->name = entry.plugin_name == NULL ? plugin->file_name : entry.plugin_name;
        plugin->version = entry.plugin_version == NULL ? plugin->file_version : entry.plugin_version;
    }
    return status;
}

static int32_t load(sgi_plugin *plugin, segue_error *error)
{
    pid_t own = getpid();
    int32_t status = load_here(plugin, error);
    sgi_end_copy(own, plugin->file_name);
    return status;
}

static void drop_assignors(sgi_plugin *plugin)
{
    for (uint32_t i = 0; i < plugin->assignor_count; i++) {
        sgi_pool_close(&plugin->assignors[i].pool);
        sgi_health_close(&plugin->assignors[i].health);
    }
    if (plugin->isolates != NULL) {
        sgi_isolate_pool_close(plugin->isolates);
    }
    free(plugin->assignors);
    free(plugin->isolates);
    free(plugin->whole_path);
    free(plugin->description);
    plugin->assignors = NULL;
    plugin->assignor_count = 0;
    plugin->abi_version = 0;
    plugin->isolates = NULL;
    plugin->whole_path = plugin->description = NULL;
    plugin->name = plugin->file_name;
    plugin->version = plugin->file_version;
}

/* A machine that has no memory or no process to give today says nothing about the plugin. */
static void load_or_refuse(sgi_plugin *plugin, const sgi_isolation *isolation)
{
    segue_error refusal = {.size = sizeof refusal,
                           .text = plugin->refusal_text,
                           .text_size = sizeof plugin->refusal_text};
    int is_isolated = isolation != NULL && (isolation->kind == SGI_ISOLATION_PROCESS || plugin->is_program);
    plugin->refusal = is_isolated ? sgi_isolated_load(plugin, isolation, &refusal) : load(plugin, &refusal);
    plugin->state = plugin->refusal == SEGUE_OK ? SGI_LOADED : sgi_may_pass(plugin->refusal) ? SGI_LISTED : SGI_REFUSED;
    if (plugin->state != SGI_LOADED) {
        drop_assignors(plugin);
    }
}

int32_t sgi_plugin_load(sgi_plugin *plugin, const sgi_isolation *isolation, segue_error *error)
{
    if (plugin->state == SGI_LISTED) {
        load_or_refuse(plugin, isolation);
    }
    return sgi_plugin_verdict(plugin, error);
}

int32_t sgi_plugin_verdict(const sgi_plugin *plugin, segue_error *error)
{
    return plugin->state == SGI_LOADED ? SEGUE_OK : sgi_fail(error, plugin->refusal, "%s", plugin->refusal_text);
}

sgi_assignor *sgi_plugin_find(sgi_plugin *plugin, const char *assignor)
{
    for (uint32_t i = 0; i < plugin->assignor_count; i++) {
        if (strcmp(plugin->assignors[i].info.name, assignor) == 0) {
            return &plugin->assignors[i];
        }
    }
    return NULL;
}

const char *sgi_plugin_next_name(const sgi_plugin *plugin, const char *before)
{
    if (sgi_plugin_state(plugin) != SGI_LOADED) {
        const char *next = before == NULL ? plugin->note.names : before + strlen(before) + 1;
        return *next == '\0' ? NULL : next;
    }
    uint32_t i = 0;
    while (before != NULL && plugin->assignors[i++].info.name != before) {
    }
    return i < plugin->assignor_count ? plugin->assignors[i].info.name : NULL;
}

int sgi_plugin_offers(const sgi_plugin *plugin, const char *assignor)
{
    for (const char *name = NULL; (name = sgi_plugin_next_name(plugin, name)) != NULL;) {
        if (strcmp(name, assignor) == 0) {
            return 1;
        }
    }
    return 0;
}

int sgi_plugin_may_offer(const sgi_plugin *plugin, const char *assignor)
{
    return sgi_plugin_offers(plugin, assignor) || sgi_plugin_offers(plugin, SEGUE_NOTE_ANY_NAME);
}

void sgi_plugin_forget(sgi_plugin *plugin)
{
    drop_assignors(plugin);
    sgi_note_free(&plugin->note);
    free(plugin->path);
    free(plugin->file_name);
    free(plugin);
}
