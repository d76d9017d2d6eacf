/* SPDX-License-Identifier: Apache-2.0 */
/* The network simplex of plugin/solve against LEMON's, on graphs that nobody thought of. */
#include "segue/base.h"
#include "solve/flow.h"

#include "lemon_flow.h"
#include "test/chance.h"
#include "test/testing.h"

#include <stdio.h>

enum { NODES = 24, ARCS = 120, PARTS = 4, CASES = 20000 };

typedef struct network {
    int from[ARCS], to[ARCS], nodes, arcs;
    uint32_t parts, start[PARTS + 1]; /* arcs of each part; behind them those between loose nodes */
    int loose;
    int64_t low[ARCS], high[ARCS], first[ARCS], second[ARCS], supply[NODES];
    int full[ARCS]; /* at the start; in half of the networks none is */
} network;

/* Half of them have parts. The last nodes, two at least, are loose. */
static void divide(network *n, chance *c)
{
    n->parts = chance_below(c, 2) == 0 ? 0 : 1 + chance_below(c, PARTS);
    n->loose = n->parts == 0 ? n->nodes : (int)chance_below(c, (uint32_t)n->nodes - 1);
    for (uint32_t p = 1; p <= n->parts; p++) {
        uint32_t left = (uint32_t)n->arcs - n->start[p - 1];
        n->start[p] = n->start[p - 1] + chance_below(c, left / 2 + 1);
    }
}

/* Of the part's own or a loose one. */
static int any_node(const network *n, chance *c, int arc)
{
    uint32_t part = 0;
    int node = (int)chance_below(c, (uint32_t)n->nodes);
    while (part < n->parts && n->start[part + 1] <= (uint32_t)arc) {
        part++;
    }
    int fits = n->parts == 0 || node >= n->loose || (part < n->parts && (uint32_t)node % n->parts == part);
    return fits ? node : n->nodes - 1 - (int)chance_below(c, (uint32_t)(n->nodes - n->loose));
}

static network random_network(uint64_t seed)
{
    chance c = chance_of(seed);
    network n = {.nodes = 2 + (int)chance_below(&c, NODES - 1), .arcs = 1 + (int)chance_below(&c, ARCS)};
    divide(&n, &c);
    const int begins_empty = (int)chance_below(&c, 2);
    for (int a = 0; a < n.arcs; a++) {
        n.from[a] = any_node(&n, &c, a);
        n.to[a] = any_node(&n, &c, a);
        n.to[a] = n.to[a] == n.from[a] ? n.nodes - 1 : n.to[a];
        n.from[a] = n.to[a] == n.from[a] ? n.nodes - 2 : n.from[a];
        n.high[a] = chance_below(&c, chance_once_in(&c, 4) ? 50 : 5);
        n.first[a] = (int64_t)chance_below(&c, 9) - 3;
        n.second[a] = (int64_t)chance_below(&c, 5) - 2;
        n.full[a] = !begins_empty && chance_once_in(&c, 3);
    }
    for (uint32_t i = chance_below(&c, 8); i > 0; i--) {
        int64_t sent = chance_below(&c, 4);
        n.supply[chance_below(&c, (uint32_t)n.nodes)] += sent;
        n.supply[chance_below(&c, (uint32_t)n.nodes)] -= sent;
    }
    return n;
}

static int64_t cost_of(const network *n, const int64_t *cost, const int64_t *amount)
{
    int64_t sum = 0;
    for (int a = 0; a < n->arcs; a++) {
        sum += cost[a] * amount[a];
    }
    return sum;
}

/* Both levels in one cost, and what LEMON makes of it. */
static int ask_lemon(network *n, int64_t *amount)
{
    int64_t cost[ARCS];
    for (int a = 0; a < n->arcs; a++) {
        cost[a] = n->first[a] * 100000 + n->second[a];
    }
    lemon_flow f = {n->nodes, n->arcs, n->from, n->to, n->low, n->high, cost, n->supply, amount, 0};
    return lemon_flow_solve(&f);
}

static void build(const network *n, sgp_flow *f, sgp_region *region)
{
    assert_int_equal(sgp_flow_open(f, (uint32_t)n->nodes, (uint32_t)n->arcs, region), SEGUE_OK);
    for (int a = 0; a < n->arcs; a++) {
        sgp_flow_arc(f, (uint32_t)n->from[a], (uint32_t)n->to[a], (int32_t)n->high[a]);
        if (n->full[a]) {
            sgp_flow_fill(f, (uint32_t)a);
            continue;
        }
        int earlier = n->from[a] < n->to[a] ? n->from[a] : n->to[a];
        if (earlier < n->loose || (uint32_t)a >= n->start[n->parts]) {
            (n->from[a] == earlier ? f->hang : f->back)[earlier] = (uint32_t)a;
        }
    }
    for (int i = 0; i < n->nodes; i++) {
        f->supply[i] = (int32_t)n->supply[i];
    }
    f->loose = (uint32_t)n->loose;
    sgp_flow_start(f);
}

/* Level by level, as a lexicographic cost is minimized. */
static enum sgp_flow_end ask_own(const network *n, sgp_flow *f, int64_t *amount, int64_t bound[2], sgp_region *region)
{
    const int64_t *levels[] = {n->first, n->second};
    build(n, f, region);
    for (int level = 0; level < 2; level++) {
        int64_t column[ARCS + NODES] = {0};
        memcpy(column, levels[level], (size_t)n->arcs * sizeof *column);
        memcpy(f->cost, column, (size_t)n->arcs * sizeof *column);
        if (level == 0 && n->parts > 0) {
            assert_int_equal(sgp_flow_minimize_parts(f, n->start, n->parts, NULL), SGP_FLOW_OPTIMAL);
        }
        enum sgp_flow_end end = sgp_flow_minimize(f, NULL);
        if (end != SGP_FLOW_OPTIMAL) {
            return end;
        }
        bound[level] = sgp_flow_bound(f, NULL, column);
        sgp_flow_freeze(f);
    }
    for (int a = 0; a < n->arcs; a++) {
        amount[a] = f->amount[a];
    }
    return SGP_FLOW_OPTIMAL;
}

static void levels_cost_what_lemon_says_and_the_dual_proves_it(void **state)
{
    (void)state;
    uint32_t feasible = 0;
    sgp_arena *arena = sgp_arena_new();
    sgp_region region;
    sgp_region_init(&region, arena);
    for (uint64_t seed = chance_seed(), last = seed + CASES; seed < last; seed++) {
        network n = random_network(seed);
        sgp_flow f;
        int64_t theirs[ARCS], ours[ARCS], bound[2];
        int found = ask_lemon(&n, theirs);
        enum sgp_flow_end end = ask_own(&n, &f, ours, bound, &region);
        EXPECT((end == SGP_FLOW_OPTIMAL) == found, "seed %llu: feasible for one", (unsigned long long)seed);
        for (int level = 0; found && level < 2; level++) {
            const int64_t *cost = level == 0 ? n.first : n.second;
            EXPECT(cost_of(&n, cost, ours) == cost_of(&n, cost, theirs), "seed %llu, level %d: %lld, LEMON has %lld",
                   (unsigned long long)seed, level, (long long)cost_of(&n, cost, ours),
                   (long long)cost_of(&n, cost, theirs));
            EXPECT(cost_of(&n, cost, ours) == bound[level], "seed %llu, level %d: the bound is %lld",
                   (unsigned long long)seed, level, (long long)bound[level]);
        }
        feasible += (uint32_t)found;
        sgp_region_reset(&region);
    }
    printf("%u networks from seed %llu, %u with a flow\n", CASES, (unsigned long long)chance_seed(), feasible);
    assert_true(feasible > CASES / 10);
    sgp_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_cost_what_lemon_says_and_the_dual_proves_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
