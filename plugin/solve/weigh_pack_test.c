/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/weigh_pack.h"

#include "test/testing.h"
#include "test/weighing.h"

/* Who carries least for each thread with the task; those without one where there are no more tasks than such. */
static uint32_t lightest(const sgp_scale *s, const uint64_t *load, uint32_t weight, uint32_t open)
{
    const sgp_view *view = s->b->view;
    uint32_t empty = 0, best = SEGUE_NONE;
    for (uint32_t m = 0; m < view->members; m++) {
        empty += load[m] == 0;
    }
    for (uint32_t m = 0; m < view->members; m++) {
        if (empty > 0 && empty >= open && load[m] > 0) {
            continue;
        }
        uint64_t mine = best == SEGUE_NONE ? 0 : (load[m] + weight) * view->threads[best];
        uint64_t its = best == SEGUE_NONE ? 1 : (load[best] + weight) * view->threads[m];
        best = mine < its || (mine == its && view->threads[m] < view->threads[best]) ? m : best;
    }
    return best;
}

enum { MEMBERS = 40 };

/* One task after the other. */
static void expect_lightest(uint64_t seed, weighing *w)
{
    sgp_scale *s = &w->scale;
    uint64_t load[MEMBERS] = {0};
    assert_int_equal(sgp_pack(s, s->bin), SEGUE_OK);
    for (uint32_t i = 0; i < s->b->count; i++) {
        uint32_t task = s->order[i], to = lightest(s, load, s->weight[task], s->b->count - i);
        EXPECT(s->bin[task] == to, "seed %llu: task %u is on %u, not on %u", (unsigned long long)seed, task, s->bin[task],
               to);
        load[to] += s->weight[task];
    }
    assert_true(weighing_adds_up(w, s->bin));
    weighing_close(w);
}

static void the_heaviest_goes_first_to_whoever_carries_least(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 400; seed < last; seed++) {
        expect_lightest(seed, weighing_open(weighing_draft(seed, (enum chance_tail)(seed % CHANCE_TAILS), 80, 12)));
    }
}

/* Eight threads carry both with ease, but then one thread would have nothing. */
static void the_last_tasks_are_for_those_that_have_none(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 2, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 8);
    draft_owns(d, 1, 0, 2);
    d->weight[0] = 2;
    expect_lightest(0, weighing_open(d));
}

/* Ten tasks for each of so many members, no two of which have as many threads. */
static weighing *of_all_widths(uint32_t members)
{
    draft *d = draft_new();
    draft_tasks(d, 10 * members, 1);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, m + 1);
        draft_owns(d, m, 10 * m, 10);
    }
    for (uint32_t t = 0; t < 10 * members; t++) {
        d->weight[t] = 1 + t % 3;
    }
    return weighing_open(d);
}

/* One group for each number of threads is the rule; beyond 32 of them all are in one. */
static void members_of_forty_widths_are_packed_as_well(void **state)
{
    (void)state;
    expect_lightest(31, of_all_widths(31));
    expect_lightest(32, of_all_widths(32));
    weighing *w = of_all_widths(MEMBERS);
    assert_int_equal(sgp_pack(&w->scale, w->scale.bin), SEGUE_OK);
    assert_true(weighing_adds_up(w, w->scale.bin));
    for (uint32_t m = 0; m < MEMBERS; m++) {
        assert_true(w->scale.held[m] > 0);
    }
    weighing_close(w);
}

/* What is said without the packing is what the packing shows. */
static void what_surely_fits_fits(void **state)
{
    (void)state;
    uint32_t sure[CHANCE_TAILS] = {0}, fits = 0;
    for (uint64_t seed = chance_seed(), last = seed + 4000; seed < last; seed++) {
        enum chance_tail tail = (enum chance_tail)(seed % CHANCE_TAILS);
        weighing *w = weighing_open(weighing_draft(seed, tail, seed % 3 == 0 ? 60 : 900, 8));
        int certain = 1;
        assert_int_equal(sgp_pack_surely_fits(&w->scale, w->scale.bin, &certain), SEGUE_OK);
        assert_int_equal(sgp_pack(&w->scale, w->scale.bin), SEGUE_OK);
        int fitted = sgp_scale_fits_all(&w->scale);
        EXPECT(fitted || !certain, "seed %llu: it does not", (unsigned long long)seed);
        sure[tail] += (uint32_t)certain;
        fits += (uint32_t)fitted;
        weighing_close(w);
    }
    for (uint32_t tail = 0; tail < CHANCE_TAILS; tail++) {
        EXPECT(sure[tail] > 100, "only %u are sure of tail %u, where %u fit of all", sure[tail], tail, fits);
    }
}

/* Seven eighths of what may be lacking from the range of whoever is narrowest; 0: somebody's begins at its share. */
static double lightest_that_is_heavy(const sgp_scale *s)
{
    double least = 1e300;
    uint32_t narrowest = UINT32_MAX;
    for (uint32_t m = 0; m < s->b->view->members; m++) {
        uint32_t threads = s->b->view->threads[m];
        double lacks = (s->rest[m] - (double)s->low[m]) / threads;
        least = lacks < least ? lacks : least;
        narrowest = threads < narrowest ? threads : narrowest;
    }
    return least > 0 ? least * 7 / 8 * narrowest : 0;
}

/* Of members of two threads and more, and of tasks that weigh just as much as is light. */
static draft *light_draft(uint64_t seed)
{
    chance c = chance_of(seed);
    draft *d = weighing_draft(seed, CHANCE_EVEN, 200, 5);
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        d->threads[m] += (uint32_t)(seed % 3);
    }
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        d->weight[t] = 1 + t % 2 + chance_below(&c, 1 + (uint32_t)(seed % 10));
    }
    d->config.imbalance_percentage = (double[]){0, 5, 20, 40}[chance_below(&c, 4)];
    return d;
}

/* So that what is left is little beside what all may lack; nothing is said where nothing is light. */
static void the_heavy_tasks_are_packed_and_no_others(void **state)
{
    (void)state;
    uint32_t without = 0, both = 0;
    for (uint64_t seed = chance_seed(), last = seed + 600; seed < last; seed++) {
        weighing *w = weighing_open(light_draft(seed));
        sgp_scale *s = &w->scale;
        double bound = lightest_that_is_heavy(s);
        uint32_t heavy = 0;
        int certain = 1;
        assert_int_equal(sgp_pack_surely_fits(s, s->bin, &certain), SEGUE_OK);
        for (uint32_t t = 0; bound > 0 && t < s->b->count; t++) {
            EXPECT((s->bin[t] != SEGUE_NONE) == (s->weight[t] > bound), "seed %llu: task %u of %u, and %f is heavy",
                   (unsigned long long)seed, t, s->weight[t], bound);
            heavy += s->weight[t] > bound;
        }
        EXPECT(bound > 0 || !certain, "seed %llu: it is certain without light tasks", (unsigned long long)seed);
        without += bound <= 0;
        both += heavy > 0 && heavy < s->b->count;
        weighing_close(w);
    }
    assert_true(without > 50 && both > 50);
}

/* Tasks of 7 and 14, and 8 that may be lacking. */
static void what_weighs_just_as_much_as_is_light_is_light(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 40, 1);
    for (uint32_t m = 0; m < 4; m++) {
        draft_member(d, m, 1);
    }
    draft_owns(d, 0, 0, 40);
    for (uint32_t t = 0; t < 40; t++) {
        d->weight[t] = t % 2 == 0 ? 7 : 14;
    }
    weighing *w = weighing_open(d);
    sgp_scale *s = &w->scale;
    int certain;
    for (uint32_t m = 0; m < 4; m++) {
        s->low[m] = (uint64_t)s->rest[m] - s->weight[0] / 7 * 8;
    }
    assert_int_equal(sgp_pack_surely_fits(s, s->bin, &certain), SEGUE_OK);
    for (uint32_t t = 0; t < 40; t++) {
        assert_int_equal(s->bin[t] != SEGUE_NONE, t % 2);
    }
    weighing_close(w);
}

/* What members carry of the other kind may be too much already: nothing is known then. */
static void where_somebody_carries_something_nothing_is_certain(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 100; seed < last; seed++) {
        weighing *w = weighing_open(light_draft(seed));
        int certain = 1;
        w->scale.carried[seed % w->solver->view.members] = 1;
        assert_int_equal(sgp_pack_surely_fits(&w->scale, w->scale.bin, &certain), SEGUE_OK);
        assert_false(certain);
        weighing_close(w);
    }
}

/* Twelve tasks for each member are sure, and a task of two shares beside them is a boulder. */
static void groups_of_light_tasks_surely_fit_and_a_boulder_does_not_matter(void **state)
{
    (void)state;
    for (uint32_t boulders = 0; boulders < 2; boulders++) {
        draft *d = draft_new();
        draft_tasks(d, 60 + boulders, 1);
        for (uint32_t m = 0; m < 5; m++) {
            draft_member(d, m, 1);
        }
        draft_owns(d, 0, 0, 60 + boulders);
        for (uint32_t t = 0; t < 60; t++) {
            d->weight[t] = 10 + t % 2;
        }
        d->weight[60 * boulders] = boulders > 0 ? 1000 : 10;
        weighing *w = weighing_open(d);
        int certain = 0;
        assert_int_equal(w->scale.boulder != UINT64_MAX, boulders);
        assert_int_equal(sgp_pack_surely_fits(&w->scale, w->scale.bin, &certain), SEGUE_OK);
        assert_true(certain);
        weighing_close(w);
    }
}

static uint32_t kept(const weighing *w, const uint32_t *holder)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < w->solver->view.tasks; t++) {
        count += holder[t] == w->balance.serve[t];
    }
    return count;
}

/* Names leave the packing as it is: who changed places has as many threads, and carries what the other did. */
static void names_keep_what_members_serve_and_change_no_bin(void **state)
{
    (void)state;
    uint32_t with = 0, without = 0;
    for (uint64_t seed = chance_seed(), last = seed + 400; seed < last; seed++) {
        weighing *w = weighing_open(weighing_draft(seed, (enum chance_tail)(seed % CHANCE_TAILS), 80, 12));
        sgp_scale *s = &w->scale;
        assert_int_equal(sgp_pack(s, s->bin), SEGUE_OK);
        without += kept(w, s->bin);
        assert_int_equal(sgp_pack_label(s, s->bin), SEGUE_OK);
        with += kept(w, s->b->target);
        assert_true(weighing_adds_up(w, s->b->target));
        for (uint32_t t = 1; t < s->b->count; t++) {
            uint32_t a = s->order[t - 1], b = s->order[t];
            EXPECT((s->bin[a] == s->bin[b]) == (s->b->target[a] == s->b->target[b]), "seed %llu: bins were mixed",
                   (unsigned long long)seed);
            EXPECT(s->b->view->threads[s->bin[a]] == s->b->view->threads[s->b->target[a]], "seed %llu: another width",
                   (unsigned long long)seed);
        }
        weighing_close(w);
    }
    assert_true(with > without);
}

/* How many tasks of the bin the member serves, whose name it may be. */
static uint32_t overlap(const weighing *w, uint32_t bin, uint32_t member)
{
    const sgp_view *view = &w->solver->view;
    uint32_t tasks = 0;
    for (uint32_t t = 0; view->threads[bin] == view->threads[member] && t < view->tasks; t++) {
        tasks += w->scale.bin[t] == bin && w->balance.serve[t] == member;
    }
    return tasks;
}

/* The pair that shares most first, of equal ones the first; then whoever is left in order, by threads. */
static void name_slowly(const weighing *w, uint32_t *of_bin)
{
    const sgp_view *view = &w->solver->view;
    uint8_t named[MEMBERS] = {0};
    memset(of_bin, 0xff, view->members * sizeof *of_bin);
    for (uint32_t round = 0; round < view->members; round++) {
        uint32_t most = 0, best_bin = 0, best = SEGUE_NONE;
        for (uint32_t i = 0; i < view->members * view->members; i++) {
            uint32_t bin = i / view->members, member = i % view->members;
            if (of_bin[bin] == SEGUE_NONE && !named[member] && overlap(w, bin, member) > most) {
                most = overlap(w, bin, member);
                best_bin = bin;
                best = member;
            }
        }
        if (best != SEGUE_NONE) {
            of_bin[best_bin] = best;
            named[best] = 1;
        }
    }
    for (uint32_t bin = 0; bin < view->members; bin++) {
        for (uint32_t m = 0; of_bin[bin] == SEGUE_NONE && m < view->members; m++) {
            if (!named[m] && view->threads[m] == view->threads[bin]) {
                of_bin[bin] = m;
                named[m] = 1;
            }
        }
    }
}

static void bins_are_named_for_who_serves_most_of_them(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 400; seed < last; seed++) {
        weighing *w = weighing_open(weighing_draft(seed, (enum chance_tail)(seed % CHANCE_TAILS), 24, 6));
        uint32_t of_bin[MEMBERS];
        assert_int_equal(sgp_pack(&w->scale, w->scale.bin), SEGUE_OK);
        name_slowly(w, of_bin);
        assert_int_equal(sgp_pack_label(&w->scale, w->scale.bin), SEGUE_OK);
        for (uint32_t t = 0; t < w->solver->view.tasks; t++) {
            EXPECT(w->balance.target[t] == of_bin[w->scale.bin[t]], "seed %llu: bin %u is %u's instead of %u's",
                   (unsigned long long)seed, w->scale.bin[t], w->balance.target[t], of_bin[w->scale.bin[t]]);
        }
        weighing_close(w);
    }
}

static void where_anybody_carries_something_each_bin_keeps_its_name(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 100; seed < last; seed++) {
        weighing *w = weighing_open(weighing_draft(seed, (enum chance_tail)(seed % CHANCE_TAILS), 24, 6));
        sgp_scale *s = &w->scale;
        s->carried[seed % s->b->view->members] = 1;
        assert_int_equal(sgp_pack(s, s->bin), SEGUE_OK);
        assert_int_equal(sgp_pack_label(s, s->bin), SEGUE_OK);
        assert_memory_equal(s->b->target, s->bin, s->b->count * sizeof *s->bin);
        weighing_close(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_heaviest_goes_first_to_whoever_carries_least),
        cmocka_unit_test(the_last_tasks_are_for_those_that_have_none),
        cmocka_unit_test(members_of_forty_widths_are_packed_as_well),
        cmocka_unit_test(what_surely_fits_fits),
        cmocka_unit_test(the_heavy_tasks_are_packed_and_no_others),
        cmocka_unit_test(what_weighs_just_as_much_as_is_light_is_light),
        cmocka_unit_test(where_somebody_carries_something_nothing_is_certain),
        cmocka_unit_test(groups_of_light_tasks_surely_fit_and_a_boulder_does_not_matter),
        cmocka_unit_test(bins_are_named_for_who_serves_most_of_them),
        cmocka_unit_test(where_anybody_carries_something_each_bin_keeps_its_name),
        cmocka_unit_test(names_keep_what_members_serve_and_change_no_bin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
