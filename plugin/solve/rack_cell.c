/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_cell.h"

/* Steps that a cell's tasks take from what it has: what is used of them at the start. */
typedef struct stretch {
    uint32_t from, to, used; /* nodes, tasks */
    int ends_full;           /* the last arc that is used may be full; else the cell hangs by it */
    int is_left;             /* some arc is not used */
} stretch;

static void add_stretch(sgp_rack_graph *g, stretch *s, uint32_t cell, int32_t limit, sgp_rack_price each)
{
    if (limit <= 0) {
        return;
    }
    uint32_t arc = sgp_rack_add(g, s->from, s->to, limit, each), all = (uint32_t)limit;
    if (s->used > all || (s->used == all && s->ends_full)) {
        sgp_flow_fill(&g->flow, arc);
        s->used -= all;
    } else if (s->used > 0) {
        g->flow.back[cell] = arc;
        s->used = 0;
    } else if (s->from == cell && !s->is_left) {
        g->flow.hang[cell] = arc; /* by what one more would be */
        s->is_left = 1;
    }
}

static uint32_t over(uint32_t a, uint32_t b)
{
    return a > b ? a - b : 0;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* What a member serves of a subtopology may change both ways; each step costs or mends a fault, or neither. Beyond the
 * ceiling only what it learns comes to the cell: all else spills. */
static void add_steps(sgp_rack_graph *g, uint32_t group, const sgp_rack_cell *c)
{
    const sgp_rack_price fault = {.faults = 1}, mended = {.faults = -1}, even = {0};
    const uint32_t own = c->own, low = c->low, high = c->high, ends = c->kept + c->taken;
    stretch up = {c->node, group, over(ends, own), 1, 0};
    stretch down = {group, c->node, over(own, ends), c->taken > 0, 0};
    add_stretch(g, &up, c->node, sgp_rack_between(own, low), mended);
    add_stretch(g, &up, c->node, sgp_rack_between(own > low ? own : low, high), even);
    if (c->learned > 0) {
        add_stretch(g, &up, c->node, SGP_FLOW_NO_LIMIT, fault);
    }
    add_stretch(g, &down, c->node, sgp_rack_between(high, own), mended);
    add_stretch(g, &down, c->node, sgp_rack_between(low, smaller(own, high)), even);
    add_stretch(g, &down, c->node, sgp_rack_between(0, smaller(own, low)), fault);
}

/* Where the member has none of the subtopology: arcs past the cell, up to its floor and up to its ceiling. */
static void add_passage(sgp_rack_graph *g, uint32_t hub, uint32_t group, sgp_rack_cell *c, uint32_t waiting)
{
    const uint32_t limit[] = {c->low, c->high - c->low}, before[] = {0, c->low};
    c->arc = g->flow.arcs;
    for (int i = 0; i < 2; i++) {
        if (limit[i] == 0) {
            continue;
        }
        uint32_t arc = sgp_rack_add(g, hub, group, (int32_t)limit[i], (sgp_rack_price){.faults = i == 0 ? -1 : 0});
        if (c->taken > before[i]) {
            sgp_flow_fill(&g->flow, arc);
        } else if (waiting < limit[i] && g->flow.hang[hub] == SEGUE_NONE) {
            g->flow.hang[hub] = arc;
        }
    }
}

/* The arc from a hub to a cell with a node, if it is open. */
static void add_entry(sgp_rack_graph *g, uint32_t hub, sgp_rack_cell *c)
{
    c->arc = sgp_rack_add(g, hub, c->node, SGP_FLOW_NO_LIMIT, (sgp_rack_price){0});
    if (!g->evens || c->taken > 0) {
        g->flow.back[c->node] = c->arc;
    }
}

void sgp_rack_add_cell(sgp_rack_graph *g, uint32_t group, uint32_t part)
{
    const uint32_t at = g->groups->list[group].hub * g->parts + part;
    sgp_rack_cell *c = sgp_rack_cell_at(g, group, part);
    int is_open = sgp_rack_hub_is_open(g, g->groups->list[group].hub);
    c->arc = SEGUE_NONE;
    if (c->node == SEGUE_NONE) {
        if (is_open) {
            add_passage(g, g->first_hub + at, g->first_group + group, c, g->waiting[at]);
        }
        return;
    }
    if (is_open) {
        add_entry(g, g->first_hub + at, c);
    }
    if (g->evens) {
        add_steps(g, g->first_group + group, c);
    }
}

/* ---- spills ---- */

void sgp_rack_add_spills(sgp_rack_graph *g, uint32_t part)
{
    for (uint32_t hub = 0; hub < g->groups->hubs; hub++) {
        const uint32_t at = hub * g->parts + part, node = g->first_hub + at;
        g->spill_arc[at] = SEGUE_NONE;
        if (sgp_rack_hub_is_open(g, hub)) {
            g->spill_arc[at] =
                sgp_rack_add(g, node, g->first_spill + hub, SGP_FLOW_NO_LIMIT, (sgp_rack_price){.faults = 1});
            g->flow.hang[node] = g->flow.hang[node] == SEGUE_NONE ? g->spill_arc[at] : g->flow.hang[node];
        }
    }
}

void sgp_rack_add_spilled(sgp_rack_graph *g)
{
    for (uint32_t i = 0; i < g->groups->count; i++) {
        const uint32_t hub = g->groups->list[i].hub, spill = g->first_spill + hub;
        g->spilled_arc[i] = SEGUE_NONE;
        if (sgp_rack_hub_is_open(g, hub)) {
            g->spilled_arc[i] = sgp_rack_add(g, spill, g->first_group + i, SGP_FLOW_NO_LIMIT, (sgp_rack_price){0});
            g->flow.hang[spill] = g->spilled_arc[i];
        }
    }
}
