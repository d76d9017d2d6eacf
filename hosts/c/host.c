/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

int32_t segue_host_open(const segue_host_options *options, segue_host **host, segue_error *error)
{
    if (host == NULL || (options != NULL && options->size < sizeof options->size)) {
        return sgi_fail(error, SEGUE_E_ARGUMENT,
                        "opening a host needs a place for it, and options that state their size");
    }
    *host = NULL;
    segue_host_options known = {.size = sizeof known};
    if (options != NULL) {
        memcpy(&known, options, options->size < sizeof known ? options->size : sizeof known);
    }
    segue_host *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return sgi_fail(error, SEGUE_E_MEMORY, "no memory for a host");
    }
    int32_t status = sgi_registry_open(&made->registry, known.plugin_path, known.only_path != 0, error);
    status = status == SEGUE_OK ? sgi_record_open(&made->record, known.record_path, known.record_bytes, error) : status;
    if (status != SEGUE_OK) {
        segue_host_close(made);
        return status;
    }
    *host = made;
    return SEGUE_OK;
}

void segue_host_close(segue_host *host)
{
    if (host != NULL) {
        sgi_registry_close(&host->registry);
        sgi_record_close(&host->record);
        free(host);
    }
}

int32_t segue_host_load(segue_host *host, const char *plugin, segue_error *error)
{
    if (host == NULL || plugin == NULL || *plugin == '\0') {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "loading needs a host and the path or name of a plugin");
    }
    return sgi_registry_load(&host->registry, plugin, error);
}

int32_t segue_host_plugin(segue_host *host, uint32_t index, segue_plugin_row *row, segue_error *error)
{
    if (host == NULL || row == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "listing needs a host and a row");
    }
    segue_plugin_row known;
    int32_t status = sgi_registry_plugin(&host->registry, index, &known, error);
    if (status == SEGUE_OK) {
        sgi_fill(row, row->size, &known, sizeof known);
    }
    return status;
}

int32_t segue_host_assignor(segue_host *host, uint32_t index, segue_assignor_row *row, segue_error *error)
{
    const sgi_assignor *assignor = NULL;
    if (host == NULL || row == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "listing needs a host and a row");
    }
    int32_t status = sgi_registry_assignor(&host->registry, index, &assignor, error);
    if (status == SEGUE_OK) {
        const segue_assignor_info *info = &assignor->info;
        segue_assignor_row known = {sizeof known,  info->traits,  info->name,
                                    info->version, info->summary, assignor->plugin->path};
        sgi_fill(row, row->size, &known, sizeof known);
    }
    return status;
}

const char *segue_version(void)
{
    return SEGUE_VERSION;
}
