/* SPDX-License-Identifier: Apache-2.0 */
/* view.h - the group as its leader sees it at a rebalance, in columns. Memory is kept from one view to the next. */
#ifndef SEGUE_HOSTS_CLI_SIMULATE_VIEW_H
#define SEGUE_HOSTS_CLI_SIMULATE_VIEW_H

#include "world.h"

typedef struct sim_view {
    segue_group group;
    uint32_t *members; /* of the world, by row of the view */
    uint32_t *rows;    /* of the view, by member of the world; SEGUE_NONE for who is not there */
    uint32_t *copy_start, *copy_task;
    uint8_t *copy_role;
    int64_t *copy_lag;
    uint32_t copy_room;
    uint32_t *name, *process, *process_name, *threads, *rack, *tag;
    int64_t *leaving_ms, *deadline_ms;
    void *memory;
} sim_view;

/* 0, or -1 without memory. */
int sim_view_open(sim_view *view, const sim_world *world);
int sim_view_fill(sim_view *view, const sim_world *world);
void sim_view_close(sim_view *view);

#endif
