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
    draft_tasks(d, tasks / 2 + chance_below(&c, tasks / 2), 1);
    for (uint32_t p = 0; p < processes; p++) {
        draft_member(d, p, 1);
    }
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        draft_owns(d, chance_below(&c, skewed ? 1 + chance_below(&c, owners) : processes), t, 1);
    }
    d->config.num_standby_replicas = 1 + chance_below(&c, processes - 1);
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
                EXPECT(b->load[p] <= b->load[other] + 1 || has(b, t, other), "seed %llu: %u has %u, and %u only %u",
                       (unsigned long long)seed, p, b->load[p], other, b->load[other]);
            }
        }
    }
}

/* In large groups only where owners have about the same: else searches for a place would end by their number. */
static void no_standby_would_be_better_on_a_lighter_process(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 2000; seed < last; seed++) {
        int large = seed % 60 == 0;
        built b = build(seed, large ? 4000 : 40, !large);
        expect_even(seed, &b);
        solver_close(b.s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_standby_would_be_better_on_a_lighter_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
