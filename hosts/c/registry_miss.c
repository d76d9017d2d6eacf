/* SPDX-License-Identifier: Apache-2.0 */
/* registry_miss.c - why nobody has a name, and which there are. */
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "nearest.h"
#include "registry.h"

/* What does not fit is left out. */
static void add_name(char *text, size_t size, const char *name)
{
    size_t used = strlen(text);
    int wrote = snprintf(text + used, size - used, "%s%s", used == 0 ? "" : ", ", name);
    if (wrote < 0 || (size_t)wrote >= size - used) {
        text[used] = '\0';
    }
}

/* For good, or for now. */
static int is_refused(const sgi_plugin *plugin)
{
    return !plugin->is_loading && plugin->refusal != SEGUE_OK;
}

/* As sgi_plugin_next_name, of what can be had: nothing of a plugin that did not load. */
static const char *next_to_have(const sgi_plugin *plugin, const char *before)
{
    const char *name = is_refused(plugin) ? NULL : sgi_plugin_next_name(plugin, before);
    return name != NULL && strcmp(name, SEGUE_NOTE_ANY_NAME) == 0 ? NULL : name;
}

/* "eager, learner, sticky", as far as it fits. */
static void list_names(sgi_registry *registry, char *text, size_t size)
{
    segue_assignor_row row;
    text[0] = '\0';
    for (uint32_t i = 0; sgi_callbacks_row(&registry->callbacks, i, &row); i++) {
        add_name(text, size, row.name);
    }
    for (uint32_t i = 0; i < registry->count; i++) {
        for (const char *name = NULL; (name = next_to_have(registry->plugins[i], name)) != NULL;) {
            if (!sgi_registry_is_shadowed(registry, i, name)) {
                add_name(text, size, name);
            }
        }
    }
}

enum { KNOWN_NAMES = 64 };

/* The offered name that a misspelt one was probably meant to be, of the first KNOWN_NAMES. */
static const char *nearest_name(const sgi_registry *registry, const char *name)
{
    const char *known[KNOWN_NAMES + 1];
    size_t count = 0;
    for (uint32_t i = 0; i < registry->count; i++) {
        const char *offered = NULL;
        while (count < KNOWN_NAMES && (offered = next_to_have(registry->plugins[i], offered)) != NULL) {
            known[count++] = offered;
        }
    }
    known[count] = NULL;
    return sgi_nearest(name, known);
}

/* Would a plugin have it, had it loaded? */
static int was_refused(const sgi_registry *registry, const char *name)
{
    for (uint32_t i = 0; i < registry->count; i++) {
        if (is_refused(registry->plugins[i]) && sgi_plugin_offers(registry->plugins[i], name)) {
            return 1;
        }
    }
    return 0;
}

/* A program's name is its file's alone: whether there is an assignor behind it is known once it has been started. */
static void start_programs(sgi_registry *registry)
{
    for (uint32_t i = 0; i < registry->count; i++) {
        if (registry->plugins[i]->is_program) {
            (void)sgi_registry_ready(registry, registry->plugins[i], NULL);
        }
    }
}

int32_t sgi_registry_miss(sgi_registry *registry, const char *name, const char *refusal, segue_error *error)
{
    char names[400];
    start_programs(registry);
    list_names(registry, names, sizeof names);
    const char *why = refusal[0] != '\0' ? refusal : sgi_registry_refusal(registry);
    const char *near = nearest_name(registry, name);
    const char *have = names[0] != '\0' ? "there are " : "no plugin was found";
    if (was_refused(registry, name)) {
        return sgi_fail(error, SEGUE_E_NAME, "no assignor %.100s: its plugin is refused: %s%s%s", name, why,
                        names[0] == '\0' ? "" : "; there are ", names);
    }
    return sgi_fail(error, SEGUE_E_NAME, "no assignor %.100s: %s%.64s%s%s%s%s%s", name, near ? "did you mean " : "",
                    near ? near : "", near ? "? " : "", have, names, why[0] == '\0' ? "" : "; refused: ", why);
}
