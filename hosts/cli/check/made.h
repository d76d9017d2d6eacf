/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made.h - made-up groups: random ones of any shape that a runtime could report, the next one that a plan leads to, and the
 * same one told in other texts. The columns can be written here; `group` points to them.
 */
#ifndef SEGUE_HOSTS_CLI_CHECK_MADE_H
#define SEGUE_HOSTS_CLI_CHECK_MADE_H

#include "segue/host.h"

/* The index of each column in what follows; ids stand in segue/group.h. */
enum made_column {
#define MADE_COLUMN(id, field, type, count, need) MADE_##field,
    SEGUE_GROUP_COLUMNS(MADE_COLUMN)
#undef MADE_COLUMN
    MADE_COLUMNS
};

typedef struct made_group {
    segue_group group;
    segue_config config;
    uint64_t seed;
    size_t rows[MADE_COLUMNS]; /* that each column has, whatever the counts in `group` say */
#define MADE_COLUMN(id, field, type, count, need) type *field;
    SEGUE_GROUP_COLUMNS(MADE_COLUMN)
#undef MADE_COLUMN
    void *block; /* of the columns */
} made_group;

/* How large a random group gets at most, and what it is about. */
typedef struct made_size {
    uint32_t subtopologies, partitions, members;
    uint32_t copies_percent; /* of the pairs of a member and a task */
    int heavy;               /* 1: always with racks, weights and all that makes work */
    int wild;                /* 1: now and then values at the very ends of their ranges */
} made_size;

/* A well-formed group: small, of any shape. Ends the program where there is no memory. */
made_group *made_random(uint64_t seed);
made_group *made_of_size(uint64_t seed, const made_size *size);

/* The same, of which each choice is the next of `bytes`: what a fuzzer changes and cuts. */
made_group *made_of_bytes(const uint8_t *bytes, size_t count, const made_size *size);

made_group *made_copy(const made_group *from);

/* Records that a copy has to replay which begins now and finds no other on its disk. */
enum { MADE_FRESH_LAG = 100000 };

/* The group of the next rebalance, when the plan was carried out. caught_up 0: lags are as they were, dropped copies are
 * still on their disks; 1: all copies have caught up, and dropped ones are gone. */
made_group *made_next(const made_group *from, const segue_plan *plan, int caught_up);

/* The same group with longer names that lie in another order. */
made_group *made_retold(const made_group *from);

void made_free(made_group *made);

/* For the parts of this unit: columns for the counts in `group`, cleared, and the group's pointers to them. */
void made_take_columns(made_group *made);
/* The rows that are in use, from the counts in `group`, which were upper bounds while the columns were filled. */
void made_settle(made_group *made);
/* calloc that ends the program where there is none. */
void *made_take(size_t bytes);

#endif
