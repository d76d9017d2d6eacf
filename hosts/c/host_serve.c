/* SPDX-License-Identifier: Apache-2.0 */
/* host_serve.c - this process as the program of an assignor that is registered in it. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "host.h"
#include "isolate_spawn.h"
#include "program_note.h"
#include "serve.h"

static int32_t describe(void *context, sgi_description *description, segue_error *error)
{
    const sgi_callback *callback = context;
    const segue_assignor_info *info = &callback->assignor.info;
    (void)error;
    sgi_describe_plugin(description, info->name, info->version, SEGUE_ABI_VERSION);
    sgi_describe_assignor(description, info);
    return SEGUE_OK;
}

static int32_t assign(void *context, const char *name, const segue_group *group, const segue_config *config,
                      segue_plan *plan, segue_error *error)
{
    const sgi_callback *callback = context;
    (void)name;
    return callback->given.assign(callback->given.context, group, config, plan, error);
}

/* Did libsegue start this program, and one that speaks as this one does? */
static int32_t check_start(const char *assignor, segue_error *error)
{
    const char *version = secure_getenv(SGI_SERVE_VARIABLE);
    if (version == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT,
                        "this program is an assignor, and libsegue starts it: put it on the plugin path as "
                        "%.64s" SGI_PROGRAM_SUFFIX,
                        assignor);
    }
    return strcmp(version, SEGUE_VERSION) == 0
               ? SEGUE_OK
               : sgi_fail(error, SEGUE_E_VERSION, "libsegue %.20s has started it, and it is made with " SEGUE_VERSION, version);
}

int32_t segue_host_serve(segue_host *host, const char *assignor, segue_error *error)
{
    if (host == NULL || assignor == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "serving needs a host and the name of an assignor that is registered there");
    }
    int32_t status = check_start(assignor, error);
    sgi_callback *callback = status == SEGUE_OK ? sgi_callbacks_take(&host->registry.callbacks, assignor) : NULL;
    if (status == SEGUE_OK && callback == NULL) {
        status = sgi_fail(error, SEGUE_E_NAME, "no assignor %.100s is registered", assignor);
    }
    if (callback != NULL) {
        const sgi_served served = {callback, describe, assign};
        status = sgi_serve(&served, error);
        sgi_callbacks_give(&host->registry.callbacks, callback);
    }
    return status;
}
