/* SPDX-License-Identifier: Apache-2.0 */
/* A balance of stateful tasks in racks, and the graph of its flow, part by part as sgp_rack_target makes it. */
#ifndef SGP_TEST_RACK_SCENE_H
#define SGP_TEST_RACK_SCENE_H

#include "solve/rack_graph.h"
#include "test/solver.h"

typedef struct rack_scene {
    solver *s;
    sgp_balance b;
    sgp_quota quota;
    sgp_rack_cost cost;
    sgp_rack_classes classes;
    sgp_rack_groups groups;
    sgp_rack_lots lots;
    sgp_rack_bounds bounds;
    sgp_rack_graph g; /* begun, not solved */
} rack_scene;

/* What the strategy would say. costly: NULL for none, as for sgp_balance_run. */
typedef struct rack_wish {
    int moves_first;
    int newcomers; /* they alone receive */
    const uint8_t *costly;
    uint32_t budget;
} rack_wish;

/* Targets by counts, and the graph from them. Owns the draft from now on; somebody stays and some task has state. */
rack_scene *rack_scene_open(draft *d, rack_wish wish);
void rack_scene_close(rack_scene *t);

/* Who serves the task and stays, and who learns it and may go on: the class's. */
const sgp_rack_class *rack_scene_class(const rack_scene *t, uint32_t task);

/* What may be in a group. */
typedef struct rack_size {
    uint32_t tasks, members; /* at the most */
    int copies;              /* standbys, learners and dormant copies */
} rack_size;

/* Two members at least, on disks of their own, of whom two stay; few kinds of inputs, so that many tasks are alike. The same
 * group for the same arguments, always. */
draft *rack_scene_draft(uint64_t seed, rack_size most);

#endif
