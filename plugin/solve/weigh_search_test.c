/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/weigh_search.h"

#include "test/testing.h"
#include "test/weighing.h"

enum { TASKS = 7 };

/* What trying all assignments says of those in which all fit. */
typedef struct fits {
    uint32_t count, moves; /* how many there are, and the fewest moves of one */
    int kept;              /* how much of what is learned one with so few moves leaves where it is learned */
    uint32_t start[TASKS]; /* one of them */
    uint32_t least[TASKS], least_count; /* one of those with so few moves that keep them, and how many these are */
    chance chance;         /* which */
} fits;

/* Who learns what, and what of that has caught up. */
typedef struct learning {
    uint32_t flying[TASKS];
    uint8_t ready[TASKS];
} learning;

static int is_ready(const weighing *w, uint32_t task)
{
    return w->scale.ready != NULL && w->scale.ready[task];
}

/* How much of what is learned lies where it is learned. */
static int kept_by(const weighing *w, const uint32_t *holder)
{
    int all = 1, ready = 1;
    for (uint32_t t = 0; t < w->solver->view.tasks; t++) {
        uint32_t learner = sgp_scale_flying(&w->scale, t);
        int is_there = learner == SEGUE_NONE || learner == holder[t];
        all &= is_there;
        ready &= is_there || !is_ready(w, t);
    }
    return all ? SGP_FLIES_ALL : ready ? SGP_FLIES_READY : SGP_FLIES_NONE;
}

/* Tasks of who serves and stays that are to be elsewhere, and have not caught up there. */
static uint32_t moves_of(const weighing *w, const uint32_t *holder)
{
    uint32_t moves = 0;
    for (uint32_t t = 0; t < w->solver->view.tasks; t++) {
        uint32_t server = w->balance.serve[t];
        int is_done = is_ready(w, t) && sgp_scale_flying(&w->scale, t) == holder[t];
        moves += server != SEGUE_NONE && w->solver->view.place[server] == SGP_STAYS && server != holder[t] && !is_done;
    }
    return moves;
}

static void see_fit(void *context, const weighing *w, const uint32_t *holder)
{
    fits *f = context;
    uint32_t moves = moves_of(w, holder);
    int fewer = f->count++ == 0 || moves < f->moves, kept = kept_by(w, holder);
    f->kept = fewer || (moves == f->moves && kept > f->kept) ? kept : f->kept;
    f->moves = fewer ? moves : f->moves;
    f->least_count = fewer ? 0 : f->least_count;
    if (moves == f->moves && kept == SGP_FLIES_ALL && chance_once_in(&f->chance, ++f->least_count)) {
        memcpy(f->least, holder, w->solver->view.tasks * sizeof *holder);
    }
    if (chance_once_in(&f->chance, f->count)) {
        memcpy(f->start, holder, w->solver->view.tasks * sizeof *holder);
    }
}

/* In every other group some tasks of those who stay are learned by others who do, and in half of these some have caught up. */
static void let_learn(weighing *w, chance *c, uint64_t seed, learning *l)
{
    const sgp_view *view = &w->solver->view;
    for (uint32_t t = 0; t < view->tasks; t++) {
        uint32_t member = chance_below(c, view->members);
        int can = sgp_scale_keeps(&w->scale, t) && member != w->balance.serve[t] && view->place[member] == SGP_STAYS;
        l->flying[t] = can && chance_once_in(c, 3) ? member : SEGUE_NONE;
        l->ready[t] = l->flying[t] != SEGUE_NONE && chance_once_in(c, 2);
    }
    w->scale.flying = seed % 2 == 0 ? l->flying : NULL;
    w->scale.ready = seed % 4 == 0 && memchr(l->ready, 1, view->tasks) != NULL ? l->ready : NULL;
}

/* In some of these groups there are many tasks of one weight. */
static weighing *open_small(uint64_t seed)
{
    draft *d = weighing_small_draft(seed);
    for (uint32_t t = 0; seed % 12 < 5 && t < d->group.task_count; t++) {
        d->weight[t] = 1 + t % 2;
    }
    return weighing_open(d);
}

/* From any targets that fit to those with the fewest moves, all of which trying everything finds. */
static void no_assignment_that_fits_takes_fewer_moves(void **state)
{
    (void)state;
    uint32_t groups = 0, lowered = 0, kept[] = {0, 0, 0};
    for (uint64_t seed = chance_seed(), last = seed + 2500; seed < last; seed++) {
        weighing *w = open_small(seed);
        uint32_t *target = w->balance.target;
        fits f = {.chance = chance_of(seed)};
        learning l;
        let_learn(w, &f.chance, seed, &l);
        weighing_each_fit(w, see_fit, &f);
        if (f.count > 0) {
            memcpy(target, f.start, w->solver->view.tasks * sizeof *target);
            sgp_scale_weigh(&w->scale, target);
            assert_int_equal(sgp_search(&w->scale), SEGUE_OK);
            EXPECT(weighing_adds_up(w, target) && sgp_scale_fits_all(&w->scale), "seed %llu: they do not fit",
                   (unsigned long long)seed);
            EXPECT(moves_of(w, target) == f.moves, "seed %llu: %u moves instead of %u", (unsigned long long)seed,
                   moves_of(w, target), f.moves);
            EXPECT(kept_by(w, target) == f.kept, "seed %llu: %d is kept of what is learned, not %d",
                   (unsigned long long)seed, kept_by(w, target), f.kept);
            groups++;
            lowered += moves_of(w, f.start) > f.moves;
            kept[f.kept] += f.kept > kept_by(w, f.start);
        }
        weighing_close(w);
    }
    EXPECT(groups > 1500 && lowered > 500 && kept[SGP_FLIES_READY] > 4 && kept[SGP_FLIES_ALL] > 15,
           "%u groups, %u, %u, %u", groups, lowered, kept[SGP_FLIES_READY], kept[SGP_FLIES_ALL]);
}

/* Which of several that are as good it is follows from what was found before. */
static void where_no_move_can_be_saved_the_targets_stay_as_they_are(void **state)
{
    (void)state;
    uint32_t choices = 0;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        weighing *w = weighing_open(weighing_small_draft(seed));
        const size_t size = w->solver->view.tasks * sizeof *w->balance.target;
        fits f = {.chance = chance_of(seed)};
        learning l;
        let_learn(w, &f.chance, seed, &l);
        weighing_each_fit(w, see_fit, &f);
        if (f.least_count > 0) {
            memcpy(w->balance.target, f.least, size);
            sgp_scale_weigh(&w->scale, f.least);
            assert_int_equal(sgp_search(&w->scale), SEGUE_OK);
            EXPECT(memcmp(w->balance.target, f.least, size) == 0, "seed %llu: others", (unsigned long long)seed);
            choices += f.least_count > 1;
        }
        weighing_close(w);
    }
    assert_true(choices > 300);
}

/* One move less, where the task goes home and, unless `back` is SEGUE_NONE, that one comes in its place. */
static int could_go_home(weighing *w, uint32_t task, uint32_t back)
{
    uint32_t *target = w->balance.target, from = target[task], home = w->balance.serve[task], before = moves_of(w, target);
    if (!sgp_scale_keeps(&w->scale, task) || from == home || (back != SEGUE_NONE && target[back] != home)) {
        return 0;
    }
    target[task] = home;
    if (back != SEGUE_NONE) {
        target[back] = from;
    }
    sgp_scale_weigh(&w->scale, target);
    int could = sgp_scale_fits(&w->scale, from) && sgp_scale_fits(&w->scale, home) && moves_of(w, target) < before;
    target[task] = from;
    if (back != SEGUE_NONE) {
        target[back] = home;
    }
    sgp_scale_weigh(&w->scale, target);
    return could;
}

static void when_the_budget_has_ended_what_can_go_home_at_once_does(void **state)
{
    (void)state;
    uint32_t lowered = 0;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        weighing *w = weighing_open(weighing_small_draft(seed));
        sgp_deadline ended = {.passed = 1};
        fits f = {.chance = chance_of(seed)};
        weighing_each_fit(w, see_fit, &f);
        if (f.count > 0) {
            const uint32_t tasks = w->solver->view.tasks;
            memcpy(w->balance.target, f.start, tasks * sizeof *f.start);
            sgp_scale_weigh(&w->scale, f.start);
            w->balance.deadline = &ended;
            assert_int_equal(sgp_search(&w->scale), SEGUE_OK);
            EXPECT(sgp_scale_fits_all(&w->scale), "seed %llu: they do not fit", (unsigned long long)seed);
            for (uint32_t t = 0; t < tasks; t++) {
                for (uint32_t back = 0; back <= tasks; back++) {
                    EXPECT(!could_go_home(w, t, back < tasks ? back : SEGUE_NONE), "seed %llu: %u could go home",
                           (unsigned long long)seed, t);
                }
            }
            lowered += moves_of(w, w->balance.target) < moves_of(w, f.start);
        }
        weighing_close(w);
    }
    assert_true(lowered > 300);
}

/* One task of each member, but for one more on the first; two of them lie on each other's member. */
static void expect_searched(uint32_t tasks, uint32_t members, int searched)
{
    draft *d = draft_new();
    draft_tasks(d, tasks, 1);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, 1);
    }
    for (uint32_t t = 0; t < tasks; t++) {
        draft_owns(d, t % members, t, 1);
    }
    d->weight[tasks - 1] = 2;
    d->config.imbalance_percentage = 300;
    weighing *w = weighing_open(d);
    w->balance.target[0] = 1;
    w->balance.target[1] = 0;
    sgp_scale_weigh(&w->scale, w->balance.target);
    assert_true(sgp_scale_fits_all(&w->scale));
    assert_int_equal(sgp_search(&w->scale), SEGUE_OK);
    EXPECT(moves_of(w, w->balance.target) == (searched ? 0 : 2), "%u tasks, %u members", tasks, members);
    weighing_close(w);
}

static void large_groups_are_not_searched(void **state)
{
    (void)state;
    expect_searched(64, 16, 1);
    expect_searched(65, 2, 0);
    expect_searched(65, 16, 0);
    expect_searched(64, 17, 0);
}

/* Member 0 may carry one less than it does: a unit of the scale, of which a task has 2^29. */
static void what_is_too_much_by_one_is_too_much(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 4, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, 3);
    draft_owns(d, 1, 3, 1);
    d->weight[0] = 2;
    d->config.imbalance_percentage = 100;
    weighing *w = weighing_open(d);
    sgp_scale *s = &w->scale;
    s->high[0] = s->load[0] - 1;
    for (uint32_t t = 0; t < 2; t++) {
        sgp_scale_move(s, t, 0, 1);
    }
    assert_true(sgp_scale_fits_all(s));
    assert_int_equal(sgp_search(s), SEGUE_OK);
    assert_true(sgp_scale_fits_all(s));
    assert_int_equal(moves_of(w, w->balance.target), 1);
    weighing_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_assignment_that_fits_takes_fewer_moves),
        cmocka_unit_test(where_no_move_can_be_saved_the_targets_stay_as_they_are),
        cmocka_unit_test(when_the_budget_has_ended_what_can_go_home_at_once_does),
        cmocka_unit_test(large_groups_are_not_searched),
        cmocka_unit_test(what_is_too_much_by_one_is_too_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
