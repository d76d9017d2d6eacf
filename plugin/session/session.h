/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session (segue/session.h): a group that is kept as it changes.
 *
 *   roster   members by number, and their order by name
 *   ledger   copies, each in a list of its task's and in a list of its member's
 *   gather   the group as `assign` takes it
 *   whole    decisions by a full run
 *   part     decisions by what moves, where the group is plain (part.h)
 *
 * Members have numbers that stay and ranks that shift: the rank is the handle that the member has in the group.
 */
#ifndef SGP_SESSION_H
#define SGP_SESSION_H

#include "core/region.h"
#include "segue/session.h"
#include "strategy/strategy.h"

typedef struct sgp_attendee {
    int64_t leaving_ms, deadline_ms;
    const char *name;
    uint32_t name_size;
    uint32_t string;    /* its name in the session's strings; SEGUE_NONE: it joined later, and owns `name` */
    uint32_t process;   /* row of `process` */
    uint32_t rack;      /* handle or SEGUE_NONE */
    uint32_t first_row; /* of the ledger; SEGUE_NONE: it has no copies */
} sgp_attendee;

typedef struct sgp_shared_disk {
    uint32_t members; /* 0: the row is free */
    uint32_t string;  /* its name, or SEGUE_NONE: that of its first member */
    uint32_t handle;  /* in the group, while one is put together */
    uint32_t next;    /* free row */
} sgp_shared_disk;

/* One copy. Rows that are free are linked by `next`. */
typedef struct sgp_row {
    int64_t lag;
    uint32_t task, member; /* handle, number */
    uint32_t next, before; /* of the same member */
    uint32_t sibling;      /* of the same task */
    uint8_t role;
} sgp_row;

struct segue_session {
    const sgp_strategy *strategy;
    sgp_arena *arena;
    sgp_region region; /* of the last decide or read_group */
    segue_config config;
    segue_group base; /* own copies of what does not change; the columns of members and copies are not there */
    uint32_t *subtopology_start; /* by subtopology, into the tasks; the last entry is their count */
    int stateful;     /* of the first task, and of all where may_be_plain */
    int has_racks;    /* members have racks, if only unknown ones */
    int may_be_plain; /* nothing that does not change is against it */

    /* roster */
    sgp_attendee *member; /* by number */
    uint32_t *rank;       /* by number; SEGUE_NONE: nobody has it */
    uint32_t *tags;       /* by number, a row of tag_count strings each */
    uint32_t numbers;     /* rows of those */
    uint32_t *order, *threads, *held; /* by rank: number, capacity, copies */
    uint32_t places;                  /* rows of those */
    uint32_t members, marked;
    sgp_shared_disk *process;
    uint32_t process_rows, processes, free_process;

    /* ledger */
    sgp_row *row;
    uint32_t row_rows, rows, free_row;
    uint32_t *first;        /* by task */
    uint64_t *orphan;       /* a bit for each task that nobody claims */
    uint32_t orphans;
    uint32_t odd;           /* copies that are no caught-up owner's, and second claims */
};

/* Columns that grow together: the address of each one's pointer, and the bytes of a row (0: there is no such column). */
typedef struct sgp_growth {
    void *column;
    size_t size;
} sgp_growth;

/* From `rows` rows to `wanted`. E_MEMORY leaves all of them as they were. */
int32_t sgp_session_grow(segue_session *s, const sgp_growth *columns, uint32_t count, uint32_t rows, uint32_t wanted);

/* How far a column of so many rows should grow to have `wanted`. */
uint32_t sgp_session_room(uint32_t rows, uint32_t wanted);

/* ---- roster ---- */

/* Is there a member of that number? */
int sgp_roster_has(const segue_session *s, uint32_t member);
int32_t sgp_roster_open(segue_session *s, const segue_group *group, segue_error *error);
int32_t sgp_roster_join(segue_session *s, const segue_joiner *joiner, segue_error *error);
int32_t sgp_roster_leave(segue_session *s, uint32_t member, segue_error *error);
int32_t sgp_roster_mark(segue_session *s, uint32_t member, int64_t leaving_ms, int64_t deadline_ms, segue_error *error);

/* ---- ledger ---- */

int32_t sgp_ledger_open(segue_session *s, const segue_group *group, segue_error *error);
int32_t sgp_ledger_put(segue_session *s, const segue_copies *copies, segue_error *error);
/* Nobody has the member's copies any more. */
void sgp_ledger_drop(segue_session *s, uint32_t member);

/* ---- decisions ---- */

/* The group in the session's region, and its members' numbers. */
int32_t sgp_gather(segue_session *s, int64_t now_ms, segue_group *group, segue_error *error);

/* Writes a row if there is room for it, and counts it in any case. */
void sgp_session_want(segue_copies *changes, uint32_t task, uint32_t member, uint8_t role, int64_t lag);

int32_t sgp_whole(segue_session *s, int64_t now_ms, segue_copies *changes, segue_plan *plan, segue_error *error);

/* *done 0: the group is not plain, or nearly everything moves; nothing was written. */
int32_t sgp_part(segue_session *s, int64_t now_ms, segue_copies *changes, segue_plan *plan, int *done,
                 segue_error *error);

/* The extension's table. */
extern const segue_session_slots sgp_session_slots;

#endif
