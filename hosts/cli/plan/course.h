/* SPDX-License-Identifier: Apache-2.0 */
/*
 * course.h - the rebalances that lead an application to where its assignor wants it: each plan becomes the next group, in
 * which every copy has caught up. One thread.
 */
#ifndef SEGUE_HOSTS_CLI_PLAN_COURSE_H
#define SEGUE_HOSTS_CLI_PLAN_COURSE_H

#include <jansson.h>
#include <stdint.h>

#include "segue/host.h"

/* A number that is not known, and one that 63 bits do not hold. */
#define COURSE_UNKNOWN INT64_C(-1)
#define COURSE_TOO_MUCH INT64_C(-2)

/* What people know about the state and the machines, and documents often do not say. */
typedef struct course_guess {
    int64_t state_bytes;  /* of a stateful task that does not say its own; COURSE_UNKNOWN */
    int64_t restore_rate; /* bytes that a member replays in a second; COURSE_UNKNOWN */
} course_guess;

/* One rebalance. `copies` are built from nothing after it, `cold` of them by the owner itself, whose task is down meanwhile;
 * `ms` passes until all of them have caught up: as long as the member takes that builds the most. */
typedef struct course_round {
    int64_t moves, learners, copies, cold, bytes, ms;
} course_round;

typedef struct course {
    course_round *rounds; /* those that change something */
    size_t count, room;
    int64_t min_moves; /* as the first plans say */
    int is_settled;    /* the last plans changed nothing; otherwise it was given up */
    json_t *first;     /* the first plan of each group: its members */
    json_t *then;      /* how many tasks each member owns at the end, by its id */
} course;

/*
 * Asks `assignor` until nothing changes any more. `groups` are group documents, at least one, which one rebalance plans each
 * for itself: a member may be in several. They are left as they are. Returns a status of libsegue's; `error` says more. The
 * course is for course_free in either case.
 * Copies that are on their way in a group are taken to be there by the second rebalance, and count as no build.
 */
int32_t course_run(segue_host *host, const char *assignor, const json_t *groups, const course_guess *guess, course *out,
                   segue_error *error);

void course_free(course *it);

#endif
