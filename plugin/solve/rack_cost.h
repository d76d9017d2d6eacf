/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What it costs to read a task's inputs from each rack: the number of its input partitions without a replica there.
 *
 * Only what is known to cross racks counts. A member without a rack reads at no cost, and so does everybody a task of
 * which no replica's rack is known; an input without known racks beside others that have some counts everywhere.
 */
#ifndef SGP_RACK_COST_H
#define SGP_RACK_COST_H

#include "core/deadline.h"
#include "core/view.h"

typedef struct sgp_rack_cost {
    int is_known; /* the rest is filled */
    uint32_t places; /* racks where members stay, and behind them one for members without a rack */
    uint32_t *place; /* by member; SEGUE_NONE where it does not stay */
    uint32_t vectors;
    uint32_t *vector; /* by task: its row in `cost`, the same for tasks with the same replicas */
    uint32_t *cost;   /* vectors x places */
    uint32_t most;    /* the largest of them */
} sgp_rack_cost;

/* The group says where inputs and members are. */
static inline int sgp_racks_known(const segue_group *group)
{
    return group->task_inputs != NULL && group->task_rack_start != NULL && group->member_rack != NULL &&
           group->rack_count > 0;
}

/* Input partitions of the task that the member reads from another rack. The racks are known. */
uint32_t sgp_rack_traffic(const segue_group *group, uint32_t task, uint32_t member);

/* One place for all members that stay, where nothing costs anything: for targets that racks have no say in. E_MEMORY is
 * the only fault, here and below. */
int32_t sgp_rack_cost_none(sgp_rack_cost *cost, const sgp_view *view, sgp_region *region);

/* All of them for the staying members, with equal tasks merged. They are the same whoever has what. When the budget ends
 * before a long table is filled it is the cost of sgp_rack_cost_none; a short one does not ask. */
int32_t sgp_rack_cost_build(sgp_rack_cost *cost, const sgp_view *view, sgp_deadline *deadline, sgp_region *region);

static inline uint32_t sgp_rack_cost_of(const sgp_rack_cost *cost, uint32_t vector, uint32_t place)
{
    return cost->cost[(size_t)vector * cost->places + place];
}

#endif
