/* SPDX-License-Identifier: Apache-2.0 */
/* path.h - one group on its way through rebalances, in columns: each plan makes the next group, in which every copy has caught
 * up. One thread. */
#ifndef SEGUE_HOSTS_CLI_PLAN_PATH_H
#define SEGUE_HOSTS_CLI_PLAN_PATH_H

#include <jansson.h>
#include <stdint.h>

#include "disks.h"
#include "segue/host.h"

/* Copies of each member, by task, as the columns of a group have them; in one allocation. */
typedef struct path_copies {
    int64_t *lag;
    uint32_t *start, *task;
    uint8_t *role;
} path_copies;

typedef struct path {
    segue_document *document;
    segue_group now; /* the document's columns, with the copies that there are by now */
    path_copies copies;
    disks disks;
    int64_t *bytes; /* of each task; SEGUE_BYTES_UNKNOWN */
    json_t *first;  /* who holds what by the first plan: its members */
    int64_t min_moves; /* as the first plan says */
} path;

/* What one rebalance does in a group. `copies` are built from nothing after it, `cold` of them by the owner itself, whose
 * task is down meanwhile. */
typedef struct path_step {
    int64_t moves, learners, copies, cold;
    int changes; /* whether anybody is to hold something else than it does */
} path_step;

/* A sum; what is not known or too much (course.h) makes the whole so, and so does a sum that is too much. */
int64_t path_plus(int64_t sum, int64_t more);

/* Begins at a group document. `state_bytes`: of a stateful task that does not say its own. Returns a status of libsegue's;
 * the path is for path_close in either case. */
int32_t path_open(path *it, const json_t *group, int64_t state_bytes, segue_error *error);

/* Asks `assignor` and goes on to the group that the plan makes. What members build from nothing is added to `built`, bytes by
 * the row of the member; what is unknown makes the sum unknown. Returns a status of libsegue's. */
int32_t path_go(path *it, segue_host *host, const char *assignor, int64_t *built, path_step *step, segue_error *error);

/* How many tasks a member owns by now. */
uint32_t path_active(const path *it, uint32_t member);

/* A member's id, for json_decref. NULL: no memory. */
json_t *path_member(const path *it, uint32_t member);

void path_close(path *it);

#endif
