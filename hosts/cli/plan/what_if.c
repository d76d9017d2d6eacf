/* SPDX-License-Identifier: Apache-2.0 */
#include "what_if.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

enum { NAME_ROOM = 48 };

json_t *what_if_group(const segue_group *group, const segue_config *config, segue_error *error)
{
    char *text = NULL;
    size_t size = 0;
    if (segue_document_write_group(group, config, 0, &text, &size, error) != SEGUE_OK) {
        return NULL;
    }
    json_error_t fault;
    json_t *document = json_loadb(text, size, 0, &fault);
    segue_free(text);
    if (document == NULL) {
        sgi_fail(error, SEGUE_E_SYNTAX, "the group cannot be told as a document: %s", fault.text);
    }
    return document;
}

static json_t *name_of(const segue_group *group, uint32_t task)
{
    uint32_t from = group->string_offset[group->task_name[task]];
    return json_stringn(group->string_bytes + from, group->string_offset[group->task_name[task] + 1] - from);
}

static int append(json_t **lists, uint32_t member, const segue_group *group, uint32_t task)
{
    return member == SEGUE_NONE ? 0 : json_array_append_new(lists[member], name_of(group, task));
}

/* One list for each member, of what the plan gives it in one role. */
static int fill(json_t **active, json_t **standby, json_t **learner, const segue_group *group, const segue_plan *plan)
{
    int failed = 0;
    for (uint32_t task = 0; task < group->task_count; task++) {
        failed |= append(active, plan->active[task], group, task);
        failed |= append(learner, plan->learner[task], group, task);
        for (uint32_t row = plan->standby_start[task]; row < plan->standby_start[task + 1]; row++) {
            failed |= append(standby, plan->standby_member[row], group, task);
        }
    }
    return failed;
}

int what_if_planned(json_t *group, const segue_group *columns, const segue_plan *plan)
{
    static const char *const roles[] = {"active", "standby", "learner"};
    enum { ROLES = 3 };
    json_t *members = json_object_get(group, "members");
    size_t count = columns->member_count;
    json_t **rows = calloc(count * ROLES + 1, sizeof(json_t *));
    int failed = rows == NULL || json_array_size(members) != count;
    for (size_t at = 0; !failed && at < count * ROLES; at++) {
        rows[at] = json_array();
        failed = json_object_set_new(json_array_get(members, at % count), roles[at / count], rows[at]) != 0;
    }
    failed = failed || fill(rows, rows + count, rows + 2 * count, columns, plan) != 0;
    free(rows);
    return failed ? -1 : 0;
}

/* Its row, or -1. */
static int64_t find(const json_t *members, const char *id)
{
    size_t at = 0;
    json_t *member = NULL;
    json_array_foreach(members, at, member)
    {
        if (strcmp(json_string_value(json_object_get(member, "id")), id) == 0) {
            return (int64_t)at;
        }
    }
    return -1;
}

int64_t what_if_threads(const json_t *member)
{
    const json_t *threads = json_object_get(member, "threads");
    return threads == NULL ? 1 : json_integer_value(threads);
}

/* The number that most members have; of several, the greatest. */
static int64_t usual_threads(const json_t *members)
{
    int64_t best = 1;
    size_t most = 0;
    size_t at = 0;
    json_t *member = NULL;
    json_t *votes = json_object();
    json_array_foreach(members, at, member)
    {
        char key[NAME_ROOM];
        int64_t threads = what_if_threads(member);
        snprintf(key, sizeof key, "%lld", (long long)threads);
        size_t count = 1 + (size_t)json_integer_value(json_object_get(votes, key));
        json_object_set_new(votes, key, json_integer((json_int_t)count));
        if (count > most || (count == most && threads > best)) {
            most = count;
            best = threads;
        }
    }
    json_decref(votes);
    return best;
}

void what_if_add(json_t *group, int64_t count, int64_t threads)
{
    json_t *members = json_object_get(group, "members");
    int64_t each = threads < 0 ? usual_threads(members) : threads;
    int64_t number = 0;
    while (count > 0) {
        char id[NAME_ROOM];
        snprintf(id, sizeof id, "new-%lld", (long long)++number);
        if (find(members, id) < 0) {
            json_array_append_new(members, json_pack("{s:s, s:I}", "id", id, "threads", (json_int_t)each));
            count--;
        }
    }
}

int what_if_remove(json_t *group, const char *id, int heeds_marks)
{
    json_t *members = json_object_get(group, "members");
    int64_t row = find(members, id);
    if (row < 0 || json_array_size(members) < 2) {
        return 0;
    }
    if (heeds_marks) {
        json_int_t now = json_integer_value(json_object_get(group, "now_ms"));
        json_object_set_new(json_array_get(members, (size_t)row), "leaving", json_pack("{s:I}", "since_ms", now));
    } else {
        json_array_remove(members, (size_t)row);
    }
    return 1;
}
