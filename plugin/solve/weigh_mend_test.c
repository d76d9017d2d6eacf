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
    for (int pinned = SGP_FLIES_NONE; pinned <= SGP_FLIES_ALL; pinned++) {
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
        assert_true(pinned == SGP_FLIES_NONE || w->balance.target[0] == 1);
        weighing_close(w);
    }
}

enum { TASKS = 60 };

/* One exchange of a pair, as good as it is for what is wanted: more of that for each half move, with five added to these. */
typedef struct step {
    uint32_t give, take;
    uint64_t gain;
    int price;
} step;

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Tasks that lay on a member when the round began, the heaviest first. */
static uint32_t list_of(const weighing *w, const uint32_t *began, uint32_t member, uint32_t *task)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->balance.count; i++) {
        if (began[w->scale.order[i]] == member) {
            task[count++] = w->scale.order[i];
        }
    }
    return count;
}

static void consider(const sgp_scale *s, const uint32_t *pair, uint32_t give, uint32_t take, uint64_t want, uint64_t most,
                     step *best)
{
    uint64_t out = s->weight[give], in = take == SEGUE_NONE ? 0 : s->weight[take];
    if (in >= out || out - in > most) {
        return;
    }
    step made = {give, take, smaller(out - in, want), 0};
    made.price = sgp_scale_price(s, give, pair[1]) - sgp_scale_price(s, give, pair[0]);
    made.price += take == SEGUE_NONE ? 0 : sgp_scale_price(s, take, pair[0]) - sgp_scale_price(s, take, pair[1]);
    uint64_t mine = made.gain * (uint64_t)(best->price + 5), its = best->gain * (uint64_t)(made.price + 5);
    *best = best->give == SEGUE_NONE || mine > its ? made : *best;
}

/* Of what lay there when the round began: in each of 16 stretches of the heavy one's tasks the first that is still there goes,
 * alone or for one of the sixteen around the weight that would do best. The best of these, the first of equal ones. */
static step best_step(const weighing *w, const uint32_t *began, const uint32_t *pair, uint64_t want, uint64_t most)
{
    const sgp_scale *s = &w->scale;
    uint32_t own[TASKS], its[TASKS], owns = list_of(w, began, pair[0], own), has = list_of(w, began, pair[1], its);
    uint32_t each = (owns + 15) / 16;
    step best = {.give = SEGUE_NONE};
    for (uint32_t first = 0; first < owns; first += each) {
        uint32_t i = first, middle = 0;
        while (i < first + each && i < owns && s->b->target[own[i]] != pair[0]) {
            i++;
        }
        if (i == first + each || i == owns) {
            continue;
        }
        consider(s, pair, own[i], SEGUE_NONE, want, most, &best);
        while (middle < has && s->weight[its[middle]] + want > s->weight[own[i]]) {
            middle++;
        }
        for (uint32_t k = 0; k < has; k++) {
            if (k + 8 >= middle && k < middle + 8 && s->b->target[its[k]] == pair[1]) {
                consider(s, pair, own[i], its[k], want, most, &best);
            }
        }
    }
    return best;
}

/* One round of two members. Returns how many steps it had. */
static uint32_t mend_slowly(weighing *w, uint32_t *began)
{
    sgp_scale *s = &w->scale;
    double first = (double)s->load[0] / s->share[0], second = (double)s->load[1] / s->share[1];
    uint32_t heavy = first > second ? 0 : 1, light = 1 - heavy, steps = 0;
    const uint32_t pair[] = {heavy, light};
    memcpy(began, s->b->target, s->b->count * sizeof *began);
    for (;; steps++) {
        uint64_t spare = s->load[heavy] > s->low[heavy] ? s->load[heavy] - s->low[heavy] : 0;
        uint64_t room = s->high[light] > s->load[light] ? s->high[light] - s->load[light] : 0;
        uint64_t over = sgp_scale_over(s, heavy), under = sgp_scale_under(s, light), most = smaller(spare, room);
        uint64_t want = smaller(over > under ? over : under, most);
        step made = want > 0 ? best_step(w, began, pair, want, most) : (step){.give = SEGUE_NONE};
        if (made.give == SEGUE_NONE) {
            return steps;
        }
        sgp_scale_move(s, made.give, heavy, light);
        if (made.take != SEGUE_NONE) {
            sgp_scale_move(s, made.take, light, heavy);
        }
    }
}

static draft *two_members(uint64_t seed)
{
    chance c = chance_of(seed);
    draft *d = draft_new();
    uint32_t many = 1 + chance_below(&c, chance_once_in(&c, 2) ? 16 : TASKS / 2), few = chance_below(&c, TASKS / 2);
    d->seed = seed;
    draft_tasks(d, many + few + 1, 1);
    draft_member(d, 0, 1 + chance_below(&c, 2));
    draft_member(d, 1, 1 + chance_below(&c, 2));
    for (uint32_t t = 0; t < many + few + 1; t++) {
        d->weight[t] = 1 + chance_below(&c, 60);
        draft_owns(d, t >= many, t, 1);
    }
    d->weight[0] += d->weight[0] <= d->weight[1] && d->weight[0] >= d->weight[1];
    d->config.imbalance_percentage = chance_below(&c, 30);
    return d;
}

static void a_pair_takes_the_best_step_of_those_it_looks_at_as_long_as_one_helps(void **state)
{
    (void)state;
    uint32_t compared = 0;
    for (uint64_t seed = chance_seed(), last = seed + 2000; seed < last; seed++) {
        weighing *w = weighing_open(two_members(seed)), *slow = weighing_open(two_members(seed));
        uint32_t began[TASKS], steps = mend_slowly(slow, began);
        int mended, boulders = w->scale.boulder != UINT64_MAX;
        assert_int_equal(sgp_mend(&w->scale, &mended), SEGUE_OK);
        if (steps > 0 && sgp_scale_fits_all(&slow->scale) && !boulders) {
            EXPECT(memcmp(w->balance.target, slow->balance.target, w->balance.count * sizeof *began) == 0,
                   "seed %llu: other steps", (unsigned long long)seed);
            compared++;
        }
        weighing_close(w);
        weighing_close(slow);
    }
    EXPECT(compared > 300, "only %u pairs were compared", compared);
}

/* Member 0 has 20 too much, and the last one, ten times as wide, is the only one with room for it. So many carry less of their
 * share than that one, and so many more than that but for member 0; all of them have two tasks, and fit. */
static int mends(uint32_t lighter, uint32_t heavier)
{
    draft *d = draft_new();
    uint32_t members = 1 + lighter + heavier + 1, task = 0;
    draft_tasks(d, 2 + 2 * (lighter + heavier) + 96, 1);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, m + 1 < members ? 1 : 10);
    }
    for (uint32_t m = 1; m <= lighter + heavier; m++) {
        d->weight[task] = d->weight[task + 1] = m <= lighter ? 48 : 50.5;
        draft_owns(d, m, task, 2);
        task += 2;
    }
    d->weight[task] = 100;
    d->weight[task + 1] = 20;
    draft_owns(d, 0, task, 2);
    for (uint32_t t = task + 2; t < d->group.task_count; t++) {
        d->weight[t] = 10.2;
        draft_owns(d, members - 1, t, 1);
    }
    d->config.imbalance_percentage = 5;
    weighing *w = weighing_open(d);
    int mended;
    assert_true(sgp_scale_over(&w->scale, 0) > 0);
    for (uint32_t m = 1; m < members; m++) {
        assert_true(sgp_scale_fits(&w->scale, m));
    }
    assert_int_equal(sgp_mend(&w->scale, &mended), SEGUE_OK);
    weighing_close(w);
    return mended;
}

/* The heaviest member is paired with the lightest, and in each round that helps nobody with the next one: sixteen in all. */
static void one_of_the_sixteen_lightest_members_helps_the_heaviest(void **state)
{
    (void)state;
    for (uint32_t lighter = 0; lighter < 24; lighter++) {
        EXPECT(mends(lighter, 60 - lighter) == (lighter < 16), "%u lighter ones: it is not so", lighter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_fits_goes_on_fitting_and_the_others_come_nearer),
        cmocka_unit_test(what_fits_is_left_alone),
        cmocka_unit_test(two_change_places_where_no_gift_fits),
        cmocka_unit_test(a_pair_takes_the_best_step_of_those_it_looks_at_as_long_as_one_helps),
        cmocka_unit_test(what_is_learned_stays_where_it_is_pinned),
        cmocka_unit_test(one_of_the_sixteen_lightest_members_helps_the_heaviest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
