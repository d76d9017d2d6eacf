/* SPDX-License-Identifier: Apache-2.0 */
#include "lemon_flow.h"

#include <lemon/network_simplex.h>
#include <lemon/smart_graph.h>

#include <ctime>
#include <vector>

/* Processor time: on a busy machine the others' would count otherwise. */
static int64_t thread_ns()
{
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return int64_t{t.tv_sec} * 1000000000 + t.tv_nsec;
}

extern "C" int lemon_flow_solve(lemon_flow *f)
{
    using Graph = lemon::SmartDigraph;
    Graph graph;
    graph.reserveNode(f->nodes);
    graph.reserveArc(f->arcs);
    std::vector<Graph::Node> node(f->nodes);
    for (auto &n : node) {
        n = graph.addNode();
    }
    std::vector<Graph::Arc> arc(f->arcs);
    for (int a = 0; a < f->arcs; a++) {
        arc[a] = graph.addArc(node[f->from[a]], node[f->to[a]]);
    }
    Graph::ArcMap<int64_t> low(graph), high(graph), cost(graph);
    Graph::NodeMap<int64_t> supply(graph);
    for (int a = 0; a < f->arcs; a++) {
        low[arc[a]] = f->low[a];
        high[arc[a]] = f->high[a];
        cost[arc[a]] = f->cost[a];
    }
    for (int n = 0; n < f->nodes; n++) {
        supply[node[n]] = f->supply[n];
    }
    lemon::NetworkSimplex<Graph, int64_t, int64_t> simplex(graph);
    simplex.lowerMap(low).upperMap(high).costMap(cost).supplyMap(supply);
    int64_t began = thread_ns();
    auto end = simplex.run();
    f->run_ns = thread_ns() - began;
    if (end != lemon::NetworkSimplex<Graph, int64_t, int64_t>::OPTIMAL) {
        return 0;
    }
    for (int a = 0; a < f->arcs; a++) {
        f->amount[a] = simplex.flow(arc[a]);
    }
    return 1;
}
