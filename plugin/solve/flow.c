/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/flow.h"

#include "segue/base.h"

#include <string.h>

enum { EMPTY = 1, FULL = -1, HELD = 0 };

/* Arcs that are looked at before the best of them enters: about the root of all of them. */
static uint32_t block_size(uint32_t arcs)
{
    uint32_t size = 16;
    while ((uint64_t)size * size < arcs) {
        size += size / 4;
    }
    return size;
}

int32_t sgp_flow_open(sgp_flow *f, uint32_t nodes, uint32_t most_arcs, sgp_region *region)
{
    const size_t arcs = (size_t)most_arcs + nodes, with_root = (size_t)nodes + 1;
    *f = (sgp_flow){.nodes = nodes};
    f->from = SGP_TAKE(region, uint32_t, arcs);
    f->to = SGP_TAKE(region, uint32_t, arcs);
    f->limit = SGP_TAKE(region, int32_t, arcs);
    f->amount = SGP_TAKE_ZERO(region, int32_t, arcs);
    f->cost = SGP_TAKE(region, int64_t, arcs);
    f->state = SGP_TAKE(region, int8_t, arcs);
    f->supply = SGP_TAKE_ZERO(region, int32_t, with_root);
    f->hang = SGP_TAKE(region, uint32_t, with_root);
    f->parent = SGP_TAKE(region, uint32_t, with_root);
    f->tree_arc = SGP_TAKE(region, uint32_t, with_root);
    f->depth = SGP_TAKE_ZERO(region, uint32_t, with_root);
    f->child = SGP_TAKE(region, uint32_t, with_root);
    f->next = SGP_TAKE(region, uint32_t, with_root);
    f->previous = SGP_TAKE(region, uint32_t, with_root);
    f->price = SGP_TAKE(region, int64_t, with_root);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    memset(f->hang, 0xff, with_root * sizeof *f->hang);
    memset(f->child, 0xff, with_root * sizeof *f->child);
    return SEGUE_OK;
}

/* ---- the tree ---- */

static void attach(sgp_flow *f, uint32_t node, uint32_t parent, uint32_t arc)
{
    f->parent[node] = parent;
    f->tree_arc[node] = arc;
    f->next[node] = f->child[parent];
    f->previous[node] = SEGUE_NONE;
    if (f->child[parent] != SEGUE_NONE) {
        f->previous[f->child[parent]] = node;
    }
    f->child[parent] = node;
}

static void detach(sgp_flow *f, uint32_t node)
{
    uint32_t before = f->previous[node], after = f->next[node];
    if (before == SEGUE_NONE) {
        f->child[f->parent[node]] = after;
    } else {
        f->next[before] = after;
    }
    if (after != SEGUE_NONE) {
        f->previous[after] = before;
    }
}

static int points_up(const sgp_flow *f, uint32_t node)
{
    return f->from[f->tree_arc[node]] == node;
}

/* The node behind `at` in a walk through the subtree of `top`, parents first; SEGUE_NONE at the end. */
static uint32_t walk(const sgp_flow *f, uint32_t at, uint32_t top)
{
    if (f->child[at] != SEGUE_NONE) {
        return f->child[at];
    }
    while (at != top && f->next[at] == SEGUE_NONE) {
        at = f->parent[at];
    }
    return at == top ? SEGUE_NONE : f->next[at];
}

/* Prices at which the arcs of the tree cost nothing. */
static void set_prices(sgp_flow *f, const int64_t *cost)
{
    const uint32_t root = f->nodes;
    f->price[root] = 0;
    for (uint32_t n = walk(f, root, root); n != SEGUE_NONE; n = walk(f, n, root)) {
        int64_t along = cost[f->tree_arc[n]];
        f->price[n] = f->price[f->parent[n]] + (points_up(f, n) ? -along : along);
    }
}

static void set_depths(sgp_flow *f)
{
    for (uint32_t n = walk(f, f->nodes, f->nodes); n != SEGUE_NONE; n = walk(f, n, f->nodes)) {
        f->depth[n] = f->depth[f->parent[n]] + 1;
    }
}

/* ---- the start ---- */

/* A node hangs by the caller's arc where all that comes up to it fits through and room is left. */
static void place(sgp_flow *f, uint32_t node, int32_t *rising)
{
    uint32_t arc = f->hang[node];
    int32_t excess = rising[node];
    if (arc == SEGUE_NONE || excess < 0 || excess >= f->limit[arc]) {
        int up = excess >= 0;
        arc = f->arcs + node;
        f->from[arc] = up ? node : f->nodes;
        f->to[arc] = up ? f->nodes : node;
        f->amount[arc] = up ? excess : -excess;
        attach(f, node, f->nodes, arc);
        return;
    }
    f->amount[arc] = excess;
    rising[f->to[arc]] += excess;
    f->state[arc] = HELD;
    attach(f, node, f->to[arc], arc);
}

void sgp_flow_start(sgp_flow *f)
{
    int32_t *rising = (int32_t *)f->depth; /* not needed yet */
    memcpy(rising, f->supply, f->nodes * sizeof *rising);
    memset(f->state, EMPTY, f->arcs * sizeof *f->state);
    memset(f->state + f->arcs, HELD, f->nodes * sizeof *f->state);
    for (uint32_t n = 0; n < f->nodes; n++) {
        f->limit[f->arcs + n] = SGP_FLOW_NO_LIMIT;
        place(f, n, rising);
    }
    f->depth[f->nodes] = 0;
    set_depths(f);
}

/* ---- one step ---- */

static int64_t reduced(const sgp_flow *f, uint32_t arc)
{
    return f->cost[arc] + f->price[f->from[arc]] - f->price[f->to[arc]];
}

/* The arc of the next block that gains most, SEGUE_NONE when no arc gains anything. */
static uint32_t find_entering(sgp_flow *f, uint32_t block)
{
    uint32_t best_arc = SEGUE_NONE, arc = f->scan, left = block;
    int64_t best = 0;
    for (uint32_t looked = 0; looked < f->arcs; looked++) {
        int64_t gain = f->state[arc] * reduced(f, arc);
        if (gain < best) {
            best = gain;
            best_arc = arc;
        }
        arc = arc + 1 == f->arcs ? 0 : arc + 1;
        if (--left == 0) {
            if (best_arc != SEGUE_NONE) {
                break;
            }
            left = block;
        }
    }
    f->scan = arc;
    return best_arc;
}

/* The circle that an entering arc closes: what is sent runs from `last` down to the join and up to `first` in the tree. */
typedef struct circle {
    uint32_t arc, first, last, join;
    int32_t sent;
    uint32_t out;   /* the node whose tree arc leaves; SEGUE_NONE: the entering arc only changes sides */
    int out_on_first;
} circle;

static uint32_t find_join(const sgp_flow *f, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (f->depth[a] >= f->depth[b]) {
            a = f->parent[a];
        } else {
            b = f->parent[b];
        }
    }
    return a;
}

static int32_t room(const sgp_flow *f, uint32_t node, int upwards)
{
    uint32_t arc = f->tree_arc[node];
    if (points_up(f, node) != upwards) {
        return f->amount[arc];
    }
    return f->limit[arc] == SGP_FLOW_NO_LIMIT ? SGP_FLOW_NO_LIMIT : f->limit[arc] - f->amount[arc];
}

/* The last arc without room, as seen from the join along the circle, leaves: this keeps the tree strongly feasible. */
static void find_leaving(const sgp_flow *f, circle *c)
{
    c->sent = f->limit[c->arc];
    c->out = SEGUE_NONE;
    for (uint32_t n = c->first; n != c->join; n = f->parent[n]) {
        int32_t fits = room(f, n, 0);
        if (fits < c->sent) {
            c->sent = fits;
            c->out = n;
            c->out_on_first = 1;
        }
    }
    for (uint32_t n = c->last; n != c->join; n = f->parent[n]) {
        int32_t fits = room(f, n, 1);
        if (fits <= c->sent) {
            c->sent = fits;
            c->out = n;
            c->out_on_first = 0;
        }
    }
}

static void send(sgp_flow *f, const circle *c)
{
    if (c->sent == 0) {
        return;
    }
    f->amount[c->arc] += f->state[c->arc] * c->sent;
    for (uint32_t n = c->first; n != c->join; n = f->parent[n]) {
        f->amount[f->tree_arc[n]] += points_up(f, n) ? -c->sent : c->sent;
    }
    for (uint32_t n = c->last; n != c->join; n = f->parent[n]) {
        f->amount[f->tree_arc[n]] += points_up(f, n) ? c->sent : -c->sent;
    }
}

/* Hangs the part below `out` by `node`, which lies in it, to `parent`. */
static void hang_anew(sgp_flow *f, uint32_t out, uint32_t node, uint32_t parent, uint32_t arc)
{
    for (uint32_t done = 0; !done;) {
        uint32_t old_parent = f->parent[node], old_arc = f->tree_arc[node];
        done = node == out;
        detach(f, node);
        attach(f, node, parent, arc);
        parent = node;
        arc = old_arc;
        node = old_parent;
    }
}

static void raise_prices(sgp_flow *f, uint32_t top)
{
    int64_t along = f->cost[f->tree_arc[top]], above = f->price[f->parent[top]];
    int64_t more = above + (points_up(f, top) ? -along : along) - f->price[top];
    for (uint32_t n = top; n != SEGUE_NONE; n = walk(f, n, top)) {
        f->price[n] += more;
        f->depth[n] = f->depth[f->parent[n]] + 1;
    }
}

static void step(sgp_flow *f, uint32_t arc)
{
    int empty = f->state[arc] == EMPTY;
    circle c = {.arc = arc, .first = empty ? f->from[arc] : f->to[arc], .last = empty ? f->to[arc] : f->from[arc]};
    c.join = find_join(f, c.first, c.last);
    find_leaving(f, &c);
    send(f, &c);
    f->steps++;
    if (c.out == SEGUE_NONE) {
        f->state[arc] = (int8_t)-f->state[arc];
        return;
    }
    uint32_t leaving = f->tree_arc[c.out], top = c.out_on_first ? c.first : c.last;
    f->state[arc] = HELD;
    f->state[leaving] = f->amount[leaving] == 0 ? EMPTY : FULL;
    hang_anew(f, c.out, top, c.out_on_first ? c.last : c.first, arc);
    raise_prices(f, top);
}

/* ---- levels ---- */

static int is_feasible(const sgp_flow *f)
{
    for (uint32_t n = 0; n < f->nodes; n++) {
        if (f->amount[f->arcs + n] != 0) {
            return 0;
        }
    }
    return 1;
}

/* Dearer than any way through the caller's arcs, so that artificial ones carry nothing in the end if that can be. */
static void price_artificial(sgp_flow *f)
{
    int64_t most = 0;
    for (uint32_t a = 0; a < f->arcs; a++) {
        int64_t size = f->cost[a] < 0 ? -f->cost[a] : f->cost[a];
        most = size > most ? size : most;
    }
    for (uint32_t n = 0; n < f->nodes; n++) {
        f->cost[f->arcs + n] = (most + 1) * ((int64_t)f->nodes + 1);
    }
}

enum sgp_flow_end sgp_flow_minimize(sgp_flow *f, sgp_deadline *deadline)
{
    const uint32_t block = block_size(f->arcs);
    price_artificial(f);
    set_prices(f, f->cost);
    for (uint32_t arc; (arc = find_entering(f, block)) != SEGUE_NONE;) {
        if (sgp_deadline_passed(deadline)) {
            return SGP_FLOW_CUT;
        }
        step(f, arc);
    }
    return is_feasible(f) ? SGP_FLOW_OPTIMAL : SGP_FLOW_INFEASIBLE;
}

void sgp_flow_freeze(sgp_flow *f)
{
    for (uint32_t a = 0; a < f->arcs; a++) {
        f->state[a] = reduced(f, a) == 0 ? f->state[a] : (int8_t)HELD;
    }
}

static int in_tree(const sgp_flow *f, uint32_t arc)
{
    return f->tree_arc[f->from[arc]] == arc || f->tree_arc[f->to[arc]] == arc;
}

/* Arcs that the levels before hold where they are: in state 0, for the time of a bound. */
static void hold_by(sgp_flow *f, const int64_t *before)
{
    set_prices(f, before);
    for (uint32_t a = 0; a < f->arcs; a++) {
        int64_t each = before[a] + f->price[f->from[a]] - f->price[f->to[a]];
        f->state[a] = each == 0 ? f->state[a] : (int8_t)HELD;
    }
}

/* What one arc outside the tree lowers the bound by, or raises it where it is held. */
static int64_t share_of_bound(const sgp_flow *f, const int64_t *cost, uint32_t arc)
{
    int64_t each = cost[arc] + f->price[f->from[arc]] - f->price[f->to[arc]];
    if (f->state[arc] == HELD) {
        return in_tree(f, arc) ? 0 : each * f->amount[arc];
    }
    return each < 0 ? each * f->limit[arc] : 0;
}

int64_t sgp_flow_bound(sgp_flow *f, const int64_t *before, const int64_t *cost)
{
    int64_t bound = 0;
    if (before != NULL) {
        hold_by(f, before);
    }
    set_prices(f, cost);
    for (uint32_t n = 0; n < f->nodes; n++) {
        bound -= f->supply[n] * f->price[n];
    }
    for (uint32_t a = 0; a < f->arcs; a++) {
        bound += share_of_bound(f, cost, a);
    }
    set_prices(f, f->cost);
    return bound;
}
