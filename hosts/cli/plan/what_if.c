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

int64_t what_if_threads(const json_t *member)
{
    const json_t *threads = json_object_get(member, "threads");
    return threads == NULL ? 1 : json_integer_value(threads);
}

/* ---- members ------------------------------------------------------------------------------------------------------- */

static const json_t *members_of(const json_t *group)
{
    return json_object_get(group, "members");
}

static const char *id_of(const json_t *member)
{
    return json_string_value(json_object_get(member, "id"));
}

const char *what_if_known_as(const json_t *member)
{
    const char *process = json_string_value(json_object_get(member, "process"));
    return process != NULL ? process : id_of(member);
}

static int is_called(const json_t *member, const char *name)
{
    return strcmp(id_of(member), name) == 0 || strcmp(what_if_known_as(member), name) == 0;
}

static const json_t *find_in(const json_t *group, const char *name)
{
    size_t at = 0;
    json_t *member = NULL;
    json_array_foreach(members_of(group), at, member)
    {
        if (is_called(member, name)) {
            return member;
        }
    }
    return NULL;
}

const json_t *what_if_find(const json_t *groups, const char *name)
{
    const json_t *found = NULL;
    for (size_t at = 0; found == NULL && at < json_array_size(groups); at++) {
        found = find_in(json_array_get(groups, at), name);
    }
    return found;
}

json_t *what_if_called(const json_t *groups, const char *name)
{
    json_t *ids = json_array();
    json_t *members = what_if_members(groups);
    for (size_t at = 0; at < json_array_size(members); at++) {
        const json_t *member = json_array_get(members, at);
        if (is_called(member, name)) {
            json_array_append(ids, json_object_get(member, "id"));
        }
    }
    json_decref(members);
    return ids;
}

json_t *what_if_members(const json_t *groups)
{
    json_t *members = json_array();
    json_t *seen = json_object();
    for (size_t row = 0; row < json_array_size(groups); row++) {
        size_t at = 0;
        json_t *member = NULL;
        json_array_foreach(members_of(json_array_get(groups, row)), at, member)
        {
            if (json_object_get(seen, id_of(member)) == NULL) {
                json_object_set_new(seen, id_of(member), json_true());
                json_array_append(members, member);
            }
        }
    }
    json_decref(seen);
    return members;
}

/* ---- newcomers ----------------------------------------------------------------------------------------------------- */

static int is_in(const json_t *group, const json_t *wanted)
{
    size_t at = 0;
    json_t *member = NULL;
    json_array_foreach(members_of(group), at, member)
    {
        if (strcmp(id_of(member), id_of(wanted)) == 0) {
            return 1;
        }
    }
    return 0;
}

/* The rows of the groups that a member is in: of those that others are in as well, or of all of them. */
static json_t *rows_of(const json_t *groups, const json_t *member, int shared)
{
    json_t *rows = json_array();
    for (size_t row = 0; row < json_array_size(groups); row++) {
        const json_t *group = json_array_get(groups, row);
        if ((!shared || json_array_size(members_of(group)) > 1) && is_in(group, member)) {
            json_array_append_new(rows, json_integer((json_int_t)row));
        }
    }
    if (shared && json_array_size(rows) == 0) {
        json_decref(rows);
        return rows_of(groups, member, 0);
    }
    return rows;
}

json_t *what_if_rows(const json_t *groups, const json_t *like)
{
    if (like != NULL) {
        return rows_of(groups, like, 1);
    }
    if (json_array_size(groups) == 1) {
        return json_pack("[i]", 0);
    }
    json_t *rows = NULL;
    json_t *members = what_if_members(groups);
    for (size_t at = 0; at < json_array_size(members); at++) {
        json_t *its = rows_of(groups, json_array_get(members, at), 1);
        int differs = rows != NULL && !json_equal(rows, its);
        json_decref(rows);
        rows = its;
        if (differs) {
            json_decref(rows);
            rows = NULL;
            break;
        }
    }
    json_decref(members);
    return rows;
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

void what_if_add(json_t *groups, const json_t *rows, int64_t count, int64_t threads)
{
    const json_t *first = json_array_get(groups, (size_t)json_integer_value(json_array_get(rows, 0)));
    int64_t each = threads < 0 ? usual_threads(members_of(first)) : threads;
    for (int64_t number = 1; count > 0; number++) {
        char id[NAME_ROOM];
        snprintf(id, sizeof id, "new-%lld", (long long)number);
        if (what_if_find(groups, id) != NULL) {
            continue;
        }
        count--;
        size_t at = 0;
        json_t *row = NULL;
        json_array_foreach(rows, at, row)
        {
            json_t *group = json_array_get(groups, (size_t)json_integer_value(row));
            json_array_append_new(json_object_get(group, "members"),
                                  json_pack("{s:s, s:I}", "id", id, "threads", (json_int_t)each));
        }
    }
}

int what_if_marks_somebody(const json_t *groups)
{
    json_t *members = what_if_members(groups);
    int is_marked = 0;
    for (size_t at = 0; at < json_array_size(members); at++) {
        is_marked |= json_object_get(json_array_get(members, at), "leaving") != NULL;
    }
    json_decref(members);
    return is_marked;
}

/* ---- leavers ------------------------------------------------------------------------------------------------------- */

static int has_others(const json_t *group, const char *name)
{
    size_t at = 0;
    json_t *member = NULL;
    json_array_foreach(members_of(group), at, member)
    {
        if (!is_called(member, name)) {
            return 1;
        }
    }
    return 0;
}

/* A member that goes on in the same process, and so on the same disk; NULL: there is none. */
static json_t *find_housemate(const json_t *group, const json_t *leaver, const char *name)
{
    const json_t *process = json_object_get(leaver, "process");
    size_t at = 0;
    json_t *member = NULL;
    json_array_foreach(members_of(group), at, member)
    {
        if (process != NULL && json_equal(json_object_get(member, "process"), process) && !is_called(member, name)) {
            return member;
        }
    }
    return NULL;
}

/* Says of each of these copies what `lag` says, and `usual` of the others; who knows better already is left alone. */
static void leave_copies(json_t *lags, const json_t *tasks, const json_t *lag, json_t *usual)
{
    size_t at = 0;
    json_t *task = NULL;
    json_array_foreach(tasks, at, task)
    {
        const char *id = json_string_value(task);
        json_t *said = json_object_get(lag, id);
        if (json_object_get(lags, id) == NULL) {
            json_object_set(lags, id, said != NULL ? said : usual);
        }
    }
    json_decref(usual);
}

/* What a member leaves on a disk that others go on with is theirs to take up without a replay. */
static void leave_on_disk(const json_t *group, const json_t *leaver, const char *name)
{
    json_t *housemate = find_housemate(group, leaver, name);
    if (housemate == NULL) {
        return;
    }
    json_t *lag = json_object_get(leaver, "lag");
    json_t *lags = json_object_get(housemate, "lag");
    if (lags == NULL) {
        lags = json_object();
        json_object_set_new(housemate, "lag", lags);
    }
    leave_copies(lags, json_object_get(leaver, "active"), lag, json_integer(0));
    leave_copies(lags, json_object_get(leaver, "standby"), lag, json_null());
    leave_copies(lags, json_object_get(leaver, "learner"), lag, json_null());
    json_object_update_missing(lags, lag);
}

static void remove_from(json_t *group, const char *name, int heeds_marks)
{
    json_t *members = json_object_get(group, "members");
    json_int_t now = json_integer_value(json_object_get(group, "now_ms"));
    for (size_t at = json_array_size(members); at-- > 0;) {
        json_t *member = json_array_get(members, at);
        if (is_called(member, name) && heeds_marks) {
            json_object_set_new(member, "leaving", json_pack("{s:I}", "since_ms", now));
        } else if (is_called(member, name)) {
            leave_on_disk(group, member, name);
            json_array_remove(members, at);
        }
    }
}

int what_if_remove(json_t *groups, const char *name, int heeds_marks)
{
    size_t others = 0;
    for (size_t row = 0; row < json_array_size(groups); row++) {
        others += (size_t)has_others(json_array_get(groups, row), name);
    }
    if (others == 0 || what_if_find(groups, name) == NULL) {
        return 0;
    }
    for (size_t row = json_array_size(groups); row-- > 0;) {
        json_t *group = json_array_get(groups, row);
        if (has_others(group, name)) {
            remove_from(group, name, heeds_marks);
        } else {
            json_array_remove(groups, row);
        }
    }
    return 1;
}
