/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_graph.h"

#include "solve/rack_cell.h"
#include "solve/rack_start.h"

#include <string.h>

/* ---- size ---- */

typedef struct layout {
    uint32_t learned, lots, hubs, spills, groups, heavy, budget, top; /* the first node of each kind; cells begin at 0 */
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

/* Numbers the cells that need a node. */
static uint32_t number_cells(const sgp_rack_graph *g)
{
    uint32_t cells = 0;
    for (uint32_t i = 0; i < g->groups->count * g->parts; i++) {
        sgp_rack_cell *cell = &g->cells[i];
        cell->node = !g->evens || cell->own > 0 || cell->learned > 0 ? cells++ : SEGUE_NONE;
    }
    return cells;
}

static layout lay_out(const sgp_rack_graph *g)
{
    layout l;
    l.learned = number_cells(g);
    l.lots = l.learned + count_learned(g);
    l.hubs = l.lots + g->lots->count;
    l.spills = l.hubs + g->groups->hubs * g->parts;
    l.groups = g->evens ? l.spills + g->groups->hubs : 0;
    l.heavy = g->evens ? l.groups + g->groups->count : l.spills;
    l.budget = l.heavy + 1;
    l.top = l.budget + 1;
    l.nodes = l.top + 1;
    return l;
}

/* No fewer than there will be. */
static uint64_t count_arcs(const sgp_rack_graph *g)
{
    uint64_t groups = g->groups->count, cells = groups * g->parts;
    return g->groups->models + 2 * (uint64_t)count_learned(g) + (uint64_t)g->lots->count * g->groups->hubs + cells +
           (g->evens ? 6 * cells : 0) + 2 * groups + 4;
}

/* The same, when it is known which cells have a node: that is most of the memory. */
static uint32_t bound_arcs(const sgp_rack_graph *g, const layout *l)
{
    uint64_t groups = g->groups->count, cells = groups * g->parts;
    uint64_t even = 2 * cells + 3 * (uint64_t)l->learned + (uint64_t)g->groups->hubs * g->parts + groups;
    return (uint32_t)(g->groups->models + 2 * (uint64_t)(l->lots - l->learned) +
                      (uint64_t)g->lots->count * g->groups->hubs + (g->evens ? even : cells) + 2 * groups + 4);
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

static uint32_t traffic_of(const sgp_rack_graph *g, const sgp_rack_class *c, uint32_t member)
{
    return sgp_rack_cost_of(g->cost, c->vector, g->cost->place[member]);
}

/* Arcs of one lot to all hubs that are open to it; it starts by the cheapest. */
static void add_lot(sgp_rack_graph *g, const layout *l, uint32_t lot)
{
    const sgp_rack_lot *of = &g->lots->list[lot];
    g->lot_arc[lot] = g->flow.arcs;
    for (uint32_t hub = 0; hub < g->groups->hubs; hub++) {
        if (g->hub_slot[of->served][hub] == SEGUE_NONE) {
            continue;
        }
        int64_t traffic = sgp_rack_cost_of(g->cost, of->vector, hub / 2);
        uint32_t arc = sgp_rack_add(g, l->lots + lot, l->hubs + hub * g->parts + of->part, SGP_FLOW_NO_LIMIT,
                           (sgp_rack_price){.traffic = traffic});
        if (hub == g->least[lot]) {
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
    uint32_t node = l->learned + (*learned)++;
    const sgp_rack_price price = {.traffic = traffic_of(g, c, c->learner), .ready = -c->ready, .started = -1};
    g->learner_arc[class] =
        sgp_rack_add(g, node, sgp_rack_cell_of(g, c->learner, c->part)->node, (int32_t)c->count, price);
    g->flow.hang[node] = sgp_rack_add(g, node, lot, SGP_FLOW_NO_LIMIT, (sgp_rack_price){0});
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
    const uint32_t group = g->groups->of_member[c->server];
    const sgp_rack_cell *cell = sgp_rack_cell_at(g, group, c->part);
    int32_t tasks = (int32_t)(c->count * g->groups->list[group].count);
    int64_t traffic = traffic_of(g, c, c->server);
    uint32_t arc = g->own_arc[class] = sgp_rack_add(g, cell->node, out, tasks, (sgp_rack_price){.traffic = -traffic, .moves = 1});
    g->traffic += traffic * tasks;
    if (g->given[class]) {
        sgp_flow_fill(&g->flow, arc);
    } else if (cell->next == class) {
        g->flow.hang[cell->node] = arc;
    }
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

/* ---- groups ---- */

/* What enters at `node`, now `has`, may end between low and high at `sink`, each above low at that price. Returns what it has inside these bounds. */
static int64_t add_range(sgp_rack_graph *g, uint32_t node, uint32_t sink, uint32_t top, int64_t has, int64_t low,
                         int64_t high, int64_t order)
{
    int64_t inside = has < low ? low : (has > high ? high : has);
    g->flow.supply[node] += (int32_t)(has - inside);
    g->flow.supply[top] -= (int32_t)(has - inside);
    if (high > inside) {
        g->flow.hang[node] = sgp_rack_add(g, node, sink, sgp_rack_between(inside, high), (sgp_rack_price){.order = order});
    }
    if (inside > low) {
        uint32_t arc = sgp_rack_add(g, sink, node, sgp_rack_between(low, inside), (sgp_rack_price){.order = -order});
        g->flow.back[node] = g->flow.back[node] == SEGUE_NONE ? arc : g->flow.back[node];
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

/* Arcs of one subtopology follow each other, so that the flow can begin with each by itself. */
static void add_parts(sgp_rack_graph *g, const layout *l)
{
    uint32_t learned = 0, lot = 0;
    for (uint32_t s = 0; s < g->parts; s++) {
        g->part_arc[s] = g->flow.arcs;
        add_classes(g, l, s, &learned);
        for (; lot < g->lots->count && g->lots->list[lot].part == s; lot++) {
            add_lot(g, l, lot);
        }
        for (uint32_t i = 0; i < g->groups->count; i++) {
            sgp_rack_add_cell(g, i, s);
        }
        if (g->evens) {
            sgp_rack_add_spills(g, s);
        }
    }
    g->part_arc[g->parts] = g->flow.arcs;
}

static int any_ready(const sgp_rack_graph *g)
{
    int any = 0;
    for (uint32_t i = 0; i < g->classes->count; i++) {
        any |= g->classes->list[i].ready;
    }
    return any;
}

static void take_columns(sgp_rack_graph *g, const layout *l, uint32_t arcs)
{
    sgp_region *region = g->balance->region;
    const int used[SGP_RACK_MEASURES] = {g->evens, 1, 1, any_ready(g),
                                         l->lots > l->learned, sgp_rack_has_slots(g->balance)};
    g->part_arc = SGP_TAKE(region, uint32_t, (size_t)g->parts + 1);
    g->lot_arc = SGP_TAKE(region, uint32_t, g->lots->count);
    g->own_arc = SGP_TAKE(region, uint32_t, g->classes->count);
    g->learner_arc = SGP_TAKE(region, uint32_t, g->classes->count);
    g->spill_arc = SGP_TAKE(region, uint32_t, (size_t)g->groups->hubs * g->parts);
    g->spilled_arc = SGP_TAKE(region, uint32_t, g->groups->count);
    for (int i = 0; i < SGP_RACK_MEASURES; i++) {
        g->measure[i] = used[i] ? SGP_TAKE(region, int64_t, (size_t)arcs + l->nodes) : NULL;
    }
    g->before = SGP_TAKE_ZERO(region, int64_t, (size_t)arcs + l->nodes);
}

int32_t sgp_rack_graph_build(sgp_rack_graph *g, const sgp_rack_bounds *bounds)
{
    sgp_region *region = g->balance->region;
    for (int i = 0; i < 2; i++) {
        g->hub_slot[i] = SGP_TAKE(region, uint32_t, g->groups->hubs);
    }
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    open_hubs(g);
    if (sgp_rack_start(g) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    const layout l = lay_out(g);
    const uint32_t most = bound_arcs(g, &l);
    g->first_hub = l.hubs;
    g->first_spill = l.spills;
    g->first_group = l.groups;
    take_columns(g, &l, most);
    if (sgp_flow_open(&g->flow, l.nodes, most, region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    add_parts(g, &l);
    if (g->evens) {
        sgp_rack_add_spilled(g);
    }
    add_groups(g, &l, bounds);
    memset(g->measure[SGP_RACK_TRAFFIC] + g->flow.arcs, 0, l.nodes * sizeof *g->measure[0]);
    g->flow.loose = g->evens ? l.spills : l.nodes;
    sgp_flow_start(&g->flow);
    return SEGUE_OK;
}
