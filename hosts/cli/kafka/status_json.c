/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "status.h"

/* What the instance itself wrote is passed on whole: newer versions may say more than this program knows. */
static json_t *document_or_null(json_t *document)
{
    return document == NULL ? json_null() : json_incref(document);
}

static json_t *instance_json(const cli_instance *row)
{
    return json_pack("{s:s, s:b, s:b, s:o, s:o}", "instance", row->id, "stale", row->stale, "leaving",
                     row->mark.document != NULL, "mark", document_or_null(row->mark.document), "presence",
                     document_or_null(row->presence.document));
}

void cli_status_json(const cli_fleet *fleet, const cli_group_view *group)
{
    json_t *instances = json_array();
    for (size_t i = 0; i < fleet->count; i++) {
        json_array_append_new(instances, instance_json(&fleet->rows[i]));
    }
    json_t *document = json_pack("{s:s, s:I, s:s, s:{s:s, s:O}, s:o}", "segue", "status/1", "now_ms",
                                 (json_int_t)cli_now_ms(), "application", fleet->application, "group", "state",
                                 group->state, "members", group->members, "instances", instances);
    if (document == NULL || json_dumpf(document, stdout, JSON_INDENT(1)) != 0) {
        cli_complain("the status could not be written as JSON: the application id is not UTF-8, or memory is short");
    }
    fputc('\n', stdout);
    json_decref(document);
}
