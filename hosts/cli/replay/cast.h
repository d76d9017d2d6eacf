/* SPDX-License-Identifier: Apache-2.0 */
/* cast.h - the members and tasks of a record: each has a number, by its name, in the order in which they appear. */
#ifndef SEGUE_HOSTS_CLI_REPLAY_CAST_H
#define SEGUE_HOSTS_CLI_REPLAY_CAST_H

#include <jansson.h>
#include <stdint.h>

#include "segue/group.h"

typedef struct cast_names {
    json_t *ids;    /* name: number */
    json_t *heads;  /* by number, as the head of a file of events has them */
    uint32_t *rank; /* by row of the group that was entered last: the number */
    uint32_t count, room;
} cast_names;

typedef struct cast {
    cast_names members, tasks;
} cast;

/* 0, or -1 without memory. cast_close() takes what either leaves. */
int cast_open(cast *it);
void cast_close(cast *it);

/* Numbers whoever is new in a group, and ranks its rows. 0, or -1 without memory. */
int cast_enter(cast *it, const segue_group *group);

/* The name with a number; the cast's. */
const char *cast_name(const cast_names *names, uint32_t number);

/* Makes room for `wanted` rows of `size` bytes, new ones zero. 0, or -1 without memory. */
int cast_grow(void **rows, uint32_t *room, uint32_t wanted, size_t size);

#endif
