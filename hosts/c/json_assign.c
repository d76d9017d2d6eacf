/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "error.h"
#include "host.h"

/* What a caller gives and gets. `frame` is NULL where it wants none, and so is `report`. */
typedef struct json_call {
    segue_host *host;
    const char *assignor;
    char **plan;
    size_t *plan_size;
    void **frame;
    size_t *frame_size;
    segue_report *report;
    segue_error *error;
} json_call;

static int32_t tell(const json_call *call, const segue_document *document, const segue_plan *plan,
                    const segue_report *report)
{
    /* A caller's report may be shorter than this version's. */
    segue_report known = {.size = sizeof known};
    sgi_fill(&known, sizeof known, report, report->size);
    int32_t status = segue_document_write_plan(document, call->assignor, plan, known.elapsed_ns, 0, call->plan,
                                               call->plan_size, call->error);
    if (status != SEGUE_OK || call->frame == NULL) {
        return status;
    }
    *call->frame = sgi_record_frame(call->assignor, segue_document_group(document), segue_document_config(document), plan,
                                    &known, call->frame_size);
    if (*call->frame == NULL) {
        segue_free(*call->plan);
        *call->plan = NULL;
        return sgi_fail(call->error, SEGUE_E_MEMORY, "no memory for what was asked and answered");
    }
    return SEGUE_OK;
}

/* Callers that want no report still get their plan's time: it stands in the document. */
static int32_t answer(const json_call *call, const segue_document *document)
{
    const segue_group *group = segue_document_group(document);
    const segue_config *config = segue_document_config(document);
    segue_report own = {.size = sizeof own};
    segue_report *used = call->report == NULL ? &own : call->report;
    segue_plan *plan = NULL;
    int32_t status = segue_group_check(group, call->error);
    if (status == SEGUE_OK) {
        status = sgi_plan_for(group, config, 1, &plan, call->error);
    }
    if (status == SEGUE_OK) {
        status = sgi_assign_checked(call->host, call->assignor, group, config, plan, used, call->error);
    }
    if (status == SEGUE_OK) {
        status = tell(call, document, plan, used);
    }
    segue_plan_free(plan);
    return status;
}

static int32_t assign(const json_call *call, const char *group, size_t group_size, const char *source)
{
    if (call->host == NULL || call->assignor == NULL || group == NULL || call->plan == NULL || call->plan_size == NULL) {
        return sgi_fail(call->error, SEGUE_E_ARGUMENT,
                        "a plan needs a host, an assignor's name, a group and places for the plan");
    }
    *call->plan = NULL;
    *call->plan_size = 0;
    segue_document *document = NULL;
    int32_t status = segue_document_read(group, group_size, source, &document, call->error);
    if (status == SEGUE_OK) {
        status = answer(call, document);
    }
    segue_document_free(document);
    return status;
}

int32_t segue_host_assign_json(segue_host *host, const char *assignor, const char *group, size_t group_size,
                               const char *source, char **plan, size_t *plan_size, segue_report *report,
                               segue_error *error)
{
    json_call call = {host, assignor, plan, plan_size, NULL, NULL, report, error};
    return assign(&call, group, group_size, source);
}

int32_t segue_host_record_json(segue_host *host, const char *assignor, const char *group, size_t group_size,
                               const char *source, char **plan, size_t *plan_size, void **frame, size_t *frame_size,
                               segue_report *report, segue_error *error)
{
    json_call call = {host, assignor, plan, plan_size, frame, frame_size, report, error};
    if (frame == NULL || frame_size == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "a frame needs places for itself and its size");
    }
    *frame = NULL;
    *frame_size = 0;
    return assign(&call, group, group_size, source);
}
