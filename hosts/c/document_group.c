/* SPDX-License-Identifier: Apache-2.0 */
/* Columns as a group document: the way back from what a host has recorded or sent. */
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "document_text.h"
#include "error.h"
#include "known.h"
#include "segue/host.h"

enum { INDENT_MOST = 8, INPUTS_MOST = 16777216 };

typedef struct group_writer {
    const segue_group *group;
    sgi_json text;
    char line[INDENT_MOST + 2]; /* what separates two rows */
} group_writer;

static void add(group_writer *it, const char *literal)
{
    sgi_json_add(&it->text, literal);
}

static void add_name(group_writer *it, uint32_t string)
{
    const segue_group *g = it->group;
    sgi_json_add_string(&it->text, g->string_bytes == NULL ? "" : g->string_bytes + g->string_offset[string],
                        g->string_offset[string + 1] - g->string_offset[string]);
}

static void add_number(group_writer *it, const char *key, int64_t number)
{
    add(it, key);
    sgi_json_add_whole(&it->text, number);
}

static void begin_row(group_writer *it, uint32_t row)
{
    add(it, row == 0 ? "" : ",");
    add(it, it->line);
    add(it, it->line[0] == '\n' ? it->line + 1 : "");
}

/* ---- configuration ----------------------------------------------------------------------------------------------- */

static void begin_key(group_writer *it, const char *key, int *rows)
{
    add(it, (*rows)++ == 0 ? "" : ", ");
    sgi_json_add_string(&it->text, key, strlen(key));
    add(it, ": ");
}

static void add_tags(group_writer *it, int *rows)
{
    for (uint32_t tag = 0; tag < it->group->tag_count; tag++) {
        if (tag == 0) {
            begin_key(it, "rack.aware.assignment.tags", rows);
            add(it, "[");
        }
        add(it, tag == 0 ? "" : ", ");
        add_name(it, it->group->tag_name[tag]);
        add(it, tag + 1 == it->group->tag_count ? "]" : "");
    }
}

/* Words are texts, unless they are those of a flag. */
static void add_value(group_writer *it, const char *key, const char *text)
{
    const char *const *words = sgi_config_words(key);
    if (words == NULL || strcmp(words[1], "true") == 0) {
        add(it, text);
    } else {
        sgi_json_add_string(&it->text, text, strlen(text));
    }
}

static void add_config(group_writer *it, const segue_config *config)
{
    const char *key;
    char text[32];
    int rows = 0;
    add(it, "{");
    for (uint32_t at = 0; sgi_config_next(config, &at, &key, text, sizeof text);) {
        begin_key(it, key, &rows);
        add_value(it, key, text);
    }
    add_tags(it, &rows);
    add(it, "}");
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

/* A document names partitions and the racks of each; columns know only how many partitions have a replica in a rack. One
 * input is written for each, and a rack stands at the first of them that it counts. */
static void add_inputs(group_writer *it, uint32_t task)
{
    const segue_group *g = it->group;
    if (g->task_inputs == NULL) {
        return;
    }
    add(it, ", \"partitions\": [");
    for (uint32_t input = 0; input < g->task_inputs[task]; input++) {
        add_number(it, input == 0 ? "{\"topic\": \"input\", \"partition\": " : ", {\"topic\": \"input\", \"partition\": ",
                   input);
        int rows = 0;
        for (uint32_t i = g->task_rack_start[task]; i < g->task_rack_start[task + 1]; i++) {
            if (input < g->task_rack_inputs[i]) {
                add(it, rows++ == 0 ? ", \"racks\": [" : ", ");
                add_name(it, g->rack_name[g->task_rack[i]]);
            }
        }
        add(it, rows > 0 ? "]}" : "}");
    }
    add(it, "]");
}

static void add_task(group_writer *it, uint32_t task)
{
    const segue_group *g = it->group;
    begin_row(it, task);
    add(it, "{\"id\": ");
    add_name(it, g->task_name[task]);
    add(it, g->task_stateful[task] ? "" : ", \"stateful\": false");
    if (g->task_weight != NULL) {
        add(it, ", \"weight\": ");
        sgi_json_add_exact(&it->text, g->task_weight[task]);
    }
    if (g->task_state_bytes != NULL && g->task_state_bytes[task] != SEGUE_BYTES_UNKNOWN) {
        add_number(it, ", \"state_bytes\": ", g->task_state_bytes[task]);
    }
    add_inputs(it, task);
    add(it, "}");
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

static void add_role(group_writer *it, uint32_t member, uint8_t role, const char *key)
{
    const segue_group *g = it->group;
    int rows = 0;
    for (uint32_t row = g->copy_start[member]; row < g->copy_start[member + 1]; row++) {
        if (g->copy_role[row] == role) {
            add(it, rows++ == 0 ? key : ", ");
            add_name(it, g->task_name[g->copy_task[row]]);
        }
    }
    add(it, rows > 0 ? "]" : "");
}

/* What goes without saying is not said: an owner that is caught up, a standby or learner that cannot tell. */
static int goes_without_saying(const segue_group *g, uint32_t row)
{
    uint8_t role = g->copy_role[row];
    return g->copy_lag == NULL ? role != SEGUE_DORMANT
                               : (role == SEGUE_ACTIVE && g->copy_lag[row] == 0) ||
                                     (role != SEGUE_ACTIVE && role != SEGUE_DORMANT &&
                                      g->copy_lag[row] == SEGUE_LAG_UNKNOWN);
}

static void add_lags(group_writer *it, uint32_t member)
{
    const segue_group *g = it->group;
    int rows = 0;
    for (uint32_t row = g->copy_start[member]; row < g->copy_start[member + 1]; row++) {
        if (goes_without_saying(g, row)) {
            continue;
        }
        add(it, rows++ == 0 ? ", \"lag\": {" : ", ");
        add_name(it, g->task_name[g->copy_task[row]]);
        if (g->copy_lag == NULL || g->copy_lag[row] == SEGUE_LAG_UNKNOWN) {
            add(it, ": null");
        } else {
            add_number(it, ": ", g->copy_lag[row]);
        }
    }
    add(it, rows > 0 ? "}" : "");
}

static void add_mark(group_writer *it, uint32_t member)
{
    const segue_group *g = it->group;
    if (g->member_leaving_ms == NULL || g->member_leaving_ms[member] == SEGUE_TIME_NONE) {
        return;
    }
    add_number(it, ", \"leaving\": {\"since_ms\": ", g->member_leaving_ms[member]);
    if (g->member_deadline_ms != NULL && g->member_deadline_ms[member] != SEGUE_TIME_NONE) {
        add_number(it, ", \"deadline_ms\": ", g->member_deadline_ms[member]);
    }
    add(it, "}");
}

static void add_place(group_writer *it, uint32_t member)
{
    const segue_group *g = it->group;
    int rows = 0;
    if (g->member_rack != NULL && g->member_rack[member] != SEGUE_NONE) {
        add(it, ", \"rack\": ");
        add_name(it, g->rack_name[g->member_rack[member]]);
    }
    for (uint32_t tag = 0; tag < g->tag_count; tag++) {
        uint32_t value = g->member_tag[(size_t)tag * g->member_count + member];
        if (value != SEGUE_NONE) {
            add(it, rows++ == 0 ? ", \"tags\": {" : ", ");
            add_name(it, g->tag_name[tag]);
            add(it, ": ");
            add_name(it, value);
        }
    }
    add(it, rows > 0 ? "}" : "");
}

static void add_member(group_writer *it, uint32_t member)
{
    const segue_group *g = it->group;
    begin_row(it, member);
    add(it, "{\"id\": ");
    add_name(it, g->member_name[member]);
    add(it, ", \"process\": ");
    add_name(it, g->process_name[g->member_process[member]]);
    add_number(it, ", \"threads\": ", g->member_threads[member]);
    add_place(it, member);
    add_role(it, member, SEGUE_ACTIVE, ", \"active\": [");
    add_role(it, member, SEGUE_STANDBY, ", \"standby\": [");
    add_role(it, member, SEGUE_LEARNER, ", \"learner\": [");
    add_lags(it, member);
    add_mark(it, member);
    add(it, "}");
}

static void write_group(group_writer *it, const segue_config *config)
{
    add(it, "{");
    add(it, it->line);
    add(it, "\"segue\": \"group/1\",");
    add(it, it->line);
    add_number(it, "\"now_ms\": ", it->group->now_ms);
    add(it, ",");
    add(it, it->line);
    add(it, "\"config\": ");
    add_config(it, config);
    add(it, ",");
    add(it, it->line);
    add(it, "\"tasks\": [");
    for (uint32_t task = 0; task < it->group->task_count; task++) {
        add_task(it, task);
    }
    add(it, "],");
    add(it, it->line);
    add(it, "\"members\": [");
    for (uint32_t member = 0; member < it->group->member_count; member++) {
        add_member(it, member);
    }
    add(it, it->line[0] == '\n' ? "]\n}" : "]}");
}

/* Columns count input partitions, a document writes each: what is no real group would be a text without end. */
static int has_writable_inputs(const segue_group *g)
{
    uint64_t inputs = 0;
    for (uint32_t task = 0; g->task_inputs != NULL && task < g->task_count; task++) {
        inputs += g->task_inputs[task];
    }
    return inputs <= INPUTS_MOST;
}

int32_t segue_document_write_group(const segue_group *group, const segue_config *config, uint32_t indent, char **text,
                                   size_t *size, segue_error *error)
{
    segue_group group_room;
    segue_config config_room;
    group = sgi_known_group(group, &group_room);
    config = sgi_known_config(config, &config_room);
    if (group == NULL || config == NULL || text == NULL || size == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "segue_document_write_group: a pointer is missing, or a record too small");
    }
    *text = NULL;
    *size = 0;
    int32_t status = sgi_config_check(config, error);
    status = status == SEGUE_OK ? segue_group_check(group, error) : status;
    if (status != SEGUE_OK) {
        return status;
    }
    if (!has_writable_inputs(group)) {
        return sgi_fail(error, SEGUE_E_GROUP, "task_inputs names more than %d input partitions, too many for a document",
                        INPUTS_MOST);
    }
    group_writer it = {.group = group};
    uint32_t spaces = indent < INDENT_MOST ? indent : INDENT_MOST;
    memset(it.line, ' ', spaces + 1);
    it.line[0] = spaces > 0 ? '\n' : '\0';
    write_group(&it, config);
    *text = sgi_json_take(&it.text, size);
    return *text != NULL ? SEGUE_OK : sgi_fail(error, SEGUE_E_MEMORY, "no memory is left to write the group");
}
