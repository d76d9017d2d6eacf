/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "status.h"

/* What the instance itself wrote is passed on whole: newer versions may say more than this program knows. */
static json_t *document_or_null(json_t *document)
{
    return document == NULL ? json_null() : json_incref(document);
}

static void add_text(json_t *object, const char *key, const char *text)
{
    if (text[0] != '\0') {
        json_object_set_new(object, key, json_string(text));
    }
}

static void add_number(json_t *object, const char *key, int64_t number)
{
    if (number >= 0) {
        json_object_set_new(object, key, json_integer(number));
    }
}

/* By the names that the document has; what it does not say, or not well, is left out. */
static json_t *led_json(const cli_led *led)
{
    json_t *out = json_object();
    add_number(out, "at_ms", led->at_ms);
    add_text(out, "assignor", led->assignor);
    add_text(out, "plugin", led->plugin);
    add_text(out, "plugin_version", led->plugin_version);
    add_text(out, "fault", led->fault);
    add_number(out, "tasks", led->tasks);
    add_number(out, "members", led->members);
    add_number(out, "moves", led->moves);
    add_number(out, "min_moves", led->min_moves);
    add_number(out, "learners", led->learners);
    add_number(out, "followup_ms", led->followup_ms);
    add_text(out, "followup", led->followup);
    return out;
}

static json_t *leader_json(const cli_fleet *fleet)
{
    const cli_instance *leader = cli_fleet_leader(fleet);
    return leader == NULL
               ? json_null()
               : json_pack("{s:s, s:s, s:o}", "instance", leader->id, "client_id", leader->presence.client_id, "led",
                           led_json(&leader->presence.led));
}

static json_t *text_or_null(const char *text)
{
    return text == NULL || text[0] == '\0' ? json_null() : json_string(text);
}

static json_t *instance_json(const cli_instance *row)
{
    return json_pack("{s:s, s:b, s:b, s:o, s:o, s:o, s:o}", "instance", row->id, "stale", row->stale, "leaving",
                     row->mark.document != NULL, "configured", text_or_null(row->presence.configured), "swap_refused",
                     text_or_null(row->presence.swap_refused), "mark", document_or_null(row->mark.document), "presence",
                     document_or_null(row->presence.document));
}

void cli_status_json(const cli_fleet *fleet, const cli_group_view *group)
{
    json_t *instances = json_array();
    for (size_t i = 0; i < fleet->count; i++) {
        json_array_append_new(instances, instance_json(&fleet->rows[i]));
    }
    json_t *document =
        json_pack("{s:s, s:I, s:s, s:{s:s, s:O}, s:o, s:o, s:o}", "segue", "status/1", "now_ms",
                  (json_int_t)cli_now_ms(), "application", fleet->application, "group", "state", group->state,
                  "members", group->members, "swap", document_or_null(fleet->wish.document), "leader",
                  leader_json(fleet), "instances", instances);
    /* In ASCII: a terminal cannot be steered by what others wrote. */
    if (document == NULL || json_dumpf(document, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII) != 0) {
        cli_complain("the status could not be written as JSON: the application id is not UTF-8, or memory is short");
    }
    fputc('\n', stdout);
    json_decref(document);
}
