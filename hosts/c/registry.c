/* SPDX-License-Identifier: Apache-2.0 */
#include "registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

int32_t sgi_registry_open(sgi_registry *registry, const char *plugin_path, int only_path,
                          const sgi_isolation *isolation, segue_error *error)
{
    memset(registry, 0, sizeof *registry);
    registry->isolation = isolation;
    if (sgi_search_path_make(&registry->search, plugin_path, only_path) != 0) {
        sgi_search_path_free(&registry->search);
        return sgi_fail(error, SEGUE_E_MEMORY, "no memory for the search path of plugins");
    }
    pthread_mutex_init(&registry->lock, NULL);
    pthread_cond_init(&registry->loaded, NULL);
    sgi_callbacks_init(&registry->callbacks);
    return SEGUE_OK;
}

void sgi_registry_close(sgi_registry *registry)
{
    for (uint32_t i = 0; i < registry->count; i++) {
        sgi_plugin_forget(registry->plugins[i]);
    }
    free(registry->plugins);
    sgi_callbacks_close(&registry->callbacks);
    sgi_search_path_free(&registry->search);
    pthread_cond_destroy(&registry->loaded);
    pthread_mutex_destroy(&registry->lock);
}

/* ---- loading ------------------------------------------------------------------------------------------------------ */

static void wait_until_loaded(sgi_registry *registry, const sgi_plugin *plugin)
{
    while (plugin->is_loading) {
        pthread_cond_wait(&registry->loaded, &registry->lock);
    }
}

int32_t sgi_registry_ready(sgi_registry *registry, sgi_plugin *plugin, segue_error *error)
{
    wait_until_loaded(registry, plugin);
    if (plugin->state == SGI_LISTED) {
        plugin->is_loading = 1;
        pthread_mutex_unlock(&registry->lock);
        (void)sgi_plugin_load(plugin, registry->isolation, NULL);
        pthread_mutex_lock(&registry->lock);
        plugin->is_loading = 0;
        pthread_cond_broadcast(&registry->loaded);
    }
    return sgi_plugin_verdict(plugin, error);
}

/* ---- loading by hand --------------------------------------------------------------------------------------------- */

/* The linker knows libraries by their paths: it would go on with what is mapped, whatever the file is now. */
static void refuse_if_replaced(sgi_registry *registry, sgi_plugin *plugin)
{
    for (uint32_t i = 0; i < registry->count; i++) {
        const sgi_plugin *other = registry->plugins[i];
        if (other == plugin || strcmp(other->path, plugin->path) != 0) {
            continue;
        }
        wait_until_loaded(registry, other);
        if (other->slots != NULL && !plugin->is_loading && plugin->state == SGI_LISTED) {
            plugin->state = SGI_REFUSED;
            plugin->refusal = SEGUE_E_PLUGIN;
            snprintf(plugin->refusal_text, sizeof plugin->refusal_text,
                     "%.300s: another file of this name is loaded already, and stays: a new version needs a new name",
                     plugin->path);
        }
    }
}

/* The plugin is asked before all others from now on. */
static void put_first(sgi_registry *registry, sgi_plugin *plugin)
{
    uint32_t place = 0;
    while (registry->plugins[place] != plugin) {
        place++;
    }
    memmove(registry->plugins + 1, registry->plugins, place * sizeof(sgi_plugin *));
    registry->plugins[0] = plugin;
    registry->named += place >= registry->named;
}

static int32_t load_file(sgi_registry *registry, const char *path, segue_error *error)
{
    sgi_plugin *plugin;
    int32_t status = sgi_registry_add_file(registry, path, &plugin, error);
    if (status != SEGUE_OK) {
        return status;
    }
    refuse_if_replaced(registry, plugin);
    status = sgi_registry_ready(registry, plugin, error);
    if (status == SEGUE_OK) {
        put_first(registry, plugin);
    }
    return status;
}

static int is_called(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    size_t length = strlen(name);
    base += strncmp(base, "lib", 3) == 0 && strncmp(name, "lib", 3) != 0 ? 3 : 0;
    return strncmp(base, name, length) == 0 && strcmp(base + length, ".so") == 0;
}

/* The first file of that name on the search path, for the caller to free; NULL: there is none. */
static int32_t find_called(const sgi_registry *registry, const char *name, char **found, segue_error *error)
{
    *found = NULL;
    for (size_t i = 0; i < registry->search.count && *found == NULL; i++) {
        sgi_place everything = {registry->search.places[i].path, SGI_ANY_LIBRARY};
        char **files;
        int32_t status = sgi_place_files(&everything, &files, error);
        if (status != SEGUE_OK) {
            return status;
        }
        for (size_t j = 0; files[j] != NULL; j++) {
            if (*found == NULL && is_called(files[j], name)) {
                *found = files[j];
            } else {
                free(files[j]);
            }
        }
        free(files);
    }
    return SEGUE_OK;
}

static int32_t load_plugin(sgi_registry *registry, const char *plugin, segue_error *error)
{
    if (strchr(plugin, '/') != NULL) {
        return load_file(registry, plugin, error);
    }
    char *path = NULL;
    int32_t status = find_called(registry, plugin, &path, error);
    if (status == SEGUE_OK && path == NULL) {
        status = sgi_fail(error, SEGUE_E_NAME,
                          "no plugin %.100s: neither lib%.100s.so nor %.100s.so is on the search path", plugin, plugin,
                          plugin);
    }
    status = status == SEGUE_OK ? load_file(registry, path, error) : status;
    free(path);
    return status;
}

int32_t sgi_registry_load(sgi_registry *registry, const char *plugin, segue_error *error)
{
    pthread_mutex_lock(&registry->lock);
    int32_t status = load_plugin(registry, plugin, error);
    pthread_mutex_unlock(&registry->lock);
    return status;
}

/* ---- by name ----------------------------------------------------------------------------------------------------- */

int sgi_registry_is_shadowed(sgi_registry *registry, uint32_t place, const char *name)
{
    for (uint32_t i = 0; i < place; i++) {
        if (sgi_plugin_state(registry->plugins[i]) != SGI_REFUSED && sgi_plugin_offers(registry->plugins[i], name)) {
            return 1;
        }
    }
    return sgi_callbacks_have(&registry->callbacks, name);
}

/* The first of those listed that gives the name; NULL: none does. `refusal` has why the last one would not. */
static sgi_assignor *offered(sgi_registry *registry, const char *name, segue_error *refusal)
{
    for (uint32_t i = 0; i < registry->count; i++) {
        sgi_plugin *plugin = registry->plugins[i];
        if (sgi_plugin_may_offer(plugin, name) && sgi_registry_ready(registry, plugin, refusal) == SEGUE_OK) {
            sgi_assignor *found = sgi_plugin_find(plugin, name);
            if (found != NULL) {
                return found;
            }
        }
    }
    return NULL;
}

static int32_t find(sgi_registry *registry, const char *name, sgi_assignor **assignor, segue_error *error)
{
    char text[512] = "";
    segue_error refusal = {.size = sizeof refusal, .text = text, .text_size = sizeof text};
    *assignor = offered(registry, name, &refusal);
    if (*assignor == NULL && !registry->scanned) {
        int32_t status = sgi_registry_scan(registry, error);
        if (status != SEGUE_OK) {
            return status;
        }
        *assignor = offered(registry, name, &refusal);
    }
    if (*assignor != NULL) {
        return SEGUE_OK;
    }
    return sgi_may_pass(refusal.code) ? sgi_fail(error, refusal.code, "%s", text)
                                      : sgi_registry_miss(registry, name, text, error);
}

int32_t sgi_registry_find(sgi_registry *registry, const char *name, sgi_assignor **assignor, segue_error *error)
{
    pthread_mutex_lock(&registry->lock);
    int32_t status = find(registry, name, assignor, error);
    pthread_mutex_unlock(&registry->lock);
    return status;
}

/* ---- listing ----------------------------------------------------------------------------------------------------- */

/* Filled under the lock: a plugin's row changes when it is loaded. */
int32_t sgi_registry_plugin(sgi_registry *registry, uint32_t index, segue_plugin_row *row, segue_error *error)
{
    pthread_mutex_lock(&registry->lock);
    int32_t status = sgi_registry_scan(registry, error);
    if (status == SEGUE_OK && index < registry->count) {
        const sgi_plugin *plugin = registry->plugins[index];
        *row = !plugin->is_loading
                   ? (segue_plugin_row){sizeof *row, plugin->abi_version, plugin->path, plugin->name, plugin->version}
                   : (segue_plugin_row){sizeof *row, 0, plugin->path, plugin->file_name, plugin->file_version};
    } else if (status == SEGUE_OK) {
        status = sgi_fail(error, SEGUE_E_NAME, "there are %u plugins, no number %u", registry->count, index);
    }
    pthread_mutex_unlock(&registry->lock);
    return status;
}

/* Among the assignors of plugins in front of the first that is not loaded yet, which is *next then; else NULL. */
static sgi_assignor *nth_loaded(sgi_registry *registry, uint32_t index, uint32_t *count, sgi_plugin **next)
{
    *count = 0;
    *next = NULL;
    for (uint32_t i = 0; i < registry->count; i++) {
        sgi_plugin *plugin = registry->plugins[i];
        if (sgi_plugin_state(plugin) == SGI_LISTED) {
            *next = plugin;
            return NULL;
        }
        for (uint32_t j = 0; j < plugin->assignor_count; j++) {
            if (!sgi_registry_is_shadowed(registry, i, plugin->assignors[j].info.name) && (*count)++ == index) {
                return &plugin->assignors[j];
            }
        }
    }
    return NULL;
}

/* The row with that index of all that plugins give, or NULL and how many there are. A plugin that cannot be loaded for now
 * would renumber the others. */
static int32_t nth_assignor(sgi_registry *registry, uint32_t index, sgi_assignor **assignor, uint32_t *count,
                            segue_error *error)
{
    sgi_plugin *next = NULL;
    int32_t status = sgi_registry_scan(registry, error);
    while (status == SEGUE_OK && (*assignor = nth_loaded(registry, index, count, &next)) == NULL && next != NULL) {
        int32_t loaded = sgi_registry_ready(registry, next, NULL);
        status = sgi_may_pass(loaded) ? sgi_plugin_verdict(next, error) : SEGUE_OK;
    }
    return status;
}

int32_t sgi_registry_assignor(sgi_registry *registry, uint32_t index, segue_assignor_row *row, segue_error *error)
{
    uint32_t registered = 0;
    for (; sgi_callbacks_row(&registry->callbacks, registered, row); registered++) {
        if (registered == index) {
            return SEGUE_OK;
        }
    }
    uint32_t count = 0;
    sgi_assignor *assignor = NULL;
    pthread_mutex_lock(&registry->lock);
    int32_t status = nth_assignor(registry, index - registered, &assignor, &count, error);
    if (status == SEGUE_OK && assignor == NULL) {
        const char *refusal = sgi_registry_refusal(registry);
        status = sgi_fail(error, SEGUE_E_NAME, "there are %u assignors, no number %u%s%s", registered + count, index,
                          refusal[0] == '\0' ? "" : "; refused: ", refusal);
    }
    pthread_mutex_unlock(&registry->lock);
    if (status == SEGUE_OK) {
        *row = sgi_assignor_row(assignor);
    }
    return status;
}

/* ---- put aside --------------------------------------------------------------------------------------------------- */

static uint32_t assignors_of(const sgi_plugin *plugin)
{
    return sgi_plugin_state(plugin) == SGI_LOADED ? plugin->assignor_count : 0;
}

int32_t sgi_registry_reinstate(sgi_registry *registry, const char *name, segue_error *error)
{
    uint32_t found = sgi_callbacks_reinstate(&registry->callbacks, name);
    pthread_mutex_lock(&registry->lock);
    for (uint32_t i = 0; i < registry->count; i++) {
        for (uint32_t j = 0; j < assignors_of(registry->plugins[i]); j++) {
            sgi_assignor *assignor = &registry->plugins[i]->assignors[j];
            if (name == NULL || strcmp(assignor->info.name, name) == 0) {
                sgi_health_reinstate(&assignor->health);
                found++;
            }
        }
    }
    pthread_mutex_unlock(&registry->lock);
    return found > 0 || name == NULL
               ? SEGUE_OK
               : sgi_fail(error, SEGUE_E_NAME, "no assignor %.100s was asked here, so there is none to reinstate", name);
}

uint32_t sgi_registry_aside(sgi_registry *registry)
{
    uint32_t aside = sgi_callbacks_aside(&registry->callbacks);
    pthread_mutex_lock(&registry->lock);
    for (uint32_t i = 0; i < registry->count; i++) {
        for (uint32_t j = 0; j < assignors_of(registry->plugins[i]); j++) {
            aside += sgi_health_read(&registry->plugins[i]->assignors[j].health).aside;
        }
    }
    pthread_mutex_unlock(&registry->lock);
    return aside;
}
