/* SPDX-License-Identifier: Apache-2.0 */
/* Standbys that are built are as even as their tasks allow, however many of these find no place at first. */
#include "solve/stand_by.h"

#include "test/chance.h"
#include "test/solver.h"
#include "test/testing.h"

enum { PROCESSES = 8 };

typedef struct built {
    solver *s;
    sgp_standbys standbys;
    uint32_t load[PROCESSES]; /* copies */
} built;

static int has(const built *b, uint32_t task, uint32_t process)
{
    int found = b->s->view.owner[task] == process;
    for (uint32_t i = 0; i < b->standbys.ranks; i++) {
        found |= b->standbys.member[task * b->standbys.ranks + i] == process;
    }
    return found;
}

/* Nobody has a copy but the owners; `skewed`: of whom some own far more than others. */
static built build(uint64_t seed, uint32_t tasks, int skewed)
{
    chance c = chance_of(seed);
    draft *d = draft_new();
    uint32_t processes = 3 + chance_below(&c, PROCESSES - 2), owners = 2 + chance_below(&c, processes - 1);
    uint32_t replicas = 1 + chance_below(&c, processes - 1); /* of several each is dealt for itself */
    draft_tasks(d, tasks / 2 + chance_below(&c, tasks / 2), 1);
    for (uint32_t p = 0; p < processes; p++) {
        draft_member(d, p, 1 + (skewed && replicas == 1 && chance_once_in(&c, 3) ? chance_below(&c, 5) : 0));
    }
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        draft_owns(d, chance_below(&c, skewed ? 1 + chance_below(&c, owners) : processes), t, 1);
    }
    d->config.num_standby_replicas = replicas;
    built b = {.s = solver_open(d)};
    const sgp_view *view = &b.s->view;
    uint32_t *learner = SGP_TAKE(&b.s->region, uint32_t, view->tasks);
    memset(learner, 0xff, view->tasks * sizeof *learner);
    assert_int_equal(sgp_stand_by(view, view->owner, learner, &b.standbys, &b.s->region), SEGUE_OK);
    for (uint32_t t = 0; t < view->tasks; t++) {
        for (uint32_t p = 0; p < processes; p++) {
            b.load[p] += (uint32_t)has(&b, t, p);
        }
    }
    return b;
}

static void expect_even(uint64_t seed, const built *b)
{
    const sgp_view *view = &b->s->view;
    for (uint32_t t = 0; t < view->tasks; t++) {
        for (uint32_t i = 0; i < b->standbys.ranks; i++) {
            uint32_t p = b->standbys.member[t * b->standbys.ranks + i];
            EXPECT(p < view->processes, "seed %llu: task %u has no standby %u", (unsigned long long)seed, t, i);
            for (uint32_t other = 0; other < view->processes; other++) {
                uint32_t rounded = view->threads[p] != view->threads[other]; /* shares of threads are rounded */
                uint32_t now = (b->load[p] - rounded) * view->threads[other], then = (b->load[other] + 1) * view->threads[p];
                EXPECT(now <= then || has(b, t, other), "seed %llu: %u has %u, and %u only %u",
                       (unsigned long long)seed, p, b->load[p], other, b->load[other]);
            }
        }
    }
}

static void no_standby_would_be_better_on_a_lighter_process(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 2000; seed < last; seed++) {
        built b = build(seed, 40, 1);
        expect_even(seed, &b);
        solver_close(b.s);
    }
}

/* Now and then a search for a place ends by its number, and some are left over: in none of these groups. */
static void in_large_groups_neither(void **state)
{
    (void)state;
    for (uint64_t seed = 20261160; seed < 20263140; seed += 60) {
        built b = build(seed, 4000, 0);
        expect_even(seed, &b);
        solver_close(b.s);
    }
}

/* Two members on each of three processes. */
static void on_a_process_the_lightest_member_for_its_threads_stands_by(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 300; seed < last; seed++) {
        chance c = chance_of(seed);
        draft *d = draft_new();
        uint32_t load[6] = {0}, stands[6] = {0};
        draft_tasks(d, 1 + chance_below(&c, 40), 1);
        for (uint32_t m = 0; m < 6; m++) {
            draft_member(d, m / 2, 1 + chance_below(&c, 3));
        }
        for (uint32_t t = 0; t < d->group.task_count; t++) {
            uint32_t owner = chance_below(&c, 1 + chance_below(&c, 6));
            draft_owns(d, owner, t, 1);
            load[owner]++;
        }
        d->config.num_standby_replicas = 1 + chance_below(&c, 2);
        solver *s = solver_open(d);
        sgp_standbys standbys;
        uint32_t *learner = SGP_TAKE(&s->region, uint32_t, s->view.tasks);
        memset(learner, 0xff, s->view.tasks * sizeof *learner);
        assert_int_equal(sgp_stand_by(&s->view, s->view.owner, learner, &standbys, &s->region), SEGUE_OK);
        for (uint32_t i = 0; i < s->view.tasks * standbys.ranks; i++) {
            load[standbys.member[i]]++;
            stands[standbys.member[i]]++;
        }
        for (uint32_t m = 0; m < 6; m++) {
            EXPECT(stands[m] == 0 || (load[m] - 1) * d->threads[m ^ 1] <= load[m ^ 1] * d->threads[m],
                   "seed %llu: %u has %u, and %u beside it %u", (unsigned long long)seed, m, load[m], m ^ 1, load[m ^ 1]);
        }
        solver_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_a_process_the_lightest_member_for_its_threads_stands_by),
        cmocka_unit_test(in_large_groups_neither),
        cmocka_unit_test(no_standby_would_be_better_on_a_lighter_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
