/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/weights.h"

#include "test/chance.h"
#include "test/solver.h"
#include "test/testing.h"
#include "test/weighing.h"

#include <math.h>

/* Tasks of these weights; two members, which own nothing. */
static solver *weigh(const double *weight, uint32_t tasks, sgp_weights *w)
{
    draft *d = draft_new();
    draft_tasks(d, tasks, 1);
    memcpy(d->weight, weight, tasks * sizeof *weight);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    solver *s = solver_open(d);
    assert_int_equal(sgp_weights_build(w, &s->view, &s->region), SEGUE_OK);
    return s;
}

static void there_are_weights_where_any_two_tasks_differ(void **state)
{
    (void)state;
    enum { TASKS = 4, SIZES = 3, ALL = 81 };
    for (uint32_t code = 0; code < ALL; code++) {
        double weight[TASKS];
        int differ = 0;
        for (uint32_t t = 0, rest = code; t < TASKS; t++, rest /= SIZES) {
            weight[t] = 1 + rest % SIZES;
            differ |= weight[t] < weight[0] || weight[t] > weight[0];
        }
        sgp_weights w;
        solver *s = weigh(weight, TASKS, &w);
        EXPECT((w.of != NULL) == differ, "case %u", code);
        solver_close(s);
    }
}

static void whole_weights_keep_their_ratios_and_the_heaviest_has_30_bits(void **state)
{
    (void)state;
    enum { TASKS = 9 };
    for (uint64_t seed = chance_seed(), last = seed + 1000; seed < last; seed++) {
        chance c = chance_of(seed);
        double weight[TASKS], heaviest = 0;
        uint32_t most = 2 + chance_below(&c, 1000000);
        for (uint32_t t = 0; t < TASKS; t++) {
            weight[t] = t == 1 ? weight[0] + 1 : 1 + chance_below(&c, most); /* two differ for certain */
            heaviest = fmax(heaviest, weight[t]);
        }
        sgp_weights w;
        solver *s = weigh(weight, TASKS, &w);
        for (uint32_t t = 0; t < TASKS; t++) {
            EXPECT((uint64_t)w.of[t] * (uint64_t)heaviest == (uint64_t)w.of[w.order[0]] * (uint64_t)weight[t],
                   "seed %llu, task %u", (unsigned long long)seed, t);
        }
        for (uint32_t i = 1; i < TASKS; i++) {
            uint32_t before = w.order[i - 1], task = w.order[i];
            EXPECT(w.of[before] > w.of[task] || (w.of[before] == w.of[task] && before < task),
                   "seed %llu: %u comes before %u", (unsigned long long)seed, before, task);
        }
        EXPECT(w.of[w.order[0]] >> 29 == 1, "seed %llu: the heaviest is %u", (unsigned long long)seed, w.of[w.order[0]]);
        solver_close(s);
    }
}

/* Powers of two are where a bit more or less would come from. */
static void the_heaviest_has_30_bits_whatever_its_size(void **state)
{
    (void)state;
    for (int bits = -200; bits <= 200; bits++) {
        sgp_weights w;
        solver *s = weigh((double[]){ldexp(1, bits), ldexp(1, bits - 3)}, 2, &w);
        EXPECT(w.of[0] == 1u << 29 && w.of[1] == 1u << 26, "2^%d weighs %u", bits, w.of[0]);
        solver_close(s);
    }
}

static void what_is_no_weight_weighs_one_and_what_is_too_light_something(void **state)
{
    (void)state;
    const double weight[] = {0, -3, INFINITY, NAN, 4, 1, 1e-30};
    sgp_weights w;
    solver *s = weigh(weight, 7, &w);
    for (uint32_t t = 0; t < 4; t++) {
        assert_int_equal(w.of[t], w.of[5]);
    }
    assert_int_equal(w.of[4], 4 * w.of[5]);
    assert_int_equal(w.of[6], 1);
    solver_close(s);
}

static void one_kind_may_weigh_the_same_where_the_other_does_not(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 3, 1);
    draft_tasks(d, 3, 0);
    draft_member(d, 0, 1);
    d->weight[0] = d->weight[1] = d->weight[2] = 5;
    d->weight[5] = 2;
    solver *s = solver_open(d);
    sgp_weights w;
    assert_int_equal(sgp_weights_build(&w, &s->view, &s->region), SEGUE_OK);
    assert_int_equal(sgp_weights_differ(&s->view, &w, 1), 0);
    assert_int_equal(sgp_weights_differ(&s->view, &w, 0), 1);
    solver_close(s);
}

/* Of members whose shares are exact in doubles: the distances as the header says them, in the plainest way. */
static double distance(const draft *d, const uint32_t *holder)
{
    double load[8] = {0}, total = 0, threads = 0, most = 0;
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        load[holder[t]] += d->weight[t];
        total += d->weight[t];
    }
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        threads += d->threads[m];
    }
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        double share = total * d->threads[m] / threads;
        most = fmax(most, fabs(load[m] - share) / share);
    }
    return 100 * most;
}

static void the_imbalance_is_the_largest_distance_and_no_assignment_is_below_the_bound(void **state)
{
    (void)state;
    uint32_t groups = 0, tight = 0;
    for (uint64_t seed = chance_seed(), last = seed + 500; seed < last; seed++) {
        chance c = chance_of(seed);
        draft *d = draft_new();
        uint32_t holder[8], tasks = 1 + chance_below(&c, 7), members = 1 + chance_below(&c, 4);
        draft_tasks(d, tasks, 1);
        for (uint32_t m = 0; m < members; m++) {
            draft_member(d, m, 1 + (chance_once_in(&c, 2) ? 0 : chance_below(&c, 4)));
        }
        for (uint32_t t = 0; t < tasks; t++) {
            d->weight[t] = 1 + chance_below(&c, chance_once_in(&c, 3) ? 60 : 5);
            holder[t] = chance_below(&c, members);
        }
        solver *s = solver_open(d);
        sgp_weights w;
        assert_int_equal(sgp_weights_build(&w, &s->view, &s->region), SEGUE_OK);
        if (w.of != NULL) {
            double imbalance, least, possible = weighing_least_imbalance(d);
            assert_int_equal(sgp_weights_measure(&s->view, &w, holder, &imbalance, &least, &s->region), SEGUE_OK);
            EXPECT(fabs(imbalance - distance(d, holder)) < 1e-6, "seed %llu: %g instead of %g", (unsigned long long)seed,
                   imbalance, distance(d, holder));
            EXPECT(least >= 0 && least <= possible + 1e-6, "seed %llu: %g is possible, and %g said to be the least",
                   (unsigned long long)seed, possible, least);
            groups++;
            tight += least >= possible - 1e-6;
        }
        solver_close(s);
    }
    assert_true(groups > 300 && tight * 2 > groups);
}

/* Of four members somebody has two of the five heaviest, 20 of a share of 19. That of nine it has three says less: 19.5. */
static void the_bound_is_the_greatest_of_what_the_heaviest_tasks_say(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 9, 1);
    for (uint32_t t = 0; t < 9; t++) {
        d->weight[t] = t < 5 ? 10 : 6.5;
    }
    for (uint32_t m = 0; m < 4; m++) {
        draft_member(d, m, 1);
    }
    solver *s = solver_open(d);
    sgp_weights w;
    double imbalance, least;
    const uint32_t holder[9] = {0, 1, 2, 3, 0, 1, 2, 3, 1};
    assert_int_equal(sgp_weights_build(&w, &s->view, &s->region), SEGUE_OK);
    assert_int_equal(sgp_weights_measure(&s->view, &w, holder, &imbalance, &least, &s->region), SEGUE_OK);
    EXPECT(fabs(least - 100.0 / 19) < 1e-5, "%g", least);
    solver_close(s);
}

/* From the smallest numbers of a double to the largest, by its exponent alone. */
static void what_unit_weights_are_in_makes_no_difference(void **state)
{
    (void)state;
    const double weight[] = {3, 7, 1000, 123457, 1, 6};
    enum { TASKS = sizeof weight / sizeof *weight };
    sgp_weights w, other;
    solver *s = weigh(weight, TASKS, &w);
    for (int exponent = -1074; exponent <= 1000; exponent++) {
        double scaled[TASKS];
        for (uint32_t t = 0; t < TASKS; t++) {
            scaled[t] = ldexp(weight[t], exponent);
        }
        solver *t = weigh(scaled, TASKS, &other);
        EXPECT(memcmp(w.of, other.of, sizeof *w.of * TASKS) == 0, "2^%d: the heaviest is %u instead of %u", exponent,
               other.of[3], w.of[3]);
        solver_close(t);
    }
    solver_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_weights_where_any_two_tasks_differ),
        cmocka_unit_test(whole_weights_keep_their_ratios_and_the_heaviest_has_30_bits),
        cmocka_unit_test(the_bound_is_the_greatest_of_what_the_heaviest_tasks_say),
        cmocka_unit_test(what_unit_weights_are_in_makes_no_difference),
        cmocka_unit_test(the_heaviest_has_30_bits_whatever_its_size),
        cmocka_unit_test(what_is_no_weight_weighs_one_and_what_is_too_light_something),
        cmocka_unit_test(one_kind_may_weigh_the_same_where_the_other_does_not),
        cmocka_unit_test(the_imbalance_is_the_largest_distance_and_no_assignment_is_below_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
