/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Minimum-cost flow by the network simplex, exact, for costs in lexicographic order.
 *
 * A basis is a spanning tree of the nodes and one root, which every node can reach by an artificial arc; arcs outside the
 * tree are empty or full. An arc that would lower the cost enters the tree, and the one that its circle fills or empties
 * first leaves it. Trees are kept strongly feasible (every node could send something more up to the root), so that no
 * step is taken twice and the end is certain; see Ahuja, Magnanti, Orlin, "Network Flows", chapter 11.
 *
 * Lexicographic costs are minimized level by level: after a level is optimal, sgp_flow_freeze keeps every arc where it is
 * whose change would cost something, and what is left are exactly the flows that are optimal so far. So no level needs a
 * weight that outweighs the sum of another, and nothing overflows.
 *
 * Where the arcs fall into parts that have but a few late nodes in common, each part is minimized by itself first, with as
 * much as it likes coming from these nodes and going there. What the parts then ask of them together is all that is left to
 * do, and where it is allowed the whole is optimal already.
 *
 *   sgp_flow_open, sgp_flow_arc ..., sgp_flow_fill ..., supply, hang and back, sgp_flow_start, sgp_flow_minimize_parts where there are parts,
 *   then for each level sgp_flow_minimize and sgp_flow_freeze.
 */
#ifndef SGP_FLOW_H
#define SGP_FLOW_H

#include "core/deadline.h"
#include "solve/flow_tree.h"

#define SGP_FLOW_NO_LIMIT 0x7fffffff

/* The largest cost of an arc, in either direction, that sums along a path of `nodes` nodes allow. */
#define SGP_FLOW_MOST_COST(nodes) (((int64_t)1 << 60) / (2 * ((int64_t)(nodes) + 2)))

/* Arcs that are looked at, each step counting for 64: beyond that nobody waits for the optimum. Some tenths of a second, but
 * counted and not timed, so that the answer depends on the flow alone. */
#define SGP_FLOW_MOST_WORK 100000000u

enum sgp_flow_end {
    SGP_FLOW_OPTIMAL,
    SGP_FLOW_INFEASIBLE, /* supplies cannot reach demands */
    SGP_FLOW_CUT         /* the budget or SGP_FLOW_MOST_WORK ended: the flow is of no use */
};

typedef struct sgp_flow {
    uint32_t nodes, arcs; /* the caller's; artificial arcs stand behind, one for each node */
    /* by arc */
    uint32_t *from, *to;     /* `to` of the caller's alone: artificial arcs lead to the root, or come from there */
    int32_t *limit, *amount; /* lower bounds are 0 */
    int64_t *cost;           /* of the level that is being minimized */
    int8_t *state;           /* 1 empty, -1 full, 0 in the tree or frozen */
    /* by node, the root last */
    int32_t *supply;         /* set by the caller: what enters there, negative: what leaves; the sum is 0 */
    uint32_t *hang, *back;   /* set by the caller: an arc to, and one from, a later node by which to begin, or SEGUE_NONE */
    int32_t *rising;         /* what arcs that are full at the start bring there, less what they take away */
    uint32_t loose;          /* set by the caller: the first of the nodes that parts have in common; they are the last, and
                              * begin by arcs that are in no part */
    sgp_flow_tree tree;
    uint32_t first, behind; /* arcs that may enter */
    uint32_t scan, column, stride, block; /* where the next one is looked for, and how */
    uint64_t steps, looked; /* of all levels; `looked` counts arcs */
} sgp_flow;

/* Room for that many. E_MEMORY is the only fault. supply is 0, hang and back are SEGUE_NONE
 * everywhere, no node is loose. */
int32_t sgp_flow_open(sgp_flow *flow, uint32_t nodes, uint32_t most_arcs, sgp_region *region);

/* Returns the arc's number: they count up from 0. */
static inline uint32_t sgp_flow_arc(sgp_flow *flow, uint32_t from, uint32_t to, int32_t limit)
{
    uint32_t arc = flow->arcs++;
    flow->from[arc] = from;
    flow->to[arc] = to;
    flow->limit[arc] = limit;
    return arc;
}

/* The arc is full at the start, so that the flow begins nearer to its optimum. */
void sgp_flow_fill(sgp_flow *flow, uint32_t arc);

/* The first tree, when all arcs are there: it carries what supplies and full arcs leave to be carried. */
void sgp_flow_start(sgp_flow *flow);

/* Minimizes the costs part by part, arcs start[p] up to start[p + 1], while what loose nodes lack or have too much of costs
 * nothing; then these have to do with what they have. Other nodes' artificial arcs are as cheap meanwhile: they keep the
 * tree shallow, and what they carry is left to sgp_flow_minimize. Once, after sgp_flow_start. SGP_FLOW_CUT or
 * SGP_FLOW_OPTIMAL. */
enum sgp_flow_end sgp_flow_minimize_parts(sgp_flow *flow, const uint32_t *start, uint32_t parts, sgp_deadline *deadline);

/* Minimizes flow->cost, which the caller has filled for its arcs, from wherever the flow is. */
enum sgp_flow_end sgp_flow_minimize(sgp_flow *flow, sgp_deadline *deadline);

/* Holds what is optimal so far against the levels to come. */
void sgp_flow_freeze(sgp_flow *flow);

/*
 * The dual's bound of one level of the costs that were minimized last: no flow that is optimal in the levels before costs
 * less by this column. It follows from prices and limits alone (weak duality), not from the amounts, and equals the cost
 * when the level is optimal. `before` combines the levels that came before in the same costs; NULL where there are none.
 * Both columns have a row for each arc and, behind them, 0 for each artificial one. Ask before the costs are frozen.
 */
int64_t sgp_flow_bound(sgp_flow *flow, const int64_t *before, const int64_t *cost);

#endif
