/* SPDX-License-Identifier: Apache-2.0 */
/* The plan document: members in the order of the group document, tasks in canonical order. */
#include <stdlib.h>
#include <string.h>

#include "document_reader.h"
#include "document_text.h"
#include "error.h"
#include "known.h"

enum { DECISION_TEXT = 512, INDENT_MOST = 8 };

typedef enum list_role { LIST_ACTIVE, LIST_STANDBY, LIST_LEARNER, LIST_ROLES } list_role;

/* By member: its tasks in one role. */
typedef struct task_lists {
    uint32_t *start;
    uint32_t *task;
} task_lists;

typedef struct plan_writer {
    const segue_document *document;
    const segue_plan *plan;
    sgi_json text;
    sgi_region region;
    task_lists lists[LIST_ROLES];
    char line[INDENT_MOST + 2]; /* what separates two rows */
} plan_writer;

/* The members that hold a task in a role. */
static uint32_t holders(const segue_plan *plan, list_role role, uint32_t task, const uint32_t **member)
{
    if (role == LIST_STANDBY) {
        *member = plan->standby_member + plan->standby_start[task];
        return plan->standby_start[task + 1] - plan->standby_start[task];
    }
    *member = (role == LIST_ACTIVE ? plan->active : plan->learner) + task;
    return **member == SEGUE_NONE ? 0 : 1;
}

/* Handles and counts that point outside would be read as addresses: a plan from anywhere is looked at first. */
static int holders_fit(const segue_group *group, const segue_plan *plan, list_role role, uint32_t task)
{
    const uint32_t *member = NULL;
    if (role == LIST_STANDBY && (plan->standby_start[task] > plan->standby_start[task + 1] ||
                                 plan->standby_start[task + 1] > plan->standby_count)) {
        return 0;
    }
    uint32_t count = holders(plan, role, task, &member);
    for (uint32_t i = 0; i < count; i++) {
        if (member[i] >= group->member_count) {
            return 0;
        }
    }
    return 1;
}

static int plan_fits(const segue_group *group, const segue_plan *plan)
{
    if (plan->task_count != group->task_count || plan->standby_count > plan->standby_capacity ||
        plan->decision_count > plan->decision_capacity) {
        return 0;
    }
    for (uint32_t task = 0; task < group->task_count; task++) {
        for (int role = 0; role < LIST_ROLES; role++) {
            if (!holders_fit(group, plan, (list_role)role, task)) {
                return 0;
            }
        }
    }
    return 1;
}

/* Counts, sums up, fills: rows come out by task because tasks are walked in order. */
static int make_lists(plan_writer *writer, list_role role)
{
    const segue_group *group = &writer->document->group;
    task_lists *lists = &writer->lists[role];
    const uint32_t *member = NULL;
    lists->start = sgi_region_take(&writer->region, (size_t)group->member_count + 2, sizeof *lists->start);
    if (lists->start == NULL) {
        return -1;
    }
    uint32_t *fill = lists->start + 1;
    for (uint32_t task = 0; task < group->task_count; task++) {
        for (uint32_t n = holders(writer->plan, role, task, &member); n > 0; n--) {
            fill[*member++ + 1]++;
        }
    }
    for (uint32_t i = 0; i < group->member_count; i++) {
        fill[i + 1] += fill[i];
    }
    lists->task = sgi_region_take(&writer->region, fill[group->member_count], sizeof *lists->task);
    if (lists->task == NULL) {
        return -1;
    }
    for (uint32_t task = 0; task < group->task_count; task++) {
        for (uint32_t n = holders(writer->plan, role, task, &member); n > 0; n--) {
            lists->task[fill[*member++]++] = task;
        }
    }
    return 0;
}

static void write_name(plan_writer *writer, uint32_t string)
{
    const segue_group *group = &writer->document->group;
    uint32_t begin = group->string_offset[string];
    sgi_json_add_string(&writer->text, group->string_bytes + begin, group->string_offset[string + 1] - begin);
}

static void write_list(plan_writer *writer, const char *key, list_role role, uint32_t member)
{
    const task_lists *lists = &writer->lists[role];
    sgi_json_add(&writer->text, key);
    for (uint32_t i = lists->start[member]; i < lists->start[member + 1]; i++) {
        sgi_json_add(&writer->text, i == lists->start[member] ? "" : ", ");
        write_name(writer, writer->document->group.task_name[lists->task[i]]);
    }
    sgi_json_add(&writer->text, "]");
}

/* The lines of one array. */
static void begin_row(plan_writer *writer, int first)
{
    sgi_json_add(&writer->text, first ? "" : ",");
    sgi_json_add(&writer->text, writer->line);
    sgi_json_add(&writer->text, writer->line[0] == '\n' ? writer->line + 1 : "");
}

static void write_members(plan_writer *writer)
{
    const segue_group *group = &writer->document->group;
    for (uint32_t i = 0; i < group->member_count; i++) {
        uint32_t member = writer->document->member_order[i];
        begin_row(writer, i == 0);
        sgi_json_add(&writer->text, "{\"id\": ");
        write_name(writer, group->member_name[member]);
        write_list(writer, ", \"active\": [", LIST_ACTIVE, member);
        write_list(writer, ", \"standby\": [", LIST_STANDBY, member);
        write_list(writer, ", \"learner\": [", LIST_LEARNER, member);
        sgi_json_add(&writer->text, "}");
    }
}

static void write_handle(plan_writer *writer, const uint32_t *names, uint32_t count, uint32_t handle)
{
    if (handle >= count) {
        sgi_json_add(&writer->text, "null");
    } else {
        write_name(writer, names[handle]);
    }
}

static void write_word(plan_writer *writer, const char *key, const char *word)
{
    sgi_json_add(&writer->text, key);
    sgi_json_add_string(&writer->text, word, strlen(word));
}

static void write_sentence(plan_writer *writer, uint32_t row)
{
    char text[DECISION_TEXT];
    segue_decision_text(&writer->document->group, writer->plan, row, text, sizeof text);
    write_word(writer, ", \"text\": ", text);
}

static void write_decision(plan_writer *writer, uint32_t row)
{
    const segue_group *group = &writer->document->group;
    const segue_plan *plan = writer->plan;
    sgi_json_add(&writer->text, "{\"task\": ");
    write_handle(writer, group->task_name, group->task_count, plan->decision_task[row]);
    write_word(writer, ", \"kind\": ", segue_kind_word(plan->decision_kind[row]));
    sgi_json_add(&writer->text, ", \"from\": ");
    write_handle(writer, group->member_name, group->member_count, plan->decision_from[row]);
    sgi_json_add(&writer->text, ", \"to\": ");
    write_handle(writer, group->member_name, group->member_count, plan->decision_to[row]);
    write_word(writer, ", \"reason\": ", segue_reason_word(plan->decision_reason[row]));
    write_sentence(writer, row);
    sgi_json_add(&writer->text, "}");
}

static void write_whole(plan_writer *writer, const char *key, int64_t number)
{
    sgi_json_add(&writer->text, key);
    sgi_json_add_whole(&writer->text, number);
}

static void write_real(plan_writer *writer, const char *key, double number)
{
    sgi_json_add(&writer->text, key);
    sgi_json_add_real(&writer->text, number);
}

static void write_followup(plan_writer *writer)
{
    const segue_plan *plan = writer->plan;
    sgi_json_add(&writer->text, plan->followup_needed ? "{\"needed\": true" : "{\"needed\": false");
    if (plan->followup_at_ms == SEGUE_TIME_NONE) {
        sgi_json_add(&writer->text, ", \"at_ms\": null");
    } else {
        write_whole(writer, ", \"at_ms\": ", plan->followup_at_ms);
    }
    write_word(writer, ", \"reason\": ", segue_followup_word(plan->followup_reason));
    sgi_json_add(&writer->text, "}");
}

static void write_stats(plan_writer *writer, uint64_t elapsed_ns)
{
    const segue_plan *plan = writer->plan;
    write_whole(writer, "{\"moves\": ", plan->moves);
    write_whole(writer, ", \"min_moves\": ", plan->min_moves);
    write_whole(writer, ", \"learners\": ", plan->learners);
    write_whole(writer, ", \"extra_moves\": ", plan->extra_moves);
    write_whole(writer, ", \"held_back\": ", plan->held_back);
    write_real(writer, ", \"spread\": ", plan->spread);
    write_real(writer, ", \"imbalance\": ", plan->imbalance);
    write_real(writer, ", \"min_imbalance\": ", plan->min_imbalance);
    write_whole(writer, ", \"traffic\": ", plan->traffic);
    write_whole(writer, ", \"min_traffic\": ", plan->min_traffic);
    sgi_json_add(&writer->text, plan->optimal ? ", \"optimal\": true" : ", \"optimal\": false");
    write_whole(writer, ", \"elapsed_us\": ", (int64_t)(elapsed_ns / 1000));
    write_whole(writer, ".", (int64_t)(elapsed_ns % 1000 / 100));
    sgi_json_add(&writer->text, "}");
}

static void begin_key(plan_writer *writer, const char *key)
{
    sgi_json_add(&writer->text, writer->line);
    sgi_json_add(&writer->text, key);
}

/* An end bracket stands under its key, but an empty array stays on the line. */
static void end_array(plan_writer *writer, uint32_t rows)
{
    sgi_json_add(&writer->text, rows > 0 ? writer->line : "");
    sgi_json_add(&writer->text, "],");
}

static void write_plan(plan_writer *writer, const char *assignor, uint64_t elapsed_ns)
{
    sgi_json_add(&writer->text, "{");
    begin_key(writer, "\"segue\": \"plan/1\",");
    begin_key(writer, "\"assignor\": ");
    sgi_json_add_string(&writer->text, assignor, strlen(assignor));
    sgi_json_add(&writer->text, ",");
    begin_key(writer, "\"members\": [");
    write_members(writer);
    end_array(writer, writer->document->group.member_count);
    begin_key(writer, "\"followup\": ");
    write_followup(writer);
    sgi_json_add(&writer->text, ",");
    begin_key(writer, "\"decisions\": [");
    for (uint32_t row = 0; row < writer->plan->decision_count; row++) {
        begin_row(writer, row == 0);
        write_decision(writer, row);
    }
    end_array(writer, writer->plan->decision_count);
    begin_key(writer, "\"stats\": ");
    write_stats(writer, elapsed_ns);
    sgi_json_add(&writer->text, writer->line[0] == '\n' ? "\n}" : "}");
}

static void set_indent(plan_writer *writer, uint32_t indent)
{
    uint32_t spaces = indent < INDENT_MOST ? indent : INDENT_MOST;
    memset(writer->line, ' ', spaces + 1);
    writer->line[0] = spaces > 0 ? '\n' : '\0';
    writer->line[spaces + 1] = '\0';
}

int32_t segue_document_write_plan(const segue_document *document, const char *assignor, const segue_plan *plan,
                                  uint64_t elapsed_ns, uint32_t indent, char **text, size_t *size, segue_error *error)
{
    segue_plan plan_room;
    plan = sgi_known_plan(plan, &plan_room);
    if (document == NULL || assignor == NULL || plan == NULL || text == NULL || size == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "segue_document_write_plan: a pointer is missing, or a record too small");
    }
    *text = NULL;
    *size = 0;
    if (!sgi_is_utf8(assignor, strlen(assignor))) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "the assignor's name is not UTF-8");
    }
    if (!plan_fits(&document->group, plan)) {
        return sgi_fail(error, SEGUE_E_PLAN, "the plan is not one for this group: a task or member lies outside of it");
    }
    plan_writer writer = {.document = document, .plan = plan};
    int missing = 0;
    for (int role = 0; role < LIST_ROLES && !missing; role++) {
        missing = make_lists(&writer, (list_role)role);
    }
    if (!missing) {
        set_indent(&writer, indent);
        write_plan(&writer, assignor, elapsed_ns);
        *text = sgi_json_take(&writer.text, size);
    }
    sgi_region_free(&writer.region);
    return *text != NULL ? SEGUE_OK : sgi_fail(error, SEGUE_E_MEMORY, "no memory is left to write the plan");
}
