/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Made-up groups for `segue bench`. Every event begins at a settled group, in which task i lies on member i modulo the
 * members, and its standbys on the next ones. Racks go round the members and, two replicas each, round the partitions;
 * weights go from 1 to 8, or have a heavy tail. Leaving members lie evenly among the others; every second one has a deadline.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

const char *const bench_events[] = {"fresh", "stable", "join1", "joinmany", "leave1", "partitions", NULL};

enum { TENTH = 10, WEIGHTS = 8, HEAVIEST = 1000000, REPLICA_RACKS = 2, DEADLINE_MS = 3600000 };

static int is(const bench_shape *shape, const char *event)
{
    return strcmp(shape->event, event) == 0;
}

/* Members over which the tasks lay before the event: 0 for a group that begins. */
static int64_t settled_members(const bench_shape *shape)
{
    int64_t many = shape->members < TENTH ? 1 : shape->members / TENTH;
    if (is(shape, "fresh")) {
        return 0;
    }
    return shape->members - is(shape, "join1") - (is(shape, "joinmany") ? many : 0) + is(shape, "leave1");
}

typedef struct place {
    int64_t subtopology, partition, partitions;
} place;

/* A task by its running number: subtopologies differ by one partition at most. */
static place place_of(const bench_shape *shape, int64_t number)
{
    int64_t least = shape->tasks / shape->subtopologies;
    int64_t larger = shape->tasks % shape->subtopologies;
    int64_t behind = number - larger * (least + 1);
    if (behind < 0) {
        return (place){number / (least + 1), number % (least + 1), least + 1};
    }
    return (place){larger + behind / least, behind % least, least};
}

/* Has the task come with the event? The last tenth of each subtopology's partitions, at least one. */
static int is_added(const bench_shape *shape, int64_t number)
{
    place at = place_of(shape, number);
    int64_t added = at.partitions < TENTH ? 1 : at.partitions / TENTH;
    return is(shape, "partitions") && at.partition >= at.partitions - added;
}

static void write_task(FILE *out, const bench_shape *shape, int64_t number)
{
    place at = place_of(shape, number);
    fprintf(out, "\"%" PRId64 "_%" PRId64 "\"", at.subtopology, at.partition);
}

static void write_racks(FILE *out, const bench_shape *shape, int64_t number)
{
    place at = place_of(shape, number);
    fprintf(out, ",\"partitions\":[{\"topic\":\"t%" PRId64 "\",\"partition\":%" PRId64 ",\"racks\":[", at.subtopology,
            at.partition);
    for (int64_t i = 0; i < REPLICA_RACKS && i < shape->racks; i++) {
        fprintf(out, "%s\"r%" PRId64 "\"", i == 0 ? "" : ",", (number + i) % shape->racks);
    }
    fputs("]}]", out);
}

/* Heavy ones are a million over any number up to a million: a few tasks weigh as much as thousands. */
static int64_t weight_of(const bench_shape *shape, int64_t number)
{
    if (shape->weights == BENCH_LIGHT) {
        return 1 + number % WEIGHTS;
    }
    uint64_t mixed = ((uint64_t)number + 1) * 0x9e3779b97f4a7c15u;
    return HEAVIEST / (1 + (int64_t)((mixed >> 32) % HEAVIEST));
}

/* What subtopologies cannot say of their tasks. */
static void write_tasks(FILE *out, const bench_shape *shape)
{
    fputs(",\"tasks\":[", out);
    for (int64_t number = 0; number < shape->tasks; number++) {
        fputs(number == 0 ? "{\"id\":" : ",{\"id\":", out);
        write_task(out, shape, number);
        if (shape->weights != BENCH_EQUAL) {
            fprintf(out, ",\"weight\":%" PRId64, weight_of(shape, number));
        }
        if (shape->racks > 0) {
            write_racks(out, shape, number);
        }
        fputs("}", out);
    }
    fputs("]", out);
}

/* The tasks of which the member is the `distance`-th behind the owner. */
static void write_held(FILE *out, const bench_shape *shape, int64_t settled, int64_t member, int64_t distance,
                       int *first)
{
    int64_t begin = ((member - distance) % settled + settled) % settled;
    for (int64_t task = begin; task < shape->tasks; task += settled) {
        if (!is_added(shape, task)) {
            fputs(*first ? "" : ",", out);
            write_task(out, shape, task);
            *first = 0;
        }
    }
}

static void write_lags(FILE *out, const bench_shape *shape, int64_t settled, int64_t member)
{
    int first = 1;
    for (int64_t distance = 1; distance <= shape->standbys; distance++) {
        int64_t begin = ((member - distance) % settled + settled) % settled;
        for (int64_t task = begin; task < shape->tasks; task += settled) {
            if (!is_added(shape, task)) {
                fputs(first ? "" : ",", out);
                write_task(out, shape, task);
                fputs(":0", out);
                first = 0;
            }
        }
    }
}

/* As many as are wanted, as evenly as that can be. */
static void write_leaving(FILE *out, const bench_shape *shape, int64_t member)
{
    int64_t half = shape->members / 2, before = (member * shape->leaving + half) / shape->members;
    if (((member + 1) * shape->leaving + half) / shape->members > before) {
        fputs(",\"leaving\":{\"since_ms\":0", out);
        if (before % 2 == 0) {
            fprintf(out, ",\"deadline_ms\":%d", DEADLINE_MS);
        }
        fputs("}", out);
    }
}

static void write_member(FILE *out, const bench_shape *shape, int64_t settled, int64_t member)
{
    fprintf(out, "%s{\"id\":\"member-%07" PRId64 "\"", member == 0 ? "" : ",", member);
    if (shape->racks > 0) {
        fprintf(out, ",\"rack\":\"r%" PRId64 "\"", member % shape->racks);
    }
    write_leaving(out, shape, member);
    if (member < settled) {
        int first = 1;
        fputs(",\"active\":[", out);
        write_held(out, shape, settled, member, 0, &first);
        fputs("],\"standby\":[", out);
        first = 1;
        for (int64_t distance = 1; distance <= shape->standbys; distance++) {
            write_held(out, shape, settled, member, distance, &first);
        }
        fputs("],\"lag\":{", out);
        write_lags(out, shape, settled, member);
        fputs("}", out);
    }
    fputs("}", out);
}

static void write_group(FILE *out, const bench_shape *shape)
{
    int64_t settled = settled_members(shape);
    fprintf(out, "{\"segue\":\"group/1\",\"config\":{\"num.standby.replicas\":%" PRId64 "%s},\"subtopologies\":[",
            shape->standbys, shape->racks > 0 ? ",\"rack.aware.assignment.strategy\":\"min_traffic\"" : "");
    for (int64_t i = 0; i < shape->subtopologies; i++) {
        int64_t partitions = shape->tasks / shape->subtopologies + (i < shape->tasks % shape->subtopologies);
        fprintf(out, "%s{\"id\":%" PRId64 ",\"partitions\":%" PRId64 "}", i == 0 ? "" : ",", i, partitions);
    }
    fputs("]", out);
    if (shape->weights != BENCH_EQUAL || shape->racks > 0) {
        write_tasks(out, shape);
    }
    fputs(",\"members\":[", out);
    for (int64_t member = 0; member < shape->members; member++) {
        write_member(out, shape, settled, member);
    }
    fputs("]}", out);
}

char *bench_make_group(const bench_shape *shape, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (out == NULL) {
        return NULL;
    }
    write_group(out, shape);
    int failed = ferror(out);
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
