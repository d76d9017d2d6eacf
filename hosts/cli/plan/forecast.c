/* SPDX-License-Identifier: Apache-2.0 */
#include "forecast.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "duration.h"
#include "error.h"
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

void forecast_token(const json_t *start, const json_t *first, char token[FORECAST_TOKEN_ROOM])
{
    json_t *group = json_deep_copy(start);
    json_object_del(group, "now_ms");
    uint64_t hash = mix(mix(FNV_START, group), json_object_get(first, "members"));
    json_decref(group);
    snprintf(token, FORECAST_TOKEN_ROOM, "%016" PRIx64, hash);
}

/* ---- sums ---------------------------------------------------------------------------------------------------------- */

/* What is unknown in one round is unknown in all. */
static int64_t plus(int64_t sum, int64_t more)
{
    return sum < 0 || more < 0 ? COURSE_UNKNOWN : sum + more;
}

static course_round total_of(const course *it)
{
    course_round sum = {0};
    for (size_t at = 0; at < it->count; at++) {
        const course_round *round = &it->rounds[at];
        sum.moves += round->moves;
        sum.learners += round->learners;
        sum.copies += round->copies;
        sum.cold += round->cold;
        sum.bytes = plus(sum.bytes, round->bytes);
        sum.ms = plus(sum.ms, round->ms);
    }
    return sum;
}

static size_t actives(const json_t *member)
{
    return json_array_size(json_object_get(member, "active"));
}

/* ---- for people ---------------------------------------------------------------------------------------------------- */

static const char *label_of(const forecast *it, const json_t *member, char *room)
{
    const char *id = json_string_value(json_object_get(member, "id"));
    const char *label = json_string_value(json_object_get(it->labels, id));
    snprintf(room, NAME_ROOM, "%s", label != NULL ? label : id);
    sgi_clean_line(room);
    return room;
}

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

static void print_members(const forecast *it)
{
    const json_t *after = json_object_get(it->course->end, "members");
    size_t at = 0;
    json_t *member = NULL;
    printf("  %-*s  threads  tasks now  then\n", NAME_WIDTH, "member");
    json_array_foreach(json_object_get(it->start, "members"), at, member)
    {
        char name[NAME_ROOM];
        printf("  %-*s  %7" PRId64 "  %9zu  %4zu%s\n", NAME_WIDTH, label_of(it, member, name), what_if_threads(member),
               actives(member), actives(json_array_get(after, at)),
               json_object_get(member, "leaving") != NULL ? "  leaves" : "");
    }
}

static void print_unknown(const course_round *sum)
{
    if (sum->copies > 0 && sum->bytes < 0) {
        printf("how many bytes is not known: nobody says the size of the state; --state-bytes SIZE says it for each task\n");
    } else if (sum->copies > 0 && sum->ms < 0) {
        printf("how long is not known: --restore-rate SIZE says what a member replays in a second\n");
    }
}

static int64_t in_flight(const forecast *it)
{
    int64_t count = 0;
    size_t at = 0;
    json_t *member = NULL;
    json_array_foreach(json_object_get(it->start, "members"), at, member)
    {
        count += (int64_t)json_array_size(json_object_get(member, "learner"));
    }
    return count;
}

void forecast_print_text(const forecast *it)
{
    course_round sum = total_of(it->course);
    printf("%s: %zu tasks, %zu members", it->assignor, json_array_size(json_object_get(it->start, "tasks")),
           json_array_size(json_object_get(it->start, "members")));
    if (in_flight(it) > 0) {
        printf(", %" PRId64 " learners on their way", in_flight(it));
    }
    if (it->course->count == 0) {
        printf("; no rebalance would change anything\n");
    } else {
        printf("; %" PRId64 " moves (at least %" PRId64 ") in %zu rebalance%s; ", sum.moves, it->course->min_moves,
               it->course->count, it->course->count == 1 ? "" : "s");
        print_copies(&sum);
        print_rounds(it);
    }
    if (!it->course->is_settled) {
        printf("it had not settled after %zu rebalances, and was given up\n", it->course->count);
    }
    print_unknown(&sum);
    print_members(it);
    printf("token %s\n", it->token);
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

static json_t *members_json(const forecast *it)
{
    const json_t *after = json_object_get(it->course->end, "members");
    json_t *rows = json_array();
    size_t at = 0;
    json_t *member = NULL;
    json_array_foreach(json_object_get(it->start, "members"), at, member)
    {
        const json_t *id = json_object_get(member, "id");
        const char *label = json_string_value(json_object_get(it->labels, json_string_value(id)));
        json_t *row = json_pack("{s:O, s:I, s:b, s:I, s:I}", "id", id, "threads", (json_int_t)what_if_threads(member), "leaving",
                                json_object_get(member, "leaving") != NULL, "active", (json_int_t)actives(member),
                                "active_then", (json_int_t)actives(json_array_get(after, at)));
        if (label != NULL) {
            json_object_set_new(row, "client_id", json_string(label));
        }
        json_array_append_new(rows, row);
    }
    return rows;
}

int forecast_print_json(const forecast *it)
{
    course_round sum = total_of(it->course);
    json_t *document = json_pack("{s:s, s:s, s:s, s:o, s:I, s:I, s:b, s:I, s:o, s:o, s:o}", "segue", "forecast/1", "assignor",
                                 it->assignor, "token", it->token, "seen_ms", number(it->seen_ms), "learners_in_flight",
                                 (json_int_t)in_flight(it), "rebalances", (json_int_t)it->course->count, "settled", it->course->is_settled, "min_moves",
                                 (json_int_t)it->course->min_moves, "total", round_json(&sum), "rounds",
                                 rounds_json(it->course), "members", members_json(it));
    int failed = document == NULL || json_dumpf(document, stdout, JSON_COMPACT) != 0;
    putchar('\n');
    json_decref(document);
    return failed ? -1 : 0;
}
