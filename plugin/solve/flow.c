/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/flow.h"

#include "segue/base.h"

#include <string.h>

/* Arcs of a node that becomes an anchor. */
enum { BUSY = 32 };

/* Arcs that are looked at before the best of them enters: the root of half of them, since steps are cheap. */
enum { BLOCKS = 2, LEAST_BLOCK = 24 };

enum { EMPTY = 1, FULL = -1, HELD = 0 };

/* What a loose node's artificial arc carries beside what is asked of it: more than that will ever be. */
enum { SLACK = 1 << 29 };

/* The root of a number, not below `least`; not exact. */
static uint32_t root_of(uint32_t number, uint32_t least)
{
    uint32_t root = least;
    while ((uint64_t)root * root < number) {
        root += 1 + root / 8;
    }
    return root;
}

int32_t sgp_flow_open(sgp_flow *f, uint32_t nodes, uint32_t most_arcs, sgp_region *region)
{
    const size_t arcs = (size_t)most_arcs + nodes, with_root = (size_t)nodes + 1;
    *f = (sgp_flow){.nodes = nodes, .loose = nodes};
    f->from = SGP_TAKE(region, uint32_t, arcs);
    f->to = SGP_TAKE(region, uint32_t, most_arcs);
    f->limit = SGP_TAKE(region, int32_t, arcs);
    f->amount = SGP_TAKE_ZERO(region, int32_t, arcs);
    f->cost = SGP_TAKE(region, int64_t, arcs);
    f->state = SGP_TAKE(region, int8_t, arcs);
    f->supply = SGP_TAKE_ZERO(region, int32_t, with_root);
    f->hang = SGP_TAKE(region, uint32_t, with_root);
    f->back = SGP_TAKE(region, uint32_t, with_root);
    if (sgp_flow_tree_open(&f->tree, (uint32_t)with_root, f->from, region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    f->rising = (int32_t *)f->tree.anchors.parent; /* not needed before prices are set */
    memset(f->rising, 0, nodes * sizeof *f->rising);
    memset(f->state, EMPTY, most_arcs * sizeof *f->state);
    memset(f->hang, 0xff, with_root * sizeof *f->hang);
    memset(f->back, 0xff, with_root * sizeof *f->back);
    return SEGUE_OK;
}

/* ---- the start ---- */

void sgp_flow_fill(sgp_flow *f, uint32_t arc)
{
    f->state[arc] = FULL;
    f->amount[arc] = f->limit[arc];
    f->rising[f->from[arc]] -= f->limit[arc];
    f->rising[f->to[arc]] += f->limit[arc];
}

static void hang_artificially(sgp_flow *f, uint32_t node, int32_t excess)
{
    const int up = excess >= 0;
    const uint32_t arc = f->arcs + node;
    f->from[arc] = up ? node : f->nodes;
    f->amount[arc] = up ? excess : -excess;
    sgp_flow_tree_attach(&f->tree, node, f->nodes, arc);
}

/* A node hangs by the caller's arc where all that comes up to it fits through and room is left, or where all that it lacks
 * comes down. What does not fit is artificial. */
static void place(sgp_flow *f, uint32_t node)
{
    int32_t *rising = f->rising;
    const int up = rising[node] >= 0;
    const uint32_t arc = up ? f->hang[node] : f->back[node];
    const int32_t all = up ? rising[node] : -rising[node], fits = arc == SEGUE_NONE || all < f->limit[arc] ? all : f->limit[arc];
    if (arc == SEGUE_NONE) {
        hang_artificially(f, node, rising[node]);
        return;
    }
    const uint32_t above = up ? f->to[arc] : f->from[arc];
    f->amount[arc] = fits;
    rising[above] += up ? fits : -fits;
    if (up ? all < f->limit[arc] : all <= f->limit[arc]) { /* it can send something more up */
        f->state[arc] = HELD;
        sgp_flow_tree_attach(&f->tree, node, above, arc);
        return;
    }
    f->state[arc] = FULL;
    hang_artificially(f, node, up ? all - fits : fits - all);
}

/* Busy nodes: see flow_tree.h. */
static void choose_anchors(sgp_flow *f)
{
    uint32_t *arcs = f->tree.anchors.child; /* not needed yet */
    memset(arcs, 0, f->nodes * sizeof *arcs);
    for (uint32_t a = 0; a < f->arcs; a++) {
        arcs[f->from[a]]++;
        arcs[f->to[a]]++;
    }
    for (uint32_t n = 0; n < f->nodes; n++) {
        if (arcs[n] >= BUSY) {
            sgp_flow_tree_make_anchor(&f->tree, n);
        }
    }
}

void sgp_flow_start(sgp_flow *f)
{
    for (uint32_t n = 0; n < f->nodes; n++) {
        f->rising[n] += f->supply[n];
    }
    memset(f->state + f->arcs, HELD, f->nodes * sizeof *f->state);
    for (uint32_t n = 0; n < f->nodes; n++) {
        f->limit[f->arcs + n] = SGP_FLOW_NO_LIMIT;
        if (n < f->loose) {
            place(f, n);
        } else {
            hang_artificially(f, n, SLACK + f->rising[n]);
        }
    }
    f->behind = f->arcs;
    choose_anchors(f);
}

/* Loose nodes have what the parts have left them with. */
static void tighten(sgp_flow *f)
{
    for (uint32_t n = f->loose; n < f->nodes; n++) {
        f->rising[n] = f->amount[f->arcs + n] - SLACK; /* prices are set anew */
        f->amount[f->arcs + n] = 0;
        sgp_flow_tree_detach(&f->tree, n);
    }
    for (uint32_t n = f->loose; n < f->nodes; n++) {
        place(f, n);
    }
}

/* ---- one step ---- */

static int64_t reduced(const sgp_flow *f, uint32_t arc)
{
    return f->cost[arc] + sgp_flow_price(&f->tree, f->from[arc]) - sgp_flow_price(&f->tree, f->to[arc]);
}

typedef struct entering {
    uint32_t arc; /* SEGUE_NONE: none gains anything */
    int64_t gain; /* negative */
} entering;

/* The best of `count` arcs, if it is better than what was found before. Neighbours are alike and gain alike: so it looks at
 * arcs from all over, each `stride` behind the one before. */
static void look_through(sgp_flow *f, uint32_t count, entering *best)
{
    const uint32_t *from = f->from, *to = f->to, behind = f->behind, stride = f->stride;
    const int64_t *cost = f->cost, *base = f->tree.base;
    const sgp_flow_place *place = f->tree.place;
    const int8_t *state = f->state;
    uint32_t arc = f->scan;
    entering found = *best;
    for (; count > 0; count--) {
        const sgp_flow_place *tail = &place[from[arc]], *head = &place[to[arc]];
        int64_t gain = state[arc] * (cost[arc] + (base[tail->anchor] + tail->off) - (base[head->anchor] + head->off));
        if (gain < found.gain) {
            found = (entering){arc, gain};
        }
        arc += stride;
        if (arc >= behind) {
            f->column = f->column + 1 == stride ? 0 : f->column + 1;
            arc = f->first + f->column;
        }
    }
    f->scan = arc;
    *best = found;
}

/* The arc of the next block that gains most, SEGUE_NONE when no arc gains anything. */
static uint32_t find_entering(sgp_flow *f)
{
    entering best = {SEGUE_NONE, 0};
    for (uint32_t left = f->behind - f->first; left > 0 && best.arc == SEGUE_NONE;) {
        uint32_t block = left < f->block ? left : f->block;
        look_through(f, block, &best);
        f->looked += block;
        left -= block;
    }
    return best.arc;
}

/* The circle that an entering arc closes: what is sent runs from `last` down to the join and up to `first` in the tree. */
typedef struct circle {
    uint32_t arc, first, last, join;
    int32_t sent;
    uint32_t out;   /* the node whose tree arc leaves; SEGUE_NONE: the entering arc only changes sides */
    int out_on_first;
} circle;

static int32_t room(const sgp_flow *f, uint32_t node, int upwards)
{
    uint32_t arc = f->tree.arc[node];
    if (sgp_flow_points_up(&f->tree, node) != upwards) {
        return f->amount[arc];
    }
    return f->limit[arc] == SGP_FLOW_NO_LIMIT ? SGP_FLOW_NO_LIMIT : f->limit[arc] - f->amount[arc];
}

/* The last arc without room, as seen from the join along the circle, leaves: this keeps the tree strongly feasible. */
static void find_leaving(const sgp_flow *f, circle *c)
{
    c->sent = f->limit[c->arc];
    c->out = SEGUE_NONE;
    for (uint32_t n = c->first; n != c->join; n = f->tree.all.parent[n]) {
        int32_t fits = room(f, n, 0);
        if (fits < c->sent) {
            c->sent = fits;
            c->out = n;
            c->out_on_first = 1;
        }
    }
    for (uint32_t n = c->last; n != c->join; n = f->tree.all.parent[n]) {
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
    for (uint32_t n = c->first; n != c->join; n = f->tree.all.parent[n]) {
        f->amount[f->tree.arc[n]] += sgp_flow_points_up(&f->tree, n) ? -c->sent : c->sent;
    }
    for (uint32_t n = c->last; n != c->join; n = f->tree.all.parent[n]) {
        f->amount[f->tree.arc[n]] += sgp_flow_points_up(&f->tree, n) ? c->sent : -c->sent;
    }
}

static void step(sgp_flow *f, uint32_t arc)
{
    int empty = f->state[arc] == EMPTY;
    circle c = {.arc = arc, .first = empty ? f->from[arc] : f->to[arc], .last = empty ? f->to[arc] : f->from[arc]};
    c.join = sgp_flow_tree_join(&f->tree, c.first, c.last);
    find_leaving(f, &c);
    send(f, &c);
    f->steps++;
    if (c.out == SEGUE_NONE) {
        f->state[arc] = (int8_t)-f->state[arc];
        return;
    }
    uint32_t leaving = f->tree.arc[c.out], top = c.out_on_first ? c.first : c.last;
    f->state[arc] = HELD;
    f->state[leaving] = f->amount[leaving] == 0 ? EMPTY : FULL;
    sgp_flow_tree_hang(&f->tree, c.out, top, c.out_on_first ? c.last : c.first, arc, f->cost);
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

/* Artificial arcs are dearer than any way through the caller's arcs, so that they carry nothing in the end if that can be. */
static void set_prices(sgp_flow *f)
{
    int64_t most = 0;
    for (uint32_t a = 0; a < f->arcs; a++) {
        int64_t size = f->cost[a] < 0 ? -f->cost[a] : f->cost[a];
        most = size > most ? size : most;
    }
    for (uint32_t n = 0; n < f->nodes; n++) {
        f->cost[f->arcs + n] = (most + 1) * ((int64_t)f->nodes + 1);
    }
    sgp_flow_tree_set_prices(&f->tree, f->cost);
}

/* Lets arcs enter until none of them gains anything. 0 when it is cut off. */
static int improve(sgp_flow *f, uint32_t first, uint32_t behind, sgp_deadline *deadline)
{
    f->first = f->scan = first;
    f->behind = behind;
    f->column = 0;
    f->stride = root_of(behind - first, 1);
    f->block = root_of((behind - first) / BLOCKS, LEAST_BLOCK);
    for (uint32_t arc; (arc = find_entering(f)) != SEGUE_NONE;) {
        if (f->looked + 64 * f->steps > SGP_FLOW_MOST_WORK || sgp_deadline_passed(deadline)) {
            return 0;
        }
        step(f, arc);
    }
    return 1;
}

enum sgp_flow_end sgp_flow_minimize_parts(sgp_flow *f, const uint32_t *start, uint32_t parts, sgp_deadline *deadline)
{
    set_prices(f);
    for (uint32_t p = 0; p < parts; p++) {
        if (!improve(f, start[p], start[p + 1], deadline)) {
            return SGP_FLOW_CUT;
        }
    }
    tighten(f);
    return SGP_FLOW_OPTIMAL;
}

enum sgp_flow_end sgp_flow_minimize(sgp_flow *f, sgp_deadline *deadline)
{
    set_prices(f);
    if (!improve(f, 0, f->arcs, deadline)) {
        return SGP_FLOW_CUT;
    }
    return is_feasible(f) ? SGP_FLOW_OPTIMAL : SGP_FLOW_INFEASIBLE;
}

void sgp_flow_freeze(sgp_flow *f)
{
    sgp_flow_tree_set_prices(&f->tree, f->cost); /* a bound has others */
    for (uint32_t a = 0; a < f->arcs; a++) {
        f->state[a] = reduced(f, a) == 0 ? f->state[a] : (int8_t)HELD;
    }
}

static int in_tree(const sgp_flow *f, uint32_t arc)
{
    return f->tree.arc[f->from[arc]] == arc || f->tree.arc[f->to[arc]] == arc;
}

/* Arcs that the levels before hold where they are: in state 0, for the time of a bound. */
static void hold_by(sgp_flow *f, const int64_t *before)
{
    sgp_flow_tree_set_prices(&f->tree, before);
    for (uint32_t a = 0; a < f->arcs; a++) {
        int64_t each = before[a] + sgp_flow_price(&f->tree, f->from[a]) - sgp_flow_price(&f->tree, f->to[a]);
        f->state[a] = each == 0 ? f->state[a] : (int8_t)HELD;
    }
}

/* What one arc outside the tree lowers the bound by, or raises it where it is held. */
static int64_t share_of_bound(const sgp_flow *f, const int64_t *cost, uint32_t arc)
{
    int64_t each = cost[arc] + sgp_flow_price(&f->tree, f->from[arc]) - sgp_flow_price(&f->tree, f->to[arc]);
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
    sgp_flow_tree_set_prices(&f->tree, cost);
    for (uint32_t n = 0; n < f->nodes; n++) {
        bound -= f->supply[n] * sgp_flow_price(&f->tree, n);
    }
    for (uint32_t a = 0; a < f->arcs; a++) {
        bound += share_of_bound(f, cost, a);
    }
    return bound;
}
