/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_solve.h"

#include <string.h>

/* Adds a measure below those that the costs hold already. 0 where the numbers would grow too large. */
static int add_level(sgp_rack_graph *g, const int64_t *measure, int64_t most, int64_t *reach)
{
    int64_t nodes = g->flow.nodes, limit = SGP_FLOW_MOST_COST(nodes);
    if (most > limit / (nodes + 1) - 1 || *reach > (limit - most) / ((nodes + 1) * most + 1)) {
        return 0;
    }
    int64_t weight = (nodes + 1) * most + 1; /* outweighs this measure along any circle */
    for (uint32_t a = 0; a < g->flow.arcs; a++) {
        g->flow.cost[a] = g->flow.cost[a] * weight + measure[a];
    }
    *reach = *reach * weight + most;
    return 1;
}

/* As many measures as fit into one cost; what comes before traffic is kept for its bound. Returns the next measure. */
static int fill_costs(sgp_rack_graph *g, const int *order, int at)
{
    int64_t reach = 0;
    memset(g->flow.cost, 0, g->flow.arcs * sizeof *g->flow.cost);
    for (; at < SGP_RACK_MEASURES; at++) {
        int which = order[at];
        if (which == SGP_RACK_TRAFFIC) {
            memcpy(g->before, g->flow.cost, g->flow.arcs * sizeof *g->before);
        }
        if (g->most[which] > 0 && !add_level(g, g->measure[which], g->most[which], &reach)) {
            if (reach > 0) {
                break;
            }
            memcpy(g->flow.cost, g->measure[which], g->flow.arcs * sizeof *g->flow.cost);
            return at + 1;
        }
    }
    return at;
}

static int holds(const int *order, int from, int to, int measure)
{
    for (int i = from; i < to; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): `to` is at most the number of measures */
        if (order[i] == measure) {
            return 1;
        }
    }
    return 0;
}

/* Before the first costs are minimized as a whole, each subtopology is by itself. */
static enum sgp_flow_end minimize(sgp_rack_graph *g, int first)
{
    enum sgp_flow_end end = SGP_FLOW_OPTIMAL;
    if (first && g->evens) {
        end = sgp_flow_minimize_parts(&g->flow, g->part_arc, g->parts, g->balance->deadline);
    }
    return end == SGP_FLOW_OPTIMAL ? sgp_flow_minimize(&g->flow, g->balance->deadline) : end;
}

enum sgp_flow_end sgp_rack_graph_solve(sgp_rack_graph *g, int moves_first)
{
    static const int by_traffic[] = {SGP_RACK_FAULTS, SGP_RACK_TRAFFIC, SGP_RACK_MOVES,
                                     SGP_RACK_READY, SGP_RACK_STARTED, SGP_RACK_ORDER};
    static const int by_moves[] = {SGP_RACK_MOVES, SGP_RACK_FAULTS, SGP_RACK_TRAFFIC,
                                   SGP_RACK_READY, SGP_RACK_STARTED, SGP_RACK_ORDER};
    const int *order = moves_first ? by_moves : by_traffic;
    for (int at = 0, next; at < SGP_RACK_MEASURES; at = next) {
        next = fill_costs(g, order, at);
        enum sgp_flow_end end = minimize(g, at == 0);
        if (end != SGP_FLOW_OPTIMAL) {
            return end;
        }
        if (holds(order, at, next, SGP_RACK_TRAFFIC)) {
            g->bound = g->traffic + sgp_flow_bound(&g->flow, g->before, g->measure[SGP_RACK_TRAFFIC]);
        }
        if (next < SGP_RACK_MEASURES) {
            sgp_flow_freeze(&g->flow);
        }
    }
    return SGP_FLOW_OPTIMAL;
}
