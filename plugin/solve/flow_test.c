/* SPDX-License-Identifier: Apache-2.0 */
#include "segue/base.h"
#include "solve/flow.h"

#include "test/chance.h"
#include "test/famine.h"
#include "test/testing.h"

/* A network under test, and what a test needs to know of it. */
typedef struct net {
    sgp_arena *arena;
    sgp_region region;
    sgp_flow flow;
    int64_t cost[256]; /* by arc; the artificial ones behind cost nothing */
} net;

static void open_net(net *n, uint32_t nodes, uint32_t arcs)
{
    memset(n, 0, sizeof *n);
    n->arena = sgp_arena_new();
    sgp_region_init(&n->region, n->arena);
    assert_int_equal(sgp_flow_open(&n->flow, nodes, arcs, &n->region), SEGUE_OK);
}

static void close_net(net *n)
{
    sgp_arena_free(n->arena);
}

static void arc(net *n, uint32_t from, uint32_t to, int32_t limit, int64_t cost)
{
    n->cost[sgp_flow_arc(&n->flow, from, to, limit)] = cost;
}

static void supply(net *n, uint32_t from, uint32_t to, int32_t amount)
{
    n->flow.supply[from] += amount;
    n->flow.supply[to] -= amount;
}

static enum sgp_flow_end minimize(net *n)
{
    memcpy(n->flow.cost, n->cost, n->flow.arcs * sizeof *n->cost);
    return sgp_flow_minimize(&n->flow, NULL);
}

static int64_t cost_of(const net *n)
{
    int64_t sum = 0;
    for (uint32_t a = 0; a < n->flow.arcs; a++) {
        sum += n->cost[a] * n->flow.amount[a];
    }
    return sum;
}

/* ---- small ones ---- */

static void the_cheap_way_is_filled_before_the_dear_one(void **state)
{
    (void)state;
    net n;
    open_net(&n, 3, 3);
    arc(&n, 0, 1, 3, 1);
    arc(&n, 1, 2, SGP_FLOW_NO_LIMIT, 1);
    arc(&n, 0, 2, SGP_FLOW_NO_LIMIT, 5);
    supply(&n, 0, 2, 5);
    sgp_flow_start(&n.flow);
    assert_int_equal(minimize(&n), SGP_FLOW_OPTIMAL);
    assert_int_equal(n.flow.amount[0], 3);
    assert_int_equal(n.flow.amount[2], 2);
    assert_int_equal(cost_of(&n), 16);
    assert_int_equal(sgp_flow_bound(&n.flow, NULL, n.cost), 16);
    close_net(&n);
}

/* 0 sends 5 to 2: the dear way is full at the start, and the rest hangs by what the caller says. */
static void what_is_full_at_the_start_is_taken_back_where_it_costs_more(void **state)
{
    (void)state;
    net n;
    open_net(&n, 3, 3);
    arc(&n, 0, 1, 7, 1);
    arc(&n, 1, 2, SGP_FLOW_NO_LIMIT, 1);
    arc(&n, 0, 2, 3, 5);
    sgp_flow_fill(&n.flow, 2);
    n.flow.hang[0] = 0;
    n.flow.hang[1] = 1;
    supply(&n, 0, 2, 5);
    sgp_flow_start(&n.flow);
    assert_int_equal(n.flow.amount[0], 2);
    assert_int_equal(n.flow.amount[1], 2);
    assert_int_equal(n.flow.amount[2], 3);
    assert_int_equal(minimize(&n), SGP_FLOW_OPTIMAL);
    assert_int_equal(n.flow.amount[0], 5);
    assert_int_equal(n.flow.amount[2], 0);
    close_net(&n);
}

/* What is lacked may come down by an arc that is full with it: it can still send something up. */
static void an_arc_that_just_suffices_for_what_is_lacked_is_in_the_tree(void **state)
{
    (void)state;
    net n;
    open_net(&n, 2, 1);
    arc(&n, 1, 0, 3, 1);
    n.flow.back[0] = 0;
    supply(&n, 1, 0, 3);
    sgp_flow_start(&n.flow);
    assert_int_equal(n.flow.amount[0], 3);
    assert_int_equal(n.flow.tree.arc[0], 0);
    assert_int_equal(minimize(&n), SGP_FLOW_OPTIMAL);
    assert_int_equal(n.flow.steps, 0);
    close_net(&n);
}

static void a_circle_that_gains_is_filled(void **state)
{
    (void)state;
    net n;
    open_net(&n, 3, 3);
    arc(&n, 0, 1, 4, -3);
    arc(&n, 1, 2, 2, 1);
    arc(&n, 2, 0, 7, 1);
    sgp_flow_start(&n.flow);
    assert_int_equal(minimize(&n), SGP_FLOW_OPTIMAL);
    assert_int_equal(cost_of(&n), -2);
    close_net(&n);
}

static void where_supplies_cannot_go_there_is_no_flow(void **state)
{
    (void)state;
    net n;
    open_net(&n, 3, 2);
    arc(&n, 0, 1, 2, 0);
    arc(&n, 2, 1, 2, 0);
    supply(&n, 0, 1, 3);
    sgp_flow_start(&n.flow);
    assert_int_equal(minimize(&n), SGP_FLOW_INFEASIBLE);
    close_net(&n);
}

static void work_beyond_the_bound_is_not_begun(void **state)
{
    (void)state;
    for (uint32_t over = 0; over <= 1; over++) {
        net n;
        open_net(&n, 2, 2);
        arc(&n, 0, 1, 3, 2);
        arc(&n, 0, 1, 3, 1);
        supply(&n, 0, 1, 3);
        sgp_flow_start(&n.flow);
        n.flow.looked = over ? SGP_FLOW_MOST_WORK : 0;
        assert_int_equal(minimize(&n), over ? SGP_FLOW_CUT : SGP_FLOW_OPTIMAL);
        close_net(&n);
    }
}

static void a_later_level_chooses_among_the_optima_of_the_first(void **state)
{
    (void)state;
    net n;
    open_net(&n, 4, 5);
    arc(&n, 0, 1, 9, 1); /* two ways at the same cost ... */
    arc(&n, 0, 2, 9, 1);
    arc(&n, 1, 3, 9, 0);
    arc(&n, 2, 3, 9, 0);
    arc(&n, 0, 3, 9, 2); /* ... and a dearer one, for which the second level would pay anything */
    supply(&n, 0, 3, 4);
    sgp_flow_start(&n.flow);
    assert_int_equal(minimize(&n), SGP_FLOW_OPTIMAL);
    sgp_flow_freeze(&n.flow);
    const int64_t second[] = {7, 5, 0, 0, -1000};
    memcpy(n.cost, second, sizeof second);
    assert_int_equal(minimize(&n), SGP_FLOW_OPTIMAL);
    assert_int_equal(n.flow.amount[1], 4);
    assert_int_equal(n.flow.amount[4], 0);
    assert_int_equal(sgp_flow_bound(&n.flow, NULL, n.cost), 20);
    close_net(&n);
}

static void levels_in_one_cost_have_their_bounds_as_well(void **state)
{
    (void)state;
    net n;
    open_net(&n, 3, 3);
    arc(&n, 0, 1, 9, 1);
    arc(&n, 1, 2, 9, 1);
    arc(&n, 0, 2, 9, 3); /* dearer in the first level, free in the second */
    supply(&n, 0, 2, 4);
    const int64_t first[6] = {1, 1, 3}, second[6] = {5, 0, 0};
    for (int a = 0; a < 3; a++) {
        n.cost[a] = first[a] * 1000 + second[a];
    }
    sgp_flow_start(&n.flow);
    assert_int_equal(minimize(&n), SGP_FLOW_OPTIMAL);
    assert_int_equal(sgp_flow_bound(&n.flow, NULL, first), 8);
    assert_int_equal(sgp_flow_bound(&n.flow, first, second), 20);
    close_net(&n);
}

static void a_start_by_hanging_arcs_ends_at_the_same_cost(void **state)
{
    (void)state;
    for (int hangs = 0; hangs <= 1; hangs++) {
        net n;
        open_net(&n, 3, 3);
        arc(&n, 0, 1, SGP_FLOW_NO_LIMIT, 4);
        arc(&n, 0, 2, SGP_FLOW_NO_LIMIT, 1);
        arc(&n, 1, 2, 2, 0);
        supply(&n, 0, 2, 3);
        n.flow.hang[0] = hangs ? 0 : SEGUE_NONE;
        n.flow.hang[1] = hangs ? 2 : SEGUE_NONE; /* three come up, two fit: the third is artificial */
        sgp_flow_start(&n.flow);
        assert_int_equal(minimize(&n), SGP_FLOW_OPTIMAL);
        assert_int_equal(cost_of(&n), 3);
        close_net(&n);
    }
}

/* Two parts, each of one node that sends `each` to either of two loose nodes, which the last one takes from: cheap only for
 * the first of them, as much as `room`. */
static void two_parts(net *n, int32_t each, int32_t room, uint32_t start[3])
{
    open_net(n, 5, 6);
    for (uint32_t part = 0; part < 2; part++) {
        start[part] = n->flow.arcs;
        arc(n, part, 2, SGP_FLOW_NO_LIMIT, 1);
        n->flow.hang[part] = n->flow.arcs;
        arc(n, part, 3, SGP_FLOW_NO_LIMIT, 2);
        supply(n, part, 4, each);
    }
    start[2] = n->flow.arcs;
    n->flow.hang[2] = n->flow.arcs;
    arc(n, 2, 4, room, 0);
    n->flow.hang[3] = n->flow.arcs;
    arc(n, 3, 4, SGP_FLOW_NO_LIMIT, 0);
    n->flow.loose = 2;
    sgp_flow_start(&n->flow);
    memcpy(n->flow.cost, n->cost, n->flow.arcs * sizeof *n->cost);
    assert_int_equal(sgp_flow_minimize_parts(&n->flow, start, 2, NULL), SGP_FLOW_OPTIMAL);
}

static void parts_that_fit_together_leave_nothing_to_do(void **state)
{
    (void)state;
    net n;
    uint32_t start[3];
    two_parts(&n, 2, 5, start);
    uint64_t steps = n.flow.steps;
    assert_int_equal(minimize(&n), SGP_FLOW_OPTIMAL);
    assert_int_equal(n.flow.steps, steps);
    assert_int_equal(cost_of(&n), 4);
    close_net(&n);
}

static void parts_that_ask_for_too_much_together_get_what_there_is(void **state)
{
    (void)state;
    for (int32_t room = 0; room <= 4; room++) {
        net n;
        uint32_t start[3];
        two_parts(&n, 2, room, start);
        assert_int_equal(minimize(&n), SGP_FLOW_OPTIMAL);
        assert_int_equal(cost_of(&n), 4 + (4 - room));
        assert_int_equal(sgp_flow_bound(&n.flow, NULL, n.cost), 4 + (4 - room));
        close_net(&n);
    }
}

static void a_budget_that_ends_is_said(void **state)
{
    (void)state;
    net n;
    sgp_deadline over = {.at_ns = 0, .questions = 1, .passed = 1};
    open_net(&n, 2, 1);
    arc(&n, 0, 1, 5, 1);
    supply(&n, 0, 1, 1);
    sgp_flow_start(&n.flow);
    memcpy(n.flow.cost, n.cost, sizeof *n.cost);
    assert_int_equal(sgp_flow_minimize(&n.flow, &over), SGP_FLOW_CUT);
    close_net(&n);
}

static void wherever_memory_runs_out_nothing_is_opened(void **state)
{
    (void)state;
    sgp_arena *arena = sgp_arena_new();
    for (uint32_t nth = 1, struck = 1; struck; nth++) {
        sgp_region region;
        sgp_flow flow;
        sgp_region_init(&region, arena);
        famine_of_region(nth);
        int32_t status = sgp_flow_open(&flow, 10, 10, &region);
        struck = (uint32_t)famine_struck();
        famine_of_region(0);
        assert_int_equal(status, struck ? SEGUE_E_MEMORY : SEGUE_OK);
        assert_true(struck || nth > 10);
    }
    sgp_arena_free(arena);
}

/* ---- any network: what comes out is a flow, and no circle of what is left would lower its cost ---- */

enum { NODES = 12, ARCS = 60 };

static void random_net(net *n, uint64_t seed)
{
    chance c = chance_of(seed);
    uint32_t nodes = 2 + chance_below(&c, NODES - 1), arcs = 1 + chance_below(&c, ARCS);
    open_net(n, nodes, arcs);
    for (uint32_t a = 0; a < arcs; a++) {
        uint32_t from = chance_below(&c, nodes), to = (from + 1 + chance_below(&c, nodes - 1)) % nodes;
        arc(n, from, to, (int32_t)chance_below(&c, 8), (int64_t)chance_below(&c, 9) - 3);
        if (from < to && chance_once_in(&c, 2)) {
            n->flow.hang[from] = a;
        }
    }
    for (uint32_t i = chance_below(&c, 6); i > 0; i--) {
        supply(n, chance_below(&c, nodes), chance_below(&c, nodes), (int32_t)chance_below(&c, 4));
    }
    sgp_flow_start(&n->flow);
}

static void expect_flow(const net *n, uint64_t seed)
{
    int64_t leaves[NODES + 1] = {0};
    for (uint32_t a = 0; a < n->flow.arcs; a++) {
        EXPECT(n->flow.amount[a] >= 0 && n->flow.amount[a] <= n->flow.limit[a], "seed %llu, arc %u: %d of %d",
               (unsigned long long)seed, (unsigned)a, n->flow.amount[a], n->flow.limit[a]);
        leaves[n->flow.from[a]] += n->flow.amount[a];
        leaves[n->flow.to[a]] -= n->flow.amount[a];
    }
    for (uint32_t v = 0; v < n->flow.nodes; v++) {
        EXPECT(leaves[v] == n->flow.supply[v], "seed %llu, node %u: %lld leave of %d", (unsigned long long)seed,
               (unsigned)v, (long long)leaves[v], n->flow.supply[v]);
    }
}

/* Bellman and Ford's distances in what is left settle within as many rounds as there are nodes, or there is such a circle. */
static void expect_no_gain(const net *n, uint64_t seed)
{
    int64_t distance[NODES + 1] = {0};
    int changes = 1;
    for (uint32_t round = 0; changes && round <= n->flow.nodes; round++) {
        changes = 0;
        for (uint32_t a = 0; a < n->flow.arcs; a++) {
            uint32_t from = n->flow.from[a], to = n->flow.to[a];
            if (n->flow.amount[a] < n->flow.limit[a] && distance[from] + n->cost[a] < distance[to]) {
                distance[to] = distance[from] + n->cost[a];
                changes = 1;
            }
            if (n->flow.amount[a] > 0 && distance[to] - n->cost[a] < distance[from]) {
                distance[from] = distance[to] - n->cost[a];
                changes = 1;
            }
        }
    }
    EXPECT(!changes, "seed %llu: a circle would lower the cost", (unsigned long long)seed);
}

static void no_circle_of_what_is_left_would_lower_the_cost(void **state)
{
    (void)state;
    uint32_t feasible = 0;
    for (uint64_t seed = chance_seed(), last = seed + 5000; seed < last; seed++) {
        net n;
        random_net(&n, seed);
        if (minimize(&n) == SGP_FLOW_OPTIMAL) {
            feasible++;
            expect_flow(&n, seed);
            expect_no_gain(&n, seed);
            EXPECT(sgp_flow_bound(&n.flow, NULL, n.cost) == cost_of(&n), "seed %llu: the bound is not tight",
                   (unsigned long long)seed);
        }
        close_net(&n);
    }
    assert_true(feasible > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cheap_way_is_filled_before_the_dear_one),
        cmocka_unit_test(what_is_full_at_the_start_is_taken_back_where_it_costs_more),
        cmocka_unit_test(an_arc_that_just_suffices_for_what_is_lacked_is_in_the_tree),
        cmocka_unit_test(a_circle_that_gains_is_filled),
        cmocka_unit_test(where_supplies_cannot_go_there_is_no_flow),
        cmocka_unit_test(work_beyond_the_bound_is_not_begun),
        cmocka_unit_test(a_later_level_chooses_among_the_optima_of_the_first),
        cmocka_unit_test(levels_in_one_cost_have_their_bounds_as_well),
        cmocka_unit_test(a_start_by_hanging_arcs_ends_at_the_same_cost),
        cmocka_unit_test(parts_that_fit_together_leave_nothing_to_do),
        cmocka_unit_test(parts_that_ask_for_too_much_together_get_what_there_is),
        cmocka_unit_test(a_budget_that_ends_is_said),
        cmocka_unit_test(wherever_memory_runs_out_nothing_is_opened),
        cmocka_unit_test(no_circle_of_what_is_left_would_lower_the_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
