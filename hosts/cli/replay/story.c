/* SPDX-License-Identifier: Apache-2.0 */
#include "story.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cast.h"

/* A copy that is no longer there; other roles are those of segue/group.h. */
#define NO_ROLE 255u

static const char *const role_words[] = {"dormant", "standby", "learner", "active"};

typedef struct known_copy {
    uint32_t member;
    uint8_t role;
    uint8_t stays; /* somebody has spoken of it in this step */
} known_copy;

typedef struct known_member {
    uint32_t seen; /* the last step that it was in; the first is 1 */
    uint8_t is_up, is_marked;
} known_member;

typedef struct known_task {
    known_copy *copies;
    uint32_t count, room;
    uint32_t runner; /* SEGUE_NONE: nobody */
} known_task;

struct story {
    FILE *events;
    char *name;
    char *text; /* the rows so far; the head is known last */
    size_t text_size;
    FILE *rows;
    cast cast;
    char *assignor;
    known_task *tasks; /* by number */
    known_member *members;
    uint32_t task_count, member_count, task_room, member_room;
    uint32_t standbys, acceptable;
    int64_t began_ms, at_us;
    uint32_t steps;
    int is_broken, has_revoked, has_joined, has_left, has_marked;
};

/* ---- rows ---------------------------------------------------------------------------------------------------------- */

/* The number of the member, of the task, in a row of the step at hand. */
static uint32_t member_at(const story *it, uint32_t row)
{
    return it->cast.members.rank[row];
}

static uint32_t task_at(const story *it, uint32_t row)
{
    return it->cast.tasks.rank[row];
}

/* Writes a row, which it takes over. */
static void write_row(story *it, json_t *more, const char *event, uint32_t task, uint32_t member)
{
    json_t *row = json_pack("{s:I, s:s}", "at_us", (json_int_t)it->at_us, "event", event);
    if (task != SEGUE_NONE) {
        json_object_set_new(row, "task", json_string(cast_name(&it->cast.tasks, task)));
    }
    if (member != SEGUE_NONE) {
        json_object_set_new(row, "member", json_string(cast_name(&it->cast.members, member)));
    }
    json_object_update(row, more);
    json_decref(more);
    it->is_broken |= row == NULL || json_dumpf(row, it->rows, JSON_COMPACT) != 0;
    fputc('\n', it->rows);
    json_decref(row);
}

/* ---- copies -------------------------------------------------------------------------------------------------------- */

static known_copy *find_copy(story *it, uint32_t task, uint32_t member)
{
    known_task *known = &it->tasks[task];
    for (uint32_t i = 0; i < known->count; i++) {
        if (known->copies[i].member == member) {
            return &known->copies[i];
        }
    }
    if (cast_grow((void **)&known->copies, &known->room, known->count + 1, sizeof *known->copies) != 0) {
        it->is_broken = 1;
        return NULL;
    }
    known->copies[known->count] = (known_copy){.member = member, .role = NO_ROLE};
    return &known->copies[known->count++];
}

/* The copy has this role now. lag < 0: nobody has said. */
static void play_role(story *it, uint32_t task, uint32_t member, uint8_t role, int64_t lag)
{
    known_copy *copy = find_copy(it, task, member);
    if (copy == NULL) {
        return;
    }
    copy->stays = 1;
    if (copy->role != role) {
        copy->role = role;
        write_row(it, json_pack("{s:s, s:I}", "role", role == NO_ROLE ? "none" : role_words[role], "lag_bytes",
                                (json_int_t)(lag > 0 ? lag : 0)), "role", task, member);
    } else if (lag >= 0 && (role == SEGUE_LEARNER || role == SEGUE_STANDBY)) {
        write_row(it, json_pack("{s:I}", "lag_bytes", (json_int_t)lag), "lag", task, member);
    }
}

static void stop(story *it, uint32_t task)
{
    uint32_t runner = it->tasks[task].runner;
    if (runner != SEGUE_NONE) {
        write_row(it, json_object(), "stop", task, runner);
        it->tasks[task].runner = SEGUE_NONE;
    }
}

static void run(story *it, uint32_t task, uint32_t member)
{
    if (it->tasks[task].runner == member) {
        return;
    }
    stop(it, task);
    play_role(it, task, member, SEGUE_ACTIVE, 0);
    write_row(it, json_object(), "run", task, member);
    it->tasks[task].runner = member;
}

/* ---- one step ------------------------------------------------------------------------------------------------------ */

static void end_member(story *it, uint32_t member)
{
    it->members[member] = (known_member){0};
    it->has_left = 1;
    write_row(it, json_pack("{s:s}", "disk", "kept"), "down", SEGUE_NONE, member);
    write_row(it, json_object(), "gone", SEGUE_NONE, member);
    for (uint32_t task = 0; task < it->task_count; task++) {
        if (it->tasks[task].runner == member) {
            stop(it, task);
        }
        for (uint32_t i = 0; i < it->tasks[task].count; i++) {
            if (it->tasks[task].copies[i].member == member && it->tasks[task].copies[i].role != NO_ROLE) {
                play_role(it, task, member, NO_ROLE, 0);
            }
        }
    }
}

static void tell_mark(story *it, const segue_group *group, uint32_t row)
{
    uint32_t member = member_at(it, row);
    int leaves = group->member_leaving_ms != NULL && group->member_leaving_ms[row] != SEGUE_TIME_NONE;
    if (leaves != it->members[member].is_marked) {
        it->members[member].is_marked = (uint8_t)leaves;
        it->has_marked = 1;
        write_row(it, json_object(), leaves ? "mark" : "unmark", SEGUE_NONE, member);
    }
}

static void tell_members(story *it, const segue_group *group)
{
    for (uint32_t i = 0; i < group->member_count; i++) {
        it->members[member_at(it, i)].seen = it->steps;
    }
    for (uint32_t member = 0; member < it->member_count; member++) {
        if (it->members[member].is_up && it->members[member].seen != it->steps) {
            end_member(it, member);
        }
    }
    for (uint32_t i = 0; i < group->member_count; i++) {
        known_member *member = &it->members[member_at(it, i)];
        if (!member->is_up) {
            member->is_up = 1;
            it->has_joined = 1;
            write_row(it, json_object(), "up", SEGUE_NONE, member_at(it, i));
            write_row(it, json_object(), "join", SEGUE_NONE, member_at(it, i));
        }
        tell_mark(it, group, i);
    }
}

/* What members say of their copies is so. An owner that has not asked yet for what it was given is told by the answer. */
static void tell_copies(story *it, const segue_group *group)
{
    for (uint32_t row = 0; row < group->member_count; row++) {
        for (uint32_t i = group->copy_start[row]; i < group->copy_start[row + 1]; i++) {
            uint32_t task = task_at(it, group->copy_task[i]);
            int64_t lag = group->copy_lag == NULL || group->copy_lag[i] == SEGUE_LAG_UNKNOWN ? -1 : group->copy_lag[i];
            if (group->copy_role[i] == SEGUE_ACTIVE) {
                run(it, task, member_at(it, row));
            } else if (it->tasks[task].runner != member_at(it, row)) {
                play_role(it, task, member_at(it, row), group->copy_role[i], lag);
            }
        }
    }
}

static const char *cause(const story *it)
{
    return it->steps == 1      ? "begin"
           : it->has_joined    ? "joined"
           : it->has_left      ? "left"
           : it->has_marked    ? "marked"
           : it->has_revoked   ? "revoked"
                               : "follow-up";
}

/* As long as its names are. */
static json_t *sentence(const frame *step, uint32_t row)
{
    size_t length = segue_decision_text(&step->group, &step->plan, row, NULL, 0);
    char *text = malloc(length + 1);
    if (text == NULL) {
        return NULL;
    }
    segue_decision_text(&step->group, &step->plan, row, text, length + 1);
    json_t *value = json_stringn(text, length);
    free(text);
    return value != NULL ? value : json_string("");
}

static void tell_decisions(story *it, const frame *step)
{
    const segue_plan *plan = &step->plan;
    for (uint32_t i = 0; i < plan->decision_count; i++) {
        json_t *row = json_pack("{s:s, s:s, s:o}", "kind", segue_kind_word(plan->decision_kind[i]), "reason",
                                segue_reason_word(plan->decision_reason[i]), "text", sentence(step, i));
        if (plan->decision_from[i] != SEGUE_NONE) {
            json_object_set_new(row, "from", json_string(cast_name(&it->cast.members, member_at(it, plan->decision_from[i]))));
        }
        if (plan->decision_to[i] != SEGUE_NONE) {
            json_object_set_new(row, "to", json_string(cast_name(&it->cast.members, member_at(it, plan->decision_to[i]))));
        }
        write_row(it, row, "decision", task_at(it, plan->decision_task[i]), SEGUE_NONE);
    }
}

static void tell_rebalance(story *it, const frame *step)
{
    const segue_plan *plan = &step->plan;
    write_row(it, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:b}", "cause", cause(it), "moves", (json_int_t)plan->moves,
                            "min_moves", (json_int_t)plan->min_moves, "learners", (json_int_t)plan->learners, "members",
                            (json_int_t)step->group.member_count, "held_back", (json_int_t)plan->held_back, "fallback",
                            (int)step->head.fallback),
              "rebalance", SEGUE_NONE, SEGUE_NONE);
    tell_decisions(it, step);
}

/* What the answer makes of a task. A move from a live owner takes another step, in which somebody else has it. */
static void apply(story *it, const frame *step, uint32_t row)
{
    const segue_plan *plan = &step->plan;
    uint32_t task = task_at(it, row);
    uint32_t to = plan->active[row] == SEGUE_NONE ? SEGUE_NONE : member_at(it, plan->active[row]);
    uint32_t from = it->tasks[task].runner;
    for (uint32_t i = 0; i < it->tasks[task].count; i++) {
        it->tasks[task].copies[i].stays = it->tasks[task].copies[i].member == to;
    }
    if (from != SEGUE_NONE && from != to) {
        stop(it, task);
        it->has_revoked = 1;
    } else if (to != SEGUE_NONE) {
        run(it, task, to);
    }
    for (uint32_t i = plan->standby_start[row]; i < plan->standby_start[row + 1]; i++) {
        play_role(it, task, member_at(it, plan->standby_member[i]), SEGUE_STANDBY, -1);
    }
    if (plan->learner[row] != SEGUE_NONE) {
        play_role(it, task, member_at(it, plan->learner[row]), SEGUE_LEARNER, -1);
    }
    for (uint32_t i = 0; i < it->tasks[task].count; i++) {
        const known_copy *copy = &it->tasks[task].copies[i];
        if (!copy->stays && copy->role != NO_ROLE && copy->role != SEGUE_DORMANT) {
            play_role(it, task, copy->member, SEGUE_DORMANT, -1);
        }
    }
}

/* Room for whoever is new. */
static int take_in(story *it, const segue_group *group)
{
    if (cast_enter(&it->cast, group) != 0 ||
        cast_grow((void **)&it->members, &it->member_room, it->cast.members.count, sizeof *it->members) != 0 ||
        cast_grow((void **)&it->tasks, &it->task_room, it->cast.tasks.count, sizeof *it->tasks) != 0) {
        return -1;
    }
    for (uint32_t task = it->task_count; task < it->cast.tasks.count; task++) {
        it->tasks[task].runner = SEGUE_NONE;
    }
    it->task_count = it->cast.tasks.count;
    it->member_count = it->cast.members.count;
    return 0;
}

static int keep_name(story *it, const char *assignor)
{
    free(it->assignor);
    it->assignor = strdup(assignor);
    return it->assignor == NULL ? -1 : 0;
}

int story_tell(story *it, const frame *step)
{
    int64_t at_us = (step->head.wall_ms - it->began_ms) * 1000;
    if (it->steps++ == 0) {
        it->began_ms = step->head.wall_ms;
        at_us = 0;
    }
    /* A clock that is set back does not turn the order around. */
    it->at_us = at_us > it->at_us ? at_us : it->at_us;
    if (take_in(it, &step->group) != 0 || keep_name(it, step->assignor) != 0) {
        return -1;
    }
    it->standbys = step->config.num_standby_replicas;
    it->acceptable = (uint32_t)step->config.acceptable_recovery_lag;
    it->has_joined = it->has_left = it->has_marked = 0;
    tell_members(it, &step->group);
    tell_copies(it, &step->group);
    tell_rebalance(it, step);
    it->has_revoked = 0;
    for (uint32_t row = 0; row < step->group.task_count; row++) {
        apply(it, step, row);
    }
    return it->is_broken ? -1 : 0;
}

/* ---- the whole ----------------------------------------------------------------------------------------------------- */

story *story_open(const char *name, FILE *events)
{
    story *it = calloc(1, sizeof *it);
    if (it == NULL) {
        return NULL;
    }
    it->events = events;
    it->name = strdup(name);
    it->rows = open_memstream(&it->text, &it->text_size);
    if (cast_open(&it->cast) != 0 || it->name == NULL || it->rows == NULL) {
        story_close(it);
        return NULL;
    }
    return it;
}

/* So that the last answer can be seen: a second more, and two hundredths of a record that is longer. */
static int64_t tail_us(const story *it)
{
    return it->at_us / 50 > 1000000 ? it->at_us / 50 : 1000000;
}

int story_end(story *it)
{
    it->at_us += tail_us(it);
    write_row(it, json_object(), "end", SEGUE_NONE, SEGUE_NONE);
    json_t *head = json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:s, s:I, s:O, s:O}", "segue", "events/1", "source",
                             "recording", "name", it->name, "assignor", it->assignor == NULL ? "nobody" : it->assignor,
                             "seed", (json_int_t)0, "until_us", (json_int_t)it->at_us, "standbys", (json_int_t)it->standbys,
                             "acceptable_bytes", (json_int_t)it->acceptable, "lag_unit", "records", "began_ms",
                             (json_int_t)it->began_ms, "tasks", it->cast.tasks.heads, "members", it->cast.members.heads);
    int failed = it->is_broken || fclose(it->rows) != 0 || head == NULL || json_dumpf(head, it->events, JSON_COMPACT) != 0;
    it->rows = NULL;
    json_decref(head);
    fputc('\n', it->events);
    failed |= failed || fwrite(it->text, 1, it->text_size, it->events) != it->text_size;
    return failed ? -1 : 0;
}

void story_close(story *it)
{
    if (it == NULL) {
        return;
    }
    if (it->rows != NULL) {
        fclose(it->rows);
    }
    for (uint32_t task = 0; task < it->task_count; task++) {
        free(it->tasks[task].copies);
    }
    cast_close(&it->cast);
    free(it->tasks);
    free(it->members);
    free(it->assignor);
    free(it->name);
    free(it->text);
    free(it);
}
