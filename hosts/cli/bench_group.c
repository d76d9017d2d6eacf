/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Made-up groups for `segue bench`. Every event begins at a settled group, in which task i lies on member i modulo the
 * members, and its standbys on the next ones.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

const char *const bench_events[] = {"fresh", "stable", "join1", "leave1", NULL};

/* Members over which the tasks lay before the event: 0 for a group that begins. */
static int64_t settled_members(const bench_shape *shape)
{
    if (strcmp(shape->event, "fresh") == 0) {
        return 0;
    }
    int joins = strcmp(shape->event, "join1") == 0;
    int leaves = strcmp(shape->event, "leave1") == 0;
    return shape->members - joins + leaves;
}

/* The id of a task by its running number: subtopologies differ by one partition at most. */
static void write_task(FILE *out, const bench_shape *shape, int64_t number)
{
    int64_t least = shape->tasks / shape->subtopologies;
    int64_t larger = shape->tasks % shape->subtopologies;
    int64_t behind = number - larger * (least + 1);
    int64_t subtopology = behind < 0 ? number / (least + 1) : larger + behind / least;
    int64_t partition = behind < 0 ? number % (least + 1) : behind % least;
    fprintf(out, "\"%" PRId64 "_%" PRId64 "\"", subtopology, partition);
}

/* The tasks of which the member is the `distance`-th behind the owner. */
static void write_held(FILE *out, const bench_shape *shape, int64_t settled, int64_t member, int64_t distance,
                       int *first)
{
    int64_t begin = ((member - distance) % settled + settled) % settled;
    for (int64_t task = begin; task < shape->tasks; task += settled) {
        fputs(*first ? "" : ",", out);
        write_task(out, shape, task);
        *first = 0;
    }
}

static void write_lags(FILE *out, const bench_shape *shape, int64_t settled, int64_t member)
{
    int first = 1;
    for (int64_t distance = 1; distance <= shape->standbys; distance++) {
        int64_t begin = ((member - distance) % settled + settled) % settled;
        for (int64_t task = begin; task < shape->tasks; task += settled) {
            fputs(first ? "" : ",", out);
            write_task(out, shape, task);
            fputs(":0", out);
            first = 0;
        }
    }
}

static void write_member(FILE *out, const bench_shape *shape, int64_t settled, int64_t member)
{
    fprintf(out, "%s{\"id\":\"member-%07" PRId64 "\"", member == 0 ? "" : ",", member);
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
    fprintf(out, "{\"segue\":\"group/1\",\"config\":{\"num.standby.replicas\":%" PRId64 "},\"subtopologies\":[",
            shape->standbys);
    for (int64_t i = 0; i < shape->subtopologies; i++) {
        int64_t partitions = shape->tasks / shape->subtopologies + (i < shape->tasks % shape->subtopologies);
        fprintf(out, "%s{\"id\":%" PRId64 ",\"partitions\":%" PRId64 "}", i == 0 ? "" : ",", i, partitions);
    }
    fputs("],\"members\":[", out);
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
