/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/weigh_search.h"

#include "test/testing.h"
#include "test/weighing.h"

enum { TASKS = 7 };

enum { LEVELS = SGP_FLIES_ALL + 1 };

/* What trying all assignments says of those in which all fit. */
typedef struct fits {
    uint32_t count;
    uint32_t least_plain;   /* the fewest hand-overs of one, whether learned before or not */
    uint32_t moves[LEVELS]; /* the fewest moves of one that keeps so much of what is learned; UINT32_MAX: none does */
    uint32_t start[TASKS];  /* one of them */
    uint32_t least[TASKS];  /* one of those with the fewest moves of all that keep everything ... */
    uint32_t least_count;   /* ... and how many these are */
    chance chance;          /* which */
} fits;

/* Who learns what, and what of that has caught up. */
typedef struct learning {
    uint32_t flying[TASKS];
    uint8_t ready[TASKS];
} learning;

static fits no_fits(uint64_t seed)
{
    return (fits){.least_plain = UINT32_MAX, .moves = {UINT32_MAX, UINT32_MAX, UINT32_MAX}, .chance = chance_of(seed)};
}

static int is_ready(const weighing *w, uint32_t task)
{
    return w->scale.ready != NULL && w->scale.ready[task];
}

static int goes_on(const weighing *w, uint32_t task)
{
    uint32_t server = w->balance.serve[task];
    return server != SEGUE_NONE && w->solver->view.place[server] == SGP_STAYS;
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

/* Tasks that change hands although who serves them stays, and those that have to go but not where they have been learned. */
static uint32_t plain_of(const weighing *w, const uint32_t *holder)
{
    uint32_t moves = 0;
    for (uint32_t t = 0; t < w->solver->view.tasks; t++) {
        int wastes = is_ready(w, t) && sgp_scale_flying(&w->scale, t) != holder[t];
        moves += goes_on(w, t) ? w->balance.serve[t] != holder[t] : (uint32_t)wastes;
    }
    return moves;
}

/* The same without those that have been learned by who is to have them. */
static uint32_t moves_of(const weighing *w, const uint32_t *holder)
{
    uint32_t moves = plain_of(w, holder);
    for (uint32_t t = 0; t < w->solver->view.tasks; t++) {
        moves -= goes_on(w, t) && is_ready(w, t) && sgp_scale_flying(&w->scale, t) == holder[t];
    }
    return moves;
}

static void see_fit(void *context, const weighing *w, const uint32_t *holder)
{
    fits *f = context;
    const size_t size = w->solver->view.tasks * sizeof *holder;
    const uint32_t moves = moves_of(w, holder), plain = plain_of(w, holder), before = f->moves[0];
    const int kept = kept_by(w, holder);
    for (int i = 0; i <= kept; i++) {
        f->moves[i] = moves < f->moves[i] ? moves : f->moves[i];
    }
    f->least_plain = plain < f->least_plain ? plain : f->least_plain;
    f->least_count = moves < before ? 0 : f->least_count;
    if (moves == f->moves[0] && kept == SGP_FLIES_ALL && chance_once_in(&f->chance, ++f->least_count)) {
        memcpy(f->least, holder, size);
    }
    if (chance_once_in(&f->chance, ++f->count)) {
        memcpy(f->start, holder, size);
    }
}

/* In every other group some tasks are learned by members that stay, and in half of these some have caught up. */
static void let_learn(weighing *w, chance *c, uint64_t seed, learning *l)
{
    const sgp_view *view = &w->solver->view;
    for (uint32_t t = 0; t < view->tasks; t++) {
        uint32_t member = chance_below(c, view->members), server = w->balance.serve[t];
        int can = server != SEGUE_NONE && member != server && view->place[member] == SGP_STAYS;
        l->flying[t] = can && chance_once_in(c, 3) ? member : SEGUE_NONE;
        l->ready[t] = l->flying[t] != SEGUE_NONE && chance_once_in(c, 2);
    }
    w->scale.flying = seed % 2 == 0 ? l->flying : NULL;
    w->scale.ready = seed % 4 == 0 && memchr(l->ready, 1, view->tasks) != NULL ? l->ready : NULL;
}

/* What the search has to reach, of all that trying everything finds: as few moves as any that keeps what has caught up, or as
 * any has hand-overs; and of what is learned it keeps as much as any that has as few. */
static void expect_least(const weighing *w, const fits *f, uint64_t seed)
{
    const uint32_t *target = w->balance.target, moves = moves_of(w, target);
    const int kept = kept_by(w, target);
    const uint32_t keeping = f->moves[SGP_FLIES_READY], most = f->least_plain < keeping ? f->least_plain : keeping;
    EXPECT(weighing_adds_up(w, target) && sgp_scale_fits_all(&w->scale), "seed %llu: they do not fit",
           (unsigned long long)seed);
    EXPECT(moves <= most, "seed %llu: %u moves instead of %u", (unsigned long long)seed, moves, most);
    for (int more = kept + 1; more < LEVELS; more++) {
        EXPECT(moves < f->moves[more], "seed %llu: %d is kept of what is learned, and not %d", (unsigned long long)seed, kept,
               more);
    }
}

/* From any targets that fit. */
static void no_assignment_that_fits_takes_fewer_moves(void **state)
{
    (void)state;
    uint32_t groups = 0, lowered = 0, kept[] = {0, 0, 0};
    for (uint64_t seed = chance_seed(), last = seed + 2500; seed < last; seed++) {
        weighing *w = weighing_open(weighing_small_draft(seed));
        fits f = no_fits(seed);
        learning l;
        let_learn(w, &f.chance, seed, &l);
        weighing_each_fit(w, see_fit, &f);
        if (f.count > 0) {
            memcpy(w->balance.target, f.start, w->solver->view.tasks * sizeof *f.start);
            sgp_scale_weigh(&w->scale, w->balance.target);
            assert_int_equal(sgp_search(&w->scale), SEGUE_OK);
            expect_least(w, &f, seed);
            groups++;
            lowered += moves_of(w, f.start) > moves_of(w, w->balance.target);
            kept[kept_by(w, w->balance.target)] += kept_by(w, w->balance.target) > kept_by(w, f.start);
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
        fits f = no_fits(seed);
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
        fits f = no_fits(seed);
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

/* 32 tasks of 5 on one member and 32 of 3 on the other, which are to carry the same: of the first kind seven go, of the other
 * one comes. To see that seven moves do not do takes millions of steps where tasks of one weight are not taken for alike. */
static void many_tasks_that_are_alike_are_searched_to_the_end(void **state)
{
    (void)state;
    for (uint32_t heavy = 0; heavy < 2; heavy++) {
        draft *d = draft_new();
        draft_tasks(d, 64, 1);
        draft_member(d, 0, 1);
        draft_member(d, 1, 1);
        for (uint32_t t = 0; t < 64; t++) {
            d->weight[t] = t < 32 ? 5 : 3;
            draft_owns(d, t < 32 ? heavy : 1 - heavy, t, 1);
        }
        d->config.imbalance_percentage = 0;
        weighing *w = weighing_open(d);
        for (uint32_t t = 0; t < 10; t++) {
            sgp_scale_move(&w->scale, t, heavy, 1 - heavy);
        }
        for (uint32_t t = 32; t < 38; t++) {
            sgp_scale_move(&w->scale, t, 1 - heavy, heavy);
        }
        assert_true(sgp_scale_fits_all(&w->scale));
        assert_int_equal(sgp_search(&w->scale), SEGUE_OK);
        assert_true(sgp_scale_fits_all(&w->scale));
        assert_int_equal(moves_of(w, w->balance.target), 8);
        weighing_close(w);
    }
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
        cmocka_unit_test(many_tasks_that_are_alike_are_searched_to_the_end),
        cmocka_unit_test(what_is_too_much_by_one_is_too_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
