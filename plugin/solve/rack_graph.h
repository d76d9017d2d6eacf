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
 *   hub    →  group        in place of both, where a member has none of the subtopology: then it has no cell
 *   hub    →  spill        what a rack takes of a subtopology beyond all ceilings there ...
 *   spill  →  group        ... and who takes it: a fault costs the same wherever it is
 *   group  ⇄  top          what a member ends with, between its bounds; for some by way of a node that
 *                          counts several of them together
 *
 * Where subtopologies are not balanced a group is its own cell, and nothing spills. Nodes are numbered in this order: cells,
 * classes that are learned, lots, hubs, spills, groups, heavy ones, budget, top. Where it begins: rack_start.h.
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
    SGP_RACK_READY,   /* learners that are caught up and would become owners; counted negative */
    SGP_RACK_STARTED, /* learners that would run on or become owners; counted negative */
    SGP_RACK_ORDER,   /* places, in the members' order, of those that end above their low; only where tasks may have to
                       * wait for a slot: what they wait for then stays the same while others move */
    SGP_RACK_MEASURES
};

/* A group and a subtopology that is told apart. */
typedef struct sgp_rack_cell {
    uint32_t node;      /* SEGUE_NONE: none of its own */
    uint32_t arc;       /* what comes from its hub: the first of its arcs, or SEGUE_NONE where it is closed */
    uint32_t next;      /* the class that would leave it next, of which a part may leave at the start; or SEGUE_NONE */
    uint32_t own;       /* the rest where subtopologies are balanced: tasks that its members serve */
    uint32_t low, high; /* floor and ceiling of its share */
    uint32_t kept;      /* tasks that do not leave at the start */
    uint32_t taken;     /* tasks that come from its hub at the start */
    uint32_t learned;   /* classes that its member learns */
} sgp_rack_cell;

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
    uint32_t first_spill, first_group; /* nodes */
    uint32_t *part_arc;    /* by subtopology that is told apart: its first arc; behind them the groups' */
    uint32_t *lot_arc;     /* by lot: the first to a hub */
    uint32_t *own_arc, *learner_arc; /* by class: out of its cell, and to the learner; of a class that another stands for
                                      * there are none */
    sgp_rack_cell *cells;  /* by subtopology, then by group */
    uint32_t *spill_arc;   /* by hub * parts + subtopology: to its hub's spill, or SEGUE_NONE */
    uint32_t *spilled_arc; /* by group: from there, or SEGUE_NONE */
    uint32_t *least;       /* by lot: its cheapest hub, or SEGUE_NONE */
    uint8_t *given;        /* by class: it leaves at the start */
    uint32_t *waiting;     /* by hub * parts + subtopology: what has come there at the start, and is not taken */
    int64_t *measure[SGP_RACK_MEASURES]; /* by arc; NULL where nothing is measured by it */
    int64_t most[SGP_RACK_MEASURES];
    int64_t *before; /* by arc: the measures before traffic that are minimized together with it */
    int64_t traffic; /* of everybody keeping what it serves */
    int64_t bound;   /* after sgp_rack_graph_solve: no optimum up to traffic has less of it */
} sgp_rack_graph;

/* balance, cost, classes, groups and lots are set. 0 where the graph would be larger than is sensible: then nobody looks for the
 * optimum. */
int sgp_rack_graph_open(sgp_rack_graph *graph, int by_subtopology);

int32_t sgp_rack_graph_build(sgp_rack_graph *graph, const sgp_rack_bounds *bounds);

static inline sgp_rack_cell *sgp_rack_cell_at(const sgp_rack_graph *graph, uint32_t group, uint32_t part)
{
    return &graph->cells[(size_t)part * graph->groups->count + group];
}

static inline sgp_rack_cell *sgp_rack_cell_of(const sgp_rack_graph *graph, uint32_t member, uint32_t part)
{
    return sgp_rack_cell_at(graph, graph->groups->of_member[member], part);
}

/* Somebody may go to the group's hub. */
static inline int sgp_rack_hub_is_open(const sgp_rack_graph *graph, uint32_t hub)
{
    return graph->hub_slot[0][hub] != SEGUE_NONE || graph->hub_slot[1][hub] != SEGUE_NONE;
}

/* What each task costs on an arc. */
typedef struct sgp_rack_price {
    int64_t faults, traffic, moves, ready, started, order;
} sgp_rack_price;

static inline uint32_t sgp_rack_add(sgp_rack_graph *graph, uint32_t from, uint32_t to, int32_t limit, sgp_rack_price each)
{
    const int64_t of[SGP_RACK_MEASURES] = {each.faults, each.traffic, each.moves,
                                             each.ready, each.started, each.order};
    uint32_t arc = sgp_flow_arc(&graph->flow, from, to, limit);
    for (int i = 0; i < SGP_RACK_MEASURES; i++) {
        if (graph->measure[i] != NULL) {
            int64_t size = of[i] < 0 ? -of[i] : of[i];
            graph->measure[i][arc] = of[i];
            graph->most[i] = size > graph->most[i] ? size : graph->most[i];
        }
    }
    return arc;
}

static inline int32_t sgp_rack_between(int64_t from, int64_t to)
{
    return to > from ? (int32_t)(to - from) : 0;
}

#endif
