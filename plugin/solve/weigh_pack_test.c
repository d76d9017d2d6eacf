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

static void the_heaviest_goes_first_to_whoever_carries_least(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 400; seed < last; seed++) {
        weighing *w = weighing_open(weighing_draft(seed, (enum chance_tail)(seed % CHANCE_TAILS), 80, 12));
        sgp_scale *s = &w->scale;
        uint64_t load[12] = {0};
        assert_int_equal(sgp_pack(s, s->bin), SEGUE_OK);
        for (uint32_t i = 0; i < s->b->count; i++) {
            uint32_t task = s->order[i], to = lightest(s, load, s->weight[task], s->b->count - i);
            EXPECT(s->bin[task] == to, "seed %llu: task %u is on %u, not on %u", (unsigned long long)seed, task,
                   s->bin[task], to);
            load[to] += s->weight[task];
        }
        assert_true(weighing_adds_up(w, s->bin));
        weighing_close(w);
    }
}

/* One group for each number of threads is the rule; beyond 32 of them all are in one. */
static void members_of_forty_widths_are_packed_as_well(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 400, 1);
    for (uint32_t m = 0; m < 40; m++) {
        draft_member(d, m, m + 1);
        draft_owns(d, m, 10 * m, 10);
    }
    for (uint32_t t = 0; t < 400; t++) {
        d->weight[t] = 1 + t % 3;
    }
    weighing *w = weighing_open(d);
    assert_int_equal(sgp_pack(&w->scale, w->scale.bin), SEGUE_OK);
    assert_true(weighing_adds_up(w, w->scale.bin));
    for (uint32_t m = 0; m < 40; m++) {
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
        int certain = 0;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_heaviest_goes_first_to_whoever_carries_least),
        cmocka_unit_test(members_of_forty_widths_are_packed_as_well),
        cmocka_unit_test(what_surely_fits_fits),
        cmocka_unit_test(groups_of_light_tasks_surely_fit_and_a_boulder_does_not_matter),
        cmocka_unit_test(names_keep_what_members_serve_and_change_no_bin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
