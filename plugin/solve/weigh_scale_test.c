/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/weigh_scale.h"

#include "test/testing.h"
#include "test/weighing.h"

/* Tasks of these weights, member by member as `owner` says, one thread each. */
static weighing *lay(const double *weight, const uint32_t *owner, uint32_t tasks, uint32_t members)
{
    draft *d = draft_new();
    draft_tasks(d, tasks, 1);
    memcpy(d->weight, weight, tasks * sizeof *weight);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, 1);
    }
    for (uint32_t t = 0; t < tasks; t++) {
        draft_owns(d, owner[t], t, 1);
    }
    return weighing_open(d);
}

/* In the weight that the test gave, of a scale on which a task of 8 has 2^29. */
static double given(uint64_t weight)
{
    return (double)weight * 8 / (1 << 29);
}

static void shares_are_by_threads_and_ranges_around_them(void **state)
{
    (void)state;
    weighing *w = lay((double[]){8, 4, 4, 2, 2}, (uint32_t[]){0, 0, 0, 1, 1}, 5, 2);
    sgp_scale *s = &w->scale;
    assert_true(s->boulder == UINT64_MAX);
    for (uint32_t m = 0; m < 2; m++) {
        assert_float_equal(given((uint64_t)s->share[m]), 10, 1e-6);
        assert_float_equal(given(s->low[m]), 8, 1e-6);
        assert_float_equal(given(s->high[m]), 12, 1e-6);
    }
    assert_float_equal(given(sgp_scale_over(s, 0)), 4, 1e-6);
    assert_float_equal(given(sgp_scale_under(s, 1)), 4, 1e-6);
    assert_false(sgp_scale_fits_all(s));
    assert_float_equal(sgp_scale_distance(s), 0.6, 1e-6);
    sgp_scale_move(s, 1, 0, 1); /* 12 and 8 */
    assert_true(sgp_scale_fits_all(s));
    assert_float_equal(sgp_scale_distance(s), 0.2, 1e-6);
    assert_int_equal(sgp_scale_moves(s, s->b->target), 1);
    weighing_close(w);
}

/* 8 of 14 on three members: the others share 6. It fits alone and with nothing else. */
static void a_boulder_is_left_out_of_the_shares_and_fits_alone(void **state)
{
    (void)state;
    weighing *w = lay((double[]){8, 2, 2, 1, 1}, (uint32_t[]){0, 0, 1, 1, 2}, 5, 3);
    sgp_scale *s = &w->scale;
    assert_float_equal(given(s->boulder), 8, 1e-6);
    assert_float_equal(given((uint64_t)s->share[1]), 3, 1e-6);
    assert_false(sgp_scale_alone(s, 0));
    assert_true(sgp_scale_over(s, 0) > 0);
    sgp_scale_move(s, 1, 0, 2);
    assert_true(sgp_scale_alone(s, 0));
    assert_true(sgp_scale_fits_all(s));
    assert_true(sgp_scale_distance(s) < 1e-6);
    weighing_close(w);
}

/* A member that carries more than its share of the other kind leaves less to the others. */
static void what_is_carried_already_lowers_the_share_of_the_others(void **state)
{
    (void)state;
    weighing *w = lay((double[]){8, 4, 4, 2, 2}, (uint32_t[]){0, 0, 0, 1, 1}, 5, 2);
    sgp_scale s;
    uint64_t carried[] = {(uint64_t)5 << 29, 0}; /* 40 */
    assert_int_equal(sgp_scale_open(&s, &w->balance, &w->weights, carried), SEGUE_OK);
    sgp_scale_tolerate(&s, 0.2);
    assert_float_equal(given((uint64_t)s.share[0]), 30, 1e-6);
    assert_float_equal(given((uint64_t)s.rest[1]), 20, 1e-6);
    assert_true(s.low[0] == carried[0] && s.high[0] == carried[0]);
    assert_float_equal(given(s.low[1]), 16, 1e-6);
    assert_float_equal(given(s.high[1]), 36, 1e-6);
    weighing_close(w);
}

static void low_is_one_task_where_there_are_enough(void **state)
{
    (void)state;
    weighing *w = lay((double[]){8, 1, 1}, (uint32_t[]){0, 0, 1}, 3, 2);
    sgp_scale_tolerate(&w->scale, 1);
    assert_true(w->scale.low[1] == 1);
    weighing_close(w);
    w = lay((double[]){8, 1}, (uint32_t[]){0, 1}, 2, 2); /* just enough */
    sgp_scale_tolerate(&w->scale, 1);
    assert_true(w->scale.low[1] == 1);
    weighing_close(w);
    w = lay((double[]){8, 1}, (uint32_t[]){0, 1}, 2, 3);
    sgp_scale_tolerate(&w->scale, 1);
    assert_true(w->scale.low[1] == 0);
    weighing_close(w);
}

/* All that there is are boulders, with a member for each: nothing is left of which somebody could have too little. */
static void who_has_no_share_of_the_rest_has_not_too_little(void **state)
{
    (void)state;
    weighing *w = lay((double[]){9, 8}, (uint32_t[]){0, 1}, 2, 3);
    assert_true(w->scale.boulder <= w->scale.weight[1]);
    assert_true(w->scale.rest[2] <= 0);
    assert_true(sgp_scale_distance(&w->scale) <= 0);
    weighing_close(w);
}

/* A home is free, a move two halves, and a learner's place one. */
static void prices_are_halves_of_moves(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 3, 1);
    d->weight[0] = 2;
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, m, 1);
        draft_owns(d, m, m, 1);
    }
    draft_copy(d, 1, 0, SEGUE_LEARNER, 10001);
    draft_leaves(d, 2, SEGUE_TIME_NONE);
    weighing *w = weighing_open(d);
    assert_int_equal(sgp_scale_price(&w->scale, 0, 0), 0);
    assert_int_equal(sgp_scale_price(&w->scale, 0, 1), 1);
    assert_int_equal(sgp_scale_price(&w->scale, 1, 0), 2);
    assert_int_equal(sgp_scale_price(&w->scale, 2, 0), 0); /* it has to move anyway */
    weighing_close(w);
}

/* Task 0 is learned, and task 1 has been; so has task 3, by another one and whose owner leaves. */
static void what_has_caught_up_costs_nothing_and_is_pinned_longest(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 4, 1);
    d->weight[0] = 2;
    for (uint32_t m = 0; m < 4; m++) {
        draft_member(d, m, 1);
    }
    draft_owns(d, 0, 0, 3);
    draft_owns(d, 2, 3, 1);
    draft_leaves(d, 2, SEGUE_TIME_NONE);
    draft_copy(d, 1, 0, SEGUE_LEARNER, 10001);
    draft_copy(d, 1, 1, SEGUE_LEARNER, 10000);
    draft_copy(d, 1, 3, SEGUE_LEARNER, 10001); /* of two who learn it the one that is ready counts */
    draft_copy(d, 3, 3, SEGUE_LEARNER, 10000);
    weighing *w = weighing_open(d);
    sgp_scale *s = &w->scale;
    assert_int_equal(sgp_scale_price(s, 0, 1), 1);
    assert_int_equal(sgp_scale_price(s, 1, 1), 0);
    assert_int_equal(sgp_scale_price(s, 2, 1), 2);
    assert_int_equal(sgp_scale_price(s, 3, 3), 0);
    assert_int_equal(sgp_scale_price(s, 3, 0), 2);
    assert_int_equal(sgp_scale_moves(s, (const uint32_t[]){1, 1, 1, 3}), 2);
    assert_int_equal(sgp_scale_moves(s, (const uint32_t[]){0, 0, 0, 0}), 1);
    static const int flies[] = {SGP_FLIES_ALL, SGP_FLIES_READY, SGP_FLIES_NONE};
    s->pinned = sgp_flies_most(s);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(s->pinned, flies[i]);
        assert_int_equal(sgp_scale_pins(s, 0, 1), i < 1);
        assert_int_equal(sgp_scale_pins(s, 1, 1), i < 2);
        assert_false(sgp_scale_pins(s, 1, 0) || sgp_scale_pins(s, 2, 1));
        s->pinned = sgp_flies_less(s, s->pinned);
    }
    assert_int_equal(s->pinned, -1);
    s->ready = NULL; /* then there is nothing between all and none */
    assert_int_equal(sgp_flies_less(s, SGP_FLIES_ALL), SGP_FLIES_NONE);
    weighing_close(w);
}

/* What who stays carries of the other kind counts, and what who leaves carries does not. */
static void shares_are_of_what_stays(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 200; seed < last; seed++) {
        chance c = chance_of(seed);
        draft *d = weighing_draft(seed, CHANCE_EVEN, 40, 6);
        for (uint32_t m = 1; m < d->group.member_count; m++) {
            if (chance_once_in(&c, 3)) {
                draft_leaves(d, m, SEGUE_TIME_NONE);
            }
        }
        weighing *w = weighing_open(d);
        const sgp_view *view = &w->solver->view;
        uint64_t carried[6], total = 0, threads = 0;
        for (uint32_t t = 0; t < view->tasks; t++) {
            total += w->weights.of[t];
        }
        for (uint32_t m = 0; m < view->members; m++) {
            int stays = view->place[m] == SGP_STAYS;
            carried[m] = chance_below(&c, 3);
            total += stays ? carried[m] : 0;
            threads += stays ? view->threads[m] : 0;
        }
        assert_int_equal(sgp_scale_open(&w->scale, &w->balance, &w->weights, carried), SEGUE_OK);
        for (uint32_t m = 0; m < view->members && w->scale.boulder == UINT64_MAX; m++) {
            double share = view->place[m] == SGP_STAYS ? (double)total * view->threads[m] / (double)threads : 0;
            EXPECT(w->scale.share[m] <= share && w->scale.share[m] >= share, "seed %llu: the share of %u is %f, not %f",
                   (unsigned long long)seed, m, w->scale.share[m], share);
        }
        weighing_close(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_by_threads_and_ranges_around_them),
        cmocka_unit_test(a_boulder_is_left_out_of_the_shares_and_fits_alone),
        cmocka_unit_test(what_is_carried_already_lowers_the_share_of_the_others),
        cmocka_unit_test(low_is_one_task_where_there_are_enough),
        cmocka_unit_test(who_has_no_share_of_the_rest_has_not_too_little),
        cmocka_unit_test(prices_are_halves_of_moves),
        cmocka_unit_test(what_has_caught_up_costs_nothing_and_is_pinned_longest),
        cmocka_unit_test(shares_are_of_what_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
