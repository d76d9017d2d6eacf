/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which members are rounded up (see quota.h). First those that hold more than their floor, since each of these
 * roundings saves a move; where there are not enough, those whose tasks nobody else has a copy of. What is left goes
 * to members that copies wait on, then to the lighter.
 */
#ifndef SGP_ROUNDING_H
#define SGP_ROUNDING_H

#include "solve/balance.h"

/* Fills balance->want. */
int32_t sgp_round_up(sgp_balance *balance, const sgp_quota *quota, const uint8_t *costly, uint32_t budget);

/* The least number of moves: tasks above floor plus rounding of members that stay; `owned` counts by member. Closed
 * form: sum of owned, less floors reached, less roundings that find an owner. */
uint32_t sgp_least_moves(const sgp_view *view, const uint32_t *owned, const sgp_quota *quota);

#endif
