/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flow whose optimum the racks' targets are. It tells only what changes against everybody keeping what it serves:
 *
 *   cell   →  lot          what a server gives up of a class, at most all of it; gains the traffic it had there, costs a move
 *   lot    →  hub          tasks of a lot find their next server, or their first; costs their traffic
 *   hub    →  cell         a hub stands for the members of a rack
 *   cell   →  class        in place of the first, where a member learns the class already:
 *   class  →  lot, cell    it goes with the others, or to that member
 *   cell   ⇄  group        a member's tasks of one subtopology; dearer outside floor and ceiling of its share
 *   group  ⇄  top          what a member ends with, between its bounds; for some by way of a node that
 *                          counts several of them together
 *
 * Where subtopologies are not balanced a group is its own cell. Nodes are numbered in this order: classes that are
 * learned, lots, hubs, cells, groups, heavy ones, budget, top.
 */
#ifndef SGP_RACK_GRAPH_H
#define SGP_RACK_GRAPH_H

#include "solve/flow.h"
#include "solve/rack_group.h"
#include "solve/rack_lot.h"

/* The largest graph that is looked at, for the memory; SGP_FLOW_MOST_WORK bounds the time. */
#define SGP_RACK_MOST_ARCS 4194304u
#define SGP_RACK_MOST_CELLS 131072u
#define SGP_RACK_MOST_HUBS 65536u

/* In what an optimum is measured. */
enum sgp_rack_measure {
    SGP_RACK_FAULTS,  /* tasks outside floor and ceiling of a member's share of their subtopology */
    SGP_RACK_TRAFFIC, /* input partitions read from another rack */
    SGP_RACK_MOVES,   /* tasks that leave a staying server */
    SGP_RACK_STARTED, /* learners that would run on; counted negative */
    SGP_RACK_ORDER,   /* places, in the members' order, of those that end above their low; only where tasks may have to
                       * wait for a slot: what they wait for then stays the same while others move */
    SGP_RACK_MEASURES
};

typedef struct sgp_rack_graph {
    const sgp_balance *balance;
    const sgp_rack_cost *cost;
    const sgp_rack_classes *classes;
    const sgp_rack_groups *groups;
    const sgp_rack_lots *lots;
    sgp_flow flow;
    int evens;             /* subtopologies are balanced: there are cells */
    uint32_t parts;        /* subtopologies that are told apart: all, or 1 */
    uint32_t *hub_slot[2]; /* by hub: its place among a lot's arcs to hubs, for loose and for served ones */
    uint32_t hub_arcs[2];  /* how many such arcs a loose and a served lot has */
    uint32_t first_hub;    /* the node of the first hub and subtopology; they go on by subtopology, then by hub */
    uint32_t first_group;  /* the node */
    uint32_t *part_arc;    /* by subtopology that is told apart: its first arc; behind them the groups' */
    uint32_t *lot_arc;     /* by lot: the first to a hub */
    uint32_t *own_arc, *learner_arc; /* by class: out of its cell, and to the learner; of a class that another stands for
                                      * there are none */
    uint32_t *cell_arc;    /* by cell (group * parts + subtopology): hub → cell, or SEGUE_NONE */
    int64_t *measure[SGP_RACK_MEASURES]; /* by arc */
    int64_t most[SGP_RACK_MEASURES];
    int64_t *before; /* by arc: the measures before traffic that are minimized together with it */
    int64_t traffic; /* of everybody keeping what it serves */
    int64_t bound;   /* after sgp_rack_graph_solve: no optimum up to traffic has less of it */
} sgp_rack_graph;

/* balance, cost, classes, groups and lots are set. 0 where the graph would be larger than is sensible: then nobody looks for the
 * optimum. */
int sgp_rack_graph_open(sgp_rack_graph *graph, int by_subtopology);

int32_t sgp_rack_graph_build(sgp_rack_graph *graph, const sgp_rack_bounds *bounds);

#endif
