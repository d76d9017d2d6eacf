/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where nobody waits for the racks' optimum, or weights decide: tasks exchange their targets as long as that lowers the
 * traffic. Two that move go to each other's, or a server gives up another task in place of one. No member gets more or
 * fewer tasks, neither of a subtopology or of a weight where these are told apart, and no further task moves. A task that
 * goes to a copy of it goes there: so whatever learns already is as good as settled, and the same exchanges follow until
 * the plan is carried out.
 */
#ifndef SGP_RACK_EXCHANGE_H
#define SGP_RACK_EXCHANGE_H

#include "solve/rack_class.h"

/* Tasks that are looked at, all together: then it stays at what has been found. */
#define SGP_RACK_MOST_EXCHANGE 20000000u

/* 1: the task is of the balance's kind, moves, and starts from nothing. */
int sgp_rack_is_open(const sgp_balance *balance, uint32_t task);

/* Improves the balance's targets. Parts as for the classes: tasks of different ones are never exchanged. open, by task:
 * sgp_rack_is_open, which is kept up. E_MEMORY is the only fault. */
int32_t sgp_rack_exchange(sgp_balance *balance, const sgp_rack_cost *cost, const sgp_rack_classes *classes, uint32_t parts,
                          uint8_t *open);

#endif
