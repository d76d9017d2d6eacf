/* SPDX-License-Identifier: Apache-2.0 */
#include "segue/base.h"
#include "solve/flow.h"
#include "solve/flow_tree.h"

#include "test/chance.h"
#include "test/testing.h"

enum { NODES = 40, ARCS = 400, ROOT = NODES - 1 };

/* A tree over NODES; the arcs that it does not use yet are behind `arcs`. */
typedef struct grown {
    sgp_arena *arena;
    sgp_region region;
    sgp_flow_tree tree;
    uint32_t from[ARCS];
    int64_t cost[ARCS];
    uint32_t arcs;
} grown;

static uint32_t fresh_arc(grown *g, chance *c, uint32_t node, uint32_t parent)
{
    g->from[g->arcs] = chance_below(c, 2) ? node : parent;
    g->cost[g->arcs] = (int64_t)chance_below(c, 100) - 50;
    return g->arcs++;
}

static void grow(grown *g, chance *c)
{
    uint32_t busy = 1 + chance_below(c, 8); /* one node in so many is an anchor */
    g->arena = sgp_arena_new();
    g->arcs = 0;
    sgp_region_init(&g->region, g->arena);
    assert_int_equal(sgp_flow_tree_open(&g->tree, NODES, g->from, &g->region), SEGUE_OK);
    for (uint32_t n = ROOT; n-- > 0;) {
        uint32_t parent = n + 1 + chance_below(c, ROOT - n);
        sgp_flow_tree_attach(&g->tree, n, parent, fresh_arc(g, c, n, parent));
        if (chance_below(c, busy) == 0) {
            sgp_flow_tree_make_anchor(&g->tree, n);
        }
    }
    sgp_flow_tree_set_prices(&g->tree, g->cost);
}

static int is_below(const grown *g, uint32_t node, uint32_t top)
{
    while (node != top && node != ROOT) {
        node = g->tree.all.parent[node];
    }
    return node == top;
}

/* Some part of the tree hangs elsewhere afterwards. */
static void hang_something(grown *g, chance *c)
{
    uint32_t out = chance_below(c, ROOT), top, parent;
    do {
        top = chance_below(c, NODES);
    } while (!is_below(g, top, out));
    do {
        parent = chance_below(c, NODES);
    } while (is_below(g, parent, out));
    sgp_flow_tree_hang(&g->tree, out, top, parent, fresh_arc(g, c, top, parent), g->cost);
    assert_int_equal(g->tree.all.parent[top], parent);
}

/* The price by the way up alone. */
static int64_t summed(const grown *g, uint32_t node)
{
    int64_t sum = 0;
    for (; node != ROOT; node = g->tree.all.parent[node]) {
        int64_t each = g->cost[g->tree.arc[node]];
        sum += sgp_flow_points_up(&g->tree, node) ? -each : each;
    }
    return sum;
}

static void prices_stay_sums_along_the_tree_whatever_is_hung_where(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 500; seed < last; seed++) {
        chance c = chance_of(seed);
        grown g;
        grow(&g, &c);
        for (uint32_t i = 0; i < 200; i++) {
            hang_something(&g, &c);
            for (uint32_t n = 0; n < NODES; n++) {
                EXPECT(sgp_flow_price(&g.tree, n) == summed(&g, n), "seed %llu, step %u, node %u: %lld, the sum is %lld",
                       (unsigned long long)seed, i, n, (long long)sgp_flow_price(&g.tree, n), (long long)summed(&g, n));
            }
        }
        sgp_arena_free(g.arena);
    }
}

static void ways_up_meet_at_the_deepest_node_above_both(void **state)
{
    (void)state;
    chance c = chance_of(chance_seed());
    grown g;
    grow(&g, &c);
    for (uint32_t a = 0; a < NODES; a++) {
        for (uint32_t b = 0; b < NODES; b++) {
            uint32_t join = sgp_flow_tree_join(&g.tree, a, b), first = a;
            while (!is_below(&g, b, first)) {
                first = g.tree.all.parent[first];
            }
            assert_int_equal(join, first);
        }
    }
    sgp_arena_free(g.arena);
}

/* All that makes a node an anchor is that many arcs meet there. */
static void busy_nodes_and_no_others_are_anchors(void **state)
{
    (void)state;
    enum { LEAVES = 60 };
    sgp_arena *arena = sgp_arena_new();
    sgp_region region;
    sgp_flow flow;
    sgp_region_init(&region, arena);
    assert_int_equal(sgp_flow_open(&flow, LEAVES + 2, 2 * LEAVES, &region), SEGUE_OK);
    for (uint32_t i = 0; i < LEAVES; i++) {
        sgp_flow_arc(&flow, 2 + i, i % 2, 1);
        sgp_flow_arc(&flow, i % 3 == 0, 2 + i, 1);
    }
    sgp_flow_start(&flow);
    for (uint32_t i = 0; i < LEAVES + 2; i++) {
        assert_int_equal(flow.tree.place[i].anchor == i, i < 2);
    }
    sgp_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(busy_nodes_and_no_others_are_anchors),
        cmocka_unit_test(prices_stay_sums_along_the_tree_whatever_is_hung_where),
        cmocka_unit_test(ways_up_meet_at_the_deepest_node_above_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
