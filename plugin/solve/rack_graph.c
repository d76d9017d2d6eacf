/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_graph.h"

#include <string.h>

/* ---- size ---- */

typedef struct layout {
    uint32_t lots, hubs, cells, groups, heavy, budget, top; /* the first node of each kind; classes begin at 0 */
    uint32_t nodes;
} layout;

/* Classes that are learned have a node of their own. */
static uint32_t count_learned(const sgp_rack_graph *g)
{
    uint32_t learned = 0;
    for (uint32_t i = 0; i < g->classes->count; i++) {
        learned += g->classes->list[i].learner != SEGUE_NONE;
    }
    return learned;
}

static layout lay_out(const sgp_rack_graph *g)
{
    layout l;
    l.lots = count_learned(g);
    l.hubs = l.lots + g->lots->count;
    l.cells = l.hubs + g->groups->hubs * g->parts;
    l.groups = g->evens ? l.cells + g->groups->count * g->parts : l.cells;
    l.heavy = l.groups + g->groups->count;
    l.budget = l.heavy + 1;
    l.top = l.budget + 1;
    l.nodes = l.top + 1;
    return l;
}

static uint64_t count_arcs(const sgp_rack_graph *g)
{
    uint64_t groups = g->groups->count, cells = groups * g->parts;
    return g->groups->models + 2 * (uint64_t)count_learned(g) + (uint64_t)g->lots->count * g->groups->hubs + cells +
           (g->evens ? 6 * cells : 0) + 2 * groups + 4;
}

int sgp_rack_graph_open(sgp_rack_graph *g, int by_subtopology)
{
    g->evens = by_subtopology;
    g->parts = by_subtopology ? g->balance->view->subtopologies : 1;
    uint64_t cells = (uint64_t)g->balance->view->members * g->parts;
    return g->groups->hubs <= SGP_RACK_MOST_HUBS && (!g->evens || cells <= SGP_RACK_MOST_CELLS) &&
           (uint64_t)g->groups->hubs * g->parts <= SGP_RACK_MOST_ARCS && count_arcs(g) <= SGP_RACK_MOST_ARCS;
}

/* ---- arcs ---- */

typedef struct price {
    int64_t faults, traffic, moves, started, order;
} price;

static uint32_t add(sgp_rack_graph *g, uint32_t from, uint32_t to, int32_t limit, price each)
{
    const int64_t of[SGP_RACK_MEASURES] = {each.faults, each.traffic, each.moves, each.started, each.order};
    uint32_t arc = sgp_flow_arc(&g->flow, from, to, limit);
    for (int i = 0; i < SGP_RACK_MEASURES; i++) {
        int64_t size = of[i] < 0 ? -of[i] : of[i];
        g->measure[i][arc] = of[i];
        g->most[i] = size > g->most[i] ? size : g->most[i];
    }
    return arc;
}

static void add_if(sgp_rack_graph *g, uint32_t from, uint32_t to, int32_t limit, price each)
{
    if (limit > 0) {
        add(g, from, to, limit, each);
    }
}

static uint32_t cell_of(const sgp_rack_graph *g, uint32_t member, uint32_t subtopology)
{
    return g->groups->of_member[member] * g->parts + subtopology;
}

static uint32_t traffic_of(const sgp_rack_graph *g, const sgp_rack_class *c, uint32_t member)
{
    return sgp_rack_cost_of(g->cost, c->vector, g->cost->place[member]);
}

/* Arcs of one lot to all hubs that are open to it; it starts by the cheapest. */
static void add_lot(sgp_rack_graph *g, const layout *l, uint32_t lot)
{
    const sgp_rack_lot *of = &g->lots->list[lot];
    int64_t least = INT64_MAX;
    g->lot_arc[lot] = g->flow.arcs;
    for (uint32_t hub = 0; hub < g->groups->hubs; hub++) {
        if (g->hub_slot[of->served][hub] == SEGUE_NONE) {
            continue;
        }
        int64_t traffic = sgp_rack_cost_of(g->cost, of->vector, hub / 2);
        uint32_t arc = add(g, l->lots + lot, l->hubs + hub * g->parts + of->part, SGP_FLOW_NO_LIMIT,
                           (price){.traffic = traffic});
        if (traffic < least) {
            least = traffic;
            g->flow.hang[l->lots + lot] = arc;
        }
    }
}

/* From where a class leaves to its lot, or by way of a node to its lot or its learner. */
static uint32_t add_way_out(sgp_rack_graph *g, const layout *l, uint32_t class, uint32_t *learned)
{
    const sgp_rack_class *c = &g->classes->list[class];
    uint32_t lot = l->lots + g->lots->of_class[class];
    if (c->learner == SEGUE_NONE) {
        return lot;
    }
    uint32_t node = (*learned)++;
    g->learner_arc[class] = add(g, node, l->cells + cell_of(g, c->learner, c->part), (int32_t)c->count,
                                (price){.traffic = traffic_of(g, c, c->learner), .started = -1});
    g->flow.hang[node] = add(g, node, lot, SGP_FLOW_NO_LIMIT, (price){0});
    return node;
}

/* One class stands for those of all members that are alike. */
static void add_class(sgp_rack_graph *g, const layout *l, uint32_t class, uint32_t out)
{
    const sgp_rack_class *c = &g->classes->list[class];
    if (c->server == SEGUE_NONE) {
        g->flow.supply[out] += (int32_t)c->count;
        g->flow.supply[l->top] -= (int32_t)c->count;
        return;
    }
    int32_t tasks = (int32_t)(c->count * g->groups->list[g->groups->of_member[c->server]].count);
    int64_t traffic = traffic_of(g, c, c->server);
    g->own_arc[class] = add(g, l->cells + cell_of(g, c->server, c->part), out, tasks,
                            (price){.traffic = -traffic, .moves = 1});
    g->traffic += traffic * tasks;
}

/* Those of one subtopology. */
static void add_classes(sgp_rack_graph *g, const layout *l, uint32_t subtopology, uint32_t *learned)
{
    for (uint32_t i = g->lots->first[subtopology]; i < g->lots->first[subtopology + 1]; i++) {
        uint32_t class = g->lots->class[i];
        g->own_arc[class] = g->learner_arc[class] = SEGUE_NONE;
        if (g->groups->model[class] == class) {
            add_class(g, l, class, add_way_out(g, l, class, learned));
        }
    }
}

/* Hubs without members, and those of members that take nothing while nothing is loose, are closed. */
static void open_hubs(sgp_rack_graph *g)
{
    for (int served = 0; served <= 1; served++) {
        uint32_t slot = 0;
        memset(g->hub_slot[served], 0xff, g->groups->hubs * sizeof *g->hub_slot[served]);
        for (uint32_t i = 0; i < g->groups->count; i++) {
            uint32_t hub = g->groups->list[i].hub;
            int takes = served ? (hub & 1) != 0 : g->classes->loose > 0;
            if (takes && g->hub_slot[served][hub] == SEGUE_NONE) {
                g->hub_slot[served][hub] = slot++;
            }
        }
        g->hub_arcs[served] = slot;
    }
}

static int32_t between(int64_t from, int64_t to)
{
    return to > from ? (int32_t)(to - from) : 0;
}

/* ---- cells ---- */

/* What a member serves of a subtopology may change both ways; each step costs or mends a fault, or neither. */
static void add_cell_arcs(sgp_rack_graph *g, uint32_t cell, uint32_t group, int64_t own, int64_t low, int64_t high)
{
    const price fault = {.faults = 1}, mended = {.faults = -1}, even = {0};
    int64_t start = own > low ? own : low;
    g->flow.hang[cell] = g->flow.arcs; /* by what one more would be */
    add_if(g, cell, group, between(own, low), mended);
    add_if(g, cell, group, between(start, high), even);
    add(g, cell, group, SGP_FLOW_NO_LIMIT, fault);
    add_if(g, group, cell, between(high, own), mended);
    add_if(g, group, cell, between(low, own < high ? own : high), even);
    add_if(g, group, cell, between(0, own < low ? own : low), fault);
}

/* Tasks of each subtopology, of the balance's kind. */
static uint32_t *subtopology_tasks(const sgp_rack_graph *g)
{
    const sgp_balance *b = g->balance;
    uint32_t *tasks = SGP_TAKE_ZERO(b->region, uint32_t, g->parts);
    for (uint32_t t = 0; tasks != NULL && t < b->view->tasks; t++) {
        tasks[b->view->group->task_subtopology[t]] += (uint32_t)sgp_is_kind(b, t);
    }
    return tasks;
}

/* By cell: what its member serves. Subtopologies are balanced, so that it stands for nobody else. */
static uint32_t *count_own(const sgp_rack_graph *g)
{
    uint32_t *own = SGP_TAKE_ZERO(g->balance->region, uint32_t, (size_t)g->groups->count * g->parts);
    for (uint32_t i = 0; own != NULL && i < g->classes->count; i++) {
        const sgp_rack_class *c = &g->classes->list[i];
        if (c->server != SEGUE_NONE) {
            own[cell_of(g, c->server, c->part)] += c->count;
        }
    }
    return own;
}

static void add_cells(sgp_rack_graph *g, const layout *l, uint32_t subtopology, uint32_t tasks, const uint32_t *own)
{
    const uint64_t capacity = g->balance->view->capacity;
    for (uint32_t i = 0; i < g->groups->count; i++) {
        const sgp_rack_group *of = &g->groups->list[i];
        uint32_t cell = i * g->parts + subtopology;
        uint64_t share = (uint64_t)tasks * of->threads;
        add_cell_arcs(g, l->cells + cell, l->groups + i, own[cell], (int64_t)(share / capacity) * of->count,
                      (int64_t)((share + capacity - 1) / capacity) * of->count);
    }
}

/* ---- groups ---- */

/* What enters at `node`, now `has`, may end between low and high at `sink`, each above low at that price. Returns what it has inside these bounds. */
static int64_t add_range(sgp_rack_graph *g, uint32_t node, uint32_t sink, uint32_t top, int64_t has, int64_t low,
                         int64_t high, int64_t order)
{
    int64_t inside = has < low ? low : (has > high ? high : has);
    g->flow.supply[node] += (int32_t)(has - inside);
    g->flow.supply[top] -= (int32_t)(has - inside);
    if (high > inside) {
        g->flow.hang[node] = add(g, node, sink, between(inside, high), (price){.order = order});
    }
    if (inside > low) {
        g->flow.back[node] = add(g, sink, node, between(low, inside), (price){.order = -order});
    }
    return inside;
}

static void add_groups(sgp_rack_graph *g, const layout *l, const sgp_rack_bounds *bounds)
{
    const uint32_t end[] = {[SGP_RACK_FREE] = l->top, [SGP_RACK_BUDGET] = l->budget, [SGP_RACK_HEAVY] = l->heavy};
    int64_t used[] = {0, 0, 0};
    for (uint32_t i = 0; i < g->groups->count; i++) {
        const sgp_rack_group *of = &g->groups->list[i];
        int64_t low = (int64_t)of->low * of->count, high = (int64_t)of->high * of->count;
        int64_t order = sgp_rack_has_slots(g->balance) ? g->groups->member[of->first] : 0;
        used[of->pool] += add_range(g, l->groups + i, end[of->pool], l->top, of->load, low, high, order) - low;
    }
    add_range(g, l->budget, l->top, l->top, used[SGP_RACK_BUDGET], 0, bounds->budget, 0);
    if (used[SGP_RACK_HEAVY] > 0) {
        add_range(g, l->heavy, l->top, l->top, used[SGP_RACK_HEAVY], bounds->heavy, bounds->heavy, 0);
    }
}

static void add_hubs(sgp_rack_graph *g, const layout *l, uint32_t subtopology)
{
    for (uint32_t i = 0; i < g->groups->count; i++) {
        uint32_t hub = g->groups->list[i].hub, cell = i * g->parts + subtopology;
        int open = g->hub_slot[0][hub] != SEGUE_NONE || g->hub_slot[1][hub] != SEGUE_NONE;
        g->cell_arc[cell] = open ? add(g, l->hubs + hub * g->parts + subtopology, l->cells + cell, SGP_FLOW_NO_LIMIT,
                                       (price){0})
                                 : SEGUE_NONE;
    }
}

/* Arcs of one subtopology follow each other, so that the flow can begin with each by itself. */
static int32_t add_parts(sgp_rack_graph *g, const layout *l)
{
    uint32_t *tasks = g->evens ? subtopology_tasks(g) : NULL, *own = g->evens ? count_own(g) : NULL;
    uint32_t learned = 0, lot = 0;
    if (g->balance->region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t s = 0; s < g->parts; s++) {
        g->part_arc[s] = g->flow.arcs;
        add_classes(g, l, s, &learned);
        for (; lot < g->lots->count && g->lots->list[lot].part == s; lot++) {
            add_lot(g, l, lot);
        }
        add_hubs(g, l, s);
        if (tasks != NULL && own != NULL) {
            add_cells(g, l, s, tasks[s], own);
        }
    }
    g->part_arc[g->parts] = g->flow.arcs;
    return SEGUE_OK;
}

int32_t sgp_rack_graph_build(sgp_rack_graph *g, const sgp_rack_bounds *bounds)
{
    sgp_region *region = g->balance->region;
    const layout l = lay_out(g);
    const uint32_t most = (uint32_t)count_arcs(g);
    for (int i = 0; i < 2; i++) {
        g->hub_slot[i] = SGP_TAKE(region, uint32_t, g->groups->hubs);
    }
    g->first_hub = l.hubs;
    g->first_group = l.groups;
    g->part_arc = SGP_TAKE(region, uint32_t, (size_t)g->parts + 1);
    g->lot_arc = SGP_TAKE(region, uint32_t, g->lots->count);
    g->own_arc = SGP_TAKE(region, uint32_t, g->classes->count);
    g->learner_arc = SGP_TAKE(region, uint32_t, g->classes->count);
    g->cell_arc = SGP_TAKE(region, uint32_t, (size_t)g->groups->count * g->parts);
    for (int i = 0; i < SGP_RACK_MEASURES; i++) {
        g->measure[i] = SGP_TAKE(region, int64_t, (size_t)most + l.nodes);
    }
    g->before = SGP_TAKE_ZERO(region, int64_t, (size_t)most + l.nodes);
    if (sgp_flow_open(&g->flow, l.nodes, most, region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    open_hubs(g);
    if (add_parts(g, &l) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    add_groups(g, &l, bounds);
    memset(g->measure[SGP_RACK_TRAFFIC] + g->flow.arcs, 0, l.nodes * sizeof *g->measure[0]);
    g->flow.loose = g->evens ? l.groups : l.nodes;
    sgp_flow_start(&g->flow);
    return SEGUE_OK;
}
