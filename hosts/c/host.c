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
    int32_t status = sgi_isolation_open(&made->isolation, &known, error);
    if (status != SEGUE_OK) {
        sgi_isolation_close(&made->isolation);
        free(made);
        return status;
    }
    status = sgi_registry_open(&made->registry, known.plugin_path, known.only_path != 0, &made->isolation, error);
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
        sgi_isolation_close(&host->isolation);
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

int32_t segue_host_register(segue_host *host, const segue_callback *callback, segue_error *error)
{
    if (host == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "registering needs a host");
    }
    return sgi_callbacks_add(&host->registry.callbacks, callback, error);
}

int32_t segue_host_unregister(segue_host *host, const char *name, segue_error *error)
{
    if (host == NULL || name == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "unregistering needs a host and the name of an assignor");
    }
    return sgi_callbacks_remove(&host->registry.callbacks, name, error);
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
    if (host == NULL || row == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "listing needs a host and a row");
    }
    segue_assignor_row known;
    int32_t status = sgi_registry_assignor(&host->registry, index, &known, error);
    if (status == SEGUE_OK) {
        sgi_fill(row, row->size, &known, sizeof known);
    }
    return status;
}

int32_t segue_host_reinstate(segue_host *host, const char *assignor, segue_error *error)
{
    return host == NULL ? sgi_fail(error, SEGUE_E_ARGUMENT, "reinstating needs a host")
                        : sgi_registry_reinstate(&host->registry, assignor, error);
}

int32_t segue_host_metrics(segue_host *host, segue_metrics *metrics, segue_error *error)
{
    if (host == NULL || metrics == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "counting needs a host and a place for the counts");
    }
    sgi_tally *tally = host->isolation.tally;
    segue_metrics known = {.size = sizeof known,
                           .aside = sgi_registry_aside(&host->registry),
                           .errors = atomic_load(&tally->ends[SGI_FAULT]),
                           .refused = atomic_load(&tally->ends[SGI_BAD_PLAN]),
                           .late = atomic_load(&tally->ends[SGI_LATE]),
                           .died = atomic_load(&tally->ends[SGI_DIED]),
                           .unstarted = atomic_load(&tally->ends[SGI_UNSTARTED]),
                           .passed_over = atomic_load(&tally->ends[SGI_PASSED_OVER]),
                           .started = atomic_load(&tally->started),
                           .processes = atomic_load(&tally->processes),
                           .threads = atomic_load(&tally->threads)};
    known.fallbacks =
        known.errors + known.refused + known.late + known.died + known.unstarted + known.passed_over;
    known.plans = known.fallbacks + atomic_load(&tally->ends[SGI_ANSWERED]);
    sgi_fill(metrics, metrics->size, &known, sizeof known);
    return SEGUE_OK;
}

const char *segue_version(void)
{
    return SEGUE_VERSION;
}
