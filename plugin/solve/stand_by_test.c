/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/stand_by.h"

#include "test/chance.h"
#include "test/random_group.h"
#include "test/rebalance.h"
#include "test/solver.h"
#include "test/testing.h"

#define MOST 16

/* Standbys of a group whose owners stay as they are, with the learners that a test says. */
typedef struct scene {
    solver *solver;
    uint32_t learner[MOST];
    sgp_standbys standbys;
} scene;

static draft *group_of(uint32_t tasks, uint32_t members, uint32_t replicas)
{
    draft *d = draft_new();
    draft_tasks(d, tasks, 1);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, 1);
    }
    d->config.num_standby_replicas = replicas;
    return d;
}

static void run_with_learner_of_task_0(scene *s, draft *d, uint32_t learner)
{
    s->solver = solver_open(d);
    const sgp_view *view = &s->solver->view;
    assert_true(view->tasks <= MOST);
    memset(s->learner, 0xff, sizeof s->learner);
    s->learner[0] = learner;
    assert_int_equal(sgp_stand_by(view, view->owner, s->learner, &s->standbys, &s->solver->region), SEGUE_OK);
}

static void run(scene *s, draft *d) { run_with_learner_of_task_0(s, d, SEGUE_NONE); }

static uint32_t count(const scene *s, uint32_t task)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < s->standbys.ranks; i++) {
        found += s->standbys.member[task * s->standbys.ranks + i] != SEGUE_NONE;
    }
    return found;
}

static int has(const scene *s, uint32_t task, uint32_t member)
{
    for (uint32_t i = 0; i < s->standbys.ranks; i++) {
        if (s->standbys.member[task * s->standbys.ranks + i] == member) {
            return 1;
        }
    }
    return 0;
}

static void as_many_as_wanted_when_there_are_processes_enough(void **state)
{
    (void)state;
    scene s;
    draft *d = group_of(4, 5, 2);
    draft_owns(d, 0, 0, 4);
    run(&s, d);
    for (uint32_t t = 0; t < 4; t++) {
        assert_int_equal(count(&s, t), 2);
        assert_false(has(&s, t, 0));
    }
    solver_close(s.solver);
}

static void no_more_than_there_are_other_processes(void **state)
{
    (void)state;
    scene s;
    draft *d = group_of(2, 3, 1000);
    draft_owns(d, 0, 0, 2);
    run(&s, d);
    assert_int_equal(count(&s, 0), 2);
    solver_close(s.solver);
}

static void a_single_process_has_no_standbys(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_new();
    draft_tasks(d, 1, 1);
    draft_member(d, 0, 1);
    draft_member(d, 0, 1);
    d->config.num_standby_replicas = 2;
    draft_owns(d, 0, 0, 1);
    run(&s, d);
    assert_int_equal(s.standbys.ranks, 0);
    solver_close(s.solver);
}

static void a_learner_takes_its_process_out_of_the_count(void **state)
{
    (void)state;
    scene s;
    draft *d = group_of(1, 3, 2);
    draft_owns(d, 0, 0, 1);
    run_with_learner_of_task_0(&s, d, 1);
    assert_int_equal(count(&s, 0), 1);
    assert_true(has(&s, 0, 2));
    solver_close(s.solver);
}

static void stateless_tasks_have_none(void **state)
{
    (void)state;
    scene s;
    draft *d = group_of(2, 3, 1);
    d->stateful[1] = 0;
    draft_owns(d, 0, 0, 2);
    run(&s, d);
    assert_int_equal(count(&s, 0), 1);
    assert_int_equal(count(&s, 1), 0);
    solver_close(s.solver);
}

static void copies_that_exist_come_first_and_the_best_of_them(void **state)
{
    (void)state;
    static const struct {
        uint32_t role;
        int64_t lag;
    } ladder[] = {
        {SEGUE_STANDBY, 9000             }, /* caught up and running */
        {SEGUE_LEARNER, 0                },
        {SEGUE_DORMANT, 0                }, /* caught up */
        {SEGUE_STANDBY, 20000            },
        {SEGUE_STANDBY, 20001            }, /* running, the nearest first */
        {SEGUE_STANDBY, SEGUE_LAG_UNKNOWN}, /* running, who knows where */
        {SEGUE_DORMANT, 20000            },
        {SEGUE_DORMANT, INT64_MAX        }, /* dormant, the nearest first */
        {SEGUE_DORMANT, SEGUE_LAG_UNKNOWN},
    };
    const size_t steps = sizeof ladder / sizeof *ladder;
    for (size_t better = 0; better < steps; better++) {
        for (size_t worse = better + 1; worse < steps; worse++) {
            scene s;
            draft *d = group_of(1, 4, 1);
            draft_owns(d, 0, 0, 1);
            draft_copy(d, 3, 0, ladder[better].role, ladder[better].lag);
            draft_copy(d, 2, 0, ladder[worse].role, ladder[worse].lag);
            run(&s, d);
            EXPECT(has(&s, 0, 3), "copy %zu does not beat %zu", better, worse);
            solver_close(s.solver);
        }
    }
}

static void a_running_standby_stays_where_it_is_however_loaded(void **state)
{
    (void)state;
    scene s;
    draft *d = group_of(6, 3, 1);
    draft_owns(d, 0, 0, 6);
    for (uint32_t t = 0; t < 6; t++) {
        draft_copy(d, 1, t, SEGUE_STANDBY, 40000);
    }
    run(&s, d);
    for (uint32_t t = 0; t < 6; t++) {
        assert_true(has(&s, t, 1));
    }
    solver_close(s.solver);
}

static void new_ones_go_to_the_lightest_process_and_on_it_to_the_lightest_member(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_new();
    draft_tasks(d, 4, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_member(d, 2, 1); /* process 2 has two members: 1 active on 2 threads */
    draft_member(d, 2, 1);
    draft_owns(d, 0, 0, 1);
    draft_owns(d, 1, 1, 2);
    draft_owns(d, 2, 3, 1);
    d->config.num_standby_replicas = 1;
    run(&s, d);
    assert_true(has(&s, 0, 3));
    solver_close(s.solver);
}

static void a_process_with_more_threads_carries_more(void **state)
{
    (void)state;
    scene s;
    draft *d = group_of(9, 3, 1);
    d->threads[2] = 8;
    draft_owns(d, 0, 0, 9);
    run(&s, d);
    uint32_t large = 0;
    for (uint32_t t = 0; t < 9; t++) {
        large += (uint32_t)has(&s, t, 2);
    }
    assert_int_equal(large, 8);
    solver_close(s.solver);
}

static void every_task_has_its_first_standby_before_one_has_its_second(void **state)
{
    (void)state;
    scene s;
    draft *d = group_of(2, 4, 2);
    draft_owns(d, 0, 0, 2);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 0);
    run(&s, d);
    assert_int_equal(count(&s, 0), 2);
    assert_int_equal(count(&s, 1), 2);
    /* Task 1 lacked two and task 0 one: task 1 chose first, while 2 and 3 were empty. */
    assert_int_equal(s.standbys.member[1 * 2], 2);
    solver_close(s.solver);
}

static void a_leaving_process_is_no_place_for_a_standby(void **state)
{
    (void)state;
    scene s;
    draft *d = group_of(1, 3, 2);
    draft_owns(d, 0, 0, 1);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 0);
    draft_leaves(d, 1, SEGUE_TIME_NONE);
    run(&s, d);
    assert_int_equal(count(&s, 0), 1);
    assert_true(has(&s, 0, 2));
    solver_close(s.solver);
}

static void a_leaving_holders_copy_goes_on_under_its_neighbour(void **state)
{
    (void)state;
    scene s;
    draft *d = draft_new();
    draft_tasks(d, 1, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_member(d, 1, 1);
    draft_member(d, 2, 1);
    draft_owns(d, 0, 0, 1);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 0);
    draft_leaves(d, 1, SEGUE_TIME_NONE);
    d->config.num_standby_replicas = 1;
    run(&s, d);
    assert_true(has(&s, 0, 2));
    solver_close(s.solver);
}

static void where_nobody_stays_running_standbys_are_kept_and_none_is_built(void **state)
{
    (void)state;
    scene s;
    draft *d = group_of(2, 4, 2);
    draft_owns(d, 0, 0, 2);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 40000);
    draft_copy(d, 2, 0, SEGUE_DORMANT, 0);
    for (uint32_t m = 0; m < 4; m++) {
        draft_leaves(d, m, SEGUE_TIME_NONE);
    }
    run(&s, d);
    assert_int_equal(count(&s, 0), 1);
    assert_true(has(&s, 0, 1));
    assert_int_equal(count(&s, 1), 0);
    solver_close(s.solver);
}

static void where_nobody_has_threads_nobody_stands_by(void **state)
{
    (void)state;
    scene s;
    draft *d = group_of(1, 3, 2);
    memset(d->threads, 0, 3 * sizeof *d->threads);
    draft_owns(d, 0, 0, 1);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 0);
    run(&s, d);
    assert_int_equal(s.standbys.ranks, 0);
    solver_close(s.solver);
}

/* ---- zones: the best that any choice could reach, by trying all of them ---- */

/* Different values in a dimension of the processes in `copies` (a set of members, each on a process of its own). */
static uint32_t values(const draft *d, uint32_t dimension, uint32_t copies)
{
    uint64_t seen[DRAFT_VALUES / 64 + 1] = {0};
    uint32_t count = 0;
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        uint32_t value = d->tags[(size_t)dimension * d->group.member_count + m];
        if ((copies >> m & 1) && value != SEGUE_NONE && !(seen[value / 64] >> (value % 64) & 1)) {
            seen[value / 64] |= (uint64_t)1 << (value % 64);
            count++;
        }
    }
    return count;
}

/* Numbers of different values, the first dimension highest. */
static uint32_t diversity(const draft *d, uint32_t copies, uint32_t dimensions)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < dimensions; i++) {
        sum = sum * 16 + values(d, i, copies);
    }
    return sum;
}

static uint32_t best_diversity(const draft *d, uint32_t owner, uint32_t standbys, uint32_t dimensions)
{
    uint32_t best = 0, members = d->group.member_count;
    for (uint32_t set = 0; set < (uint32_t)1 << members; set++) {
        if (!(set >> owner & 1) && (uint32_t)__builtin_popcount(set) == standbys) {
            uint32_t reached = diversity(d, set | 1u << owner, dimensions);
            best = reached > best ? reached : best;
        }
    }
    return best;
}

static uint32_t copies_of(const scene *s, uint32_t task)
{
    uint32_t copies = 1u << s->solver->view.owner[task];
    for (uint32_t m = 0; m < s->solver->view.members; m++) {
        copies |= (uint32_t)has(s, task, m) << m;
    }
    return copies;
}

/* Any values, or none. */
static void tag_anyhow(draft *d, chance *c, uint32_t dimensions)
{
    draft_tag_dimensions(d, dimensions);
    for (uint32_t i = 0; i < dimensions; i++) {
        uint32_t range = 1 + chance_below(c, 4);
        for (uint32_t m = 0; m < d->group.member_count; m++) {
            if (!chance_once_in(c, 10)) {
                draft_tag(d, i, m, chance_below(c, range));
            }
        }
    }
}

/* Two or three clusters with the same zones in each. */
static void tag_as_grid(draft *d, chance *c)
{
    uint32_t clusters = d->group.member_count % 3 == 0 && chance_once_in(c, 2) ? 3 : 2;
    draft_tag_dimensions(d, 2);
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        draft_tag(d, 0, m, m % clusters);
        draft_tag(d, 1, m, m / clusters);
    }
}

/* Owners and some copies; each member has a disk of its own and some values. */
static draft *tagged_group(chance *c, uint32_t dimensions, uint32_t standbys, int grid)
{
    uint32_t members = grid ? 4 + 2 * chance_below(c, 2) : 2 + chance_below(c, 6);
    draft *d = group_of(1 + chance_below(c, MOST), members, standbys);
    if (grid) {
        tag_as_grid(d, c);
    } else {
        tag_anyhow(d, c, dimensions);
    }
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        for (uint32_t i = chance_below(c, 3); i > 0; i--) {
            draft_copy(d, chance_below(c, members), t, chance_below(c, SEGUE_LEARNER), chance_below(c, 20000));
        }
        draft_owns(d, chance_below(c, members), t, 1);
    }
    return d;
}

/* exact: how many of the dimensions are held to the best of all choices. */
static void hold_to_the_best(uint32_t dimensions, uint32_t standbys, uint32_t exact, int grid)
{
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        chance c = chance_of(seed);
        scene s;
        draft *d = tagged_group(&c, dimensions, standbys, grid);
        run(&s, d);
        for (uint32_t t = 0; t < d->group.task_count; t++) {
            uint32_t copies = copies_of(&s, t), wanted = standbys;
            wanted = d->group.member_count - 1 < wanted ? d->group.member_count - 1 : wanted;
            EXPECT(count(&s, t) == wanted, "seed %llu, task %u: %u standbys", (unsigned long long)seed, t, count(&s, t));
            uint32_t reached = diversity(d, copies, exact);
            uint32_t best = best_diversity(d, s.solver->view.owner[t], wanted, exact);
            EXPECT(reached == best, "seed %llu, task %u: %x different values, %x could be", (unsigned long long)seed, t,
                   reached, best);
        }
        solver_close(s.solver);
    }
}

static void a_single_standby_differs_in_as_many_dimensions_as_any_could(void **state)
{
    (void)state;
    hold_to_the_best(1, 1, 1, 0);
    hold_to_the_best(2, 1, 2, 0);
    hold_to_the_best(3, 1, 3, 0);
}

static void in_the_first_dimension_no_choice_of_standbys_differs_more(void **state)
{
    (void)state;
    hold_to_the_best(1, 2, 1, 0);
    hold_to_the_best(1, 3, 1, 0);
    hold_to_the_best(2, 2, 1, 0);
    hold_to_the_best(2, 3, 1, 0);
}

static void in_the_second_dimension_too_where_every_combination_is_there(void **state)
{
    (void)state;
    hold_to_the_best(2, 2, 2, 1);
    hold_to_the_best(2, 3, 2, 1);
}


static void tags_decide_before_stickiness_but_only_for_a_gain(void **state)
{
    (void)state;
    /* Owner and its caught-up standby share a value; 2 is elsewhere, and so is 3. */
    static const uint32_t value[] = {0, 0, 1, 1};
    for (int gain = 0; gain <= 1; gain++) {
        scene s;
        draft *d = group_of(1, 4, 1);
        draft_tag_dimensions(d, 1);
        for (uint32_t m = 0; m < 4; m++) {
            draft_tag(d, 0, m, value[m]);
        }
        draft_owns(d, 0, 0, 1);
        draft_copy(d, gain ? 1 : 3, 0, SEGUE_STANDBY, gain ? 0 : 90000);
        run(&s, d);
        assert_true(has(&s, 0, gain ? 2 : 3));
        solver_close(s.solver);
    }
}

static void of_copies_apart_the_better_one_is_kept(void **state)
{
    (void)state;
    scene s;
    draft *d = group_of(1, 4, 1);
    draft_tag_dimensions(d, 1);
    for (uint32_t m = 0; m < 4; m++) {
        draft_tag(d, 0, m, m / 2);
    }
    draft_owns(d, 0, 0, 1);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 0);
    draft_copy(d, 2, 0, SEGUE_DORMANT, 80000);
    draft_copy(d, 3, 0, SEGUE_STANDBY, 70000);
    run(&s, d);
    assert_true(has(&s, 0, 3));
    solver_close(s.solver);
}

static void racks_count_where_the_strategy_asks_and_no_tags_are_given(void **state)
{
    (void)state;
    static const uint32_t rack[] = {0, 0, 1};
    for (int asks = 0; asks <= 1; asks++) {
        scene s;
        draft *d = group_of(1, 3, 1);
        d->config.rack_strategy = asks ? SEGUE_RACK_MIN_TRAFFIC : SEGUE_RACK_NONE;
        d->group.member_rack = rack;
        d->group.rack_count = 2;
        draft_owns(d, 0, 0, 1);
        run(&s, d);
        assert_true(has(&s, 0, asks ? 2 : 1));
        solver_close(s.solver);
    }
}

static void a_leaver_s_standby_differs_from_who_takes_over(void **state)
{
    (void)state;
    scene s;
    draft *d = group_of(1, 4, 1);
    draft_tag_dimensions(d, 1);
    for (uint32_t m = 0; m < 4; m++) {
        draft_tag(d, 0, m, m / 2);
    }
    draft_owns(d, 0, 0, 1);
    draft_leaves(d, 0, SEGUE_TIME_NONE);
    run_with_learner_of_task_0(&s, d, 2);
    assert_true(has(&s, 0, 1));
    solver_close(s.solver);
}

static void more_values_than_zones_are_told_apart_all_the_same(void **state)
{
    (void)state;
    enum { HOSTS = 200 };
    scene s;
    draft *d = group_of(MOST, HOSTS, 2);
    draft_tag_dimensions(d, 1);
    for (uint32_t m = 0; m < HOSTS; m++) {
        draft_tag(d, 0, m, m);
    }
    for (uint32_t t = 0; t < MOST; t++) {
        draft_owns(d, t, t, 1);
        draft_copy(d, t + 64, t, SEGUE_STANDBY, 90000); /* folds onto the owner's zone */
    }
    run(&s, d);
    for (uint32_t t = 0; t < MOST; t++) {
        assert_int_equal(count(&s, t), 2);
        assert_true(has(&s, t, t + 64));
    }
    solver_close(s.solver);
}

/* ---- load and partners, through the whole plugin ---- */

/* Standbys of the tasks of `active` on `standby`. */
static uint32_t pairs(const rebalance *r, uint32_t active, uint32_t standby)
{
    uint32_t found = 0;
    for (uint32_t t = 0; t < r->plan.task_count; t++) {
        found += r->plan.active[t] == active && rebalance_stands_by(r, t, standby);
    }
    return found;
}

static uint32_t held(const rebalance *r, uint32_t member)
{
    uint32_t found = rebalance_actives(r, member) + rebalance_learners(r, member);
    for (uint32_t i = 0; i < r->plan.standby_count; i++) {
        found += r->plan.standby_member[i] == member;
    }
    return found;
}

static void from_the_ground_copies_are_even_for_each_thread(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 300; seed < last; seed++) {
        chance c = chance_of(seed);
        uint32_t members = 2 + chance_below(&c, 12), threads[16];
        draft *d = group_of(members * (1 + chance_below(&c, 20)), 0, 1 + chance_below(&c, 2));
        for (uint32_t m = 0; m < members; m++) {
            threads[m] = 2 + chance_below(&c, 2);
            draft_member(d, m, threads[m]);
        }
        draft_group(d);
        rebalance *r = rebalance_run("balanced", d);
        for (uint32_t a = 0; a < members; a++) {
            for (uint32_t b = 0; b < members; b++) {
                /* A copy of a's, on b, would not make b carry less than a does now; or b has a copy of everything. */
                uint64_t left = (uint64_t)(held(r, a) - 1) * threads[b], right = (uint64_t)(held(r, b) + 1) * threads[a];
                EXPECT(held(r, a) == 0 || left <= right || held(r, b) == d->group.task_count, "seed %llu: %u on %u threads, %u on %u",
                       (unsigned long long)seed, held(r, a), threads[a], held(r, b), threads[b]);
            }
        }
        rebalance_free(r);
        draft_free(d);
    }
}

static void the_standbys_of_one_member_lie_on_as_many_others_as_can_be(void **state)
{
    (void)state;
    for (uint32_t members = 3; members <= 40; members++) {
        for (uint32_t each = 1; each <= 12; each += 3) {
            draft *d = group_of(members * each, members, 1);
            draft_group(d);
            rebalance *r = rebalance_run("balanced", d);
            for (uint32_t a = 0; a < members; a++) {
                uint32_t most = 0;
                for (uint32_t b = 0; b < members; b++) {
                    most = pairs(r, a, b) > most ? pairs(r, a, b) : most;
                }
                EXPECT(most <= (each + members - 2) / (members - 1) + 1, "%u members with %u tasks: %u on one", members,
                       each, most);
            }
            rebalance_free(r);
            draft_free(d);
        }
    }
}

static void whose_process_dies_is_stood_in_for_by_many(void **state)
{
    (void)state;
    enum { MEMBERS = 20, EACH = 10 };
    draft *d = group_of(MEMBERS * EACH, MEMBERS, 1);
    draft_group(d);
    rebalance *r = rebalance_run("balanced", d);
    for (uint32_t dead = 0; dead < MEMBERS; dead++) {
        uint32_t others = 0;
        for (uint32_t m = 0; m < MEMBERS; m++) {
            others += pairs(r, dead, m) > 0;
        }
        assert_true(others >= EACH - 1);
    }
    rebalance_free(r);
    draft_free(d);
}

/* Three zones of these sizes, the tasks owned evenly. */
static void expect_even_zones(uint32_t first, uint32_t second, uint32_t third)
{
    const uint32_t sizes[] = {first, second, third}, members = first + second + third, each = 12;
    uint32_t m = 0, least = UINT32_MAX, most = 0;
    draft *d = group_of(members * each, members, 1);
    draft_tag_dimensions(d, 1);
    for (uint32_t z = 0; z < 3; z++) {
        for (uint32_t i = 0; i < sizes[z]; i++) {
            draft_tag(d, 0, m++, z);
        }
    }
    draft_group(d);
    rebalance *r = rebalance_run("balanced", d);
    for (m = 0; m < members; m++) {
        least = held(r, m) < least ? held(r, m) : least;
        most = held(r, m) > most ? held(r, m) : most;
        for (uint32_t other = 0; other < members; other++) {
            assert_true(d->tags[m] != d->tags[other] || pairs(r, m, other) == 0);
        }
    }
    EXPECT(most - least <= 1, "zones of %u, %u, %u: from %u to %u copies", first, second, third, least, most);
    rebalance_free(r);
    draft_free(d);
}

/* No zone has more than half of the members, so that both can be had: all apart, and as even as without zones. */
static void zones_of_any_sizes_are_even_where_none_has_more_than_half(void **state)
{
    (void)state;
    for (uint32_t first = 1; first <= 6; first++) {
        for (uint32_t second = 1; second <= 6; second++) {
            for (uint32_t third = 1; third <= 6; third++) {
                uint32_t all = first + second + third;
                if (2 * first <= all && 2 * second <= all && 2 * third <= all) {
                    expect_even_zones(first, second, third);
                }
            }
        }
    }
}

/* A zone larger than all others together is more than these can back up evenly with it, so that they do among themselves. */
static void zones_beside_one_with_more_than_half_are_even_among_themselves(void **state)
{
    (void)state;
    enum { EACH = 12 };
    for (uint32_t code = 0; code < 3 * 3 * 4; code++) {
        uint32_t second = 1 + code % 3, third = 1 + code / 3 % 3, first = second + third + 1 + code / 9;
        uint32_t members = first + second + third, least = UINT32_MAX, most = 0;
        draft *d = group_of(members * EACH, members, 1);
        draft_tag_dimensions(d, 1);
        for (uint32_t m = 0; m < members; m++) {
            draft_tag(d, 0, m, m < first ? 0 : 1 + (m >= first + second));
        }
        draft_group(d);
        rebalance *r = rebalance_run("balanced", d);
        for (uint32_t m = 0; m < members; m++) {
            uint32_t here = held(r, m);
            least = m >= first && here < least ? here : least;
            most = m >= first && here > most ? here : most;
            for (uint32_t other = 0; other < members; other++) {
                assert_true(d->tags[m] != d->tags[other] || pairs(r, m, other) == 0);
            }
        }
        EXPECT(most - least <= 1, "zones of %u, %u, %u: from %u to %u copies", first, second, third, least, most);
        rebalance_finish(d, r);
    }
}

/* Of zones that are equally large no two depend on each other more than on the rest: who loses one still has all others. */
static void the_standbys_of_one_zone_are_shared_by_all_others(void **state)
{
    (void)state;
    enum { EACH = 12 };
    for (uint32_t code = 0; code < 3 * 4; code++) {
        uint32_t zones = 3 + code % 3, size = 1 + code / 3, members = zones * size, by_zone[5][5] = {{0}};
        draft *d = group_of(members * EACH, members, 1);
        draft_tag_dimensions(d, 1);
        for (uint32_t m = 0; m < members; m++) {
            draft_tag(d, 0, m, m % zones);
        }
        draft_group(d);
        rebalance *r = rebalance_run("balanced", d);
        for (uint32_t one = 0; one < members; one++) {
            for (uint32_t other = 0; other < members; other++) {
                by_zone[one % zones][other % zones] += pairs(r, one, other);
            }
        }
        for (uint32_t one = 0; one < zones; one++) {
            for (uint32_t other = 0; other < zones; other++) {
                uint32_t even = one == other ? 0 : size * EACH / (zones - 1), has = by_zone[one][other];
                EXPECT(has + 1 >= even && has <= even + 1, "%u zones of %u: %u depends on %u with %u copies, not %u", zones,
                       size, one, other, has, even);
            }
        }
        rebalance_free(r);
        draft_free(d);
    }
}

static void a_plan_fed_back_with_tags_gives_itself(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        chance c = chance_of(seed);
        draft *d = random_group(seed, (random_size){12, 7, 3, 3}, RANDOM_ANYTHING);
        tag_anyhow(d, &c, 1 + chance_below(&c, 2));
        draft_group(d);
        rebalance *first = rebalance_run("balanced", d);
        draft *next = rebalance_next(d, first, SAME_LAGS);
        rebalance *second = rebalance_run("balanced", next);
        EXPECT(rebalance_same(first, second), "seed %llu: the plan changes", (unsigned long long)seed);
        rebalance_free(first);
        rebalance_free(second);
        draft_free(d);
        draft_free(next);
    }
}

/* One standby more, and one less again: what was there stays, and of what was added the least caught up goes. */
static void another_number_of_standbys_adds_and_drops_only_the_difference(void **state)
{
    (void)state;
    draft *d = group_of(24, 6, 1);
    draft_group(d);
    rebalance *r = rebalance_run("balanced", d);
    rebalance_again("balanced", &d, &r, CAUGHT_UP);
    for (uint32_t replicas = 2; replicas <= 4; replicas++) {
        draft *more = rebalance_next(d, r, SAME_LAGS);
        more->config.num_standby_replicas = replicas;
        rebalance *added = rebalance_run("balanced", more);
        for (uint32_t t = 0; t < 24; t++) {
            assert_int_equal(rebalance_standbys(added, t), replicas);
            assert_true(rebalance_stands_by(added, t, r->plan.standby_member[t]));
        }
        draft *less = rebalance_next(more, added, SAME_LAGS);
        less->config.num_standby_replicas = 1;
        rebalance *back = rebalance_run("balanced", less);
        assert_true(rebalance_same(r, back));
        rebalance_free(added);
        rebalance_free(back);
        draft_free(more);
        draft_free(less);
    }
    rebalance_free(r);
    draft_free(d);
}

/* The number of standbys, counted from the plan alone. */
static uint32_t expected_standbys(const draft *d, const rebalance *r, uint32_t task, int knows_leaving)
{
    uint32_t free = 0;
    for (uint32_t p = 0; p < d->group.process_count; p++) {
        int stays = 0, holds = d->process[r->plan.active[task]] == p;
        uint32_t learner = r->plan.learner[task];
        holds |= learner != SEGUE_NONE && d->process[learner] == p;
        for (uint32_t m = 0; m < d->group.member_count; m++) {
            int leaves = knows_leaving && d->leaving_ms[m] != SEGUE_TIME_NONE;
            stays |= d->process[m] == p && d->threads[m] > 0 && !leaves;
        }
        free += (uint32_t)(stays && !holds);
    }
    return free < d->config.num_standby_replicas ? free : d->config.num_standby_replicas;
}

static int somebody_stays(const draft *d)
{
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        if (d->threads[m] > 0 && d->leaving_ms[m] == SEGUE_TIME_NONE) {
            return 1;
        }
    }
    return 0;
}

static void the_number_is_exact_in_any_group(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        draft *d = random_group(seed, (random_size){12, 7, 3, 3}, RANDOM_ANYTHING);
        rebalance *r = rebalance_run("balanced", d);
        for (uint32_t t = 0; somebody_stays(d) && t < d->group.task_count; t++) {
            uint32_t expected = d->stateful[t] ? expected_standbys(d, r, t, 1) : 0;
            EXPECT(rebalance_standbys(r, t) == expected, "seed %llu, task %u: %u standbys, not %u",
                   (unsigned long long)seed, t, rebalance_standbys(r, t), expected);
        }
        rebalance_free(r);
        draft_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_as_wanted_when_there_are_processes_enough),
        cmocka_unit_test(no_more_than_there_are_other_processes),
        cmocka_unit_test(a_single_process_has_no_standbys),
        cmocka_unit_test(a_learner_takes_its_process_out_of_the_count),
        cmocka_unit_test(stateless_tasks_have_none),
        cmocka_unit_test(copies_that_exist_come_first_and_the_best_of_them),
        cmocka_unit_test(a_running_standby_stays_where_it_is_however_loaded),
        cmocka_unit_test(new_ones_go_to_the_lightest_process_and_on_it_to_the_lightest_member),
        cmocka_unit_test(a_process_with_more_threads_carries_more),
        cmocka_unit_test(every_task_has_its_first_standby_before_one_has_its_second),
        cmocka_unit_test(a_leaving_process_is_no_place_for_a_standby),
        cmocka_unit_test(a_leaving_holders_copy_goes_on_under_its_neighbour),
        cmocka_unit_test(where_nobody_stays_running_standbys_are_kept_and_none_is_built),
        cmocka_unit_test(where_nobody_has_threads_nobody_stands_by),
        cmocka_unit_test(the_number_is_exact_in_any_group),
        cmocka_unit_test(a_single_standby_differs_in_as_many_dimensions_as_any_could),
        cmocka_unit_test(in_the_first_dimension_no_choice_of_standbys_differs_more),
        cmocka_unit_test(in_the_second_dimension_too_where_every_combination_is_there),
        cmocka_unit_test(tags_decide_before_stickiness_but_only_for_a_gain),
        cmocka_unit_test(of_copies_apart_the_better_one_is_kept),
        cmocka_unit_test(racks_count_where_the_strategy_asks_and_no_tags_are_given),
        cmocka_unit_test(a_leaver_s_standby_differs_from_who_takes_over),
        cmocka_unit_test(more_values_than_zones_are_told_apart_all_the_same),
        cmocka_unit_test(from_the_ground_copies_are_even_for_each_thread),
        cmocka_unit_test(the_standbys_of_one_member_lie_on_as_many_others_as_can_be),
        cmocka_unit_test(whose_process_dies_is_stood_in_for_by_many),
        cmocka_unit_test(zones_of_any_sizes_are_even_where_none_has_more_than_half),
        cmocka_unit_test(zones_beside_one_with_more_than_half_are_even_among_themselves),
        cmocka_unit_test(the_standbys_of_one_zone_are_shared_by_all_others),
        cmocka_unit_test(a_plan_fed_back_with_tags_gives_itself),
        cmocka_unit_test(another_number_of_standbys_adds_and_drops_only_the_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
