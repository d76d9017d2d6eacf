/* SPDX-License-Identifier: Apache-2.0 */
/* What clients trade for the racks' sake against LEMON, said the long way: an arc for each task and client. */
#include "lemon_flow.h"

#include "test/chance.h"
#include "test/rack_trading.h"
#include "test/testing.h"

#include <stdio.h>

enum { CASES = 3000, TASKS = 60, CLIENTS = 12 };

static void add(lemon_flow *f, uint32_t from, uint32_t to, int64_t high, int64_t cost)
{
    f->from[f->arcs] = (int)from;
    f->to[f->arcs] = (int)to;
    f->high[f->arcs] = high;
    f->cost[f->arcs++] = cost;
}

/* Tasks, cells (subtopology and client), clients. */
static void add_arcs(lemon_flow *f, const rack_trading *t, int stateful)
{
    const sgp_view *view = &t->scene.solver->view;
    const uint32_t clients = view->processes, cells = view->tasks, ends = cells + view->subtopologies * clients;
    for (uint32_t task = 0; task < view->tasks; task++) {
        for (uint32_t p = 0; sgp_stateful(view, task) == stateful && p < clients; p++) {
            f->supply[task] = 1;
            add(f, task, cells + view->group->task_subtopology[task] * clients + p, 1, rack_trading_price(t, task, p));
        }
    }
    for (uint32_t p = 0; p < clients; p++) {
        f->supply[ends + p] = -(int64_t)rack_trading_count(t, stateful, SEGUE_NONE, p, t->before);
        for (uint32_t s = 0; s < view->subtopologies; s++) {
            add(f, cells + s * clients + p, ends + p, rack_trading_room(t, stateful, s, p), 0);
        }
    }
}

static int64_t least(const rack_trading *t, int stateful)
{
    const sgp_view *view = &t->scene.solver->view;
    const size_t cells = (size_t)view->subtopologies * view->processes, nodes = view->tasks + cells + view->processes;
    const size_t arcs = (size_t)view->tasks * view->processes + cells;
    lemon_flow f = {.nodes = (int)nodes};
    f.from = calloc(arcs, sizeof *f.from);
    f.to = calloc(arcs, sizeof *f.to);
    f.low = calloc(arcs, sizeof *f.low);
    f.high = calloc(arcs, sizeof *f.high);
    f.cost = calloc(arcs, sizeof *f.cost);
    f.amount = calloc(arcs, sizeof *f.amount);
    f.supply = calloc(nodes, sizeof *f.supply);
    add_arcs(&f, t, stateful);
    EXPECT(lemon_flow_solve(&f), "seed %llu: LEMON finds no flow", (unsigned long long)t->seed);
    int64_t cost = 0;
    for (int a = 0; a < f.arcs; a++) {
        cost += f.amount[a] * f.cost[a];
    }
    void *columns[] = {f.from, f.to, f.low, f.high, f.cost, f.amount, f.supply};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        free(columns[i]);
    }
    return cost;
}

static void a_trade_costs_what_lemon_would_pay(void **state)
{
    (void)state;
    uint32_t cheaper = 0;
    for (uint64_t seed = chance_seed(), last = seed + CASES; seed < last; seed++) {
        rack_trading t = rack_trading_open(seed, TASKS, CLIENTS);
        for (int stateful = 0; stateful <= 1; stateful++) {
            rack_trading_run(&t, stateful);
            int64_t theirs = least(&t, stateful);
            cheaper += (uint32_t)rack_trading_expect_least(&t, stateful, theirs, rack_trading_keeps_bounds);
        }
        rack_trading_close(&t);
    }
    printf("%u of %u groups from seed %llu became cheaper\n", cheaper, 2 * CASES, (unsigned long long)chance_seed());
    assert_true(cheaper > CASES / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_trade_costs_what_lemon_would_pay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
