/* SPDX-License-Identifier: Apache-2.0 */
/* Standbys that are built apart from each other: few of them would be better on a lighter process that differs as much. */
#include "solve/stand_by.h"

#include "test/chance.h"
#include "test/solver.h"
#include "test/testing.h"

enum { PROCESSES = 14, TASKS = 60, DIMENSIONS = 2 };

typedef struct built {
    solver *s;
    uint32_t dimensions, learner[TASKS];
    sgp_standbys standbys;
    uint32_t load[PROCESSES]; /* copies */
} built;

/* Nobody has a copy but the owners, of whom some own far more than others. */
static draft *some_group(chance *c, uint32_t dimensions, uint32_t replicas)
{
    draft *d = draft_new();
    uint32_t processes = 3 + chance_below(c, PROCESSES - 2), owners = 1 + chance_below(c, processes);
    draft_tasks(d, 1 + chance_below(c, TASKS), 1);
    for (uint32_t p = 0; p < processes; p++) {
        draft_member(d, p, 1);
    }
    draft_tag_dimensions(d, dimensions);
    for (uint32_t i = 0; i < dimensions; i++) {
        uint32_t values = 2 + chance_below(c, 4), none = chance_below(c, 2);
        for (uint32_t p = 0; p < processes; p++) {
            if (!none || !chance_once_in(c, 5)) {
                draft_tag(d, i, p, chance_below(c, values));
            }
        }
    }
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        draft_owns(d, chance_below(c, chance_once_in(c, 2) ? owners : processes), t, 1);
    }
    d->config.num_standby_replicas = replicas;
    return d;
}

static int has(const built *b, uint32_t task, uint32_t process)
{
    int found = b->s->view.owner[task] == process || b->learner[task] == process;
    for (uint32_t i = 0; i < b->standbys.ranks; i++) {
        found |= b->standbys.member[task * b->standbys.ranks + i] == process;
    }
    return found;
}

static built build_from(draft *d, uint32_t dimensions)
{
    built b = {.s = solver_open(d), .dimensions = dimensions};
    const sgp_view *view = &b.s->view;
    memset(b.learner, 0xff, sizeof b.learner);
    assert_int_equal(sgp_stand_by(view, view->owner, b.learner, &b.standbys, &b.s->region), SEGUE_OK);
    for (uint32_t t = 0; t < view->tasks; t++) {
        for (uint32_t p = 0; p < view->processes; p++) {
            b.load[p] += (uint32_t)has(&b, t, p);
        }
    }
    return b;
}

static built build(uint64_t seed, uint32_t replicas)
{
    chance c = chance_of(seed);
    uint32_t dimensions = 1 + chance_below(&c, DIMENSIONS);
    return build_from(some_group(&c, dimensions, replicas), dimensions);
}

static uint32_t value(const built *b, uint32_t dimension, uint32_t process)
{
    return b->s->draft->tags[(size_t)dimension * b->s->view.members + process];
}

/* In which dimensions the process differs from the task's copies but the one on `without`: the first counts most. */
static uint32_t novelty(const built *b, uint32_t task, uint32_t process, uint32_t without)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < b->dimensions; i++) {
        uint32_t fresh = value(b, i, process) != SEGUE_NONE;
        for (uint32_t p = 0; p < b->s->view.processes; p++) {
            fresh &= p == without || !has(b, task, p) || value(b, i, p) != value(b, i, process);
        }
        all = all << 1 | fresh;
    }
    return all;
}

/* Standbys that would be better on a lighter process which differs as much. */
static uint32_t misplaced(const built *b)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < b->s->view.tasks; t++) {
        for (uint32_t i = 0; i < b->standbys.ranks; i++) {
            uint32_t p = b->standbys.member[t * b->standbys.ranks + i], here = novelty(b, t, p, p), found = 0;
            for (uint32_t other = 0; other < b->s->view.processes; other++) {
                found |= b->load[p] > b->load[other] + 1 && !has(b, t, other) && novelty(b, t, other, p) == here;
            }
            count += found;
        }
    }
    return count;
}

/* ---- learners ---- */

/* Of the value that standbys have to differ from: the active's, or of who takes over from one that leaves. */
static uint32_t anchor_value(const built *b, uint32_t task)
{
    uint32_t owner = b->s->view.owner[task], learner = b->learner[task];
    int leaves = b->s->view.place[owner] != SGP_STAYS && learner != SEGUE_NONE;
    return value(b, 0, leaves ? learner : owner);
}

/* Some owners leave, and some tasks are learned. */
static built build_with_learners(uint64_t seed)
{
    chance c = chance_of(seed);
    draft *d = some_group(&c, 1, 1);
    for (uint32_t m = 1; m < d->group.member_count; m++) {
        if (chance_once_in(&c, 4)) {
            draft_leaves(d, m, SEGUE_TIME_NONE);
        }
    }
    built b = {.s = solver_open(d), .dimensions = 1};
    const sgp_view *view = &b.s->view;
    for (uint32_t t = 0; t < view->tasks; t++) {
        uint32_t member = chance_below(&c, view->members);
        int may = view->place[member] == SGP_STAYS && member != view->owner[t] && chance_once_in(&c, 2);
        b.learner[t] = may ? member : SEGUE_NONE;
    }
    assert_int_equal(sgp_stand_by(view, view->owner, b.learner, &b.standbys, &b.s->region), SEGUE_OK);
    return b;
}

static void a_standby_differs_from_the_active_or_from_who_takes_over_and_from_nobody_else(void **state)
{
    (void)state;
    uint32_t both = 0, beside = 0;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        built b = build_with_learners(seed);
        for (uint32_t t = 0; t < b.s->view.tasks; t++) {
            uint32_t p = b.standbys.member[t], anchor = anchor_value(&b, t), learner = b.learner[t], could = 0;
            for (uint32_t other = 0; other < b.s->view.processes; other++) {
                int free = b.s->view.place[other] == SGP_STAYS && other != b.s->view.owner[t] && other != learner;
                could += free && value(&b, 0, other) != SEGUE_NONE && value(&b, 0, other) != anchor;
            }
            EXPECT(could == 0 || (value(&b, 0, p) != SEGUE_NONE && value(&b, 0, p) != anchor),
                   "seed %llu: the standby of task %u is with its like", (unsigned long long)seed, t);
            int apart = learner != SEGUE_NONE && value(&b, 0, learner) != anchor && could > 1 && p != SEGUE_NONE;
            both += (uint32_t)apart;
            beside += apart && value(&b, 0, p) == value(&b, 0, learner);
        }
        solver_close(b.s);
    }
    EXPECT(beside * 6 > both, "of %u standbys %u are where a learner is that they need not differ from", both, beside);
}

/* ---- evenness ---- */

/* Zones are filled by numbers, and each of its tasks then goes to a zone: which leaves some unevenness. In percent of all, by
 * standbys of a task; 6.2 to 7.0, 6.2 to 6.9 and 5.9 to 6.3 were seen. */
static void few_would_be_better_on_a_lighter_process_that_differs_as_much(void **state)
{
    (void)state;
    static const double most[] = {8, 7.5, 7};
    uint32_t bad[3] = {0}, all[3] = {0};
    for (uint64_t seed = chance_seed(), last = seed + 3000; seed < last; seed++) {
        uint32_t replicas = 1 + (uint32_t)(seed % 3);
        built b = build(seed, replicas);
        bad[replicas - 1] += misplaced(&b);
        all[replicas - 1] += b.standbys.ranks * b.s->view.tasks;
        solver_close(b.s);
    }
    for (uint32_t i = 0; i < 3; i++) {
        EXPECT(100.0 * bad[i] < most[i] * all[i], "%u of %u with %u each", bad[i], all[i], i + 1);
    }
}

/* Two of fourteen values are used by a task before its last standby: of such sets 64 are counted for themselves, and the others
 * together. */
static void more_sets_of_values_than_are_counted_are_apart_as_well(void **state)
{
    (void)state;
    enum { VALUES = 14, EACH = 7 };
    draft *d = draft_new();
    uint32_t load[VALUES] = {0};
    draft_tasks(d, VALUES * VALUES * EACH, 1);
    for (uint32_t p = 0; p < VALUES; p++) {
        draft_member(d, p, 1);
    }
    draft_tag_dimensions(d, 1);
    for (uint32_t p = 0; p < VALUES; p++) {
        draft_tag(d, 0, p, p);
    }
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        uint32_t owner = t % VALUES, other = t / VALUES % VALUES;
        draft_owns(d, owner, t, 1);
        if (other != owner) {
            draft_copy(d, other, t, SEGUE_STANDBY, 0);
        }
    }
    d->config.num_standby_replicas = 2;
    solver *s = solver_open(d);
    sgp_standbys standbys;
    uint32_t *learner = SGP_TAKE(&s->region, uint32_t, s->view.tasks);
    memset(learner, 0xff, s->view.tasks * sizeof *learner);
    assert_int_equal(sgp_stand_by(&s->view, s->view.owner, learner, &standbys, &s->region), SEGUE_OK);
    for (uint32_t t = 0; t < s->view.tasks; t++) {
        const uint32_t owner = s->view.owner[t], *row = sgp_standbys_of(&standbys, t);
        assert_true(row[0] < VALUES && row[1] < VALUES && row[0] != row[1] && row[0] != owner && row[1] != owner);
        load[owner]++;
        load[row[0]]++;
        load[row[1]]++;
    }
    for (uint32_t p = 0; p < VALUES; p++) {
        EXPECT(load[p] + 1 >= 3 * VALUES * EACH && load[p] <= 3 * VALUES * EACH + 1, "%u has %u copies", p, load[p]);
    }
    solver_close(s);
}

/* One standby of each task, and then the others beside those, are the same as all at once: a round knows nothing of the last. */
static void what_is_built_at_once_is_what_is_built_one_by_one(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        chance c = chance_of(seed), same = c;
        uint32_t dimensions = chance_below(&c, DIMENSIONS + 1);
        (void)chance_below(&same, DIMENSIONS + 1);
        draft *d = some_group(&same, dimensions, 1), *all = draft_clone(d), *next = draft_clone(d);
        built one = build_from(d, dimensions);
        for (uint32_t t = 0; t < d->group.task_count; t++) {
            draft_copy(next, one.standbys.member[t], t, SEGUE_STANDBY, 0);
        }
        next->config.num_standby_replicas = all->config.num_standby_replicas = 2;
        built second = build_from(next, dimensions), whole = build_from(all, dimensions);
        for (uint32_t i = 0; i < second.standbys.ranks * d->group.task_count; i++) {
            EXPECT(second.standbys.member[i] == whole.standbys.member[i], "seed %llu: standby %u is %u, at once %u",
                   (unsigned long long)seed, i, second.standbys.member[i], whole.standbys.member[i]);
        }
        solver_close(one.s);
        solver_close(second.s);
        solver_close(whole.s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_would_be_better_on_a_lighter_process_that_differs_as_much),
        cmocka_unit_test(what_is_built_at_once_is_what_is_built_one_by_one),
        cmocka_unit_test(a_standby_differs_from_the_active_or_from_who_takes_over_and_from_nobody_else),
        cmocka_unit_test(more_sets_of_values_than_are_counted_are_apart_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
