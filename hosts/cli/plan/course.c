/* SPDX-License-Identifier: Apache-2.0 */
#include "course.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

/* High-availability takes some 450 rounds for 900 tasks; what has not settled by then never will. */
enum { ROUNDS_MOST = 5000 };

#define SECOND_MS 1000

static const char *const roles[] = {"active", "standby", "learner"};
enum { ACTIVE, ROLES = 3 };

/* The copies that a member holds or has on its disk, by task; the values are the lags. */
static json_t *copies_of(const json_t *member)
{
    json_t *copies = json_object();
    size_t at = 0;
    json_t *task = NULL;
    json_object_update(copies, json_object_get(member, "lag"));
    for (int role = 0; role < ROLES; role++) {
        json_array_foreach(json_object_get(member, roles[role]), at, task)
        {
            json_object_set_new(copies, json_string_value(task), json_integer(0));
        }
    }
    return copies;
}

/* Whether a member is to hold something else than it does, in any role. */
static int changes(const json_t *before, const json_t *after)
{
    for (int role = 0; role < ROLES; role++) {
        const json_t *was = json_object_get(before, roles[role]);
        const json_t *is = json_object_get(after, roles[role]);
        if (json_array_size(was) != json_array_size(is) || (json_array_size(is) > 0 && !json_equal(was, is))) {
            return 1;
        }
    }
    return 0;
}

/* Bytes of each stateful task, COURSE_UNKNOWN where nobody says; a task without state is not in it. */
static json_t *sizes_of(const json_t *group, int64_t guess)
{
    json_t *sizes = json_object();
    size_t at = 0;
    json_t *task = NULL;
    json_array_foreach(json_object_get(group, "tasks"), at, task)
    {
        const json_t *said = json_object_get(task, "state_bytes");
        if (!json_is_false(json_object_get(task, "stateful"))) {
            json_object_set_new(sizes, json_string_value(json_object_get(task, "id")),
                                json_integer(json_is_integer(said) ? json_integer_value(said) : guess));
        }
    }
    return sizes;
}

/* Adds what a member has to build from nothing. */
static void add_builds(const json_t *sizes, const json_t *before, const json_t *after, int64_t rate, course_round *round)
{
    json_t *has = copies_of(before);
    int64_t bytes = 0;
    for (int role = 0; role < ROLES; role++) {
        size_t at = 0;
        json_t *task = NULL;
        json_array_foreach(json_object_get(after, roles[role]), at, task)
        {
            const char *id = json_string_value(task);
            const json_t *size = json_object_get(sizes, id);
            if (size == NULL || json_object_get(has, id) != NULL) {
                continue;
            }
            int64_t known = json_integer_value(size);
            round->copies++;
            round->cold += role == ACTIVE;
            round->bytes = known < 0 || round->bytes < 0 ? COURSE_UNKNOWN : round->bytes + known;
            bytes = known < 0 || bytes < 0 ? COURSE_UNKNOWN : bytes + known;
        }
    }
    json_decref(has);
    int64_t ms = bytes == 0 ? 0 : bytes < 0 || rate <= 0 ? COURSE_UNKNOWN : (int64_t)((double)bytes * SECOND_MS / (double)rate);
    round->ms = ms < 0 || round->ms < 0 ? COURSE_UNKNOWN : ms > round->ms ? ms : round->ms;
}

/* The member as the plan has it, with every copy caught up. What it gave up is gone; what lay on its disk stays there. */
static json_t *next_member(json_t *before, const json_t *after, const json_t *sizes)
{
    json_t *next = json_copy(before);
    json_t *lag = json_copy(json_object_get(before, "lag"));
    size_t at = 0;
    json_t *task = NULL;
    for (int role = 0; role < ROLES; role++) {
        json_array_foreach(json_object_get(before, roles[role]), at, task)
        {
            json_object_del(lag, json_string_value(task));
        }
    }
    lag = lag == NULL ? json_object() : lag;
    for (int role = 0; role < ROLES; role++) {
        json_object_set(next, roles[role], json_object_get(after, roles[role]));
        json_array_foreach(json_object_get(after, roles[role]), at, task)
        {
            if (json_object_get(sizes, json_string_value(task)) != NULL) {
                json_object_set_new(lag, json_string_value(task), json_integer(0));
            }
        }
    }
    json_object_set_new(next, "lag", lag);
    return next;
}

static int add_round(course *it, const course_round *round)
{
    if (it->count == it->room) {
        size_t room = it->room == 0 ? 8 : it->room * 2;
        course_round *grown = realloc(it->rounds, room * sizeof *grown);
        if (grown == NULL) {
            return -1;
        }
        it->rounds = grown;
        it->room = room;
    }
    it->rounds[it->count++] = *round;
    return 0;
}

/* Applies a plan to it->end. Returns whether it changes something, or -1. */
static int follow(course *it, const json_t *plan, const json_t *sizes, int64_t rate)
{
    const json_t *members = json_object_get(it->end, "members");
    const json_t *stats = json_object_get(plan, "stats");
    course_round round = {.moves = json_integer_value(json_object_get(stats, "moves")),
                          .learners = json_integer_value(json_object_get(stats, "learners"))};
    json_t *next = json_array();
    int changed = 0;
    size_t at = 0;
    json_t *after = NULL;
    json_array_foreach(json_object_get(plan, "members"), at, after)
    {
        json_t *before = json_array_get(members, at);
        changed |= changes(before, after);
        add_builds(sizes, before, after, rate, &round);
        json_array_append_new(next, next_member(before, after, sizes));
    }
    json_object_set_new(it->end, "members", next);
    return changed && add_round(it, &round) != 0 ? -1 : changed;
}

static int32_t ask(segue_host *host, const char *assignor, const json_t *group, json_t **plan, segue_error *error)
{
    char *text = json_dumps(group, JSON_COMPACT);
    char *answer = NULL;
    size_t size = 0;
    if (text == NULL) {
        return sgi_fail(error, SEGUE_E_MEMORY, "no memory for a group");
    }
    int32_t status = segue_host_assign_json(host, assignor, text, strlen(text), "the group", &answer, &size, NULL, error);
    free(text);
    if (status == SEGUE_OK) {
        *plan = json_loadb(answer, size, 0, NULL);
        status = *plan == NULL ? sgi_fail(error, SEGUE_E_MEMORY, "no memory for a plan") : SEGUE_OK;
    }
    segue_free(answer);
    return status;
}

int32_t course_run(segue_host *host, const char *assignor, const json_t *group, const course_guess *guess, course *out,
                   segue_error *error)
{
    *out = (course){.end = json_deep_copy(group)};
    json_t *sizes = sizes_of(group, guess->state_bytes);
    int32_t status = SEGUE_OK;
    /* The group as it was seen has copies on their way, so that it takes a second look to see that nothing changes. */
    int has_caught_up = 0;
    while (status == SEGUE_OK && !out->is_settled && out->count < ROUNDS_MOST) {
        json_t *plan = NULL;
        status = ask(host, assignor, out->end, &plan, error);
        if (status == SEGUE_OK) {
            int changed = follow(out, plan, sizes, guess->restore_rate);
            status = changed < 0 ? sgi_fail(error, SEGUE_E_MEMORY, "no memory for a round") : SEGUE_OK;
            out->is_settled = changed == 0 && has_caught_up;
            has_caught_up = 1;
            out->first = out->first == NULL ? json_incref(plan) : out->first;
        }
        json_decref(plan);
    }
    out->min_moves = json_integer_value(json_object_get(json_object_get(out->first, "stats"), "min_moves"));
    json_decref(sizes);
    return status;
}

void course_free(course *it)
{
    free(it->rounds);
    json_decref(it->first);
    json_decref(it->end);
    *it = (course){0};
}
