/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/weigh_search.h"

#include "test/testing.h"
#include "test/weighing.h"

enum { TASKS = 7 };

/* What trying all assignments says of those in which all fit. */
typedef struct fits {
    uint32_t count, moves; /* how many there are, and the fewest moves of one */
    int keeps_learners;    /* one with so few moves leaves everything where it is learned */
    uint32_t start[TASKS]; /* one of them */
    chance chance;         /* which */
} fits;

/* Does somebody learn a task, and the assignment has it elsewhere? */
static int drops_learners(const weighing *w, const uint32_t *holder)
{
    int drops = 0;
    for (uint32_t t = 0; t < w->solver->view.tasks; t++) {
        uint32_t learner = sgp_scale_flying(&w->scale, t);
        drops |= learner != SEGUE_NONE && learner != holder[t];
    }
    return drops;
}

/* Tasks of who serves and stays that are to be elsewhere. */
static uint32_t moves_of(const weighing *w, const uint32_t *holder)
{
    uint32_t moves = 0;
    for (uint32_t t = 0; t < w->solver->view.tasks; t++) {
        uint32_t server = w->balance.serve[t];
        moves += server != SEGUE_NONE && w->solver->view.place[server] == SGP_STAYS && server != holder[t];
    }
    return moves;
}

static void see_fit(void *context, const weighing *w, const uint32_t *holder)
{
    fits *f = context;
    uint32_t moves = moves_of(w, holder);
    int fewer = f->count++ == 0 || moves < f->moves;
    f->keeps_learners = (!fewer && f->keeps_learners) || ((fewer || moves == f->moves) && !drops_learners(w, holder));
    f->moves = fewer ? moves : f->moves;
    if (chance_once_in(&f->chance, f->count)) {
        memcpy(f->start, holder, w->solver->view.tasks * sizeof *holder);
    }
}

/* Some tasks of those who stay are learned by others who do. */
static void let_learn(weighing *w, chance *c, uint32_t *flying)
{
    const sgp_view *view = &w->solver->view;
    for (uint32_t t = 0; t < view->tasks; t++) {
        uint32_t member = chance_below(c, view->members);
        int can = sgp_scale_keeps(&w->scale, t) && member != w->balance.serve[t] && view->place[member] == SGP_STAYS;
        flying[t] = can && chance_once_in(c, 3) ? member : SEGUE_NONE;
    }
    w->scale.flying = flying;
}

/* From any targets that fit to those with the fewest moves, all of which trying everything finds. */
static void no_assignment_that_fits_takes_fewer_moves(void **state)
{
    (void)state;
    uint32_t groups = 0, lowered = 0, learning = 0;
    for (uint64_t seed = chance_seed(), last = seed + 2500; seed < last; seed++) {
        weighing *w = weighing_open(weighing_small_draft(seed));
        uint32_t flying[TASKS], *target = w->balance.target;
        fits f = {.chance = chance_of(seed)};
        if (seed % 2 == 0) {
            let_learn(w, &f.chance, flying);
        }
        weighing_each_fit(w, see_fit, &f);
        if (f.count > 0) {
            memcpy(target, f.start, w->solver->view.tasks * sizeof *target);
            sgp_scale_weigh(&w->scale, target);
            assert_int_equal(sgp_search(&w->scale), SEGUE_OK);
            EXPECT(weighing_adds_up(w, target) && sgp_scale_fits_all(&w->scale), "seed %llu: they do not fit",
                   (unsigned long long)seed);
            EXPECT(moves_of(w, target) == f.moves, "seed %llu: %u moves instead of %u", (unsigned long long)seed,
                   moves_of(w, target), f.moves);
            EXPECT(!f.keeps_learners || !drops_learners(w, target), "seed %llu: what is learned is given up",
                   (unsigned long long)seed);
            groups++;
            lowered += moves_of(w, f.start) > f.moves;
            learning += f.keeps_learners && drops_learners(w, f.start);
        }
        weighing_close(w);
    }
    assert_true(groups > 1500 && lowered > 500 && learning > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_assignment_that_fits_takes_fewer_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
