/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/weigh_mend.h"

#include "test/testing.h"
#include "test/weighing.h"

/* How far members are outside of their ranges, all together. */
static uint64_t outside(const sgp_scale *s)
{
    uint64_t sum = 0;
    for (uint32_t m = 0; m < s->b->view->members; m++) {
        sum += sgp_scale_over(s, m) + sgp_scale_under(s, m);
    }
    return sum;
}

static void who_fits_goes_on_fitting_and_the_others_come_nearer(void **state)
{
    (void)state;
    uint32_t ended = 0;
    for (uint64_t seed = chance_seed(), last = seed + 2000; seed < last; seed++) {
        weighing *w = weighing_open(weighing_draft(seed, (enum chance_tail)(seed % CHANCE_TAILS), 200, 12));
        sgp_scale *s = &w->scale;
        uint8_t fitted[12];
        uint64_t before = outside(s);
        int mended;
        for (uint32_t m = 0; m < s->b->view->members; m++) {
            fitted[m] = (uint8_t)sgp_scale_fits(s, m);
        }
        assert_int_equal(sgp_mend(s, &mended), SEGUE_OK);
        assert_true(weighing_adds_up(w, s->b->target));
        for (uint32_t m = 0; m < s->b->view->members; m++) {
            EXPECT(!fitted[m] || sgp_scale_fits(s, m), "seed %llu: %u fits no longer", (unsigned long long)seed, m);
        }
        EXPECT(outside(s) <= before && (outside(s) == 0) == mended, "seed %llu: further off", (unsigned long long)seed);
        ended += (uint32_t)mended;
        weighing_close(w);
    }
    assert_true(ended > 800 && ended < 2000);
}

static void what_fits_is_left_alone(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 4, 1);
    d->weight[0] = d->weight[2] = 3;
    for (uint32_t m = 0; m < 2; m++) {
        draft_member(d, m, 1);
        draft_owns(d, m, 2 * m, 2);
    }
    weighing *w = weighing_open(d);
    int mended;
    assert_int_equal(sgp_mend(&w->scale, &mended), SEGUE_OK);
    assert_true(mended);
    assert_int_equal(sgp_scale_moves(&w->scale, w->balance.target), 0);
    weighing_close(w);
}

/* 10 and 9 against 5 and 2: either alone would be too much for the other side. */
static void two_change_places_where_no_gift_fits(void **state)
{
    (void)state;
    draft *d = draft_new();
    const double weight[] = {10, 9, 5, 2};
    draft_tasks(d, 4, 1);
    memcpy(d->weight, weight, sizeof weight);
    for (uint32_t m = 0; m < 2; m++) {
        draft_member(d, m, 1);
        draft_owns(d, m, 2 * m, 2);
    }
    weighing *w = weighing_open(d);
    int mended;
    assert_int_equal(sgp_mend(&w->scale, &mended), SEGUE_OK);
    assert_true(mended);
    assert_int_equal(w->scale.held[0], 2);
    assert_int_equal(sgp_scale_moves(&w->scale, w->balance.target), 2);
    weighing_close(w);
}

static void what_is_learned_stays_where_it_is_pinned(void **state)
{
    (void)state;
    for (int pinned = 0; pinned < 2; pinned++) {
        draft *d = draft_new();
        draft_tasks(d, 5, 1);
        d->weight[0] = 3;
        draft_member(d, 0, 1);
        draft_member(d, 1, 1);
        draft_owns(d, 0, 0, 5);
        draft_copy(d, 1, 0, SEGUE_LEARNER, 5);
        weighing *w = weighing_open(d);
        int mended;
        w->balance.target[0] = w->balance.target[1] = w->balance.target[2] = 1;
        sgp_scale_weigh(&w->scale, w->balance.target);
        w->scale.pinned = pinned;
        assert_int_equal(sgp_mend(&w->scale, &mended), SEGUE_OK);
        assert_true(mended);
        assert_true(!pinned || w->balance.target[0] == 1);
        weighing_close(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_fits_goes_on_fitting_and_the_others_come_nearer),
        cmocka_unit_test(what_fits_is_left_alone),
        cmocka_unit_test(two_change_places_where_no_gift_fits),
        cmocka_unit_test(what_is_learned_stays_where_it_is_pinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
