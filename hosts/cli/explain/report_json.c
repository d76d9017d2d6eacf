/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdio.h>

#include "group.h"
#include "hint.h"
#include "report.h"

enum { TEXT_ROOM = 512 };

static json_t *name_json(const grounds *it, uint32_t string)
{
    sgi_text name = sgi_string(it->group, string);
    return json_stringn(name.bytes, name.length);
}

static json_t *member_json(const grounds *it, uint32_t member)
{
    return member == SEGUE_NONE ? json_null() : name_json(it, it->group->member_name[member]);
}

static json_t *decision_json(const grounds *it, uint32_t row)
{
    char text[TEXT_ROOM];
    segue_decision_text(it->group, it->plan, row, text, sizeof text);
    return json_pack("{s:o, s:s, s:o, s:o, s:s, s:s}", "task",
                     name_json(it, it->group->task_name[it->plan->decision_task[row]]), "kind",
                     segue_kind_word(it->plan->decision_kind[row]), "from", member_json(it, it->plan->decision_from[row]),
                     "to", member_json(it, it->plan->decision_to[row]), "reason",
                     segue_reason_word(it->plan->decision_reason[row]), "text", text);
}

static json_t *cost(int64_t number)
{
    return number < 0 ? json_null() : json_integer(number);
}

static json_t *alternatives_json(const grounds *it, uint32_t task)
{
    json_t *list = json_array();
    for (uint32_t member = 0; member < it->group->member_count; member++) {
        if (member == grounds_target(it, task) || member == it->plan->active[task]) {
            continue;
        }
        char text[TEXT_ROOM];
        alternative why = grounds_against(it, task, member);
        alternative_text(it, task, member, &why, text, sizeof text);
        json_array_append_new(list, json_pack("{s:o, s:s, s:s, s:o, s:o}", "member", member_json(it, member), "reason",
                                              alternative_word(why.code), "text", text, "records", cost(why.records),
                                              "bytes", cost(why.bytes)));
    }
    return list;
}

static json_t *task_json(const grounds *it, uint32_t task, int with_alternatives)
{
    json_t *decisions = json_array();
    for (uint32_t row = report_first_decision(it, task);
         row < it->plan->decision_count && it->plan->decision_task[row] == task; row++) {
        json_array_append_new(decisions, decision_json(it, row));
    }
    json_t *found = json_pack("{s:o, s:s, s:o, s:o, s:o, s:o}", "task", name_json(it, it->group->task_name[task]), "fate",
                              report_fate(it, task), "from", member_json(it, it->owner_before[task]), "active",
                              member_json(it, it->plan->active[task]), "learner",
                              member_json(it, it->plan->learner[task]), "decisions", decisions);
    if (with_alternatives) {
        json_object_set_new(found, "alternatives", alternatives_json(it, task));
    }
    return found;
}

static int is_meant(const grounds *it, const report_subject *subject, uint32_t task)
{
    return subject->task != SEGUE_NONE ? task == subject->task : report_is_about(it, task, subject->member);
}

static json_t *tasks_json(const grounds *it, const report_subject *subject)
{
    json_t *list = json_array();
    for (uint32_t task = 0; task < it->group->task_count; task++) {
        if (is_meant(it, subject, task)) {
            json_array_append_new(list, task_json(it, task, subject->task != SEGUE_NONE));
        }
    }
    return list;
}

static json_t *hints_json(const grounds *it)
{
    hint hints[HINT_CODES + 1];
    uint32_t count = hints_find(it, hints);
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++) {
        char text[TEXT_ROOM];
        hint_text(&hints[i], text, sizeof text);
        json_array_append_new(list, json_pack("{s:s, s:s}", "hint", hint_word(hints[i].code), "text", text));
    }
    return list;
}

static json_t *followup_json(const grounds *it)
{
    const segue_plan *plan = it->plan;
    json_t *at = plan->followup_at_ms == SEGUE_TIME_NONE ? json_null() : json_integer(plan->followup_at_ms);
    return json_pack("{s:b, s:o, s:s}", "needed", (int)plan->followup_needed, "at_ms", at, "reason",
                     segue_followup_word(plan->followup_reason));
}

int report_print_json(const grounds *it, const report_subject *subject)
{
    json_t *root = json_pack("{s:s, s:s, s:o, s:o, s:o}", "segue", "explanation/1", "assignor", it->assignor, "followup",
                             followup_json(it), "hints", hints_json(it), "tasks", tasks_json(it, subject));
    int failed = root == NULL || json_dumpf(root, stdout, JSON_INDENT(1)) != 0;
    fputc('\n', stdout);
    json_decref(root);
    return failed ? -1 : 0;
}
