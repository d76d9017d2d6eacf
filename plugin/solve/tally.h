/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many tasks of each subtopology the members of a small set hold: a dense table with a row for each member of the
 * set. Where that would be larger than the work it serves, the table knows only totals, and spread is not looked at.
 */
#ifndef SGP_TALLY_H
#define SGP_TALLY_H

#include "solve/balance.h"

typedef struct sgp_tally {
    uint32_t *row;   /* by member; SEGUE_NONE outside the set */
    uint32_t *cells; /* NULL: too large */
    uint32_t columns;
    uint32_t *subtopology_tasks; /* of the balance's kind */
} sgp_tally;

/* Counts targets. `in_set` has a row for each member. */
int32_t sgp_tally_build(sgp_tally *tally, const sgp_balance *balance, const uint8_t *in_set);

/* Moves one task in the table. Members outside the set are skipped. */
void sgp_tally_move(sgp_tally *tally, uint32_t subtopology, uint32_t from, uint32_t to);

/* 1 when `from` holds more of the subtopology than its share rounded down and `to` less than its share rounded up,
 * the share being that of the tasks that the member should hold. */
int sgp_tally_evens(const sgp_tally *tally, const sgp_balance *balance, uint32_t subtopology, uint32_t from,
                    uint32_t to);

#endif
