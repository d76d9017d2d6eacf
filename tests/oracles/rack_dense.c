/* SPDX-License-Identifier: Apache-2.0 */
#include "rack_dense.h"

#include "lemon_flow.h"

#include <stdlib.h>
#include <string.h>

static int is_kind(const rack_question *q, uint32_t task)
{
    return sgp_stateful(q->view, task) == q->stateful;
}

static uint32_t parts(const rack_question *q)
{
    return q->by_subtopology ? q->view->subtopologies : 1;
}

static uint32_t part_of(const rack_question *q, uint32_t task)
{
    return q->by_subtopology ? q->view->group->task_subtopology[task] : 0;
}

static uint32_t tasks_of_part(const rack_question *q, uint32_t part)
{
    uint32_t tasks = 0;
    for (uint32_t t = 0; t < q->view->tasks; t++) {
        tasks += is_kind(q, t) && part_of(q, t) == part;
    }
    return tasks;
}

static void share_of(const rack_question *q, uint32_t member, uint32_t part, int64_t *low, int64_t *high)
{
    uint64_t share = (uint64_t)tasks_of_part(q, part) * q->view->threads[member];
    *low = (int64_t)(share / q->view->capacity);
    *high = (int64_t)((share + q->view->capacity - 1) / q->view->capacity);
}

static rack_value value_of_pair(const rack_question *q, uint32_t task, uint32_t member)
{
    rack_value v = {{0}};
    v.of[SGP_RACK_TRAFFIC] = sgp_rack_traffic(q->view->group, task, member);
    v.of[SGP_RACK_MOVES] = q->server[task] != SEGUE_NONE && q->server[task] != member;
    v.of[SGP_RACK_STARTED] = q->learner != NULL && q->learner[task] == member;
    v.of[SGP_RACK_READY] = v.of[SGP_RACK_STARTED] && q->ready[task];
    return v;
}

rack_value rack_value_of(const rack_question *q, const uint32_t *target)
{
    rack_value all = {{0}};
    for (uint32_t t = 0; t < q->view->tasks; t++) {
        rack_value v = is_kind(q, t) ? value_of_pair(q, t, target[t]) : all;
        for (int i = SGP_RACK_TRAFFIC; is_kind(q, t) && i < RACK_VALUES; i++) {
            all.of[i] += v.of[i];
        }
    }
    for (uint32_t m = 0; q->by_subtopology && m < q->view->members; m++) {
        for (uint32_t p = 0; q->view->place[m] == SGP_STAYS && p < parts(q); p++) {
            int64_t held = 0, low, high;
            for (uint32_t t = 0; t < q->view->tasks; t++) {
                held += is_kind(q, t) && target[t] == m && part_of(q, t) == p;
            }
            share_of(q, m, p, &low, &high);
            all.of[SGP_RACK_FAULTS] += held < low ? low - held : (held > high ? held - high : 0);
        }
    }
    return all;
}

/* ---- the graph ---- */

typedef struct dense {
    const rack_question *q;
    lemon_flow flow;
    rack_value *each; /* by arc */
} dense;

static void add(dense *d, uint32_t from, uint32_t to, int64_t low, int64_t high, rack_value each)
{
    int arc = d->flow.arcs++;
    d->flow.from[arc] = (int)from;
    d->flow.to[arc] = (int)to;
    d->flow.low[arc] = low;
    d->flow.high[arc] = high;
    d->each[arc] = each;
}

/* Tasks, cells (member and subtopology), members, the budget, heavy ones, the sink. */
static uint32_t cell_node(const dense *d, uint32_t member, uint32_t part)
{
    return d->q->view->tasks + member * parts(d->q) + part;
}

static uint32_t member_node(const dense *d, uint32_t member)
{
    return d->q->view->tasks + d->q->view->members * parts(d->q) + member;
}

static void add_task(dense *d, uint32_t task, uint32_t sink)
{
    const rack_question *q = d->q;
    d->flow.supply[task] = 1;
    d->flow.supply[sink]--;
    for (uint32_t m = 0; m < q->view->members; m++) {
        int may = q->server[task] == SEGUE_NONE || q->server[task] == m || q->receives[m];
        if (q->view->place[m] == SGP_STAYS && may) {
            add(d, task, cell_node(d, m, part_of(q, task)), 0, 1, value_of_pair(q, task, m));
        }
    }
}

static void add_member(dense *d, uint32_t member, uint32_t budget, uint32_t sink)
{
    const rack_question *q = d->q;
    const rack_value nothing = {{0}}, fault = {{1}}, even = {{-1}};
    for (uint32_t p = 0; p < parts(q); p++) {
        int64_t low = 0, high = q->view->tasks;
        if (q->by_subtopology) {
            share_of(q, member, p, &low, &high);
        }
        add(d, cell_node(d, member, p), member_node(d, member), 0, low, even);
        add(d, cell_node(d, member, p), member_node(d, member), 0, high - low, nothing);
        add(d, cell_node(d, member, p), member_node(d, member), 0, q->view->tasks, fault);
    }
    int pool = q->pool == NULL ? SGP_RACK_FREE : q->pool[member];
    add(d, member_node(d, member), sink, q->low[member], q->low[member], nothing);
    add(d, member_node(d, member), pool == SGP_RACK_FREE ? sink : budget + (pool == SGP_RACK_HEAVY), 0,
        q->high[member] - q->low[member], nothing);
}

/* Weights from totals: a measure outweighs all that the ones behind it can sum up to. */
static void set_costs(dense *d)
{
    static const int by_traffic[] = {SGP_RACK_FAULTS, SGP_RACK_TRAFFIC, SGP_RACK_MOVES, SGP_RACK_READY, SGP_RACK_STARTED};
    static const int by_moves[] = {SGP_RACK_MOVES, SGP_RACK_FAULTS, SGP_RACK_TRAFFIC, SGP_RACK_READY, SGP_RACK_STARTED};
    const int *order = d->q->moves_first ? by_moves : by_traffic;
    int64_t weight = 1;
    memset(d->flow.cost, 0, (size_t)d->flow.arcs * sizeof *d->flow.cost);
    for (int i = RACK_VALUES; i-- > 0;) {
        int64_t most = 0;
        for (int a = 0; a < d->flow.arcs; a++) {
            int64_t each = d->each[a].of[order[i]];
            d->flow.cost[a] += weight * (order[i] >= SGP_RACK_READY ? -each : each);
            most = each > most ? each : most;
        }
        weight *= 4 * most * d->q->view->tasks + 1;
    }
}

static void read_value(const dense *d, rack_value *value)
{
    *value = (rack_value){{0}};
    for (int a = 0; a < d->flow.arcs; a++) {
        for (int i = 0; i < RACK_VALUES; i++) {
            value->of[i] += d->flow.amount[a] * d->each[a].of[i];
        }
    }
    for (uint32_t m = 0; d->q->by_subtopology && m < d->q->view->members; m++) {
        for (uint32_t p = 0; d->q->view->place[m] == SGP_STAYS && p < parts(d->q); p++) {
            int64_t low, high;
            share_of(d->q, m, p, &low, &high);
            value->of[SGP_RACK_FAULTS] += low;
        }
    }
}

static int any_heavy(const rack_question *q)
{
    for (uint32_t m = 0; q->pool != NULL && m < q->view->members; m++) {
        if (q->pool[m] == SGP_RACK_HEAVY) {
            return 1;
        }
    }
    return 0;
}

int rack_dense_solve(const rack_question *q, rack_value *value)
{
    const uint32_t members = q->view->members, tasks = q->view->tasks, cells = members * parts(q);
    const uint32_t budget = tasks + cells + members, heavy = budget + 1, sink = heavy + 1;
    const size_t arcs = (size_t)tasks * members + 3 * cells + 2 * members + 2, nodes = (size_t)sink + 1;
    dense d = {.q = q, .flow = {.nodes = (int)nodes}};
    d.flow.from = calloc(arcs, sizeof *d.flow.from);
    d.flow.to = calloc(arcs, sizeof *d.flow.to);
    d.flow.low = calloc(arcs, sizeof *d.flow.low);
    d.flow.high = calloc(arcs, sizeof *d.flow.high);
    d.flow.cost = calloc(arcs, sizeof *d.flow.cost);
    d.flow.amount = calloc(arcs, sizeof *d.flow.amount);
    d.flow.supply = calloc(nodes, sizeof *d.flow.supply);
    d.each = calloc(arcs, sizeof *d.each);
    for (uint32_t t = 0; t < tasks; t++) {
        if (is_kind(q, t)) {
            add_task(&d, t, sink);
        }
    }
    for (uint32_t m = 0; m < members; m++) {
        if (q->view->place[m] == SGP_STAYS) {
            add_member(&d, m, budget, sink);
        }
    }
    add(&d, budget, sink, 0, q->budget, (rack_value){{0}});
    add(&d, heavy, sink, any_heavy(q) ? q->heavy : 0, any_heavy(q) ? q->heavy : 0, (rack_value){{0}});
    set_costs(&d);
    int found = lemon_flow_solve(&d.flow);
    if (found) {
        read_value(&d, value);
    }
    void *columns[] = {d.flow.from, d.flow.to, d.flow.low, d.flow.high, d.flow.cost, d.flow.amount, d.flow.supply, d.each};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        free(columns[i]);
    }
    return found;
}
