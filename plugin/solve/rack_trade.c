/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flow tells only what changes, as that of rack_graph.h does:
 *
 *   cell → lot      what a client gives up of tasks that are alike; gains the traffic it had there, costs a move
 *   lot  → hub      tasks of the same rack cost, whoever gave them up, find their next rack; costs their traffic
 *   hub  → cell     a hub stands for the clients in a rack
 *   cell → client   as many of a subtopology as a client may have; what it ends with all together leaves there
 *
 * Where subtopologies are not balanced they are not told apart, and a client is its own cell. Nodes are numbered in this
 * order: lots, hubs, cells, clients.
 *
 * Where that is too large or takes too long, everybody keeps as many of each subtopology as it has. Then only what it has
 * some of is a cell, and none has anything to do with another: subtopology by subtopology a flow as without balance.
 */
#include "solve/rack_trade.h"

#include "core/buckets.h"
#include "solve/flow.h"
#include "solve/rack_graph.h"
#include "solve/rack_wares.h"

/* ---- is there anything to trade? --------------------------------------------------------------------------------- */

/* All members of the process that are present are in one rack, which is known. */
static int is_somewhere(const sgp_view *view, uint32_t process)
{
    const uint32_t *rack = view->group->member_rack;
    uint32_t first = SEGUE_NONE;
    for (uint32_t i = view->process_start[process]; i < view->process_start[process + 1]; i++) {
        uint32_t m = view->process_member[i];
        if (view->place[m] != SGP_GONE) {
            first = first == SEGUE_NONE ? rack[m] : first;
            if (rack[m] == SEGUE_NONE || rack[m] != first) {
                return 0;
            }
        }
    }
    return 1;
}

static int clients_are_somewhere(const sgp_view *view)
{
    for (uint32_t p = 0; p < view->processes; p++) {
        if (!is_somewhere(view, p)) {
            return 0;
        }
    }
    return 1;
}

static int inputs_are_somewhere(const segue_group *g)
{
    for (uint32_t t = 0; t < g->task_count; t++) {
        uint64_t known = 0;
        for (uint32_t i = g->task_rack_start[t]; i < g->task_rack_start[t + 1]; i++) {
            known += g->task_rack_inputs[i];
        }
        if (known == 0 || known < g->task_inputs[t]) {
            return 0;
        }
    }
    return 1;
}

int sgp_rack_trade_wanted(const sgp_clients *c)
{
    const sgp_view *view = c->view;
    return view->config->rack_strategy != SEGUE_RACK_NONE && sgp_racks_known(view->group) && c->present > 1 &&
           clients_are_somewhere(view) && inputs_are_somewhere(view->group);
}

/* ---- size -------------------------------------------------------------------------------------------------------- */

typedef struct trade {
    sgp_rack_wares wares;
    const sgp_rack_cost *cost;
    sgp_rack_prices prices;
    uint32_t clients;             /* processes */
    uint32_t hubs, cells, ends;   /* the first node of each kind; lots begin at 0. Ends: the clients */
    uint32_t nodes;
    int keeps_parts;              /* everybody has as many of each part as before; only then is there: */
    uint32_t kept_cells;
    uint32_t *kept_cell;          /* by class */
    uint32_t *cell_client;        /* by cell, hub by hub */
    uint32_t *cell_start;         /* by hub */
    uint32_t *ware_arc;           /* by class */
    uint32_t *lot_arc, *hub_arc;  /* the first to a hub, to a cell; both are used up when tasks follow the flow */
    uint32_t *part_arc;
    sgp_flow flow;
} trade;

static int tells_apart(const trade *t)
{
    return t->wares.parts > 1 && !t->keeps_parts;
}

static uint64_t count_hubs(const trade *t)
{
    return (uint64_t)t->cost->places * t->wares.parts;
}

static uint64_t count_cells(const trade *t)
{
    return t->keeps_parts ? t->kept_cells : (uint64_t)t->wares.parts * t->clients;
}

static uint64_t count_arcs(const trade *t)
{
    return t->wares.ware_count + (uint64_t)t->wares.lot_count * t->cost->places + (tells_apart(t) ? 2 : 1) * count_cells(t);
}

/* The largest graph as for rack_graph.h. */
static int is_too_large(const trade *t)
{
    return t->cost->places > SGP_RACK_MOST_HUBS || (tells_apart(t) && count_cells(t) > SGP_RACK_MOST_CELLS) ||
           count_hubs(t) > SGP_RACK_MOST_ARCS || count_arcs(t) > SGP_RACK_MOST_ARCS;
}

static void number_nodes(trade *t)
{
    t->hubs = t->wares.lot_count;
    t->cells = t->hubs + (uint32_t)count_hubs(t);
    t->ends = t->cells + (tells_apart(t) ? (uint32_t)count_cells(t) : 0);
    t->nodes = t->ends + (t->keeps_parts ? t->kept_cells : t->clients);
}

static int is_too_dear(const trade *t)
{
    return (int64_t)t->cost->most * t->prices.traffic + t->prices.move > SGP_FLOW_MOST_COST(t->nodes);
}

/* ---- the cells of those that keep what they have of each part ------------------------------------------------------ */

static uint32_t hub_of(const trade *t, uint32_t part, uint32_t ware)
{
    return part * t->cost->places + t->wares.place[t->wares.list[ware].client];
}

/* The first of its client and part: classes come by part, then by client. */
static int opens_cell(const trade *t, uint32_t part, uint32_t ware)
{
    const sgp_rack_wares *w = &t->wares;
    return ware == w->part[part].ware || w->list[ware - 1].client != w->list[ware].client;
}

static void count_kept_cells(trade *t)
{
    for (uint32_t s = 0; s < t->wares.parts; s++) {
        for (uint32_t i = t->wares.part[s].ware; i < t->wares.part[s + 1].ware; i++) {
            t->cell_start[hub_of(t, s, i) + 1] += (uint32_t)opens_cell(t, s, i);
        }
    }
}

static void fill_kept_cells(trade *t)
{
    const sgp_rack_wares *w = &t->wares;
    for (uint32_t s = w->parts; s-- > 0;) {
        for (uint32_t i = w->part[s + 1].ware, behind = i; i-- > w->part[s].ware;) {
            if (opens_cell(t, s, i)) {
                uint32_t cell = --t->cell_start[hub_of(t, s, i) + 1];
                t->cell_client[cell] = w->list[i].client;
                while (behind > i) {
                    t->kept_cell[--behind] = cell;
                }
            }
        }
    }
}

static int32_t keep_parts(trade *t, sgp_region *region)
{
    const uint32_t hubs = (uint32_t)count_hubs(t);
    t->keeps_parts = 1;
    t->kept_cell = SGP_TAKE(region, uint32_t, t->wares.ware_count);
    t->cell_client = SGP_TAKE(region, uint32_t, t->wares.ware_count);
    t->cell_start = SGP_TAKE_ZERO(region, uint32_t, (size_t)hubs + 1);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    count_kept_cells(t);
    t->kept_cells = sgp_buckets_open(t->cell_start, hubs);
    fill_kept_cells(t);
    sgp_buckets_close(t->cell_start, hubs, t->kept_cells);
    return SEGUE_OK;
}

/* ---- the flow ---------------------------------------------------------------------------------------------------- */

static uint32_t cell_of(const trade *t, uint32_t part, uint32_t client)
{
    return t->cells + part * t->clients + client;
}

static uint32_t cell_of_ware(const trade *t, uint32_t part, uint32_t ware)
{
    return t->keeps_parts ? t->cells + t->kept_cell[ware] : cell_of(t, part, t->wares.list[ware].client);
}

static void add(trade *t, uint32_t from, uint32_t to, uint32_t limit, int64_t cost)
{
    t->flow.cost[sgp_flow_arc(&t->flow, from, to, (int32_t)limit)] = cost;
}

static int64_t traffic_of(const trade *t, uint32_t lot, uint32_t place)
{
    return (int64_t)t->prices.traffic * sgp_rack_cost_of(t->cost, t->wares.lot_vector[lot], place);
}

/* How many of a part's tasks a client may have, rounded up. In doubles as in Kafka, where a whole number may become one
 * more. */
static uint32_t room_of(const trade *t, uint32_t part, uint32_t client)
{
    const sgp_rack_wares *w = &t->wares;
    double share = (double)w->has[client] / w->count * (w->part[part + 1].task - w->part[part].task);
    return (uint32_t)share + ((uint32_t)share < share);
}

static void add_wares(trade *t, uint32_t part)
{
    const sgp_rack_wares *w = &t->wares;
    for (uint32_t i = w->part[part].ware; i < w->part[part + 1].ware; i++) {
        const sgp_rack_ware *ware = &w->list[i];
        uint32_t cell = cell_of_ware(t, part, i);
        t->ware_arc[i] = t->flow.arcs;
        t->flow.supply[cell] += tells_apart(t) ? (int32_t)ware->count : 0;
        add(t, cell, ware->lot, ware->count, t->prices.move - traffic_of(t, ware->lot, w->place[ware->client]));
    }
}

/* The part's cells in a place: rows of cell_client, or of the wares' clients. */
static const uint32_t *cells_of(const trade *t, uint32_t part, uint32_t place)
{
    return t->keeps_parts ? &t->cell_start[part * t->cost->places + place] : &t->wares.place_start[place];
}

static void add_lots(trade *t, uint32_t part)
{
    const sgp_rack_wares *w = &t->wares;
    for (uint32_t lot = w->part[part].lot; lot < w->part[part + 1].lot; lot++) {
        t->lot_arc[lot] = t->flow.hang[lot] = t->flow.arcs;
        for (uint32_t p = 0; p < t->cost->places; p++) {
            const uint32_t *start = cells_of(t, part, p);
            if (start[0] < start[1]) {
                add(t, lot, t->hubs + part * t->cost->places + p, SGP_FLOW_NO_LIMIT, traffic_of(t, lot, p));
            }
        }
    }
}

static void add_hubs(trade *t, uint32_t part)
{
    const sgp_rack_wares *w = &t->wares;
    for (uint32_t p = 0; p < t->cost->places; p++) {
        uint32_t hub = part * t->cost->places + p, node = t->hubs + hub;
        const uint32_t *start = cells_of(t, part, p);
        t->hub_arc[hub] = t->flow.arcs;
        for (uint32_t i = start[0]; i < start[1]; i++) {
            t->flow.hang[node] = t->hub_arc[hub];
            add(t, node, t->keeps_parts ? t->cells + i : cell_of(t, part, w->client[i]), SGP_FLOW_NO_LIMIT, 0);
        }
    }
}

static void add_cells(trade *t, uint32_t part)
{
    for (uint32_t p = 0; tells_apart(t) && p < t->clients; p++) {
        uint32_t cell = cell_of(t, part, p), room = room_of(t, part, p);
        if (room > 0) {
            t->flow.hang[cell] = t->flow.arcs;
            add(t, cell, t->ends + p, room, 0);
        }
    }
}

/* Arcs of one subtopology follow each other, so that the flow can begin with each by itself. */
static void add_parts(trade *t)
{
    const sgp_rack_wares *w = &t->wares;
    for (uint32_t s = 0; s < w->parts; s++) {
        t->part_arc[s] = t->flow.arcs;
        if (w->part[s].task < w->part[s + 1].task) {
            add_wares(t, s);
            add_lots(t, s);
            add_hubs(t, s);
            add_cells(t, s);
        }
    }
    t->part_arc[w->parts] = t->flow.arcs;
}

static int32_t build(trade *t, sgp_region *region)
{
    t->ware_arc = SGP_TAKE(region, uint32_t, t->wares.ware_count);
    t->lot_arc = SGP_TAKE(region, uint32_t, t->wares.lot_count);
    t->hub_arc = SGP_TAKE(region, uint32_t, (size_t)t->wares.parts * t->cost->places);
    t->part_arc = SGP_TAKE(region, uint32_t, (size_t)t->wares.parts + 1);
    if (sgp_flow_open(&t->flow, t->nodes, (uint32_t)count_arcs(t), region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    add_parts(t);
    for (uint32_t p = 0; tells_apart(t) && p < t->clients; p++) {
        t->flow.supply[t->ends + p] = -(int32_t)t->wares.has[p];
    }
    t->flow.loose = tells_apart(t) ? t->ends : t->nodes;
    sgp_flow_start(&t->flow);
    return SEGUE_OK;
}

static int is_optimal(trade *t, sgp_deadline *deadline)
{
    if (t->wares.parts > 1 &&
        sgp_flow_minimize_parts(&t->flow, t->part_arc, t->wares.parts, deadline) != SGP_FLOW_OPTIMAL) {
        return 0;
    }
    return sgp_flow_minimize(&t->flow, deadline) == SGP_FLOW_OPTIMAL;
}

/* ---- what it says ------------------------------------------------------------------------------------------------ */

/* Where one more unit goes from the node whose arcs with something left begin at *arc. */
static uint32_t follow(trade *t, uint32_t *arc)
{
    while (t->flow.amount[*arc] == 0) {
        ++*arc;
    }
    t->flow.amount[*arc]--;
    return t->flow.to[*arc];
}

static void carry_out(trade *t, sgp_layout *layout)
{
    const sgp_rack_wares *w = &t->wares;
    for (uint32_t i = 0; i < w->ware_count; i++) {
        const sgp_rack_ware *ware = &w->list[i];
        const uint32_t given = (uint32_t)t->flow.amount[t->ware_arc[i]];
        for (uint32_t k = 0; k < given; k++) {
            uint32_t hub = follow(t, &t->lot_arc[ware->lot]) - t->hubs;
            uint32_t cell = follow(t, &t->hub_arc[hub]) - t->cells;
            layout->active[w->task[ware->first + k]] = t->keeps_parts ? t->cell_client[cell] : cell % t->clients;
        }
    }
}

/* 0 in *found: the layout is as it was. */
static int32_t find_optimum(trade *t, sgp_deadline *deadline, sgp_layout *layout, sgp_region *region, int *found)
{
    number_nodes(t);
    *found = !is_too_large(t) && !is_too_dear(t) && !sgp_deadline_look(deadline);
    if (!*found) {
        return SEGUE_OK;
    }
    if (build(t, region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    *found = is_optimal(t, deadline);
    if (*found) {
        carry_out(t, layout);
    }
    return SEGUE_OK;
}

int32_t sgp_rack_trade(const sgp_clients *clients, const sgp_rack_cost *cost, int stateful, sgp_rack_prices prices,
                       sgp_deadline *deadline, sgp_layout *layout, sgp_region *region, int *cut)
{
    trade t = {.cost = cost, .prices = prices, .clients = clients->count};
    int balanced = clients->view->config->rack_strategy == SEGUE_RACK_BALANCE_SUBTOPOLOGY, found = 1;
    if (sgp_rack_wares_build(&t.wares, clients, layout, cost, stateful, balanced, region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    if (t.wares.count == 0) {
        return SEGUE_OK;
    }
    if (find_optimum(&t, deadline, layout, region, &found) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    *cut |= !found;
    if (found || t.wares.parts == 1 || count_hubs(&t) > SGP_RACK_MOST_ARCS) {
        return SEGUE_OK;
    }
    return keep_parts(&t, region) == SEGUE_OK ? find_optimum(&t, deadline, layout, region, &found) : SEGUE_E_MEMORY;
}
