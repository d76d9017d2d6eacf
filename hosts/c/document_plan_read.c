/* SPDX-License-Identifier: Apache-2.0 */
/* A plan document as columns: what assignors that speak JSON answer. */
#include <stdlib.h>
#include <string.h>

#include "document_reader.h"
#include "error.h"
#include "group.h"
#include "known.h"
#include "plan.h"

#define PLAN_FORMAT "plan/1"

static const char *const plan_keys[] = {"segue", "assignor", "members", "followup", "decisions", "stats", NULL};
static const char *const member_keys[] = {"id", "active", "standby", "learner", NULL};
static const char *const followup_keys[] = {"needed", "at_ms", "reason", NULL};

typedef struct plan_reader {
    sgi_complaint complaint;
    const segue_group *group;
    segue_plan *plan;
    sgi_names names;
} plan_reader;

typedef int32_t (*take_task)(plan_reader *reader, const sgi_place *place, uint32_t task, uint32_t member);

/* ---- names ------------------------------------------------------------------------------------------------------- */

static int32_t add_names(plan_reader *reader, const uint32_t *strings, uint32_t count, enum sgi_kind kind)
{
    for (uint32_t row = 0; row < count; row++) {
        sgi_text text = sgi_string(reader->group, strings[row]);
        uint32_t name = sgi_names_add(&reader->names, text.bytes, text.length);
        if (name == SEGUE_NONE) {
            return sgi_complain_memory(&reader->complaint);
        }
        reader->names.rows[name].row[kind] = row;
    }
    return SEGUE_OK;
}

static int32_t want_row(const plan_reader *reader, const sgi_place *place, const json_t *value, enum sgi_kind kind,
                        uint32_t *row)
{
    const char *text = NULL;
    char shown[44];
    int32_t status = sgi_want_text(&reader->complaint, place, value, &text);
    if (status != SEGUE_OK) {
        return status;
    }
    uint32_t name = sgi_names_find(&reader->names, text, strlen(text));
    *row = name == SEGUE_NONE ? SEGUE_NONE : reader->names.rows[name].row[kind];
    return *row != SEGUE_NONE ? SEGUE_OK
                              : sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, place, "the group has no %s \"%s\"",
                                             kind == SGI_TASK ? "task" : "member", sgi_cut(shown, sizeof shown, text));
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

/* A task is owned once, and learned once: the second one is a contradiction that the columns could not show. */
static int32_t take_once(const plan_reader *reader, const sgi_place *place, uint32_t *column, uint32_t task,
                         uint32_t member, const char *what)
{
    if (column[task] != SEGUE_NONE) {
        return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, place, "task %.*s is %s %.*s already",
                            SGI_SHOW_TASK(reader->group, task), what, SGI_SHOW_MEMBER(reader->group, column[task]));
    }
    column[task] = member;
    return SEGUE_OK;
}

static int32_t take_active(plan_reader *reader, const sgi_place *place, uint32_t task, uint32_t member)
{
    return take_once(reader, place, reader->plan->active, task, member, "active on");
}

static int32_t take_learner(plan_reader *reader, const sgi_place *place, uint32_t task, uint32_t member)
{
    return take_once(reader, place, reader->plan->learner, task, member, "learned by");
}

/* In the first round they are counted, one row behind where they begin; see begin_standbys. */
static int32_t count_standby(plan_reader *reader, const sgi_place *place, uint32_t task, uint32_t member)
{
    (void)member;
    segue_plan *plan = reader->plan;
    if (plan->standby_count == plan->standby_capacity) {
        return sgi_complain(&reader->complaint, SEGUE_E_SPACE, place, "there are more standbys than %u, the most wanted",
                            plan->standby_capacity);
    }
    plan->standby_count++;
    plan->standby_start[task + 1]++;
    return SEGUE_OK;
}

static int32_t take_standby(plan_reader *reader, const sgi_place *place, uint32_t task, uint32_t member)
{
    (void)place;
    reader->plan->standby_member[reader->plan->standby_start[task]++] = member;
    return SEGUE_OK;
}

static int32_t read_list(plan_reader *reader, const sgi_place *place, json_t *object, const char *key, uint32_t member,
                         take_task take)
{
    json_t *list = json_object_get(object, key);
    sgi_place at = sgi_place_key(place, key);
    int32_t status = list == NULL ? SEGUE_OK : sgi_want_list(&reader->complaint, &at, list);
    for (size_t i = 0; status == SEGUE_OK && i < json_array_size(list); i++) {
        sgi_place row = sgi_place_row(&at, i);
        uint32_t task = SEGUE_NONE;
        status = want_row(reader, &row, json_array_get(list, i), SGI_TASK, &task);
        status = status == SEGUE_OK ? take(reader, &row, task, member) : status;
    }
    return status;
}

static int32_t read_member(plan_reader *reader, const sgi_place *place, json_t *object)
{
    uint32_t member = SEGUE_NONE;
    sgi_place id = sgi_place_key(place, "id");
    int32_t status = sgi_want_object(&reader->complaint, place, object, member_keys);
    status = status == SEGUE_OK ? want_row(reader, &id, json_object_get(object, "id"), SGI_MEMBER, &member) : status;
    status = status == SEGUE_OK ? read_list(reader, place, object, "active", member, take_active) : status;
    status = status == SEGUE_OK ? read_list(reader, place, object, "learner", member, take_learner) : status;
    return status == SEGUE_OK ? read_list(reader, place, object, "standby", member, count_standby) : status;
}

/* From counts to where each task's rows begin. */
static void begin_standbys(segue_plan *plan, uint32_t tasks)
{
    for (uint32_t t = 0; t < tasks; t++) {
        plan->standby_start[t + 1] += plan->standby_start[t];
    }
}

static int compare_members(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Taking them has pushed each beginning to its end, which is the next one's. */
static void end_standbys(segue_plan *plan, uint32_t tasks)
{
    memmove(plan->standby_start + 1, plan->standby_start, tasks * sizeof *plan->standby_start);
    plan->standby_start[0] = 0;
    for (uint32_t t = 0; t < tasks; t++) {
        qsort(plan->standby_member + plan->standby_start[t], plan->standby_start[t + 1] - plan->standby_start[t],
              sizeof *plan->standby_member, compare_members);
    }
}

static int32_t read_members(plan_reader *reader, json_t *root)
{
    json_t *members = json_object_get(root, "members");
    sgi_place at = sgi_place_key(NULL, "members");
    int32_t status = sgi_want_list(&reader->complaint, &at, members);
    for (size_t i = 0; status == SEGUE_OK && i < json_array_size(members); i++) {
        sgi_place row = sgi_place_row(&at, i);
        status = read_member(reader, &row, json_array_get(members, i));
    }
    if (status != SEGUE_OK || reader->plan->standby_count == 0) {
        return status;
    }
    begin_standbys(reader->plan, reader->group->task_count);
    for (size_t i = 0; status == SEGUE_OK && i < json_array_size(members); i++) {
        json_t *object = json_array_get(members, i);
        sgi_place row = sgi_place_row(&at, i);
        uint32_t member = SEGUE_NONE;
        status = want_row(reader, &row, json_object_get(object, "id"), SGI_MEMBER, &member);
        status = status == SEGUE_OK ? read_list(reader, &row, object, "standby", member, take_standby) : status;
    }
    end_standbys(reader->plan, reader->group->task_count);
    return status;
}

/* ---- what goes with it ------------------------------------------------------------------------------------------- */

static int32_t read_reason(const plan_reader *reader, const sgi_place *place, const json_t *value)
{
    const char *word = NULL;
    char shown[44];
    int32_t status = sgi_want_text(&reader->complaint, place, value, &word);
    for (uint32_t code = 0; status == SEGUE_OK && code <= SEGUE_FOLLOWUP_FALLBACK; code++) {
        if (strcmp(segue_followup_word(code), word) == 0) {
            reader->plan->followup_reason = code;
            return SEGUE_OK;
        }
    }
    return status != SEGUE_OK ? status
                              : sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, place, "\"%s\" is no reason for a follow-up",
                                             sgi_cut(shown, sizeof shown, word));
}

static int32_t read_followup(const plan_reader *reader, json_t *root)
{
    json_t *followup = json_object_get(root, "followup");
    sgi_place at = sgi_place_key(NULL, "followup");
    if (followup == NULL) {
        return SEGUE_OK;
    }
    json_t *when = json_object_get(followup, "at_ms");
    json_t *reason = json_object_get(followup, "reason");
    sgi_place needed = sgi_place_key(&at, "needed");
    sgi_place at_ms = sgi_place_key(&at, "at_ms");
    sgi_place why = sgi_place_key(&at, "reason");
    uint8_t flag = 0;
    int32_t status = sgi_want_object(&reader->complaint, &at, followup, followup_keys);
    status = status == SEGUE_OK
                 ? sgi_want_flag(&reader->complaint, &needed, json_object_get(followup, "needed"), &flag)
                 : status;
    if (status == SEGUE_OK && when != NULL && !json_is_null(when)) {
        status = sgi_want_whole(&reader->complaint, &at_ms, when, SGI_TIME_LEAST, SGI_TIME_MOST,
                                &reader->plan->followup_at_ms);
    }
    reader->plan->followup_needed = flag;
    return status == SEGUE_OK && reason != NULL ? read_reason(reader, &why, reason) : status;
}

/* Counts that only the assignor knows; others are as the columns say. */
static int32_t read_counts(const plan_reader *reader, const sgi_place *place, const json_t *stats)
{
    segue_plan *plan = reader->plan;
    const struct {
        const char *key;
        uint32_t *count;
    } rows[] = {{"min_moves", &plan->min_moves}, {"extra_moves", &plan->extra_moves}, {"held_back", &plan->held_back}};
    int32_t status = SEGUE_OK;
    for (size_t i = 0; status == SEGUE_OK && i < sizeof rows / sizeof rows[0]; i++) {
        const json_t *value = json_object_get(stats, rows[i].key);
        sgi_place at = sgi_place_key(place, rows[i].key);
        int64_t number = 0;
        if (value != NULL) {
            status = sgi_want_whole(&reader->complaint, &at, value, 0, UINT32_MAX, &number);
            *rows[i].count = (uint32_t)number;
        }
    }
    return status;
}

static int32_t read_stats(const plan_reader *reader, const json_t *root)
{
    const json_t *stats = json_object_get(root, "stats");
    const json_t *optimal = json_object_get(stats, "optimal");
    sgi_place at = sgi_place_key(NULL, "stats");
    sgi_place at_optimal = sgi_place_key(&at, "optimal");
    uint8_t flag = 1;
    if (stats == NULL) {
        return SEGUE_OK;
    }
    int32_t status = sgi_want_map(&reader->complaint, &at, stats);
    status = status == SEGUE_OK ? read_counts(reader, &at, stats) : status;
    if (status == SEGUE_OK && optimal != NULL) {
        status = sgi_want_flag(&reader->complaint, &at_optimal, optimal, &flag);
        reader->plan->optimal = flag;
    }
    return status;
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

static void begin_plan(const segue_group *group, segue_plan *plan)
{
    for (uint32_t t = 0; t < group->task_count; t++) {
        plan->active[t] = plan->learner[t] = SEGUE_NONE;
    }
    memset(plan->standby_start, 0, ((size_t)group->task_count + 1) * sizeof *plan->standby_start);
    plan->standby_count = 0;
}

static int32_t read_plan(plan_reader *reader, json_t *root)
{
    const segue_group *group = reader->group;
    int32_t status = sgi_want_object(&reader->complaint, NULL, root, plan_keys);
    status = status == SEGUE_OK ? add_names(reader, group->task_name, group->task_count, SGI_TASK) : status;
    status = status == SEGUE_OK ? add_names(reader, group->member_name, group->member_count, SGI_MEMBER) : status;
    status = status == SEGUE_OK ? read_members(reader, root) : status;
    status = status == SEGUE_OK ? segue_plan_count(group, reader->plan, reader->complaint.error) : status;
    status = status == SEGUE_OK ? read_followup(reader, root) : status;
    return status == SEGUE_OK ? read_stats(reader, root) : status;
}

int32_t segue_document_read_plan(const segue_group *group, const char *text, size_t size, const char *source,
                                 segue_plan *plan, segue_error *error)
{
    static const segue_bound any = {sizeof any, 0, 0, 0};
    segue_group group_room;
    segue_plan plan_room;
    const segue_group *g = sgi_known_group(group, &group_room);
    segue_plan *p = sgi_known_plan(plan, &plan_room);
    if (g == NULL || p == NULL || (text == NULL && size > 0) || sgi_plan_ready(p, g->task_count, &any) != SEGUE_OK) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "reading a plan needs its group, and columns to put it in");
    }
    plan_reader reader = {.complaint = {source, error}, .group = g, .plan = p};
    json_t *root = NULL;
    begin_plan(g, p);
    int32_t status = sgi_names_init(&reader.names) != 0 ? sgi_complain_memory(&reader.complaint) : SEGUE_OK;
    status = status == SEGUE_OK ? sgi_document_parse(&reader.complaint, text == NULL ? "" : text, size, &root) : status;
    status = status == SEGUE_OK ? sgi_document_kind(&reader.complaint, root, PLAN_FORMAT) : status;
    status = status == SEGUE_OK ? read_plan(&reader, root) : status;
    json_decref(root);
    sgi_names_free(&reader.names);
    sgi_known_return(plan, p);
    return status;
}
