/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segue-isolate VERSION PLUGIN - the process in which an isolated plugin runs, started by libsegue alone: its standard
 * input is the socket over which isolate_message.h is spoken. It ends when the socket does.
 */
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "error.h"
#include "plugin.h"
#include "serve.h"

enum { USAGE = 64, MUTE = 75 };

/* The plugin, loaded at the first question, whose time and answer that is. */
typedef struct isolated {
    const char *path;
    sgi_plugin *plugin;
} isolated;

/* No core file of a host's data, no new rights by programs that the plugin may start. */
static void drop_rights(void)
{
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static int32_t load(isolated *it, segue_error *error)
{
    int32_t status = it->plugin == NULL ? sgi_plugin_list(it->path, &it->plugin, error) : SEGUE_OK;
    return status == SEGUE_OK ? sgi_plugin_load(it->plugin, NULL, error) : status;
}

static int32_t describe(void *context, sgi_description *description, segue_error *error)
{
    isolated *it = context;
    int32_t status = load(it, error);
    if (status == SEGUE_OK) {
        sgi_describe_plugin(description, it->plugin->name, it->plugin->version,
                            it->plugin->abi_version);
        for (uint32_t i = 0; i < it->plugin->assignor_count; i++) {
            sgi_describe_assignor(description, &it->plugin->assignors[i].info);
        }
    }
    return status;
}

static int32_t assign(void *context, const char *name, const segue_group *group, const segue_config *config,
                      segue_plan *plan, segue_error *error)
{
    isolated *it = context;
    sgi_lease *lease = NULL;
    int32_t status = load(it, error);
    sgi_assignor *assignor = status == SEGUE_OK ? sgi_plugin_find(it->plugin, name) : NULL;
    if (status == SEGUE_OK && assignor == NULL) {
        status = sgi_fail(error, SEGUE_E_NAME, "%s has no assignor %s any more", it->path, name);
    }
    status = status == SEGUE_OK ? sgi_pool_take(&assignor->pool, &lease, error) : status;
    if (status == SEGUE_OK) {
        status = assignor->pool.slots->assign(lease->instance, group, config, plan, error);
        sgi_pool_give(&assignor->pool, lease, status >= 0);
    }
    return status;
}

int main(int count, char *const *arguments)
{
    char text[SGI_ANSWER_TEXT] = "";
    segue_error error = {.size = sizeof error, .text = text, .text_size = sizeof text};
    if (count != 3) {
        fputs("segue-isolate is started by libsegue (segue.isolation=process), and is of no use alone\n", stderr);
        return USAGE;
    }
    if (strcmp(arguments[1], SEGUE_VERSION) != 0) {
        return SGI_OTHER_VERSION;
    }
    isolated it = {arguments[2], NULL};
    const sgi_served served = {&it, describe, assign};
    drop_rights();
    int32_t status = sgi_serve(&served, &error);
    if (status == SEGUE_E_SYSTEM) {
        fprintf(stderr, "segue-isolate: %s\n", text);
    }
    /* Nothing of the plugin's runs any more. */
    _exit(status == SEGUE_OK             ? 0
          : status == SEGUE_E_SYSTEM     ? SGI_NOT_BEGUN
          : status == SEGUE_E_VERSION    ? SGI_OTHER_VERSION
                                         : MUTE);
}
