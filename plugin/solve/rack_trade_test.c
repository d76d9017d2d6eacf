/* SPDX-License-Identifier: Apache-2.0 */
/*
 * That it costs what Kafka's own class pays is asked of that class, by HighAvailabilityRacksTest in
 * hosts/jvm/segue-kafka-streams, and of LEMON by tests/oracles/rack_trade_oracle.c.
 */
#include "solve/rack_trade.h"

#include "solve/rack_graph.h"

#include "test/chance.h"
#include "test/famine.h"
#include "test/rack_trading.h"
#include "test/testing.h"

enum { CASES = 400, TASKS = 6, CLIENTS = 4 };

/* The least of all assignments that keep what they have to: every one is looked at. */
static int64_t least_of_all(const rack_trading *t, int stateful,
                            int (*keeps)(const rack_trading *t, int stateful, const uint32_t *active))
{
    const sgp_view *view = &t->scene.solver->view;
    uint32_t active[TASKS], all = 1;
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < view->tasks; i++) {
        all *= view->processes;
    }
    for (uint32_t which = 0; which < all; which++) {
        for (uint32_t i = 0, left = which; i < view->tasks; i++, left /= view->processes) {
            active[i] = left % view->processes;
        }
        int64_t cost = rack_trading_cost(t, stateful, active);
        least = cost < least && keeps(t, stateful, active) ? cost : least;
    }
    return least;
}

static void no_assignment_with_the_same_counts_costs_less(void **state)
{
    (void)state;
    uint32_t cheaper = 0;
    for (uint64_t seed = chance_seed(), last = seed + CASES; seed < last; seed++) {
        rack_trading t = rack_trading_open(seed, TASKS, CLIENTS);
        for (int stateful = 0; stateful <= 1; stateful++) {
            rack_trading_run(&t, stateful);
            int64_t least = least_of_all(&t, stateful, rack_trading_keeps_bounds);
            cheaper += (uint32_t)rack_trading_expect_least(&t, stateful, least, rack_trading_keeps_bounds);
        }
        rack_trading_close(&t);
    }
    assert_true(cheaper > CASES / 4);
}

/* ---- more cells than are looked at ---- */

enum { MANY = SGP_RACK_MOST_CELLS / 2 + 1 }; /* subtopologies: nearly all are empty, and two clients are too many */

/* Has everybody as many of the kind and of each subtopology as before? */
static int keeps_parts(const rack_trading *t, int stateful, const uint32_t *active)
{
    const sgp_view *view = &t->scene.solver->view;
    for (uint32_t p = 0; p < view->processes; p++) {
        for (uint32_t s = 0; s < view->subtopologies; s++) {
            if (rack_trading_count(t, stateful, s, p, active) != rack_trading_count(t, stateful, s, p, t->before)) {
                return 0;
            }
        }
    }
    return 1;
}

static void trade_among_many(rack_trading *t, int stateful)
{
    sgp_view *view = &t->scene.solver->view;
    const uint32_t own = view->subtopologies;
    int cut = 0;
    view->subtopologies = MANY;
    assert_int_equal(sgp_rack_trade(&t->scene.clients, &t->cost, stateful, t->prices, NULL, &t->scene.layout,
                                    &t->scene.solver->region, &cut),
                     SEGUE_OK);
    view->subtopologies = own;
    assert_int_equal(cut, rack_trading_count(t, stateful, SEGUE_NONE, SEGUE_NONE, t->before) > 0);
}

static void where_there_are_too_many_subtopologies_each_is_traded_by_itself(void **state)
{
    (void)state;
    uint32_t cheaper = 0;
    for (uint64_t seed = chance_seed(), last = seed + CASES / 4; seed < last; seed++) {
        rack_trading t = rack_trading_open(seed, TASKS, CLIENTS);
        int balanced = t.scene.solver->view.config->rack_strategy == SEGUE_RACK_BALANCE_SUBTOPOLOGY;
        for (int stateful = 0; balanced && stateful <= 1; stateful++) {
            trade_among_many(&t, stateful);
            int64_t least = least_of_all(&t, stateful, keeps_parts);
            cheaper += (uint32_t)rack_trading_expect_least(&t, stateful, least, keeps_parts);
        }
        rack_trading_close(&t);
    }
    assert_true(cheaper > CASES / 80);
}

/* ---- racks count all or not at all ---- */

enum { A = 1 << 0, B = 1 << 1 };

/* Two clients in two racks; each serves the task that is read in the other's. */
static draft *crossed(void)
{
    draft *d = clients_draft(2, 2);
    draft_racks(d, 2);
    draft_input(d, 0, B);
    draft_input(d, 1, A);
    d->member_rack[0] = 0;
    d->member_rack[1] = 1;
    d->config.rack_strategy = SEGUE_RACK_MIN_TRAFFIC;
    return d;
}

static int is_wanted(draft *d)
{
    clients_scene s = clients_open(d, 0);
    int wanted = sgp_rack_trade_wanted(&s.clients);
    clients_close(&s);
    return wanted;
}

static void nobody_trades_unless_all_racks_are_known(void **state)
{
    (void)state;
    draft *off = crossed(), *alone = clients_draft(2, 1);
    off->config.rack_strategy = SEGUE_RACK_NONE;
    draft_racks(alone, 1);
    draft_input(alone, 0, A);
    draft_input(alone, 1, A);
    alone->member_rack[0] = 0;
    alone->config.rack_strategy = SEGUE_RACK_MIN_TRAFFIC;
    assert_true(is_wanted(crossed()));
    assert_false(is_wanted(off));
    assert_false(is_wanted(alone));
    for (uint32_t i = 0; i < 2; i++) {
        draft *nowhere = crossed(), *unread = crossed();
        nowhere->member_rack[i] = SEGUE_NONE;
        draft_input(unread, i, 0);
        assert_false(is_wanted(nowhere));
        assert_false(is_wanted(unread));
    }
}

static void members_of_a_process_have_to_be_in_one_rack(void **state)
{
    (void)state;
    for (uint32_t rack = 0; rack < 2; rack++) {
        draft *d = crossed();
        draft_member(d, 1, 1);
        uint32_t *racks = realloc(d->member_rack, 3 * sizeof *racks);
        if (racks == NULL) {
            abort();
        }
        racks[2] = rack;
        d->member_rack = racks;
        assert_int_equal(is_wanted(d), rack == 1);
    }
}

/* ---- where it ends ---- */

static clients_scene crossed_scene(draft *d)
{
    clients_scene s = clients_open(d, 0);
    clients_serve(&s, 0, 0);
    clients_serve(&s, 1, 1);
    return s;
}

static int32_t trade(clients_scene *s, uint32_t traffic, sgp_deadline *deadline, int *cut)
{
    sgp_region *region = &s->solver->region;
    if (sgp_rack_cost_build(&s->solver->costs, &s->solver->view, NULL, region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    return sgp_rack_trade(&s->clients, &s->solver->costs, 1, (sgp_rack_prices){traffic, 1}, deadline, &s->layout, region,
                          cut);
}

static void a_trade_has_to_be_worth_its_moves(void **state)
{
    (void)state;
    for (uint32_t traffic = 0; traffic <= 2; traffic += 2) {
        clients_scene s = crossed_scene(crossed());
        int cut = 0;
        assert_int_equal(trade(&s, traffic, NULL, &cut), SEGUE_OK);
        assert_int_equal(s.layout.active[0], traffic > 0);
        assert_int_equal(s.layout.active[1], traffic == 0);
        assert_int_equal(cut, 0);
        clients_close(&s);
    }
}

static void a_budget_that_has_ended_leaves_the_layout_as_it_is(void **state)
{
    (void)state;
    clients_scene s = crossed_scene(crossed());
    sgp_deadline deadline = {.passed = 1};
    int cut = 0;
    assert_int_equal(trade(&s, 10, &deadline, &cut), SEGUE_OK);
    assert_int_equal(cut, 1);
    assert_int_equal(s.layout.active[0], 0);
    clients_close(&s);
}

static void costs_that_would_not_fit_are_not_looked_at(void **state)
{
    (void)state;
    clients_scene s = crossed_scene(crossed());
    int cut = 0;
    assert_int_equal(sgp_rack_cost_build(&s.solver->costs, &s.solver->view, NULL, &s.solver->region), SEGUE_OK);
    s.solver->costs.most = UINT32_MAX;
    const sgp_rack_prices dear = {1u << 30, 1};
    assert_int_equal(sgp_rack_trade(&s.clients, &s.solver->costs, 1, dear, NULL, &s.layout, &s.solver->region, &cut),
                     SEGUE_OK);
    assert_int_equal(cut, 1);
    assert_int_equal(s.layout.active[0], 0);
    clients_close(&s);
}

static void memory_that_ends_is_the_only_fault(void **state)
{
    (void)state;
    for (int is_large = 0; is_large <= 1; is_large++) {
        for (uint32_t nth = 1, struck = 1; struck; nth++) {
            draft *d = crossed();
            d->config.rack_strategy = is_large ? SEGUE_RACK_BALANCE_SUBTOPOLOGY : SEGUE_RACK_MIN_TRAFFIC;
            clients_scene s = crossed_scene(d);
            s.solver->view.subtopologies = is_large ? MANY : 1;
            int cut = 0;
            famine_of_region(nth);
            int32_t status = trade(&s, 10, NULL, &cut);
            struck = (uint32_t)famine_struck();
            famine_of_region(0);
            assert_int_equal(status, struck ? SEGUE_E_MEMORY : SEGUE_OK);
            clients_close(&s);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_assignment_with_the_same_counts_costs_less),
        cmocka_unit_test(where_there_are_too_many_subtopologies_each_is_traded_by_itself),
        cmocka_unit_test(nobody_trades_unless_all_racks_are_known),
        cmocka_unit_test(members_of_a_process_have_to_be_in_one_rack),
        cmocka_unit_test(a_trade_has_to_be_worth_its_moves),
        cmocka_unit_test(a_budget_that_has_ended_leaves_the_layout_as_it_is),
        cmocka_unit_test(costs_that_would_not_fit_are_not_looked_at),
        cmocka_unit_test(memory_that_ends_is_the_only_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
