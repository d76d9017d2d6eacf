/* SPDX-License-Identifier: Apache-2.0 */
/* bench.h - the parts of `segue bench`. */
#ifndef SEGUE_HOSTS_CLI_BENCH_H
#define SEGUE_HOSTS_CLI_BENCH_H

#include "cli.h"
#include "segue/entry.h"

/* How tasks differ in weight. */
enum bench_weights { BENCH_EQUAL, BENCH_LIGHT, BENCH_HEAVY };

/* A made-up group of one kind of event. */
typedef struct bench_shape {
    int64_t tasks;
    int64_t members; /* those that are there after the event */
    int64_t subtopologies;
    int64_t standbys;
    int64_t racks; /* 0: nobody knows of racks */
    int64_t leaving; /* members that are marked as leaving, with and without a deadline */
    enum bench_weights weights;
    const char *event;
} bench_shape;

/* The words that an event can be, NULL-terminated. */
extern const char *const bench_events[];

/* The group's JSON document, for free(); NULL without memory. */
char *bench_make_group(const bench_shape *shape, size_t *size);

/* Times of one assignor on one group, and the plan that it gave. */
typedef struct bench_result {
    double median_us, min_us; /* of the slot `assign` */
    double memcpy_us;         /* median of copying the same columns */
    uint64_t copied_bytes;
    uint32_t repeats;
} bench_result;

/* Everything that one line is about. */
typedef struct bench_case {
    const char *assignor, *event;
    const bench_shape *shape; /* NULL: a group of a file */
    const segue_group *group;
    const segue_config *config;
    const segue_plan *plan;
    const bench_result *result;
    int decisions;
} bench_case;

/* One JSON line, or one row of a table for people below its head. */
void bench_print_line(const bench_case *it);
void bench_print_head(void);
void bench_print_row(const bench_case *it);

/* A named size: "100,000x10,000" and the like. */
typedef struct bench_size {
    const char *name;
    int64_t tasks, members, subtopologies;
} bench_size;

extern const bench_size bench_sizes[];         /* ends with a NULL name */
extern const char *const bench_size_names[];   /* the same, for messages; NULL-terminated */

/* What the groups of a grid differ in beside size and event, one for each column of the table. */
typedef struct bench_variant {
    int64_t standbys, racks;
    int leaving; /* a hundredth of the members leave, at least one */
    enum bench_weights weights;
} bench_variant;

#define BENCH_VARIANTS 6
extern const bench_variant bench_variants[BENCH_VARIANTS];

/* The slots of the plugin at `path`, which libsegue has loaded already. NULL: it says why itself. */
const segue_slots *bench_slots(const char *path);

/* Runs the slot on the group. `repeats` 0: as many as fit about a second, at least 5. The last plan stays in `plan`. */
int32_t bench_run(const segue_slots *slots, const char *assignor, const segue_group *group, const segue_config *config,
                  segue_plan *plan, int64_t repeats, bench_result *result, segue_error *error);

/* Copies every column of the group and every used row of the plan; returns the bytes. `room` has bench_column_bytes. */
size_t bench_copy_columns(const segue_group *group, const segue_plan *plan, char *room);
size_t bench_column_bytes(const segue_group *group, const segue_plan *plan);

#endif
