/* SPDX-License-Identifier: Apache-2.0 */
#include "test/rack_trading.h"

#include "test/chance.h"
#include "test/testing.h"

#include <math.h>

enum { RACKS = 4, SUBTOPOLOGIES = 4 };

static draft *some_clients(chance *c, uint32_t most_tasks, uint32_t most_clients)
{
    draft *d = draft_new();
    uint32_t subtopologies = 1 + chance_below(c, SUBTOPOLOGIES), tasks = 0;
    for (uint32_t s = 0; s < subtopologies && tasks < most_tasks; s++) {
        uint32_t count = 1 + chance_below(c, most_tasks - tasks);
        draft_tasks(d, count, (int)chance_below(c, 4) > 0);
        tasks += count;
    }
    uint32_t clients = 2 + chance_below(c, most_clients - 1);
    for (uint32_t m = 0; m < clients; m++) {
        draft_member(d, m, 1);
    }
    draft_racks(d, RACKS);
    for (uint32_t t = 0; t < tasks; t++) {
        for (uint32_t i = 1 + chance_below(c, 2); i > 0; i--) {
            draft_input(d, t, 1 + chance_below(c, (1 << RACKS) - 1));
        }
    }
    for (uint32_t m = 0; m < clients; m++) {
        d->member_rack[m] = chance_below(c, RACKS);
    }
    d->config.rack_strategy = 1 + chance_below(c, 2);
    return d;
}

rack_trading rack_trading_open(uint64_t seed, uint32_t most_tasks, uint32_t most_clients)
{
    chance c = chance_of(seed);
    rack_trading t = {.scene = clients_open(some_clients(&c, most_tasks, most_clients), 0), .seed = seed};
    sgp_region *region = &t.scene.solver->region;
    const sgp_view *view = &t.scene.solver->view;
    t.prices = (sgp_rack_prices){1 + chance_below(&c, 10), chance_below(&c, 4)};
    t.before = SGP_TAKE(region, uint32_t, view->tasks);
    assert_int_equal(sgp_rack_cost_build(&t.cost, view, NULL, region), SEGUE_OK);
    for (uint32_t task = 0; task < view->tasks; task++) {
        t.before[task] = chance_below(&c, view->members);
        clients_serve(&t.scene, task, t.before[task]);
    }
    return t;
}

void rack_trading_close(rack_trading *t)
{
    clients_close(&t->scene);
}

void rack_trading_run(rack_trading *t, int stateful)
{
    int cut = 0;
    assert_true(sgp_rack_trade_wanted(&t->scene.clients));
    assert_int_equal(sgp_rack_trade(&t->scene.clients, &t->cost, stateful, t->prices, NULL, &t->scene.layout,
                                    &t->scene.solver->region, &cut),
                     SEGUE_OK);
    assert_int_equal(cut, 0);
}

int64_t rack_trading_price(const rack_trading *t, uint32_t task, uint32_t client)
{
    uint32_t member = t->scene.solver->view.process_member[t->scene.solver->view.process_start[client]];
    int64_t traffic = sgp_rack_traffic(t->scene.solver->view.group, task, member);
    return traffic * t->prices.traffic + (t->before[task] == client ? 0 : t->prices.move);
}

int64_t rack_trading_cost(const rack_trading *t, int stateful, const uint32_t *active)
{
    int64_t cost = 0;
    for (uint32_t task = 0; task < t->scene.solver->view.tasks; task++) {
        cost += sgp_stateful(&t->scene.solver->view, task) == stateful ? rack_trading_price(t, task, active[task]) : 0;
    }
    return cost;
}

uint32_t rack_trading_count(const rack_trading *t, int stateful, uint32_t subtopology, uint32_t client,
                            const uint32_t *active)
{
    const sgp_view *view = &t->scene.solver->view;
    uint32_t count = 0;
    for (uint32_t task = 0; task < view->tasks; task++) {
        count += sgp_stateful(view, task) == stateful && (client == SEGUE_NONE || active[task] == client) &&
                 (subtopology == SEGUE_NONE || view->group->task_subtopology[task] == subtopology);
    }
    return count;
}

uint32_t rack_trading_room(const rack_trading *t, int stateful, uint32_t subtopology, uint32_t client)
{
    uint32_t has = rack_trading_count(t, stateful, SEGUE_NONE, client, t->before);
    uint32_t all = rack_trading_count(t, stateful, SEGUE_NONE, SEGUE_NONE, t->before);
    uint32_t tasks = rack_trading_count(t, stateful, subtopology, SEGUE_NONE, t->before);
    return t->scene.solver->view.config->rack_strategy == SEGUE_RACK_BALANCE_SUBTOPOLOGY
               ? (uint32_t)ceil(has * 1.0 / all * tasks)
               : has;
}

int rack_trading_keeps_bounds(const rack_trading *t, int stateful, const uint32_t *active)
{
    const sgp_view *view = &t->scene.solver->view;
    for (uint32_t p = 0; p < view->processes; p++) {
        if (rack_trading_count(t, stateful, SEGUE_NONE, p, active) !=
            rack_trading_count(t, stateful, SEGUE_NONE, p, t->before)) {
            return 0;
        }
        for (uint32_t s = 0; s < view->subtopologies; s++) {
            uint32_t count = rack_trading_count(t, stateful, s, p, active);
            if (count > 0 && count > rack_trading_room(t, stateful, s, p)) {
                return 0;
            }
        }
    }
    return 1;
}

int rack_trading_expect_least(const rack_trading *t, int stateful, int64_t least,
                              int (*keeps)(const rack_trading *t, int stateful, const uint32_t *active))
{
    const uint32_t *active = t->scene.layout.active;
    int64_t cost = rack_trading_cost(t, stateful, active);
    EXPECT(cost == least, "seed %llu: it costs %lld, and %lld would do", (unsigned long long)t->seed, (long long)cost,
           (long long)least);
    EXPECT(keeps(t, stateful, active), "seed %llu", (unsigned long long)t->seed);
    return cost < rack_trading_cost(t, stateful, t->before);
}
