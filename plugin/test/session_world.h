/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session beside a plain record of the same changes. What the session says is held against that record, and against
 * `assign` on the group that it gives.
 */
#ifndef SGP_TEST_SESSION_WORLD_H
#define SGP_TEST_SESSION_WORLD_H

#include "segue/abi.h"
#include "test/draft.h"

enum { WORLD_NUMBERS = 512, WORLD_NAME = 8, WORLD_NOBODY = 254 };

typedef struct world_member {
    int present;
    char name[WORLD_NAME + 1];
    uint32_t threads, process, rack;
    int64_t leaving_ms, deadline_ms;
} world_member;

typedef struct world {
    uint64_t seed;
    const char *assignor;
    const segue_session_slots *slots;
    segue_session *session;
    const draft *start;
    uint32_t tasks, next_process;
    world_member member[WORLD_NUMBERS];
    uint8_t *role; /* [task * WORLD_NUMBERS + number]; WORLD_NOBODY: no copy */
    int64_t *lag;
    segue_copies changes; /* of the last decision */
    segue_plan plan;      /* its scalars */
    uint32_t parts, wholes; /* decisions by what moves, and by a full run */
    char text[256];
    segue_error error;
} world;

/* A draft in which each of the members owns so many tasks. */
draft *world_even(uint32_t members, uint32_t each);

/* The session of a draft, whose members get ascending names. */
void world_open(world *w, const char *assignor, draft *start);
void world_close(world *w);

/* Each does the same to both, and wants it to succeed. */
void world_join(world *w, uint32_t number, const char *name, uint32_t threads, uint32_t process, uint32_t rack);
void world_leave(world *w, uint32_t number);
void world_mark(world *w, uint32_t number, int64_t leaving_ms, int64_t deadline_ms);
void world_put(world *w, uint32_t task, uint32_t number, uint8_t role, int64_t lag);

/* Is a name taken? */
int world_has_name(const world *w, const char *name);

/* Decides, and fails the test unless group, changes and scalars are what the record and a full run say. */
void world_decide(world *w, int64_t now_ms);

/* What the last decision wants comes true: copies without a role go if `drops`, learners own at once if `hurries`. */
void world_carry_out(world *w, int drops, int hurries);

#endif
