/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config_number.h"
#include "error.h"
#include "isolated.h"

/* The next text of the description, or NULL where it ends early. */
static const char *next_text(const char **at, const char *end)
{
    const char *text = *at;
    const char *close = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;
    if (close == NULL || !sgi_is_utf8(text, (size_t)(close - text))) {
        return NULL;
    }
    *at = close + 1;
    return text;
}

static int32_t read_assignor(sgi_plugin *plugin, const char **at, const char *end, segue_error *error)
{
    int64_t traits = -1;
    segue_assignor_info info = {.size = sizeof info};
    info.name = next_text(at, end);
    info.version = info.name == NULL ? NULL : next_text(at, end);
    info.summary = info.version == NULL ? NULL : next_text(at, end);
    const char *number = info.summary == NULL ? NULL : next_text(at, end);
    if (number == NULL || !sgi_read_integer(number, &traits) || traits < 0 || traits > UINT32_MAX) {
        return sgi_fail(error, SEGUE_E_PLUGIN, "%s: its process describes it by something else", plugin->path);
    }
    info.traits = (uint32_t)traits;
    return sgi_plugin_add(plugin, &info, NULL, error);
}

static int32_t read_description(sgi_plugin *plugin, size_t bytes, segue_error *error)
{
    const char *at = plugin->description;
    const char *end = at + bytes;
    const char *name = next_text(&at, end);
    const char *version = name == NULL ? NULL : next_text(&at, end);
    if (version == NULL) {
        return sgi_fail(error, SEGUE_E_PLUGIN, "%s: its process describes it by something else", plugin->path);
    }
    int32_t status = sgi_plugin_room(plugin, error);
    while (status == SEGUE_OK && at < end) {
        status = read_assignor(plugin, &at, end, error);
    }
    plugin->name = name;
    plugin->version = version;
    return status;
}

static int32_t describe(sgi_plugin *plugin, sgi_isolate *isolate, int *sound, segue_error *error)
{
    char text[SGI_ANSWER_TEXT] = "";
    segue_error fault = {.size = sizeof fault, .text = text, .text_size = sizeof text};
    sgi_question question = {.kind = SGI_ASK_DESCRIBE};
    sgi_answer answer;
    int32_t status = sgi_isolate_room(isolate, SGI_DESCRIPTION_MOST, error);
    if (status != SEGUE_OK) {
        return status;
    }
    if (sgi_isolate_ask(isolate, &question, sgi_now_ns() + SGI_LOADING_NS, &answer, &fault) != SGI_ANSWERED) {
        int32_t code = fault.code == SEGUE_E_SYSTEM ? SEGUE_E_SYSTEM : SEGUE_E_PLUGIN;
        return sgi_fail(error, code, "%s: while it was loaded in a process: %s", plugin->path, text);
    }
    *sound = 1;
    if (answer.status < 0) {
        return sgi_fail(error, answer.status, "%s", answer.text);
    }
    if (answer.bytes == 0 || answer.bytes > SGI_DESCRIPTION_MOST) {
        return sgi_fail(error, SEGUE_E_PLUGIN, "%s: its process describes it by something else", plugin->path);
    }
    plugin->description = malloc(answer.bytes);
    if (plugin->description == NULL) {
        return sgi_fail(error, SEGUE_E_MEMORY, "%s: no memory for its assignors", plugin->path);
    }
    memcpy(plugin->description, isolate->shared, answer.bytes);
    plugin->abi_version = (uint32_t)answer.scalars[0];
    return read_description(plugin, answer.bytes, error);
}

/* A program keeps its name, which may be a link to another. */
static char *absolute(const char *path)
{
    char *whole = NULL, *folder = *path == '/' ? NULL : getcwd(NULL, 0);
    int wrote = *path != '/' && folder == NULL ? -1 : asprintf(&whole, "%s%s%s", folder == NULL ? "" : folder,
                                                                folder == NULL ? "" : "/", path);
    free(folder);
    return wrote < 0 ? NULL : whole;
}

/* By that name it was listed. */
static int32_t check_name(const sgi_plugin *plugin, segue_error *error)
{
    const char *served = plugin->assignor_count == 1 ? plugin->assignors[0].info.name : "several assignors";
    return !plugin->is_program || strcmp(served, plugin->file_name) == 0
               ? SEGUE_OK
               : sgi_fail(error, SEGUE_E_PLUGIN, "%s: it serves %s: the file has to be called as its one assignor is",
                          plugin->path, served);
}

int32_t sgi_isolated_load(sgi_plugin *plugin, const sgi_isolation *isolation, segue_error *error)
{
    sgi_isolate *isolate = NULL;
    int sound = 0;
    plugin->whole_path = plugin->is_program ? absolute(plugin->path) : realpath(plugin->path, NULL);
    if (plugin->whole_path == NULL) {
        int32_t code = errno == ENOENT || errno == ENOTDIR ? SEGUE_E_PLUGIN : SEGUE_E_SYSTEM;
        return sgi_fail(error, code, "%s: it is not there any more: %s", plugin->path, strerror(errno));
    }
    plugin->isolates = malloc(sizeof *plugin->isolates);
    if (plugin->isolates == NULL) {
        return sgi_fail(error, SEGUE_E_MEMORY, "%s: no memory for its processes", plugin->path);
    }
    sgi_isolate_pool_init(plugin->isolates, isolation->tally, plugin->is_program ? plugin->whole_path : isolation->program,
                          plugin->is_program ? NULL : plugin->whole_path);
    int32_t status = sgi_isolate_pool_take(plugin->isolates, &isolate, error);
    if (status == SEGUE_OK) {
        status = describe(plugin, isolate, &sound, error);
        status = status == SEGUE_OK ? check_name(plugin, error) : status;
        sgi_isolate_pool_give(plugin->isolates, isolate, sound && status == SEGUE_OK);
    }
    return status;
}
