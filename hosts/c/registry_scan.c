/* SPDX-License-Identifier: Apache-2.0 */
/* registry_scan.c - the files that are listed: those of the search path, once, and those that are named. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "registry.h"

/* One program may have several names, and is told by them. */
static int is_same_file(const sgi_plugin *a, const sgi_plugin *b)
{
    return a->note.device == b->note.device && a->note.file == b->note.file && a->is_program == b->is_program &&
           (!a->is_program || strcmp(a->file_name, b->file_name) == 0);
}

static sgi_plugin *find_file(const sgi_registry *registry, const sgi_plugin *listed)
{
    for (uint32_t i = 0; i < registry->count; i++) {
        if (is_same_file(registry->plugins[i], listed)) {
            return registry->plugins[i];
        }
    }
    return NULL;
}

static int32_t append(sgi_registry *registry, sgi_plugin *plugin, segue_error *error)
{
    sgi_plugin **plugins = realloc(registry->plugins, (registry->count + 1) * sizeof *plugins);
    if (plugins == NULL) {
        return sgi_fail(error, SEGUE_E_MEMORY, "%s: no memory to list it", plugin->path);
    }
    registry->plugins = plugins;
    plugins[registry->count++] = plugin;
    return SEGUE_OK;
}

const char *sgi_registry_refusal(const sgi_registry *registry)
{
    for (uint32_t i = 0; i < registry->count; i++) {
        if (sgi_plugin_is_unread(registry->plugins[i])) {
            return registry->plugins[i]->refusal_text;
        }
    }
    return "";
}

static sgi_plugin *find_unread(const sgi_registry *registry, const char *path)
{
    for (uint32_t i = 0; i < registry->count; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): no row of the list is NULL, whatever was looked for before */
        if (sgi_plugin_is_unread(registry->plugins[i]) && strcmp(registry->plugins[i]->path, path) == 0) {
            return registry->plugins[i];
        }
    }
    return NULL;
}

int32_t sgi_registry_add_file(sgi_registry *registry, const char *path, sgi_plugin **plugin, segue_error *error)
{
    sgi_plugin *listed = NULL;
    int32_t status = sgi_plugin_list(path, &listed, error);
    if (status != SEGUE_OK) {
        return status;
    }
    *plugin = find_file(registry, listed);
    if (*plugin != NULL) {
        sgi_plugin_forget(listed);
        return SEGUE_OK;
    }
    *plugin = find_unread(registry, listed->path);
    if (*plugin != NULL) {
        sgi_plugin_take_note(*plugin, listed);
        return SEGUE_OK;
    }
    status = append(registry, listed, error);
    if (status != SEGUE_OK) {
        sgi_plugin_forget(listed);
        return status;
    }
    *plugin = listed;
    return SEGUE_OK;
}

/* So that a list tells of it. */
static int32_t add_refused(sgi_registry *registry, const char *path, const segue_error *refusal, segue_error *error)
{
    sgi_plugin *refused = sgi_plugin_of_refused(path, refusal->code, refusal->text);
    if (refused == NULL) {
        return sgi_fail(error, SEGUE_E_MEMORY, "%s: no memory to list it", path);
    }
    int is_there = find_unread(registry, refused->path) != NULL;
    int32_t status = is_there ? SEGUE_OK : append(registry, refused, error);
    if (is_there || status != SEGUE_OK) {
        sgi_plugin_forget(refused);
    }
    return status;
}

/* A library without a note is no fault: a folder may hold what it likes. */
static int32_t scan_file(sgi_registry *registry, const char *path, segue_error *error)
{
    char text[512];
    segue_error refusal = {.size = sizeof refusal, .text = text, .text_size = sizeof text};
    sgi_plugin *plugin;
    int32_t status = sgi_registry_add_file(registry, path, &plugin, &refusal);
    if (status == SEGUE_E_PLUGIN) {
        return add_refused(registry, path, &refusal, error);
    }
    return sgi_may_pass(status) ? sgi_fail(error, status, "%s", text) : SEGUE_OK;
}

static int32_t scan_place(sgi_registry *registry, const sgi_place *place, segue_error *error)
{
    char **files;
    int32_t status = sgi_place_files(place, &files, error);
    for (size_t i = 0; status == SEGUE_OK && files[i] != NULL; i++) {
        status = scan_file(registry, files[i], error);
    }
    sgi_files_free(files);
    return status;
}

/* Half a list would have another order for ever: for want of memory or descriptors it is not begun. */
int32_t sgi_registry_scan(sgi_registry *registry, segue_error *error)
{
    uint32_t before = registry->count;
    int32_t status = SEGUE_OK;
    for (size_t i = 0; !registry->scanned && status == SEGUE_OK && i < registry->search.count; i++) {
        status = scan_place(registry, &registry->search.places[i], error);
    }
    while (status != SEGUE_OK && registry->count > before) {
        sgi_plugin_forget(registry->plugins[--registry->count]);
    }
    registry->scanned = status == SEGUE_OK;
    return status;
}
