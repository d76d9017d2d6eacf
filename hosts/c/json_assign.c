/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "error.h"
#include "host.h"

/* Callers that want no report still get their plan's time: it stands in the document. */
static int32_t plan_document(segue_host *host, const char *assignor, const segue_document *document, char **text,
                             size_t *text_size, segue_report *report, segue_error *error)
{
    const segue_group *group = segue_document_group(document);
    const segue_config *config = segue_document_config(document);
    segue_report own = {.size = sizeof own};
    segue_report *used = report == NULL ? &own : report;
    segue_plan *plan = NULL;
    int32_t status = segue_group_check(group, error);
    if (status == SEGUE_OK) {
        status = sgi_plan_for(group, config, 1, &plan, error);
    }
    if (status == SEGUE_OK) {
        status = sgi_assign_checked(host, assignor, group, config, plan, used, error);
    }
    if (status == SEGUE_OK) {
        uint64_t elapsed_ns = SEGUE_HAS(segue_report, elapsed_ns, used->size) ? used->elapsed_ns : 0;
        status = segue_document_write_plan(document, assignor, plan, elapsed_ns, 0, text, text_size, error);
    }
    segue_plan_free(plan);
    return status;
}

int32_t segue_host_assign_json(segue_host *host, const char *assignor, const char *group, size_t group_size,
                               const char *source, char **plan, size_t *plan_size, segue_report *report,
                               segue_error *error)
{
    if (host == NULL || assignor == NULL || group == NULL || plan == NULL || plan_size == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT,
                        "a plan needs a host, an assignor's name, a group and places for the plan");
    }
    *plan = NULL;
    *plan_size = 0;
    segue_document *document = NULL;
    int32_t status = segue_document_read(group, group_size, source, &document, error);
    if (status == SEGUE_OK) {
        status = plan_document(host, assignor, document, plan, plan_size, report, error);
    }
    segue_document_free(document);
    return status;
}
