/* SPDX-License-Identifier: Apache-2.0 */
#include "record.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "group.h"

static char *quote(const segue_group *group, uint32_t string)
{
    sgi_text text = sgi_string(group, string);
    json_t *value = json_stringn(text.bytes, text.length);
    char *quoted = value == NULL ? NULL : json_dumps(value, JSON_ENCODE_ANY);
    json_decref(value);
    return quoted;
}

static char **quote_all(const segue_group *group, const uint32_t *strings, uint32_t count)
{
    char **all = calloc((size_t)count + 1, sizeof *all);
    for (uint32_t i = 0; all != NULL && i < count; i++) {
        all[i] = quote(group, strings[i]);
        if (all[i] == NULL) {
            return all;
        }
    }
    return all;
}

static int is_whole(char *const *all, uint32_t count)
{
    return all != NULL && (count == 0 || all[count - 1] != NULL);
}

static void write_head(const sim_record *record, const sim_scenario *scenario, const sim_record_about *about)
{
    const segue_group *group = segue_document_group(scenario->group);
    const segue_config *config = segue_document_config(scenario->group);
    FILE *file = record->file;
    json_t *name = json_string(scenario->name);
    char *quoted = name == NULL ? NULL : json_dumps(name, JSON_ENCODE_ANY);
    fprintf(file, "{\"segue\":\"events/1\",\"source\":\"simulation\",\"name\":%s,\"assignor\":\"%s\"",
            quoted == NULL ? "\"\"" : quoted, about->assignor);
    if (about->mode != NULL) {
        fprintf(file, ",\"mode\":\"%s\"", about->mode);
    }
    fprintf(file, ",\"seed\":%" PRIu64, about->seed);
    if (about->seeds > 1) {
        fprintf(file, ",\"seeds\":%" PRId64, about->seeds);
    }
    fprintf(file, ",\"until_us\":%" PRId64 ",\"standbys\":%" PRIu32 ",\"acceptable_bytes\":%.17g,\"tasks\":[",
            scenario->until_us, config->num_standby_replicas,
            (double)config->acceptable_recovery_lag * scenario->cluster.record_bytes);
    for (uint32_t task = 0; task < group->task_count; task++) {
        int64_t bytes = group->task_state_bytes == NULL || !group->task_stateful[task] ? 0 : group->task_state_bytes[task];
        fprintf(record->file, "%s{\"id\":%s,\"stateful\":%s,\"state_bytes\":%" PRId64 "}", task == 0 ? "" : ",",
                record->tasks[task], group->task_stateful[task] ? "true" : "false", bytes > 0 ? bytes : 0);
    }
    fputs("],\"members\":[", record->file);
    for (uint32_t member = 0; member < group->member_count; member++) {
        fprintf(record->file, "%s{\"id\":%s,\"threads\":%" PRIu32 "}", member == 0 ? "" : ",", record->members[member],
                group->member_threads[member]);
    }
    fputs("]}\n", record->file);
    free(quoted);
    json_decref(name);
}

static void write_value(FILE *file, const sim_event *event)
{
    switch (event->kind) {
    case SIM_EVENT_ROLE:
        fprintf(file, ",\"role\":\"%s\",\"lag_bytes\":%.17g", sim_role_word(event->role), event->value);
        break;
    case SIM_EVENT_RESTORED:
        fprintf(file, ",\"bytes\":%.17g", event->value);
        break;
    case SIM_EVENT_READY:
        fprintf(file, ",\"lag_bytes\":%.17g", event->value);
        break;
    case SIM_EVENT_DISK:
        fprintf(file, ",\"bytes_per_s\":%.17g", event->value);
        break;
    case SIM_EVENT_DOWN:
        fprintf(file, ",\"disk\":\"%s\"", event->value != 0 ? "lost" : "kept");
        break;
    case SIM_EVENT_MARK:
        if (event->value >= 0) {
            fprintf(file, ",\"deadline_us\":%.17g", event->value);
        }
        break;
    default:
        break;
    }
}

static void write_rebalance(FILE *file, const sim_event *event)
{
    const sim_rebalance *about = event->rebalance;
    fprintf(file,
            ",\"cause\":\"%s\",\"moves\":%" PRIu32 ",\"min_moves\":%" PRIu32 ",\"learners\":%" PRIu32
            ",\"members\":%" PRIu32 ",\"held_back\":%" PRIu32 ",\"fallback\":%s",
            sim_cause_word((uint32_t)event->value), about->moves, about->least_moves, about->learners, about->members,
            about->held_back, about->fallback ? "true" : "false");
}

/* The sentence as a JSON string, for free(); NULL without memory. */
static char *quote_decision(const sim_rebalance *about, uint32_t row)
{
    size_t length = segue_decision_text(about->group, about->plan, row, NULL, 0);
    char *text = malloc(length + 1);
    if (text == NULL) {
        return NULL;
    }
    segue_decision_text(about->group, about->plan, row, text, length + 1);
    json_t *value = json_stringn(text, length);
    char *quoted = value == NULL ? NULL : json_dumps(value, JSON_ENCODE_ANY);
    json_decref(value);
    free(text);
    return quoted;
}

/* What waits for a slot is said to wait in every plan: once is enough. */
static int is_repeated(const sim_record *record, const sim_rebalance *about, uint32_t row)
{
    const segue_plan *plan = about->plan;
    uint32_t from = plan->decision_from[row];
    uint32_t to = plan->decision_to[row];
    sim_said said = {.kind = plan->decision_kind[row], .reason = plan->decision_reason[row],
                     .from = from == SEGUE_NONE ? SEGUE_NONE : about->member_of[from],
                     .to = to == SEGUE_NONE ? SEGUE_NONE : about->member_of[to]};
    sim_said *before = &record->said[plan->decision_task[row]];
    int is_same = memcmp(before, &said, sizeof said) == 0;
    *before = said;
    return is_same;
}

static void write_decision(const sim_record *record, const sim_event *event, uint32_t row)
{
    const sim_rebalance *about = event->rebalance;
    const segue_plan *plan = about->plan;
    if (is_repeated(record, about, row)) {
        return;
    }
    char *text = quote_decision(about, row);
    fprintf(record->file, "{\"at_us\":%" PRId64 ",\"event\":\"decision\",\"task\":%s", event->at_us,
            record->tasks[plan->decision_task[row]]);
    if (plan->decision_from[row] != SEGUE_NONE) {
        fprintf(record->file, ",\"from\":%s", record->members[about->member_of[plan->decision_from[row]]]);
    }
    if (plan->decision_to[row] != SEGUE_NONE) {
        fprintf(record->file, ",\"to\":%s", record->members[about->member_of[plan->decision_to[row]]]);
    }
    fprintf(record->file, ",\"kind\":\"%s\",\"reason\":\"%s\",\"text\":%s}\n", segue_kind_word(plan->decision_kind[row]),
            segue_reason_word(plan->decision_reason[row]), text == NULL ? "\"\"" : text);
    free(text);
}

static void tell(void *self, const sim_event *event)
{
    const sim_record *record = self;
    fprintf(record->file, "{\"at_us\":%" PRId64 ",\"event\":\"%s\"", event->at_us, sim_event_word(event->kind));
    if (event->task != SEGUE_NONE) {
        fprintf(record->file, ",\"task\":%s", record->tasks[event->task]);
    }
    if (event->member != SEGUE_NONE) {
        fprintf(record->file, ",\"member\":%s", record->members[event->member]);
    }
    if (event->kind == SIM_EVENT_REBALANCE) {
        write_rebalance(record->file, event);
    } else {
        write_value(record->file, event);
    }
    fputs("}\n", record->file);
    for (uint32_t row = 0; event->kind == SIM_EVENT_REBALANCE && row < event->rebalance->plan->decision_count; row++) {
        write_decision(record, event, row);
    }
}

int sim_record_open(sim_record *record, FILE *file, const sim_scenario *scenario, const sim_record_about *about)
{
    const segue_group *group = segue_document_group(scenario->group);
    *record = (sim_record){.file = file, .task_count = group->task_count, .member_count = group->member_count};
    record->listener = (sim_listener){.tell = tell, .self = record};
    record->tasks = quote_all(group, group->task_name, group->task_count);
    record->members = quote_all(group, group->member_name, group->member_count);
    record->said = calloc((size_t)group->task_count + 1, sizeof *record->said);
    if (record->said == NULL || !is_whole(record->tasks, group->task_count) || !is_whole(record->members, group->member_count)) {
        return -1;
    }
    write_head(record, scenario, about);
    return 0;
}

void sim_record_close(sim_record *record)
{
    for (uint32_t i = 0; record->tasks != NULL && i < record->task_count; i++) {
        free(record->tasks[i]);
    }
    for (uint32_t i = 0; record->members != NULL && i < record->member_count; i++) {
        free(record->members[i]);
    }
    free(record->said);
    free(record->tasks);
    free(record->members);
    *record = (sim_record){0};
}
