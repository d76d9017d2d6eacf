/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The racks' optimum and LEMON's network simplex on the same merged graph, by turns in one run: only the ratio means
 * something. Prints medians in microseconds; the two have to agree on the cost.
 *
 *   rack_bench [REPEATS [WORDS]]      default 15; only the scenes in whose names the words are
 */
#define _POSIX_C_SOURCE 200809L

#include "rack_dense.h"

#include "lemon_flow.h"
#include "solve/rack_solve.h"
#include "solve/rack_target.h"
#include "test/chance.h"
#include "test/solver.h"
#include "test/testing.h"

#include <stdio.h>
#include <time.h>

enum { RACKS = 3, MOST_REPEATS = 101 };

/* Who has the tasks before: nobody, members by turns, or the same and a tenth of the members have just joined. */
enum before { FRESH, STABLE, MANY_JOIN };

typedef struct scene {
    const char *name;
    uint32_t tasks, members, subtopologies, replicas;
    enum before before;
    uint32_t strategy;
    int moves_first;
} scene;

static const scene scenes[] = {
    {"1,000 x 100 fresh",                      1000,   100,  10, 1, FRESH,     SEGUE_RACK_MIN_TRAFFIC,         0},
    {"1,000 x 100 racks ignored so far",       1000,   100,  10, 1, STABLE,    SEGUE_RACK_MIN_TRAFFIC,         0},
    {"1,000 x 100 the same, 2 replicas",       1000,   100,  10, 2, STABLE,    SEGUE_RACK_MIN_TRAFFIC,         0},
    {"1,000 x 100 a tenth joins, moves first", 1000,   100,  10, 1, MANY_JOIN, SEGUE_RACK_MIN_TRAFFIC,         1},
    {"1,000 x 100 by subtopology",             1000,   100,  10, 1, STABLE,    SEGUE_RACK_BALANCE_SUBTOPOLOGY, 0},
    {"1,000 x 100 by 40 subtopologies",        1000,   100,  40, 1, STABLE,    SEGUE_RACK_BALANCE_SUBTOPOLOGY, 0},
    {"1,050 x 100 by 7 subtopologies",         1050,   100,   7, 2, STABLE,    SEGUE_RACK_BALANCE_SUBTOPOLOGY, 0},
    {"1,000 x 100 by subtopology, a tenth joins", 1000, 100, 10, 1, MANY_JOIN, SEGUE_RACK_BALANCE_SUBTOPOLOGY, 0},
    {"1,000 x 100 the same, moves first",      1000,   100,  10, 1, MANY_JOIN, SEGUE_RACK_BALANCE_SUBTOPOLOGY, 1},
    {"4,000 x 400 by subtopology",             4000,   400,  10, 1, STABLE,    SEGUE_RACK_BALANCE_SUBTOPOLOGY, 0},
    {"4,000 x 400 by subtopology, fresh",      4000,   400,  10, 1, FRESH,     SEGUE_RACK_BALANCE_SUBTOPOLOGY, 0},
    {"10,000 x 400 by subtopology",            10000,  400,  10, 1, STABLE,    SEGUE_RACK_BALANCE_SUBTOPOLOGY, 0},
    {"10,000 x 1,000 racks ignored so far",    10000,  1000, 10, 1, STABLE,    SEGUE_RACK_MIN_TRAFFIC,         0},
    {"100,000 x 1,000 fresh",                  100000, 1000, 10, 1, FRESH,     SEGUE_RACK_MIN_TRAFFIC,         0},
    {"100,000 x 1,000 racks ignored so far",   100000, 1000, 10, 1, STABLE,    SEGUE_RACK_MIN_TRAFFIC,         0},
    {"100,000 x 1,000 the same, 2 replicas",   100000, 1000, 10, 2, STABLE,    SEGUE_RACK_MIN_TRAFFIC,         0},
    {"100,000 x 10,000 racks ignored so far",  100000, 10000, 10, 1, STABLE,   SEGUE_RACK_MIN_TRAFFIC,         0},
    {"100,000 x 1,000 a tenth joins, moves first", 100000, 1000, 10, 1, MANY_JOIN, SEGUE_RACK_MIN_TRAFFIC,     1},
};

static draft *draw(const scene *s)
{
    chance c = chance_of(chance_seed());
    draft *d = draft_new();
    for (uint32_t i = 0; i < s->subtopologies; i++) {
        draft_tasks(d, s->tasks / s->subtopologies, 1);
    }
    for (uint32_t m = 0; m < s->members; m++) {
        draft_member(d, m, 1);
    }
    draft_racks(d, RACKS);
    for (uint32_t t = 0; t < s->tasks; t++) {
        uint64_t racks = 0;
        for (uint32_t i = 0; i < s->replicas; i++) {
            racks |= (uint64_t)1 << chance_below(&c, RACKS);
        }
        draft_input(d, t, racks);
    }
    for (uint32_t m = 0; m < s->members; m++) {
        d->member_rack[m] = m % RACKS;
    }
    uint32_t serve = s->before == MANY_JOIN ? s->members - s->members / 10 : s->members;
    for (uint32_t t = 0; s->before != FRESH && t < s->tasks; t++) {
        draft_owns(d, chance_below(&c, 2) == 0 ? t % serve : chance_below(&c, serve), t, 1);
    }
    d->config.rack_strategy = s->strategy;
    return d;
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, uint32_t count)
{
    qsort(times, count, sizeof *times, ascending);
    return times[count / 2];
}

/* One view and the targets that a balance finds without racks; both sides start from there. */
typedef struct stage {
    solver *s;
    sgp_balance b;
    sgp_quota quota;
    uint32_t *target;
} stage;

static void set_stage(stage *g, const scene *s)
{
    g->s = solver_open(draw(s));
    const sgp_view *view = &g->s->view;
    g->b = solver_balance(g->s, SGP_TAKE_ZERO(&g->s->region, uint32_t, view->members));
    g->quota.floor = SGP_TAKE(&g->s->region, uint32_t, view->members);
    g->quota.ceiling = SGP_TAKE(&g->s->region, uint32_t, view->members);
    g->target = SGP_TAKE(&g->s->region, uint32_t, view->tasks);
    g->b.moves_first = s->moves_first;
    for (uint32_t m = 0; s->moves_first && m < view->members; m++) {
        g->b.receives[m] = view->newcomer[m];
    }
    sgp_quota_share(view, view->tasks, &g->quota);
    assert_int_equal(sgp_balance_run(&g->b, &g->quota, NULL, 0), SEGUE_OK);
    memcpy(g->target, g->b.target, view->tasks * sizeof *g->target);
}

/* The parts of sgp_rack_target, in memory that is given back afterwards. */
typedef struct made {
    sgp_arena *arena;
    sgp_region region;
    sgp_balance b;
    sgp_rack_cost cost;
    sgp_rack_classes classes;
    sgp_rack_groups groups;
    sgp_rack_lots lots;
    sgp_rack_bounds bounds;
    sgp_rack_graph graph;
} made;

static void make_graph(made *p, const stage *g)
{
    int by_subtopology = g->s->view.config->rack_strategy == SEGUE_RACK_BALANCE_SUBTOPOLOGY;
    const uint32_t *part = by_subtopology ? g->s->view.group->task_subtopology : NULL;
    uint32_t parts = by_subtopology ? g->s->view.subtopologies : 1;
    p->b = g->b;
    p->b.region = &p->region;
    p->graph = (sgp_rack_graph){.balance = &p->b, .cost = &p->cost, .classes = &p->classes, .groups = &p->groups,
                                .lots = &p->lots};
    assert_int_equal(sgp_rack_cost_build(&p->cost, &g->s->view, NULL, &p->region), SEGUE_OK);
    assert_int_equal(sgp_rack_classes_build(&p->classes, &p->b, &p->cost, part, parts, NULL), SEGUE_OK);
    assert_int_equal(sgp_rack_bounds_set(&p->bounds, &p->b, &g->quota, NULL, 0), SEGUE_OK);
    assert_int_equal(sgp_rack_groups_build(&p->groups, &p->b, &p->bounds, &p->cost, &p->classes, by_subtopology),
                     SEGUE_OK);
    assert_int_equal(sgp_rack_lots_build(&p->lots, &p->classes, &p->cost, parts, &p->region), SEGUE_OK);
    assert_true(sgp_rack_graph_open(&p->graph, by_subtopology));
    assert_int_equal(sgp_rack_graph_build(&p->graph, &p->bounds), SEGUE_OK);
}

/* The measures in one cost for LEMON, by weights that outweigh sums along any circle, as ours does. */
static int64_t *weigh(const sgp_rack_graph *g, int moves_first)
{
    static const int by_traffic[] = {SGP_RACK_FAULTS, SGP_RACK_TRAFFIC, SGP_RACK_MOVES};
    static const int by_moves[] = {SGP_RACK_MOVES, SGP_RACK_FAULTS, SGP_RACK_TRAFFIC};
    const int *order = moves_first ? by_moves : by_traffic;
    int64_t *cost = calloc(g->flow.arcs, sizeof *cost);
    for (int i = 0; i < 3; i++) {
        int64_t weight = g->most[order[i]] > 0 ? (g->flow.nodes + 1) * g->most[order[i]] + 1 : 1;
        for (uint32_t a = 0; g->most[order[i]] > 0 && a < g->flow.arcs; a++) {
            cost[a] = cost[a] * weight + g->measure[order[i]][a];
        }
    }
    return cost;
}

static void for_lemon(lemon_flow *f, const sgp_rack_graph *g, int64_t *cost)
{
    size_t arcs = g->flow.arcs, nodes = g->flow.nodes;
    *f = (lemon_flow){.nodes = (int)nodes, .arcs = (int)arcs, .cost = cost};
    f->from = calloc(arcs, sizeof *f->from);
    f->to = calloc(arcs, sizeof *f->to);
    f->low = calloc(arcs, sizeof *f->low);
    f->high = calloc(arcs, sizeof *f->high);
    f->amount = calloc(arcs, sizeof *f->amount);
    f->supply = calloc(nodes, sizeof *f->supply);
    for (size_t a = 0; a < arcs; a++) {
        f->from[a] = (int)g->flow.from[a];
        f->to[a] = (int)g->flow.to[a];
        f->high[a] = g->flow.limit[a];
    }
    for (size_t n = 0; n < nodes; n++) {
        f->supply[n] = g->flow.supply[n];
    }
}

static void free_lemon(lemon_flow *f)
{
    void *columns[] = {f->from, f->to, f->low, f->high, f->cost, f->amount, f->supply};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        free(columns[i]);
    }
}

static void expect_same_cost(const scene *s, const sgp_rack_graph *g, const lemon_flow *f)
{
    int64_t ours = 0, theirs = 0;
    for (int a = 0; a < f->arcs; a++) {
        ours += f->cost[a] * g->flow.amount[a];
        theirs += f->cost[a] * f->amount[a];
    }
    if (ours != theirs) {
        fprintf(stderr, "%s: the costs differ: %lld, LEMON has %lld\n", s->name, (long long)ours, (long long)theirs);
        exit(1);
    }
}

static void run_scene(const scene *s, uint32_t repeats)
{
    double whole[MOST_REPEATS], solve[MOST_REPEATS], theirs[MOST_REPEATS];
    uint32_t nodes = 0, arcs = 0;
    uint64_t steps = 0;
    stage g;
    made p = {.arena = sgp_arena_new()};
    set_stage(&g, s);
    sgp_region_init(&p.region, p.arena);
    for (uint32_t i = 0; i < repeats; i++) {
        make_graph(&p, &g);
        lemon_flow f;
        for_lemon(&f, &p.graph, weigh(&p.graph, s->moves_first));
        double began = now_us();
        assert_int_equal(sgp_rack_graph_solve(&p.graph, s->moves_first), SGP_FLOW_OPTIMAL);
        solve[i] = now_us() - began;
        assert_true(lemon_flow_solve(&f));
        theirs[i] = (double)f.run_ns / 1e3;
        expect_same_cost(s, &p.graph, &f);
        nodes = p.graph.flow.nodes;
        arcs = p.graph.flow.arcs;
        steps = p.graph.flow.steps;
        free_lemon(&f);
        sgp_region_reset(&p.region);
        p.b = g.b;
        p.b.region = &p.region;
        *p.b.costs = (sgp_rack_cost){0}; /* those of the run before lay in the region */
        memcpy(p.b.target, g.target, g.s->view.tasks * sizeof *g.target);
        began = now_us();
        assert_int_equal(sgp_rack_target(&p.b, &g.quota, NULL, 0), SEGUE_OK);
        whole[i] = now_us() - began;
        memcpy(p.b.target, g.target, g.s->view.tasks * sizeof *g.target);
        sgp_region_reset(&p.region);
    }
    double ours = median(solve, repeats), other = median(theirs, repeats);
    printf("%-44s %6u %7u %7llu %10.0f %10.0f %10.0f %6.2f\n", s->name, nodes, arcs, (unsigned long long)steps, median(whole, repeats), ours, other,
           ours / other);
    sgp_arena_free(p.arena);
    solver_close(g.s);
}

int main(int argc, char **argv)
{
    uint32_t repeats = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 15;
    repeats = repeats < 1 ? 1 : (repeats > MOST_REPEATS ? MOST_REPEATS : repeats);
    printf("%-44s %6s %7s %7s %10s %10s %10s %6s\n", "microseconds, medians", "nodes", "arcs", "steps", "all", "solve", "LEMON", "ratio");
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        if (argc < 3 || strstr(scenes[i].name, argv[2]) != NULL) {
            run_scene(&scenes[i], repeats);
        }
    }
    return 0;
}
