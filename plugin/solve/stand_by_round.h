/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One round of standbys that are built: how many each process gets is known (stand_by_build.c), now the tasks are dealt
 * (stand_by_deal.c). The tasks of one process are dealt one after the other along the ring of a zone's processes, so that
 * they end on as many as there can be.
 */
#ifndef SGP_STAND_BY_ROUND_H
#define SGP_STAND_BY_ROUND_H

#include "solve/stand_by_work.h"
#include "solve/zone_flow.h"

typedef struct sgp_builder {
    sgp_stander *s;
    uint32_t *order, tasks; /* tasks that lack standbys, those of one process together */
    /* of a round */
    uint32_t *list, *chosen; /* tasks, and the process that each gets */
    uint64_t *allowed;       /* the best zones for each */
    uint8_t *kind;           /* number of that set */
    uint32_t count;
    sgp_zone_flow flow;
    uint32_t *most, *give;               /* by process */
    uint32_t *next;                      /* by process: the next one in the ring of its zone with something to get */
    uint32_t *by_zone, zone_start[SGP_ZONES + 1]; /* processes that stay */
    uint32_t before[SGP_ZONES];          /* where each ring goes on: behind this process; SEGUE_NONE for an empty one */
    uint32_t spare[SGP_ZONES];           /* where each zone goes on once its ring is empty, an index of by_zone */
    int64_t credit[SGP_KINDS][SGP_ZONES];
    /* of a search for a place */
    uint64_t looks;
    uint32_t look_at;
    uint32_t *queue, *sent; /* processes, and by process the row that would go there */
    /* members of each process, side by side in one column */
    uint32_t *member_item, *member_count;
} sgp_builder;

/* chosen[] of the round: a process for each row, none of which has a copy of the task. */
void sgp_stand_by_deal(sgp_builder *b);

#endif
