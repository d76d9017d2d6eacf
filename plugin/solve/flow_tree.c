/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/flow_tree.h"

#include "segue/base.h"

#include <string.h>

/* ---- links ---- */

static void open_links(sgp_links *l, uint32_t nodes, sgp_region *region)
{
    l->parent = SGP_TAKE(region, uint32_t, nodes);
    l->child = SGP_TAKE(region, uint32_t, nodes);
    l->next = SGP_TAKE(region, uint32_t, nodes);
    l->previous = SGP_TAKE(region, uint32_t, nodes);
}

/* As the first child. */
static void link_to(sgp_links *l, uint32_t node, uint32_t parent)
{
    l->parent[node] = parent;
    l->next[node] = l->child[parent];
    l->previous[node] = SEGUE_NONE;
    if (l->child[parent] != SEGUE_NONE) {
        l->previous[l->child[parent]] = node;
    }
    l->child[parent] = node;
}

static void unlink_from(sgp_links *l, uint32_t node)
{
    uint32_t before = l->previous[node], after = l->next[node];
    if (before == SEGUE_NONE) {
        l->child[l->parent[node]] = after;
    } else {
        l->next[before] = after;
    }
    if (after != SEGUE_NONE) {
        l->previous[after] = before;
    }
}

/* The node behind `at` in a walk through what is below `top`, parents first; SEGUE_NONE at the end. */
static uint32_t walk(const sgp_links *l, uint32_t at, uint32_t top)
{
    if (l->child[at] != SEGUE_NONE) {
        return l->child[at];
    }
    while (at != top && l->next[at] == SEGUE_NONE) {
        at = l->parent[at];
    }
    return at == top ? SEGUE_NONE : l->next[at];
}

/* ---- the tree ---- */

int32_t sgp_flow_tree_open(sgp_flow_tree *t, uint32_t nodes, const uint32_t *from, sgp_region *region)
{
    *t = (sgp_flow_tree){.nodes = nodes, .from = from};
    open_links(&t->all, nodes, region);
    open_links(&t->anchors, nodes, region);
    t->arc = SGP_TAKE(region, uint32_t, nodes);
    t->place = SGP_TAKE(region, sgp_flow_place, nodes);
    t->base = SGP_TAKE(region, int64_t, nodes);
    t->mark = SGP_TAKE_ZERO(region, uint32_t, nodes);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    memset(t->all.child, 0xff, nodes * sizeof *t->all.child);
    for (uint32_t n = 0; n < nodes; n++) {
        t->place[n] = (sgp_flow_place){0, SEGUE_NONE};
    }
    sgp_flow_tree_make_anchor(t, nodes - 1);
    t->all.parent[nodes - 1] = t->anchors.parent[nodes - 1] = SEGUE_NONE;
    return SEGUE_OK;
}

static int is_anchor(const sgp_flow_tree *t, uint32_t node)
{
    return t->place[node].anchor == node;
}

void sgp_flow_tree_make_anchor(sgp_flow_tree *t, uint32_t node)
{
    t->place[node] = (sgp_flow_place){0, node};
}

void sgp_flow_tree_attach(sgp_flow_tree *t, uint32_t node, uint32_t parent, uint32_t arc)
{
    link_to(&t->all, node, parent);
    t->arc[node] = arc;
}

void sgp_flow_tree_detach(sgp_flow_tree *t, uint32_t node)
{
    unlink_from(&t->all, node);
}

/* How a node's price differs from its parent's. */
static int64_t along(const sgp_flow_tree *t, uint32_t node, const int64_t *cost)
{
    int64_t each = cost[t->arc[node]];
    return sgp_flow_points_up(t, node) ? -each : each;
}

/* From the parent's place. */
static void place(sgp_flow_tree *t, uint32_t node, const int64_t *cost)
{
    const sgp_flow_place *above = &t->place[t->all.parent[node]];
    t->place[node] = (sgp_flow_place){above->off + along(t, node, cost), above->anchor};
}

void sgp_flow_tree_set_prices(sgp_flow_tree *t, const int64_t *cost)
{
    const uint32_t root = t->nodes - 1;
    memset(t->anchors.child, 0xff, t->nodes * sizeof *t->anchors.child);
    t->base[root] = 0;
    for (uint32_t n = walk(&t->all, root, root); n != SEGUE_NONE; n = walk(&t->all, n, root)) {
        uint32_t parent = t->all.parent[n];
        if (is_anchor(t, n)) {
            t->base[n] = sgp_flow_price(t, parent) + along(t, n, cost);
            link_to(&t->anchors, n, t->place[parent].anchor);
        } else {
            place(t, n, cost);
        }
    }
}

/* By turns, so that neither way is followed far beyond the length of the other one. */
uint32_t sgp_flow_tree_join(sgp_flow_tree *t, uint32_t a, uint32_t b)
{
    for (t->stamp++;;) {
        if (a != SEGUE_NONE) {
            if (t->mark[a] == t->stamp) {
                return a;
            }
            t->mark[a] = t->stamp;
            a = t->all.parent[a];
        }
        uint32_t other = b;
        b = a;
        a = other;
    }
}

/* ---- a part that is hung elsewhere ---- */

/* Turns the path from `out` down to `node` round, and marks it. On it each node is the first child of the one before. */
static void turn(sgp_flow_tree *t, uint32_t out, uint32_t node, uint32_t parent, uint32_t arc)
{
    t->stamp++;
    for (uint32_t done = 0; !done;) {
        uint32_t old_parent = t->all.parent[node], old_arc = t->arc[node];
        done = node == out;
        unlink_from(&t->all, node);
        sgp_flow_tree_attach(t, node, parent, arc);
        t->mark[node] = t->stamp;
        parent = node;
        arc = old_arc;
        node = old_parent;
    }
}

/* As `walk`, but below an anchor only the path that was turned goes on: all else there keeps its anchor. */
static uint32_t walk_to_anchors(const sgp_flow_tree *t, uint32_t at, uint32_t top, uint32_t out)
{
    int enters = !is_anchor(t, at) || (t->mark[at] == t->stamp && at != out);
    if (enters && t->all.child[at] != SEGUE_NONE) {
        return t->all.child[at];
    }
    while (at != top && (t->all.next[at] == SEGUE_NONE || is_anchor(t, t->all.parent[at]))) {
        at = t->all.parent[at];
    }
    return at == top ? SEGUE_NONE : t->all.next[at];
}

/* The first `count` anchors that hang from `above`, with all below them. */
static void raise(sgp_flow_tree *t, uint32_t above, uint32_t count, int64_t more)
{
    uint32_t top = t->anchors.child[above];
    for (; count > 0; count--, top = t->anchors.next[top]) {
        for (uint32_t n = top; n != SEGUE_NONE; n = walk(&t->anchors, n, top)) {
            t->base[n] += more;
        }
    }
}

void sgp_flow_tree_hang(sgp_flow_tree *t, uint32_t out, uint32_t top, uint32_t parent, uint32_t arc,
                        const int64_t *cost)
{
    const uint32_t above = t->place[parent].anchor;
    uint32_t count = 0;
    int64_t old = sgp_flow_price(t, top);
    turn(t, out, top, parent, arc);
    int64_t more = sgp_flow_price(t, parent) + along(t, top, cost) - old;
    for (uint32_t n = top; n != SEGUE_NONE; n = walk_to_anchors(t, n, top, out)) {
        if (is_anchor(t, n)) {
            uint32_t next = t->place[t->all.parent[n]].anchor;
            unlink_from(&t->anchors, n);
            link_to(&t->anchors, n, next);
            count += next == above;
        } else {
            place(t, n, cost);
        }
    }
    raise(t, above, count, more);
}
