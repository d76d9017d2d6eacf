/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The basis of a network simplex: a spanning tree that hangs from its root, and prices at which its arcs cost nothing.
 *
 * When a part of the tree is hung elsewhere, all prices in it rise alike, and where a few busy nodes connect all others
 * nearly each step moves a third of the tree. So only busy nodes, the anchors, carry a price; any other node keeps what it
 * differs by from the next anchor above it. Then a step touches the path that turns round, what hangs there down to the
 * next anchors, and below these nothing but anchors. They hang in a smaller tree of their own, each from the next above it.
 */
#ifndef SGP_FLOW_TREE_H
#define SGP_FLOW_TREE_H

#include "core/region.h"

/* Who hangs where; SEGUE_NONE: nobody. Children have no order. */
typedef struct sgp_links {
    uint32_t *parent, *child, *next, *previous;
} sgp_links;

typedef struct sgp_flow_place {
    int64_t off;     /* price - the anchor's */
    uint32_t anchor; /* an anchor is its own */
} sgp_flow_place;

typedef struct sgp_flow_tree {
    uint32_t nodes; /* the root is the last */
    const uint32_t *from; /* by arc: the node it leaves */
    sgp_links all, anchors;
    uint32_t *arc;         /* by node: to its parent */
    sgp_flow_place *place; /* by node */
    int64_t *base;         /* by node: an anchor's price */
    uint32_t *mark, stamp; /* by node: on the path that is looked at where they are equal */
} sgp_flow_tree;

/* Room for nodes, the root among them, which is an anchor. `from` is borrowed. */
int32_t sgp_flow_tree_open(sgp_flow_tree *tree, uint32_t nodes, const uint32_t *from, sgp_region *region);

/* Before the prices are set. */
void sgp_flow_tree_make_anchor(sgp_flow_tree *tree, uint32_t node);

void sgp_flow_tree_attach(sgp_flow_tree *tree, uint32_t node, uint32_t parent, uint32_t arc);

/* The node, with all below it, hangs nowhere. Before the prices are set. */
void sgp_flow_tree_detach(sgp_flow_tree *tree, uint32_t node);

/* When everything hangs from the root. Linear. */
void sgp_flow_tree_set_prices(sgp_flow_tree *tree, const int64_t *cost);

static inline int64_t sgp_flow_price(const sgp_flow_tree *tree, uint32_t node)
{
    return tree->base[tree->place[node].anchor] + tree->place[node].off;
}

/* The arc between a node and its parent leaves the node. */
static inline int sgp_flow_points_up(const sgp_flow_tree *tree, uint32_t node)
{
    return tree->from[tree->arc[node]] == node;
}

/* The node where the ways up from both meet. */
uint32_t sgp_flow_tree_join(sgp_flow_tree *tree, uint32_t a, uint32_t b);

/* Cuts off what is below `out` and hangs it by its node `top` to `parent`. */
void sgp_flow_tree_hang(sgp_flow_tree *tree, uint32_t out, uint32_t top, uint32_t parent, uint32_t arc,
                        const int64_t *cost);

#endif
