/* SPDX-License-Identifier: Apache-2.0 */
/* The optimum of the racks' flow against every assignment there is, measured by what rack_graph.h says of each measure. */
#include "solve/rack_graph.h"

#include "solve/rack_expand.h"
#include "solve/rack_solve.h"
#include "test/chance.h"
#include "test/rack_scene.h"
#include "test/testing.h"

enum { TASKS = 7, MEMBERS = 4 };

/* What an assignment comes to, in the order of enum sgp_rack_measure; less is better. */
typedef struct merit {
    int64_t of[SGP_RACK_MEASURES];
} merit;

typedef struct search {
    const rack_scene *t;
    uint32_t target[TASKS], held[MEMBERS];
    const int *order; /* of the measures */
    merit best;
    uint32_t found;
} search;

static uint32_t kind_in(const rack_scene *t, uint32_t subtopology)
{
    uint32_t tasks = 0;
    for (uint32_t task = 0; task < t->s->view.tasks; task++) {
        tasks += t->s->view.group->task_subtopology[task] == subtopology;
    }
    return tasks;
}

static int64_t outside(uint32_t held, uint32_t low, uint32_t high)
{
    return held < low ? low - held : held > high ? held - high : 0;
}

/* Tasks outside floor and ceiling of each member's share of each subtopology. */
static int64_t faults_of(const rack_scene *t, const uint32_t *target)
{
    const sgp_view *view = &t->s->view;
    int64_t faults = 0;
    for (uint32_t s = 0; t->g.evens && s < view->subtopologies; s++) {
        for (uint32_t m = 0; m < view->members; m++) {
            uint32_t held = 0, share = kind_in(t, s) * view->threads[m], capacity = (uint32_t)view->capacity;
            for (uint32_t task = 0; task < view->tasks; task++) {
                held += target[task] == m && view->group->task_subtopology[task] == s;
            }
            faults += view->place[m] == SGP_STAYS ? outside(held, share / capacity, (share + capacity - 1) / capacity) : 0;
        }
    }
    return faults;
}

static merit merit_of(const rack_scene *t, const uint32_t *target)
{
    const sgp_view *view = &t->s->view;
    merit all = {{[SGP_RACK_FAULTS] = faults_of(t, target)}};
    for (uint32_t task = 0; task < view->tasks; task++) {
        const sgp_rack_class *c = rack_scene_class(t, task);
        all.of[SGP_RACK_TRAFFIC] += sgp_rack_traffic(view->group, task, target[task]);
        all.of[SGP_RACK_MOVES] += c->server != SEGUE_NONE && c->server != target[task];
        all.of[SGP_RACK_READY] -= target[task] == c->learner && c->ready;
        all.of[SGP_RACK_STARTED] -= target[task] == c->learner;
    }
    for (uint32_t task = 0; sgp_rack_has_slots(&t->b) && task < view->tasks; task++) {
        const sgp_rack_group *of = &t->groups.list[t->groups.of_member[target[task]]];
        all.of[SGP_RACK_ORDER] += t->groups.member[of->first];
    }
    return all;
}

static int compare(const search *s, const merit *a, const merit *b)
{
    for (int i = 0; i < SGP_RACK_MEASURES; i++) {
        int64_t left = a->of[s->order[i]], right = b->of[s->order[i]];
        if (left != right) {
            return left < right ? -1 : 1;
        }
    }
    return 0;
}

/* Everybody is between its bounds, and those that are counted together within theirs. */
static int keeps_bounds(const rack_scene *t, const uint32_t *held)
{
    const sgp_rack_bounds *s = &t->bounds;
    int64_t used[] = {0, 0, 0};
    for (uint32_t m = 0; m < t->s->view.members; m++) {
        if (t->s->view.place[m] != SGP_STAYS) {
            continue;
        }
        if (held[m] < s->low[m] || held[m] > s->high[m]) {
            return 0;
        }
        used[s->pool[m]] += held[m] - s->low[m];
    }
    return used[SGP_RACK_BUDGET] <= s->budget && used[SGP_RACK_HEAVY] == s->heavy;
}

/* Loose tasks go to anybody, the others stay or go to somebody who receives. */
static int may_go(const rack_scene *t, uint32_t task, uint32_t member)
{
    uint32_t server = rack_scene_class(t, task)->server;
    return t->s->view.place[member] == SGP_STAYS && (server == SEGUE_NONE || server == member || t->b.receives[member]);
}

static void try_all(search *s, uint32_t task)
{
    if (task == s->t->s->view.tasks) {
        if (keeps_bounds(s->t, s->held)) {
            merit m = merit_of(s->t, s->target);
            s->best = s->found++ == 0 || compare(s, &m, &s->best) < 0 ? m : s->best;
        }
        return;
    }
    for (uint32_t m = 0; m < s->t->s->view.members; m++) {
        if (may_go(s->t, task, m)) {
            s->target[task] = m;
            s->held[m]++;
            try_all(s, task + 1);
            s->held[m]--;
        }
    }
}

/* Roundings that whoever costs nothing cannot take are within the budget, whatever was asked for. */
static uint32_t must_be_paid(const rack_scene *t)
{
    uint32_t others = 0;
    for (uint32_t m = 0; m < t->s->view.members; m++) {
        others += t->quota.ceiling[m] > t->quota.floor[m] && t->bounds.pool[m] != SGP_RACK_BUDGET;
    }
    return t->quota.roundings > others ? t->quota.roundings - others : 0;
}

static const int by_traffic[] = {SGP_RACK_FAULTS, SGP_RACK_TRAFFIC, SGP_RACK_MOVES,
                                 SGP_RACK_READY, SGP_RACK_STARTED, SGP_RACK_ORDER};
static const int by_moves[] = {SGP_RACK_MOVES, SGP_RACK_FAULTS, SGP_RACK_TRAFFIC,
                               SGP_RACK_READY, SGP_RACK_STARTED, SGP_RACK_ORDER};

/* Measures in larger units, so that several of them fit into one cost, or not even two, or one not together with what outweighs
 * it. Returns the traffic's. */
static int64_t scale_measures(rack_scene *t, chance *c)
{
    static const int64_t units[] = {1, 1000, 1 << 20, (int64_t)1 << 40, (int64_t)1 << 50};
    int64_t traffic = 1;
    for (int i = 0; i < SGP_RACK_MEASURES; i++) {
        int64_t unit = units[chance_below(c, 5)];
        for (uint32_t a = 0; t->g.measure[i] != NULL && a < t->g.flow.arcs; a++) {
            t->g.measure[i][a] *= unit;
        }
        t->g.most[i] *= unit;
        traffic = i == SGP_RACK_TRAFFIC ? unit : traffic;
    }
    t->g.traffic *= traffic;
    return traffic;
}

static void expect_best(rack_scene *t, uint64_t seed, int moves_first, int64_t unit)
{
    uint32_t target[TASKS], held[MEMBERS] = {0};
    search s = {.t = t, .order = moves_first ? by_moves : by_traffic};
    EXPECT(t->bounds.budget >= must_be_paid(t), "seed %llu: the budget is %u, and %u have to be paid",
           (unsigned long long)seed, t->bounds.budget, must_be_paid(t));
    try_all(&s, 0);
    EXPECT(s.found > 0, "seed %llu: nothing keeps the bounds", (unsigned long long)seed);
    EXPECT(sgp_rack_graph_solve(&t->g, moves_first) == SGP_FLOW_OPTIMAL, "seed %llu: no optimum", (unsigned long long)seed);
    EXPECT(t->g.bound == s.best.of[SGP_RACK_TRAFFIC] * unit, "seed %llu: the bound is %lld, the least %lld",
           (unsigned long long)seed, (long long)t->g.bound, (long long)s.best.of[SGP_RACK_TRAFFIC]);
    assert_int_equal(sgp_rack_expand(&t->g, target), SEGUE_OK);
    for (uint32_t task = 0; task < t->s->view.tasks; task++) {
        EXPECT(may_go(t, task, target[task]), "seed %llu: task %u may not go to %u", (unsigned long long)seed, task,
               target[task]);
        held[target[task]]++;
    }
    EXPECT(keeps_bounds(t, held), "seed %llu: out of bounds", (unsigned long long)seed);
    merit m = merit_of(t, target);
    for (int i = 0; i < SGP_RACK_MEASURES; i++) {
        EXPECT(m.of[i] == s.best.of[i], "seed %llu: measure %d is %lld, the best is %lld", (unsigned long long)seed, i,
               (long long)m.of[i], (long long)s.best.of[i]);
    }
}

static void expect_best_of(uint64_t seed)
{
    chance c = chance_of(seed ^ 0x5eed);
    uint8_t costly[MEMBERS];
    for (uint32_t m = 0; m < MEMBERS; m++) {
        costly[m] = (uint8_t)chance_below(&c, 2);
    }
    rack_wish wish = {(int)chance_below(&c, 2), (int)chance_below(&c, 2), chance_once_in(&c, 2) ? costly : NULL,
                      chance_below(&c, 3)};
    rack_scene *t = rack_scene_open(rack_scene_draft(seed, (rack_size){TASKS, MEMBERS, (int)chance_below(&c, 2)}), wish);
    expect_best(t, seed, wish.moves_first, chance_once_in(&c, 2) ? scale_measures(t, &c) : 1);
    rack_scene_close(t);
}

/* In the first of those found a member had better fall below a floor, for others to reach theirs; in the last what has to be paid
 * is more than what the targets so far use. */
static void no_assignment_within_the_bounds_measures_better(void **state)
{
    (void)state;
    static const uint64_t found[] = {3200354, 5102928, 5202194, 102823, 702823};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        expect_best_of(found[i]);
    }
    for (uint64_t seed = chance_seed(), last = seed + 4000; seed < last; seed++) {
        expect_best_of(seed);
    }
}

/* What a graph is made of, as far as its size goes. */
typedef struct extent {
    uint32_t hubs, groups, parts, lots, models;
} extent;

static int is_looked_at(extent e, int by_subtopology)
{
    const sgp_view view = {.members = e.groups, .subtopologies = e.parts};
    const sgp_balance b = {.view = &view};
    const sgp_rack_classes classes = {.count = 0};
    const sgp_rack_groups groups = {.count = e.groups, .hubs = e.hubs, .models = e.models};
    const sgp_rack_lots lots = {.count = e.lots};
    sgp_rack_graph g = {.balance = &b, .classes = &classes, .groups = &groups, .lots = &lots};
    return sgp_rack_graph_open(&g, by_subtopology);
}

/* An arc for each lot and hub, and for each class that stands for itself; three for a group, and four for those that are counted
 * together; where there are cells seven for each, and two for a group. */
static void graphs_of_the_largest_size_are_looked_at_and_no_larger_ones(void **state)
{
    (void)state;
    assert_true(is_looked_at((extent){65536, 2, 1, 1, 1}, 0));
    assert_false(is_looked_at((extent){65537, 2, 1, 1, 1}, 0));
    assert_true(is_looked_at((extent){2, 8192, 16, 1, 1}, 1));
    assert_false(is_looked_at((extent){2, 8193, 16, 1, 1}, 1));
    assert_true(is_looked_at((extent){2, 131073, 16, 1, 1}, 0));
    assert_true(is_looked_at((extent){4096, 128, 1024, 1, 1}, 1));
    assert_false(is_looked_at((extent){4096, 127, 1025, 1, 1}, 1));
    assert_true(is_looked_at((extent){2, 100, 1, 2097000, 0}, 0));
    assert_false(is_looked_at((extent){2, 100, 1, 2097000, 1}, 0));
    assert_true(is_looked_at((extent){2, 100, 10, 2093550, 0}, 1));
    assert_false(is_looked_at((extent){2, 100, 10, 2093550, 1}, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_assignment_within_the_bounds_measures_better),
        cmocka_unit_test(graphs_of_the_largest_size_are_looked_at_and_no_larger_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
