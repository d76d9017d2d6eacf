/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decisions by what moves. In a plain group (segue/session.h) everybody who holds what it should keeps it, so that the
 * solver's own steps from wants to targets (solve/balance.h) are run on a small view: the members that hold more or less
 * than they should, what they hold, and the tasks that nobody has.
 *
 *   shares   who should hold how much, and who does not
 *   stage    the small view of those, and the targets that the solver finds in it
 *   part     what changes by that
 */
#ifndef SGP_PART_H
#define SGP_PART_H

#include "session/session.h"
#include "solve/balance.h"

/* What is known of the members by passing over their counts. */
typedef struct sgp_shares {
    uint32_t floor, roundings; /* of tasks by members */
    uint32_t keepers;          /* members that hold more than the floor */
    uint32_t idlers;           /* members that hold nothing */
    uint64_t within;           /* what members hold up to the floor */
} sgp_shares;

/* The small view. */
typedef struct sgp_stage {
    segue_session *session;
    sgp_shares shares;
    uint32_t *rank, *want; /* by member of the view */
    uint32_t members, tasks;
    uint32_t *task;        /* by task of the view: the handle in the group */
    uint32_t *kind_tasks;  /* by subtopology of the view: how many the group has */
    segue_group group;
    sgp_view view;
    sgp_balance balance;
} sgp_stage;

/* ---- shares ---- */

/* Is the group one that can be decided on by what moves? */
int sgp_is_plain(const segue_session *s);

sgp_shares sgp_shares_of(const segue_session *s);

/* Tasks that move, now or later, until everybody holds what it should. */
uint32_t sgp_shares_moves(const sgp_shares *c, const segue_session *s);

/* Does the strategy let whoever holds something take from others? */
int sgp_everyone_receives(const segue_session *s);

/* Lists whoever holds more or less than it should, with what it should hold. *tasks: how many these hold, and those that
 * nobody has; 0 where nothing can move. */
int32_t sgp_shares_cast(sgp_stage *st, uint64_t *tasks);

/* ---- stage ---- */

/* After the cast, with `tasks` set: the view's columns, and in `balance` who is to have each of its tasks. */
int32_t sgp_stage_targets(sgp_stage *st);

#endif
