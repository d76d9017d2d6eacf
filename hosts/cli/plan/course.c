/* SPDX-License-Identifier: Apache-2.0 */
#include "course.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "path.h"

/* High-availability takes some 450 rounds for 900 tasks; what has not settled by then never will. */
enum { ROUNDS_MOST = 5000 };

#define SECOND_MS 1000

/* The groups on their way, and their members put together: who is in several builds the copies of all. */
typedef struct walk {
    path *paths;
    size_t count;
    uint32_t **person; /* of each group's members, by row */
    uint32_t people;
    int64_t *bytes; /* what each person builds in a round */
    int64_t *built; /* the same of one group's members */
} walk;

/* ---- people -------------------------------------------------------------------------------------------------------- */

/* Numbers the members of all groups by their ids. `numbers` has them by id. */
static int number_members(const path *it, json_t *numbers, uint32_t *person)
{
    int failed = 0;
    for (uint32_t member = 0; !failed && member < it->now.member_count; member++) {
        json_t *id = path_member(it, member);
        const json_t *known = json_object_get(numbers, json_string_value(id));
        person[member] = (uint32_t)(known != NULL ? (size_t)json_integer_value(known) : json_object_size(numbers));
        failed = id == NULL ||
                 (known == NULL && json_object_set_new(numbers, json_string_value(id), json_integer(person[member])) != 0);
        json_decref(id);
    }
    return failed ? -1 : 0;
}

static int find_people(walk *it)
{
    json_t *numbers = json_object();
    uint32_t most = 0;
    it->person = calloc(it->count, sizeof *it->person);
    int failed = it->person == NULL || numbers == NULL;
    for (size_t at = 0; !failed && at < it->count; at++) {
        uint32_t members = it->paths[at].now.member_count;
        most = members > most ? members : most;
        it->person[at] = malloc(((size_t)members + 1) * sizeof **it->person);
        failed = it->person[at] == NULL || number_members(&it->paths[at], numbers, it->person[at]) != 0;
    }
    it->people = (uint32_t)json_object_size(numbers);
    it->bytes = malloc(((size_t)it->people + 1) * sizeof *it->bytes);
    it->built = malloc(((size_t)most + 1) * sizeof *it->built);
    json_decref(numbers);
    return failed || it->bytes == NULL || it->built == NULL ? -1 : 0;
}

static int32_t walk_open(walk *it, const json_t *groups, int64_t state_bytes, segue_error *error)
{
    *it = (walk){.count = json_array_size(groups)};
    it->paths = calloc(it->count, sizeof *it->paths);
    int32_t status = it->paths == NULL ? SEGUE_E_MEMORY : SEGUE_OK;
    for (size_t at = 0; status == SEGUE_OK && at < it->count; at++) {
        status = path_open(&it->paths[at], json_array_get(groups, at), state_bytes, error);
        if (status != SEGUE_OK) {
            return status;
        }
    }
    return status == SEGUE_OK && find_people(it) == 0 ? SEGUE_OK : sgi_fail(error, SEGUE_E_MEMORY, "no memory for groups");
}

static void walk_close(walk *it)
{
    for (size_t at = 0; at < it->count; at++) {
        if (it->paths != NULL) {
            path_close(&it->paths[at]);
        }
        if (it->person != NULL) {
            free(it->person[at]);
        }
    }
    free(it->paths);
    free(it->person);
    free(it->bytes);
    free(it->built);
}

/* ---- rounds -------------------------------------------------------------------------------------------------------- */

static int add_round(course *it, const course_round *round)
{
    if (it->count == it->room) {
        size_t room = it->room == 0 ? 16 : it->room * 2;
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

static int64_t time_of(int64_t bytes, int64_t rate)
{
    if (bytes == 0) {
        return 0;
    }
    if (bytes < 0 || rate <= 0) {
        return COURSE_UNKNOWN;
    }
    double ms = (double)bytes * SECOND_MS / (double)rate;
    return ms < (double)INT64_MAX ? (int64_t)ms : COURSE_TOO_MUCH;
}

/* Members build beside each other, each of them one copy behind the other. */
static void add_time(const walk *it, int64_t rate, course_round *round)
{
    for (uint32_t person = 0; person < it->people; person++) {
        int64_t bytes = it->bytes[person];
        int64_t ms = time_of(bytes, rate);
        round->bytes = path_plus(round->bytes, bytes);
        round->ms = round->ms < 0 ? round->ms : ms < 0 || ms > round->ms ? ms : round->ms;
    }
}

/* One rebalance of all groups. *changed: whether anything is to be held by somebody else. */
static int32_t go(walk *it, segue_host *host, const char *assignor, course_round *round, int *changed, segue_error *error)
{
    int32_t status = SEGUE_OK;
    *changed = 0;
    *round = (course_round){0};
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): walk_open has failed without memory */
    memset(it->bytes, 0, it->people * sizeof *it->bytes);
    for (size_t at = 0; status == SEGUE_OK && at < it->count; at++) {
        path_step step;
        uint32_t members = it->paths[at].now.member_count;
        memset(it->built, 0, members * sizeof *it->built);
        status = path_go(&it->paths[at], host, assignor, it->built, &step, error);
        round->moves += step.moves;
        round->learners += step.learners;
        round->copies += step.copies;
        round->cold += step.cold;
        *changed |= step.changes;
        for (uint32_t member = 0; member < members; member++) {
            int64_t *bytes = &it->bytes[it->person[at][member]];
            *bytes = path_plus(*bytes, it->built[member]);
        }
    }
    return status;
}

static int sum_up(const walk *it, course *out)
{
    int failed = 0;
    out->first = json_array();
    out->then = json_object();
    for (size_t at = 0; at < it->count; at++) {
        const path *one = &it->paths[at];
        out->min_moves += one->min_moves;
        failed |= json_array_append(out->first, one->first) != 0;
        for (uint32_t member = 0; member < one->now.member_count; member++) {
            json_t *id = path_member(one, member);
            json_int_t owns = json_integer_value(json_object_get(out->then, json_string_value(id)));
            failed |= json_object_set_new(out->then, json_string_value(id), json_integer(owns + path_active(one, member))) != 0;
            json_decref(id);
        }
    }
    return failed ? -1 : 0;
}

int32_t course_run(segue_host *host, const char *assignor, const json_t *groups, const course_guess *guess, course *out,
                   segue_error *error)
{
    *out = (course){0};
    walk it;
    int32_t status = walk_open(&it, groups, guess->state_bytes, error);
    /* A group as it was seen has copies on their way, so that it takes a second look to see that nothing changes. */
    int has_caught_up = 0;
    while (status == SEGUE_OK && !out->is_settled && out->count < ROUNDS_MOST) {
        course_round round;
        int changed = 0;
        status = go(&it, host, assignor, &round, &changed, error);
        add_time(&it, guess->restore_rate, &round);
        if (status == SEGUE_OK && changed && add_round(out, &round) != 0) {
            status = sgi_fail(error, SEGUE_E_MEMORY, "no memory for a round");
        }
        out->is_settled = !changed && has_caught_up;
        has_caught_up = 1;
    }
    if (status == SEGUE_OK && sum_up(&it, out) != 0) {
        status = sgi_fail(error, SEGUE_E_MEMORY, "no memory for what comes of it");
    }
    walk_close(&it);
    return status;
}

void course_free(course *it)
{
    free(it->rounds);
    json_decref(it->first);
    json_decref(it->then);
    *it = (course){0};
}
