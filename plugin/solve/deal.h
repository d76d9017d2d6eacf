/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives pending tasks to members with a deficit, so that each subtopology is spread evenly: first up to each member's
 * share of the subtopology rounded down, then up to its share by threads, then to its share rounded up, then wherever
 * there is room. Members take turns from where the last subtopology ended. No task is dealt twice. What was dealt is
 * not taken back, so that the last subtopology may, rarely, find no even room.
 */
#ifndef SGP_DEAL_H
#define SGP_DEAL_H

#include "solve/balance.h"

/* `takes` says by member who is dealt to. Tasks that find no deficit stay pending. only_unreleased: tasks that their
 * server gives up are left out. */
int32_t sgp_deal(sgp_balance *balance, const uint8_t *takes, int only_unreleased);

#endif
