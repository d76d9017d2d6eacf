/* SPDX-License-Identifier: Apache-2.0 */
#include "forecast.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "duration.h"
#include "error.h"
#include "path.h"
#include "sizes.h"
#include "what_if.h"

enum { NAME_WIDTH = 32, NAME_ROOM = 160, ROUNDS_SHOWN = 10 };

#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

/* ---- token --------------------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, const json_t *document)
{
    char *text = json_dumps(document, JSON_COMPACT | JSON_SORT_KEYS);
    for (const char *at = text; at != NULL && *at != '\0'; at++) {
        hash = (hash ^ (unsigned char)*at) * FNV_PRIME;
    }
    free(text);
    return hash;
}

/* What was decided does not depend on when somebody was marked, and a mark that is only supposed is set now. */
static json_t *without_times(const json_t *group)
{
    json_t *copy = json_deep_copy(group);
    size_t at = 0;
    json_t *member = NULL;
    json_object_del(copy, "now_ms");
    json_array_foreach(json_object_get(copy, "members"), at, member)
    {
        json_object_del(json_object_get(member, "leaving"), "since_ms");
    }
    return copy;
}

void forecast_token(const json_t *groups, const json_t *first, char token[FORECAST_TOKEN_ROOM])
{
    uint64_t hash = FNV_START;
    for (size_t at = 0; at < json_array_size(groups); at++) {
        json_t *group = without_times(json_array_get(groups, at));
        hash = mix(mix(hash, group), json_array_get(first, at));
        json_decref(group);
    }
    snprintf(token, FORECAST_TOKEN_ROOM, "%016" PRIx64, hash);
}

/* ---- sums ---------------------------------------------------------------------------------------------------------- */

static course_round total_of(const course *it)
{
    course_round sum = {0};
    for (size_t at = 0; at < it->count; at++) {
        const course_round *round = &it->rounds[at];
        sum.moves += round->moves;
        sum.learners += round->learners;
        sum.copies += round->copies;
        sum.cold += round->cold;
        sum.bytes = path_plus(sum.bytes, round->bytes);
        sum.ms = path_plus(sum.ms, round->ms);
    }
    return sum;
}

static size_t count_of(const json_t *object, const char *key)
{
    return json_array_size(json_object_get(object, key));
}

static size_t count_tasks(const forecast *it)
{
    size_t count = 0;
    for (size_t at = 0; at < json_array_size(it->groups); at++) {
        count += count_of(json_array_get(it->groups, at), "tasks");
    }
    return count;
}

/* ---- members ------------------------------------------------------------------------------------------------------- */

/* Adds what a member holds in one of the groups that it is in. */
static void add_held(json_t *row, const json_t *member)
{
    static const char *const counted[] = {"active", "learner"};
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++) {
        json_int_t before = json_integer_value(json_object_get(row, counted[i]));
        json_object_set_new(row, counted[i], json_integer(before + (json_int_t)count_of(member, counted[i])));
    }
}

static json_t *new_row(const forecast *it, const json_t *member)
{
    json_t *label = json_object_get(it->labels, what_if_known_as(member));
    json_t *id = json_object_get(member, "id");
    json_t *row = json_pack("{s:O, s:I, s:b}", "id", id, "threads", (json_int_t)what_if_threads(member), "leaving",
                            json_object_get(member, "leaving") != NULL);
    json_object_set_new(row, "active_then",
                        json_integer(json_integer_value(json_object_get(it->course->then, json_string_value(id)))));
    json_object_update(row, label);
    return row;
}

/* A row for each member, whatever groups it is in; `learners`: how many are on their way in all. */
static json_t *rows_of(const forecast *it, json_int_t *learners)
{
    json_t *rows = json_array();
    json_t *known = json_object();
    size_t at = 0;
    json_t *group = NULL;
    *learners = 0;
    json_array_foreach(it->groups, at, group)
    {
        size_t i = 0;
        json_t *member = NULL;
        json_array_foreach(json_object_get(group, "members"), i, member)
        {
            const char *id = json_string_value(json_object_get(member, "id"));
            if (json_object_get(known, id) == NULL) {
                json_array_append_new(rows, new_row(it, member));
                json_object_set(known, id, json_array_get(rows, json_array_size(rows) - 1));
            }
            add_held(json_object_get(known, id), member);
            *learners += (json_int_t)count_of(member, "learner");
        }
    }
    json_decref(known);
    return rows;
}

/* ---- for people ---------------------------------------------------------------------------------------------------- */

static void print_copies(const course_round *round)
{
    char size[SIZE_ROOM];
    char time[CLI_DURATION_ROOM];
    printf("%" PRId64 " %s built", round->copies, round->copies == 1 ? "copy" : "copies");
    if (round->cold > 0) {
        printf(" (%" PRId64 " of tasks that are down meanwhile)", round->cold);
    }
    if (round->copies > 0 && round->bytes >= 0) {
        printf(", %s", size_write((double)round->bytes, size, sizeof size));
    }
    if (round->copies > 0 && round->ms >= 0) {
        printf(", ready after %s", cli_duration_write(round->ms, time, sizeof time));
    }
    printf("\n");
}

static void print_rounds(const forecast *it)
{
    const course *c = it->course;
    for (size_t at = 0; at < c->count; at++) {
        if (at == ROUNDS_SHOWN && c->count > ROUNDS_SHOWN + 1) {
            printf("  ... %zu more\n", c->count - ROUNDS_SHOWN);
            break;
        }
        printf("  rebalance %zu: %" PRId64 " tasks move, %" PRId64 " learn, ", at + 1, c->rounds[at].moves,
               c->rounds[at].learners);
        print_copies(&c->rounds[at]);
    }
}

static void print_members(const json_t *rows)
{
    size_t at = 0;
    json_t *row = NULL;
    printf("  %-*s  threads  tasks now  then\n", NAME_WIDTH, "member");
    json_array_foreach(rows, at, row)
    {
        char name[NAME_ROOM];
        const json_t *own = json_object_get(row, "name");
        snprintf(name, sizeof name, "%s", json_string_value(own != NULL ? own : json_object_get(row, "id")));
        sgi_clean_line(name);
        printf("  %-*s  %7" JSON_INTEGER_FORMAT "  %9" JSON_INTEGER_FORMAT "  %4" JSON_INTEGER_FORMAT "%s\n", NAME_WIDTH, name,
               json_integer_value(json_object_get(row, "threads")), json_integer_value(json_object_get(row, "active")),
               json_integer_value(json_object_get(row, "active_then")),
               json_is_true(json_object_get(row, "leaving")) ? "  leaves" : "");
    }
}

static void print_unknown(const course_round *sum)
{
    if (sum->copies == 0) {
        return;
    }
    if (sum->bytes == COURSE_TOO_MUCH) {
        printf("how many bytes cannot be told: they are more than 2^63\n");
    } else if (sum->bytes < 0) {
        printf("how many bytes is not known: not every task that is built says the size of its state; --state-bytes SIZE says "
               "it for those that do not\n");
    } else if (sum->ms == COURSE_TOO_MUCH) {
        printf("how long cannot be told: it takes more than 2^63 ms\n");
    } else if (sum->ms < 0) {
        printf("how long is not known: --restore-rate SIZE says what a member replays in a second\n");
    }
}

static void print_head(const forecast *it, size_t members, json_int_t learners)
{
    printf("%s: %zu tasks, %zu members", it->assignor, count_tasks(it), members);
    if (json_array_size(it->groups) > 1) {
        printf(" in %zu groups by what they read", json_array_size(it->groups));
    }
    if (learners > 0) {
        printf(", %" JSON_INTEGER_FORMAT " %s on the way", learners, learners == 1 ? "learner" : "learners");
    }
}

void forecast_print_text(const forecast *it)
{
    course_round sum = total_of(it->course);
    json_int_t learners = 0;
    json_t *rows = rows_of(it, &learners);
    print_head(it, json_array_size(rows), learners);
    if (it->course->count == 0) {
        printf("; no rebalance would change anything\n");
    } else {
        printf("; %" PRId64 " moves (least for full balance: %" PRId64 ") in %zu rebalance%s; ", sum.moves, it->course->min_moves,
               it->course->count, it->course->count == 1 ? "" : "s");
        print_copies(&sum);
        print_rounds(it);
    }
    if (!it->course->is_settled) {
        printf("it had not settled after %zu rebalances, and was given up\n", it->course->count);
    }
    print_unknown(&sum);
    print_members(rows);
    printf("token %s\n", it->token);
    json_decref(rows);
}

/* ---- for programs -------------------------------------------------------------------------------------------------- */

static json_t *number(int64_t value)
{
    return value < 0 ? json_null() : json_integer(value);
}

static json_t *round_json(const course_round *round)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:o, s:o}", "moves", (json_int_t)round->moves, "learners",
                     (json_int_t)round->learners, "copies", (json_int_t)round->copies, "cold", (json_int_t)round->cold, "bytes", number(round->bytes), "ms",
                     number(round->ms));
}

static json_t *rounds_json(const course *it)
{
    json_t *rounds = json_array();
    for (size_t at = 0; at < it->count; at++) {
        json_array_append_new(rounds, round_json(&it->rounds[at]));
    }
    return rounds;
}

int forecast_print_json(const forecast *it)
{
    course_round sum = total_of(it->course);
    json_int_t learners = 0;
    json_t *rows = rows_of(it, &learners);
    json_t *document = json_pack(
        "{s:s, s:s, s:s, s:o, s:I, s:I, s:I, s:b, s:I, s:o, s:o, s:o}", "segue", "forecast/1", "assignor", it->assignor,
        "token", it->token, "seen_ms", number(it->seen_ms), "groups", (json_int_t)json_array_size(it->groups),
        "learners_in_flight", learners, "rebalances", (json_int_t)it->course->count, "settled", it->course->is_settled,
        "min_moves", (json_int_t)it->course->min_moves, "total", round_json(&sum), "rounds", rounds_json(it->course),
        "members", rows);
    int failed = document == NULL || json_dumpf(document, stdout, JSON_COMPACT) != 0;
    putchar('\n');
    json_decref(document);
    return failed ? -1 : 0;
}
