/* SPDX-License-Identifier: Apache-2.0 */
/* Where the racks' flow begins, and how little it leaves to the simplex. That the end is the optimum is for the oracles. */
#include "solve/rack_start.h"

#include "solve/rack_solve.h"
#include "test/chance.h"
#include "test/rack_scene.h"
#include "test/testing.h"

/* Newcomers alone receive where moves come first. Owns the draft. */
static rack_scene *begin(draft *d, int moves_first)
{
    return rack_scene_open(d, (rack_wish){.moves_first = moves_first, .newcomers = moves_first});
}

/* Its class stands for no other one: all of it leaves at the start. */
static int leaves(const rack_scene *t, uint32_t task)
{
    uint32_t class = t->classes.of_task[task];
    assert_int_equal(t->classes.list[class].count, 1);
    return t->g.given[class];
}

/* Members of one thread in racks by turns, and subtopologies of so many tasks. */
static draft *fleet(uint32_t subtopologies, uint32_t tasks, uint32_t members, uint32_t racks, uint32_t strategy)
{
    draft *d = draft_new();
    for (uint32_t s = 0; s < subtopologies; s++) {
        draft_tasks(d, tasks, 1);
    }
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, 1);
    }
    draft_racks(d, racks);
    for (uint32_t m = 0; m < members; m++) {
        d->member_rack[m] = m % racks;
    }
    d->config.rack_strategy = strategy;
    return d;
}

static const uint64_t a = 1, b = 2;

static void what_costs_less_elsewhere_leaves_at_once(void **state)
{
    (void)state;
    draft *d = fleet(1, 4, 2, 2, SEGUE_RACK_MIN_TRAFFIC);
    const uint64_t read_in[] = {a, b, a, b};
    for (uint32_t t = 0; t < 4; t++) {
        draft_input(d, t, read_in[t]);
        draft_input(d, t, t < 2 ? a : a | b); /* no two alike */
    }
    draft_owns(d, 0, 0, 2);
    draft_owns(d, 1, 2, 2);
    rack_scene *s = begin(d, 0);
    assert_int_equal(leaves(s, 0), 0);
    assert_int_equal(leaves(s, 1), 0); /* one input here, one there */
    assert_int_equal(leaves(s, 2), 1);
    assert_int_equal(leaves(s, 3), 0);
    rack_scene_close(s);
}

static void while_moves_come_first_the_cheapest_of_what_cannot_stay_leaves(void **state)
{
    (void)state;
    draft *d = fleet(1, 4, 2, 2, SEGUE_RACK_MIN_TRAFFIC);
    const uint64_t read_in[] = {a, b, b, a};
    for (uint32_t t = 0; t < 4; t++) {
        draft_input(d, t, read_in[t]);
        draft_input(d, t, t < 2 ? a : a | b);
    }
    draft_owns(d, 0, 0, 4);
    rack_scene *s = begin(d, 1); /* 2 of 4 leave member 0 in a: 2 is read in b alone, 1 as much here as there */
    assert_int_equal(leaves(s, 0), 0);
    assert_int_equal(leaves(s, 1), 1);
    assert_int_equal(leaves(s, 2), 1);
    assert_int_equal(leaves(s, 3), 0);
    rack_scene_close(s);
}

static void a_hub_deals_to_floors_first_and_then_where_a_member_wants_more(void **state)
{
    (void)state;
    draft *d = fleet(2, 3, 2, 1, SEGUE_RACK_BALANCE_SUBTOPOLOGY);
    for (uint32_t t = 0; t < 6; t++) {
        draft_input(d, t, a);
    }
    draft_owns(d, 0, 0, 2); /* two of the first subtopology; five tasks have nobody or somebody else */
    draft_owns(d, 1, 3, 1);
    rack_scene *s = begin(d, 0);
    const uint32_t ends[2][2] = {{2, 1}, {1, 2}}; /* by subtopology and member */
    for (uint32_t part = 0; part < 2; part++) {
        for (uint32_t m = 0; m < 2; m++) {
            const sgp_rack_cell *c = sgp_rack_cell_of(&s->g, m, part);
            assert_int_equal(c->low, 1);
            assert_int_equal(c->high, 2);
            assert_int_equal(c->kept + c->taken, ends[part][m]);
        }
    }
    assert_int_equal(sgp_rack_graph_solve(&s->g, 0), SGP_FLOW_OPTIMAL);
    assert_true(s->g.flow.steps <= 2);
    rack_scene_close(s);
}

/* From everybody keeping what it serves each of these tasks would be a step at least. */
static void expect_few_steps(uint32_t strategy, int moves_first)
{
    chance c = chance_of(1);
    draft *d = fleet(10, 36, 36, 3, strategy);
    for (uint32_t t = 0; t < 360; t++) {
        draft_input(d, t, (uint64_t)1 << chance_below(&c, 3));
        draft_owns(d, chance_below(&c, moves_first ? 30 : 36), t, 1);
    }
    rack_scene *s = begin(d, moves_first);
    assert_int_equal(sgp_rack_graph_solve(&s->g, moves_first), SGP_FLOW_OPTIMAL);
    int64_t moves = 0;
    for (uint32_t arc = 0; arc < s->g.flow.arcs; arc++) {
        moves += s->g.measure[SGP_RACK_MOVES][arc] * s->g.flow.amount[arc];
    }
    EXPECT((int64_t)s->g.flow.steps < moves, "strategy %u, moves first %d: %llu steps for %lld moves", strategy,
           moves_first, (unsigned long long)s->g.flow.steps, (long long)moves);
    rack_scene_close(s);
}

static void fewer_steps_are_left_than_tasks_move(void **state)
{
    (void)state;
    expect_few_steps(SEGUE_RACK_MIN_TRAFFIC, 0);
    expect_few_steps(SEGUE_RACK_MIN_TRAFFIC, 1);
    expect_few_steps(SEGUE_RACK_BALANCE_SUBTOPOLOGY, 0);
}

/* ---- a slow reading of the header, where subtopologies are balanced ---- */

enum { CLASSES = 60, GROUPS = 12, PARTS = 3, HUBS = 8 };

typedef struct reading {
    const rack_scene *t;
    uint8_t given[CLASSES];
    uint32_t kept[GROUPS][PARTS], taken[GROUPS][PARTS], waiting[HUBS][PARTS], turn[HUBS];
    int64_t want[GROUPS];
} reading;

static int is_open(const rack_scene *t, uint32_t hub, int served)
{
    int open = 0;
    for (uint32_t i = 0; i < t->groups.count; i++) {
        open |= t->groups.list[i].hub == hub && (served ? (int)(hub & 1) : t->classes.loose > 0);
    }
    return open;
}

static int64_t cost_at(const rack_scene *t, uint32_t class, uint32_t place)
{
    return sgp_rack_cost_of(&t->cost, t->classes.list[class].vector, place);
}

/* The hub where tasks of the class are read at least cost; SEGUE_NONE where they can go nowhere. */
static uint32_t cheapest(const rack_scene *t, uint32_t class)
{
    uint32_t best = SEGUE_NONE;
    for (uint32_t hub = 0; hub < t->groups.hubs; hub++) {
        int open = is_open(t, hub, t->classes.list[class].server != SEGUE_NONE);
        best = open && (best == SEGUE_NONE || cost_at(t, class, hub / 2) < cost_at(t, class, best / 2)) ? hub : best;
    }
    return best;
}

/* -1, 0 or 1: it costs less elsewhere, as much, or more. */
static int dearer(const rack_scene *t, uint32_t class)
{
    int64_t here = cost_at(t, class, t->cost.place[t->classes.list[class].server]);
    int64_t there = cost_at(t, class, cheapest(t, class) / 2);
    return there < here ? -1 : there > here;
}

/* What costs less elsewhere, unless moves come first; and of what the member cannot end with, whole classes, the cheapest. */
static void give_up(reading *r, uint32_t member, int moves_first)
{
    const sgp_rack_group *of = &r->t->groups.list[r->t->groups.of_member[member]];
    int64_t excess = (int64_t)of->load - of->high;
    int freely = !moves_first && (is_open(r->t, of->hub, 0) || is_open(r->t, of->hub, 1));
    for (int round = freely ? 0 : 1; round < 4; round++) { /* freely, then by sign */
        for (uint32_t i = 0; i < r->t->classes.count; i++) {
            const sgp_rack_class *c = &r->t->classes.list[i];
            if (c->server != member || r->given[i] || cheapest(r->t, i) == SEGUE_NONE ||
                dearer(r->t, i) != (round == 0 ? -1 : round - 2)) {
                continue;
            }
            if (round == 0 || (excess > 0 && c->count <= excess)) {
                r->given[i] = 1;
                excess -= c->count;
            }
        }
    }
}

static void fill_cells(reading *r)
{
    for (uint32_t i = 0; i < r->t->classes.count; i++) {
        const sgp_rack_class *c = &r->t->classes.list[i];
        uint32_t hub = cheapest(r->t, i);
        if (c->server != SEGUE_NONE && !r->given[i]) {
            r->kept[r->t->groups.of_member[c->server]][c->part] += c->count;
        } else if (hub != SEGUE_NONE) {
            r->waiting[hub][c->part] += c->count;
        }
    }
    for (uint32_t i = 0; i < r->t->groups.count; i++) {
        const sgp_rack_group *of = &r->t->groups.list[i];
        int64_t low = (int64_t)of->low * of->count, high = (int64_t)of->high * of->count, load = of->load;
        r->want[i] = load < low ? low : load > high ? high : load;
        for (uint32_t s = 0; s < r->t->g.parts; s++) {
            r->want[i] -= r->kept[i][s];
        }
    }
}

/* To floors, then to ceilings where the member wants some more, then to ceilings: whoever was last is asked last. */
static void deal(reading *r, uint32_t hub, uint32_t part)
{
    uint32_t first = 0, groups = 0, *waiting = &r->waiting[hub][part];
    for (uint32_t i = r->t->groups.count; i-- > 0;) {
        first = r->t->groups.list[i].hub == hub ? i : first;
        groups += r->t->groups.list[i].hub == hub;
    }
    for (int round = 0; round < 3; round++) {
        uint32_t start = r->turn[hub];
        for (uint32_t k = 0; k < groups && *waiting > 0; k++) {
            uint32_t at = (start + k) % groups, i = first + at;
            const sgp_rack_cell *cell = sgp_rack_cell_at(&r->t->g, i, part);
            uint32_t has = r->kept[i][part] + r->taken[i][part], to = round == 0 ? cell->low : cell->high;
            if (has < to && to - has <= *waiting && (round != 1 || to - has <= r->want[i])) {
                r->taken[i][part] += to - has;
                r->want[i] -= to - has;
                *waiting -= to - has;
                r->turn[hub] = (at + 1) % groups;
            }
        }
    }
}

static void expect_reading(uint64_t seed, const reading *r)
{
    for (uint32_t i = 0; i < r->t->classes.count; i++) {
        EXPECT(r->t->g.given[i] == r->given[i], "seed %llu: class %u leaves or stays", (unsigned long long)seed, i);
    }
    for (uint32_t s = 0; s < r->t->g.parts; s++) {
        for (uint32_t i = 0; i < r->t->groups.count; i++) {
            const sgp_rack_cell *cell = sgp_rack_cell_at(&r->t->g, i, s);
            EXPECT(cell->kept == r->kept[i][s] && cell->taken == r->taken[i][s],
                   "seed %llu: group %u keeps %u and takes %u of part %u instead of %u and %u", (unsigned long long)seed, i,
                   cell->kept, cell->taken, s, r->kept[i][s], r->taken[i][s]);
        }
        for (uint32_t hub = 0; hub < r->t->groups.hubs; hub++) {
            EXPECT(r->t->g.waiting[hub * r->t->g.parts + s] == r->waiting[hub][s], "seed %llu: %u wait at hub %u",
                   (unsigned long long)seed, r->waiting[hub][s], hub);
        }
    }
}

static void what_is_given_and_dealt_is_what_a_slow_reading_says(void **state)
{
    (void)state;
    uint32_t read = 0;
    for (uint64_t seed = chance_seed(), last = seed + 1200; seed < last; seed++) {
        int moves_first = (int)(seed % 2);
        rack_scene *t = begin(rack_scene_draft(seed, (rack_size){50, GROUPS, 0}), moves_first);
        reading r = {.t = t};
        if (t->g.evens && t->classes.count <= CLASSES) {
            for (uint32_t m = 0; m < t->s->view.members; m++) {
                if (t->s->view.place[m] == SGP_STAYS) {
                    give_up(&r, m, moves_first);
                }
            }
            fill_cells(&r);
            for (uint32_t hub = 0; hub < t->groups.hubs; hub++) {
                for (uint32_t s = 0; s < t->g.parts; s++) {
                    deal(&r, hub, s);
                }
            }
            expect_reading(seed, &r);
            read++;
        }
        rack_scene_close(t);
    }
    EXPECT(read > 400, "only %u were read", read);
}

/* Nothing of the start has to be right, so that only the steps that are left say how good it is. */
static void over_many_groups_few_steps_are_left(void **state)
{
    (void)state;
    static const uint64_t most[2][2] = {{1450, 960}, {2620, 4640}}; /* half a percent above what there are */
    uint64_t steps[2][2] = {{0}};
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        int moves_first = (int)(seed % 2);
        rack_scene *s = begin(rack_scene_draft(seed, (rack_size){60, 12, 0}), moves_first);
        assert_int_equal(sgp_rack_graph_solve(&s->g, moves_first), SGP_FLOW_OPTIMAL);
        steps[s->g.evens][moves_first] += s->g.flow.steps;
        rack_scene_close(s);
    }
    for (int i = 0; i < 4; i++) {
        EXPECT(steps[i / 2][i % 2] <= most[i / 2][i % 2], "subtopologies %d, moves first %d: %llu steps", i / 2, i % 2,
               (unsigned long long)steps[i / 2][i % 2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_given_and_dealt_is_what_a_slow_reading_says),
        cmocka_unit_test(over_many_groups_few_steps_are_left),
        cmocka_unit_test(what_costs_less_elsewhere_leaves_at_once),
        cmocka_unit_test(while_moves_come_first_the_cheapest_of_what_cannot_stay_leaves),
        cmocka_unit_test(a_hub_deals_to_floors_first_and_then_where_a_member_wants_more),
        cmocka_unit_test(fewer_steps_are_left_than_tasks_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
