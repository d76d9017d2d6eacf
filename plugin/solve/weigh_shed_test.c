/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/weigh_shed.h"

#include "test/testing.h"
#include "test/weighing.h"

static uint32_t pending(const weighing *w)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < w->solver->view.tasks; t++) {
        count += w->balance.target[t] == SEGUE_NONE;
    }
    return count;
}

static weighing *on_one(const double *weight, uint32_t tasks, uint32_t members)
{
    draft *d = draft_new();
    draft_tasks(d, tasks, 1);
    memcpy(d->weight, weight, tasks * sizeof *weight);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, 1);
    }
    draft_owns(d, 0, 0, tasks - members + 1);
    for (uint32_t m = 1; m < members; m++) {
        draft_owns(d, m, tasks - members + m, 1);
    }
    return weighing_open(d);
}

/* 7, 5, 3, 3, 1 and 1 against 4 on two members: 10 to 14 is the range, and one of 5 or 7 brings it there. */
static void a_member_gives_up_the_heaviest_that_leave_enough(void **state)
{
    (void)state;
    weighing *w = on_one((double[]){7, 5, 3, 3, 1, 1, 4}, 7, 2);
    assert_int_equal(sgp_shed(&w->scale), SEGUE_OK);
    assert_int_equal(pending(w), 1);
    assert_int_equal(w->balance.target[0], SEGUE_NONE);
    assert_true(sgp_scale_fits(&w->scale, 0));
    weighing_close(w);
}

/* 5, 3 and 2: with the 5 gone it has 5, which is just enough, or one too little. */
static void what_is_left_may_be_just_enough(void **state)
{
    (void)state;
    for (uint32_t lacks = 0; lacks < 2; lacks++) {
        weighing *w = on_one((double[]){5, 3, 2, 4}, 4, 2);
        sgp_scale *s = &w->scale;
        s->low[0] = s->load[0] - s->weight[0] + lacks;
        s->high[0] = s->load[0] - 1;
        assert_int_equal(sgp_shed(s), SEGUE_OK);
        assert_int_equal(w->balance.target[0], lacks ? 0 : SEGUE_NONE);
        assert_int_equal(w->balance.target[1], lacks ? SEGUE_NONE : 0);
        weighing_close(w);
    }
}

static void what_fits_gives_up_nothing(void **state)
{
    (void)state;
    weighing *w = on_one((double[]){2, 2, 4}, 3, 2);
    assert_int_equal(sgp_shed(&w->scale), SEGUE_OK);
    assert_int_equal(pending(w), 0);
    weighing_close(w);
}

/* Two boulders and `light` tasks on one member, three and one light task on two others. */
static weighing *two_boulders(uint32_t light)
{
    draft *d = draft_new();
    draft_tasks(d, light + 6, 1);
    d->weight[0] = d->weight[1] = 100;
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, m, 1);
    }
    draft_owns(d, 0, 0, light + 2);
    draft_owns(d, 1, light + 2, 3);
    draft_owns(d, 2, light + 5, 1);
    return weighing_open(d);
}

/* One boulder stays, what else is there goes, and the other boulder's host gives up its one task. */
static void boulders_get_hosts_that_give_up_everything_else(void **state)
{
    (void)state;
    weighing *w = two_boulders(1);
    uint32_t least;
    assert_int_equal(sgp_shed(&w->scale), SEGUE_OK);
    assert_int_equal(pending(w), 3);
    assert_int_equal(w->balance.target[0], 0);
    assert_int_equal(w->scale.held[0], 1);
    assert_int_equal(w->scale.held[1], 3);
    assert_int_equal(w->scale.held[2], 0);
    assert_int_equal(sgp_shed_least(&w->scale, w->balance.serve, &least), SEGUE_OK);
    assert_int_equal(least, 3);
    weighing_close(w);
}

/* Both go where that leaves more: six tasks move, not seven. */
static void a_boulder_leaves_who_would_have_to_give_up_more(void **state)
{
    (void)state;
    weighing *w = two_boulders(6);
    uint32_t least;
    assert_int_equal(sgp_shed(&w->scale), SEGUE_OK);
    assert_int_equal(pending(w), 2 + 3 + 1);
    assert_int_equal(w->scale.held[0], 6);
    assert_int_equal(sgp_shed_least(&w->scale, w->balance.serve, &least), SEGUE_OK);
    assert_int_equal(least, 2 + 3 + 1);
    weighing_close(w);
}

/* The narrow member gives up the boulder that is all that it has, and the wide one its four light tasks for it. */
static void a_boulder_leaves_who_is_too_narrow_for_it(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 6, 1);
    d->weight[4] = 100;
    draft_member(d, 0, 3);
    draft_member(d, 1, 1);
    draft_member(d, 2, 1);
    draft_owns(d, 0, 0, 4);
    draft_owns(d, 1, 4, 1);
    draft_owns(d, 2, 5, 1);
    weighing *w = weighing_open(d);
    uint32_t least;
    assert_int_equal(sgp_shed(&w->scale), SEGUE_OK);
    assert_int_equal(pending(w), 5);
    assert_int_equal(w->scale.held[0], 0);
    assert_int_equal(w->scale.held[2], 1);
    assert_int_equal(sgp_shed_least(&w->scale, w->balance.serve, &least), SEGUE_OK);
    assert_int_equal(least, 5);
    weighing_close(w);
}

/* The heavy boulder needs the one wide member, though others would give up less. */
static void hosts_are_wide_enough_for_all_boulders(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 9, 1);
    d->weight[0] = 100;
    d->weight[1] = 20;
    for (uint32_t m = 0; m < 4; m++) {
        draft_member(d, m, m == 2 ? 4 : 1);
    }
    draft_owns(d, 0, 0, 2);
    draft_owns(d, 1, 2, 1);
    draft_owns(d, 2, 3, 5);
    draft_owns(d, 3, 8, 1);
    weighing *w = weighing_open(d);
    assert_int_equal(sgp_shed(&w->scale), SEGUE_OK);
    assert_int_equal(w->scale.held[2], 0);
    assert_int_equal(w->balance.target[0], SEGUE_NONE);
    assert_int_equal(w->balance.target[1], 0);
    assert_int_equal(w->scale.held[1] + w->scale.held[3], 2);
    weighing_close(w);
}

/* Member 0 has too much with task 4, which it learns: as a rule the heaviest go that may, and where its own first task is a
 * boulder everything beside that. Returns whether task 4 stays. */
static int is_kept(double heavy, int64_t lag)
{
    draft *d = draft_new();
    draft_tasks(d, 11, 1);
    d->weight[0] = heavy;
    d->weight[4] = 4;
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, 4);
    draft_owns(d, 1, 4, 7);
    draft_copy(d, 0, 4, SEGUE_LEARNER, lag);
    weighing *w = weighing_open(d);
    w->balance.target[4] = 0;
    sgp_scale_weigh(&w->scale, w->balance.target);
    w->scale.pinned = SGP_FLIES_READY;
    assert_int_equal(sgp_shed(&w->scale), SEGUE_OK);
    int kept = w->balance.target[4] == 0;
    weighing_close(w);
    return kept;
}

/* What has been learned is not taken from who has learned it; what is still learned may be, where that much is pinned. */
static void what_is_pinned_is_not_given_up(void **state)
{
    (void)state;
    static const double heavy[] = {6, 40};
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(is_kept(heavy[i], 10000));
        assert_false(is_kept(heavy[i], 10001));
    }
}

/* Two tasks of 3 have to leave the first member, and something has to come to each of the three others. */
static void who_carries_too_little_bounds_the_moves_as_well(void **state)
{
    (void)state;
    weighing *w = on_one((double[]){3, 3, 3, 1, 1, 1}, 6, 4);
    uint32_t least;
    assert_int_equal(sgp_shed_least(&w->scale, w->balance.serve, &least), SEGUE_OK);
    assert_int_equal(least, 3);
    weighing_close(w);
}

/* Who leaves gives up what it has, wherever it stands among the others. */
static void all_that_a_leaver_has_has_to_leave(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 8, 1);
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, m, 1);
        draft_owns(d, m, 3 * m, m < 2 ? 3 : 2);
    }
    draft_leaves(d, 1, SEGUE_TIME_NONE);
    d->weight[7] = 2;
    d->config.imbalance_percentage = 100;
    weighing *w = weighing_open(d);
    uint32_t least;
    assert_int_equal(sgp_shed_least(&w->scale, w->balance.serve, &least), SEGUE_OK);
    assert_int_equal(least, 3);
    weighing_close(w);
}

/* Stuck ones and as many of the lightest others give up everything; nothing where that would be all. */
static void the_stuck_and_the_lightest_give_up_everything(void **state)
{
    (void)state;
    weighing *w = on_one((double[]){4, 4, 4, 1, 3, 2, 3, 3}, 8, 5);
    int some_rest = 0;
    uint32_t stuck = 0;
    for (uint32_t m = 0; m < 5; m++) {
        stuck += !sgp_scale_fits(&w->scale, m);
    }
    assert_true(stuck > 0);
    assert_int_equal(sgp_shed_stuck(&w->scale, 5, &some_rest), SEGUE_OK);
    assert_false(some_rest);
    assert_int_equal(pending(w), 0);
    assert_int_equal(sgp_shed_stuck(&w->scale, 1, &some_rest), SEGUE_OK);
    assert_true(!some_rest || w->scale.held[0] == 0);
    weighing_close(w);
}

/* Whoever is cleared beside the stuck carries no more of its share than whoever is not. */
static void who_is_cleared_is_stuck_or_lighter_than_who_is_not(void **state)
{
    (void)state;
    uint32_t cleared_lots = 0;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        draft *d = weighing_draft(seed, (enum chance_tail)(seed % CHANCE_TAILS), 60, 12);
        d->config.imbalance_percentage = 40 + 15 * (double)(seed / 12 % 4);
        weighing *w = weighing_open(d);
        const sgp_scale *s = &w->scale;
        uint32_t members = w->solver->view.members, times = 1 + (uint32_t)(seed / 4 % 3), stuck = 0, count = 0;
        double carries[12];
        int fits[12], counts[12], some_rest;
        for (uint32_t m = 0; m < members; m++) {
            carries[m] = (double)s->load[m] / s->share[m];
            fits[m] = sgp_scale_fits(s, m);
            counts[m] = !sgp_scale_alone(s, m);
            stuck += counts[m] && !fits[m];
            count += (uint32_t)counts[m];
        }
        assert_int_equal(sgp_shed_stuck(&w->scale, times, &some_rest), SEGUE_OK);
        EXPECT(some_rest == (stuck > 0 && stuck * times < count), "seed %llu: %u of %u are stuck",
               (unsigned long long)seed, stuck, count);
        uint32_t cleared = 0;
        for (uint32_t m = 0; m < members; m++) {
            int gone = s->held[m] == 0;
            cleared += (uint32_t)gone;
            EXPECT(!gone || (some_rest && counts[m]), "seed %llu: %u is cleared", (unsigned long long)seed, m);
            EXPECT(gone || !some_rest || fits[m], "seed %llu: %u is stuck and stays so", (unsigned long long)seed, m);
            for (uint32_t k = 0; gone && fits[m] && k < members; k++) {
                EXPECT(s->held[k] == 0 || !counts[k] || carries[m] <= carries[k] + 1e-5,
                       "seed %llu: %u is cleared, which carries more than %u", (unsigned long long)seed, m, k);
            }
        }
        EXPECT(cleared == (some_rest ? stuck * times : 0), "seed %llu: %u cleared", (unsigned long long)seed, cleared);
        cleared_lots += cleared > stuck;
        weighing_close(w);
    }
    assert_true(cleared_lots > 50);
}

/* With fewer tasks than members nothing is enough; who has nothing is the lightest of those that fit. */
static void expect_lightest_cleared(uint32_t stuck)
{
    draft *d = draft_new();
    draft_tasks(d, 3, 1);
    for (uint32_t m = 0; m < 5; m++) {
        draft_member(d, m, 1);
    }
    draft_owns(d, stuck, 0, 2);
    draft_owns(d, 1, 2, 1);
    d->weight[0] = 2;
    d->config.imbalance_percentage = 100;
    weighing *w = weighing_open(d);
    int some_rest;
    assert_true(!sgp_scale_fits(&w->scale, stuck) && sgp_scale_fits(&w->scale, 1) && sgp_scale_fits(&w->scale, 2));
    assert_int_equal(sgp_shed_stuck(&w->scale, 2, &some_rest), SEGUE_OK);
    assert_true(some_rest);
    assert_int_equal(w->balance.target[0], SEGUE_NONE);
    assert_int_equal(w->balance.target[2], 1);
    weighing_close(w);
}

static void of_those_that_fit_who_carries_nothing_is_the_lightest(void **state)
{
    (void)state;
    expect_lightest_cleared(0);
    expect_lightest_cleared(4);
}

static void see_moves(void *context, const weighing *w, const uint32_t *holder)
{
    uint32_t *least = context, moves = 0;
    for (uint32_t t = 0; t < w->solver->view.tasks; t++) {
        moves += w->balance.serve[t] != SEGUE_NONE && w->balance.serve[t] != holder[t];
    }
    *least = moves < *least ? moves : *least;
}

static void no_assignment_fits_with_fewer_moves_than_the_least(void **state)
{
    (void)state;
    uint32_t groups = 0, tight = 0;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        weighing *w = weighing_open(weighing_small_draft(seed));
        uint32_t least, moves = SEGUE_NONE;
        assert_int_equal(sgp_shed_least(&w->scale, w->balance.serve, &least), SEGUE_OK);
        weighing_each_fit(w, see_moves, &moves);
        EXPECT(least <= moves, "seed %llu: %u moves do, and %u are proven", (unsigned long long)seed, moves, least);
        groups += moves != SEGUE_NONE;
        tight += least == moves;
        weighing_close(w);
    }
    assert_true(groups > 700 && tight * 4 > groups * 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_gives_up_the_heaviest_that_leave_enough),
        cmocka_unit_test(what_is_left_may_be_just_enough),
        cmocka_unit_test(what_fits_gives_up_nothing),
        cmocka_unit_test(boulders_get_hosts_that_give_up_everything_else),
        cmocka_unit_test(a_boulder_leaves_who_would_have_to_give_up_more),
        cmocka_unit_test(a_boulder_leaves_who_is_too_narrow_for_it),
        cmocka_unit_test(hosts_are_wide_enough_for_all_boulders),
        cmocka_unit_test(what_is_pinned_is_not_given_up),
        cmocka_unit_test(who_carries_too_little_bounds_the_moves_as_well),
        cmocka_unit_test(all_that_a_leaver_has_has_to_leave),
        cmocka_unit_test(the_stuck_and_the_lightest_give_up_everything),
        cmocka_unit_test(who_is_cleared_is_stuck_or_lighter_than_who_is_not),
        cmocka_unit_test(of_those_that_fit_who_carries_nothing_is_the_lightest),
        cmocka_unit_test(no_assignment_fits_with_fewer_moves_than_the_least),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
