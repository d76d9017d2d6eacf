/* SPDX-License-Identifier: Apache-2.0 */
/* What tags and racks are worth, held against the best that any choice of standbys could reach, by trying all of them. */
#include "solve/stand_by.h"

#include "test/chance.h"
#include "test/random_group.h"
#include "test/rebalance.h"
#include "test/standing.h"
#include "test/testing.h"

/* Different values in a dimension of the processes in `copies` (a set of members, each on a process of its own). */
static uint32_t values(const draft *d, uint32_t dimension, uint32_t copies)
{
    uint64_t seen[DRAFT_VALUES / 64 + 1] = {0};
    uint32_t count = 0;
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        uint32_t value = d->tags[(size_t)dimension * d->group.member_count + m];
        if ((copies >> m & 1) && value != SEGUE_NONE && !(seen[value / 64] >> (value % 64) & 1)) {
            seen[value / 64] |= (uint64_t)1 << (value % 64);
            count++;
        }
    }
    return count;
}

/* Numbers of different values, the first dimension highest. */
static uint32_t diversity(const draft *d, uint32_t copies, uint32_t dimensions)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < dimensions; i++) {
        sum = sum * 16 + values(d, i, copies);
    }
    return sum;
}

static uint32_t best_diversity(const draft *d, uint32_t owner, uint32_t standbys, uint32_t dimensions)
{
    uint32_t best = 0, members = d->group.member_count;
    for (uint32_t set = 0; set < (uint32_t)1 << members; set++) {
        if (!(set >> owner & 1) && (uint32_t)__builtin_popcount(set) == standbys) {
            uint32_t reached = diversity(d, set | 1u << owner, dimensions);
            best = reached > best ? reached : best;
        }
    }
    return best;
}

static uint32_t copies_of(const standing *s, uint32_t task)
{
    uint32_t copies = 1u << s->solver->view.owner[task];
    for (uint32_t m = 0; m < s->solver->view.members; m++) {
        copies |= (uint32_t)standing_has(s, task, m) << m;
    }
    return copies;
}

/* Any values, or none. */
static void tag_anyhow(draft *d, chance *c, uint32_t dimensions)
{
    draft_tag_dimensions(d, dimensions);
    for (uint32_t i = 0; i < dimensions; i++) {
        uint32_t range = 1 + chance_below(c, 4);
        for (uint32_t m = 0; m < d->group.member_count; m++) {
            if (!chance_once_in(c, 10)) {
                draft_tag(d, i, m, chance_below(c, range));
            }
        }
    }
}

/* Two or three clusters with the same zones in each. */
static void tag_as_grid(draft *d, chance *c)
{
    uint32_t clusters = d->group.member_count % 3 == 0 && chance_once_in(c, 2) ? 3 : 2;
    draft_tag_dimensions(d, 2);
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        draft_tag(d, 0, m, m % clusters);
        draft_tag(d, 1, m, m / clusters);
    }
}

/* Owners and some copies; each member has a disk of its own and some values. */
static draft *tagged_group(chance *c, uint32_t dimensions, uint32_t standbys, int grid)
{
    uint32_t members = grid ? 4 + 2 * chance_below(c, 2) : 2 + chance_below(c, 6);
    draft *d = standing_group(1 + chance_below(c, STANDING_MOST), members, standbys);
    if (grid) {
        tag_as_grid(d, c);
    } else {
        tag_anyhow(d, c, dimensions);
    }
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        for (uint32_t i = chance_below(c, 3); i > 0; i--) {
            draft_copy(d, chance_below(c, members), t, chance_below(c, SEGUE_LEARNER), chance_below(c, 20000));
        }
        draft_owns(d, chance_below(c, members), t, 1);
    }
    return d;
}

/* exact: how many of the dimensions are held to the best of all choices. */
static void hold_to_the_best(uint32_t dimensions, uint32_t standbys, uint32_t exact, int grid)
{
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        chance c = chance_of(seed);
        standing s;
        draft *d = tagged_group(&c, dimensions, standbys, grid);
        standing_open(&s, d);
        for (uint32_t t = 0; t < d->group.task_count; t++) {
            uint32_t copies = copies_of(&s, t), wanted = standbys;
            wanted = d->group.member_count - 1 < wanted ? d->group.member_count - 1 : wanted;
            EXPECT(standing_count(&s, t) == wanted, "seed %llu, task %u: %u standbys", (unsigned long long)seed, t,
                   standing_count(&s, t));
            uint32_t reached = diversity(d, copies, exact);
            uint32_t best = best_diversity(d, s.solver->view.owner[t], wanted, exact);
            EXPECT(reached == best, "seed %llu, task %u: %x different values, %x could be", (unsigned long long)seed, t,
                   reached, best);
        }
        solver_close(s.solver);
    }
}

static void a_single_standby_differs_in_as_many_dimensions_as_any_could(void **state)
{
    (void)state;
    hold_to_the_best(1, 1, 1, 0);
    hold_to_the_best(2, 1, 2, 0);
    hold_to_the_best(3, 1, 3, 0);
}

static void in_the_first_dimension_no_choice_of_standbys_differs_more(void **state)
{
    (void)state;
    hold_to_the_best(1, 2, 1, 0);
    hold_to_the_best(1, 3, 1, 0);
    hold_to_the_best(2, 2, 1, 0);
    hold_to_the_best(2, 3, 1, 0);
}

static void in_the_second_dimension_too_where_every_combination_is_there(void **state)
{
    (void)state;
    hold_to_the_best(2, 2, 2, 1);
    hold_to_the_best(2, 3, 2, 1);
}


static void tags_decide_before_stickiness_but_only_for_a_gain(void **state)
{
    (void)state;
    /* Owner and its caught-up standby share a value; 2 is elsewhere, and so is 3. */
    static const uint32_t value[] = {0, 0, 1, 1};
    for (int gain = 0; gain <= 1; gain++) {
        standing s;
        draft *d = standing_group(1, 4, 1);
        draft_tag_dimensions(d, 1);
        for (uint32_t m = 0; m < 4; m++) {
            draft_tag(d, 0, m, value[m]);
        }
        draft_owns(d, 0, 0, 1);
        draft_copy(d, gain ? 1 : 3, 0, SEGUE_STANDBY, gain ? 0 : 90000);
        standing_open(&s, d);
        assert_true(standing_has(&s, 0, gain ? 2 : 3));
        solver_close(s.solver);
    }
}

static void of_copies_apart_the_better_one_is_kept(void **state)
{
    (void)state;
    standing s;
    draft *d = standing_group(1, 4, 1);
    draft_tag_dimensions(d, 1);
    for (uint32_t m = 0; m < 4; m++) {
        draft_tag(d, 0, m, m / 2);
    }
    draft_owns(d, 0, 0, 1);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 0);
    draft_copy(d, 2, 0, SEGUE_DORMANT, 80000);
    draft_copy(d, 3, 0, SEGUE_STANDBY, 70000);
    standing_open(&s, d);
    assert_true(standing_has(&s, 0, 3));
    solver_close(s.solver);
}

static void racks_count_where_the_strategy_asks_and_no_tags_are_given(void **state)
{
    (void)state;
    static const uint32_t rack[] = {0, 0, 1};
    for (int asks = 0; asks <= 1; asks++) {
        standing s;
        draft *d = standing_group(1, 3, 1);
        d->config.rack_strategy = asks ? SEGUE_RACK_MIN_TRAFFIC : SEGUE_RACK_NONE;
        d->group.member_rack = rack;
        d->group.rack_count = 2;
        draft_owns(d, 0, 0, 1);
        standing_open(&s, d);
        assert_true(standing_has(&s, 0, asks ? 2 : 1));
        solver_close(s.solver);
    }
}

static void a_leaver_s_standby_differs_from_who_takes_over(void **state)
{
    (void)state;
    standing s;
    draft *d = standing_group(1, 4, 1);
    draft_tag_dimensions(d, 1);
    for (uint32_t m = 0; m < 4; m++) {
        draft_tag(d, 0, m, m / 2);
    }
    draft_owns(d, 0, 0, 1);
    draft_leaves(d, 0, SEGUE_TIME_NONE);
    standing_open_with_learner(&s, d, 2);
    assert_true(standing_has(&s, 0, 1));
    solver_close(s.solver);
}

static void more_values_than_zones_are_told_apart_all_the_same(void **state)
{
    (void)state;
    enum { HOSTS = 200 };
    standing s;
    draft *d = standing_group(STANDING_MOST, HOSTS, 2);
    draft_tag_dimensions(d, 1);
    for (uint32_t m = 0; m < HOSTS; m++) {
        draft_tag(d, 0, m, m);
    }
    for (uint32_t t = 0; t < STANDING_MOST; t++) {
        draft_owns(d, t, t, 1);
        draft_copy(d, t + 64, t, SEGUE_STANDBY, 90000); /* folds onto the owner's zone */
    }
    standing_open(&s, d);
    for (uint32_t t = 0; t < STANDING_MOST; t++) {
        assert_int_equal(standing_count(&s, t), 2);
        assert_true(standing_has(&s, t, t + 64));
    }
    solver_close(s.solver);
}

static void a_plan_fed_back_with_tags_gives_itself(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        chance c = chance_of(seed);
        draft *d = random_group(seed, (random_size){12, 7, 3, 3}, RANDOM_ANYTHING);
        tag_anyhow(d, &c, 1 + chance_below(&c, 2));
        draft_group(d);
        rebalance *first = rebalance_run("balanced", d);
        draft *next = rebalance_next(d, first, SAME_LAGS);
        rebalance *second = rebalance_run("balanced", next);
        EXPECT(rebalance_same(first, second), "seed %llu: the plan changes", (unsigned long long)seed);
        rebalance_free(first);
        rebalance_free(second);
        draft_free(d);
        draft_free(next);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_single_standby_differs_in_as_many_dimensions_as_any_could),
        cmocka_unit_test(in_the_first_dimension_no_choice_of_standbys_differs_more),
        cmocka_unit_test(in_the_second_dimension_too_where_every_combination_is_there),
        cmocka_unit_test(tags_decide_before_stickiness_but_only_for_a_gain),
        cmocka_unit_test(of_copies_apart_the_better_one_is_kept),
        cmocka_unit_test(racks_count_where_the_strategy_asks_and_no_tags_are_given),
        cmocka_unit_test(a_leaver_s_standby_differs_from_who_takes_over),
        cmocka_unit_test(more_values_than_zones_are_told_apart_all_the_same),
        cmocka_unit_test(a_plan_fed_back_with_tags_gives_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
