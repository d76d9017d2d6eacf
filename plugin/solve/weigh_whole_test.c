/* SPDX-License-Identifier: Apache-2.0 */
/* Targets by weight in groups that are too large for a search (weigh_search.h): what the steps of weigh.h come to together. */
#include "solve/weigh.h"

#include "solve/weigh_pack.h"
#include "solve/weigh_shed.h"
#include "test/testing.h"
#include "test/weighing.h"

enum { TASKS = 200 };

typedef struct sums {
    uint64_t moves, least, packed; /* moves; as many as are proven; and those of the packing by itself */
    uint64_t dropped, learned;     /* tasks that are learned, and of them those whose learner stops */
    uint32_t groups;
} sums;

static uint32_t moves_of(const weighing *w, const uint32_t *holder)
{
    return sgp_scale_moves(&w->scale, holder);
}

/* Some tasks are learned by somebody else; as many by each as would be too much for some. */
static void let_learn(weighing *w, chance *c, uint32_t *flying)
{
    const sgp_view *view = &w->solver->view;
    uint32_t once_in = 4 + chance_below(c, 30);
    for (uint32_t t = 0; t < view->tasks; t++) {
        uint32_t member = chance_below(c, view->members);
        flying[t] = chance_once_in(c, once_in) && member != w->balance.serve[t] ? member : SEGUE_NONE;
    }
    w->scale.flying = flying;
}

static void add_group(uint64_t seed, int learns, sums *all)
{
    chance c = chance_of(seed);
    weighing *w = weighing_open(weighing_draft(seed, (enum chance_tail)(seed % CHANCE_TAILS), TASKS, 12));
    uint32_t flying[TASKS], tasks = w->solver->view.tasks, least;
    int kept = 0;
    if (learns) {
        let_learn(w, &c, flying);
    }
    assert_int_equal(sgp_weigh_keep(&w->scale, &kept), SEGUE_OK);
    if (tasks > 64 && !kept) {
        assert_int_equal(sgp_shed_least(&w->scale, w->balance.serve, &least), SEGUE_OK);
        assert_int_equal(sgp_weigh(&w->scale), SEGUE_OK);
        EXPECT(weighing_adds_up(w, w->balance.target) && sgp_scale_fits_all(&w->scale), "seed %llu: they do not fit",
               (unsigned long long)seed);
        all->groups++;
        all->least += least;
        all->moves += moves_of(w, w->balance.target);
        for (uint32_t t = 0; learns && t < tasks; t++) {
            all->learned += flying[t] != SEGUE_NONE;
            all->dropped += flying[t] != SEGUE_NONE && w->balance.target[t] != flying[t];
        }
        assert_int_equal(sgp_pack(&w->scale, w->scale.bin), SEGUE_OK);
        assert_int_equal(sgp_pack_label(&w->scale, w->scale.bin), SEGUE_OK);
        all->packed += moves_of(w, w->balance.target);
    }
    weighing_close(w);
}

/* Heuristics have no rule that each answer could be held against; a step less shows in the sums. */
static void few_more_tasks_move_than_have_to_and_few_learners_stop(void **state)
{
    (void)state;
    static const uint64_t most[] = {10780, 18440}; /* a tenth of a percent above what there are */
    for (int learns = 0; learns <= 1; learns++) {
        sums all = {.groups = 0};
        for (uint64_t seed = 1; seed <= 1500; seed++) {
            add_group(seed, learns, &all);
        }
        EXPECT(all.groups > 900 && all.moves <= most[learns], "%u groups: %llu moves, where %llu are proven and %llu packed",
               all.groups, (unsigned long long)all.moves, (unsigned long long)all.least, (unsigned long long)all.packed);
        EXPECT(all.dropped <= 250, "%llu of %llu learners stop", (unsigned long long)all.dropped,
               (unsigned long long)all.learned);
    }
}

/* Member 0 leaves with a part of the tasks, and each of them has a caught-up copy. Who has it is `copy`. */
static draft *with_copies(uint64_t seed, uint32_t *copy)
{
    chance c = chance_of(seed);
    draft *d = draft_new();
    const uint32_t members = 4, tasks = 100 + chance_below(&c, 60);
    d->seed = seed;
    draft_tasks(d, tasks, 1);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, 1);
    }
    draft_leaves(d, 0, SEGUE_TIME_NONE);
    for (uint32_t t = 0; t < tasks; t++) {
        uint32_t owner = chance_below(&c, members);
        d->weight[t] = 1 + chance_below(&c, 5);
        copy[t] = owner == 0 ? 1 + chance_below(&c, members - 1) : SEGUE_NONE;
        if (owner == 0) {
            draft_copy(d, copy[t], t, SEGUE_STANDBY, chance_below(&c, 10001));
            draft_copy(d, 1 + copy[t] % 3, t, SEGUE_STANDBY, 10001); /* behind, and before or after that one */
        }
        draft_owns(d, owner, t, 1);
    }
    d->config.imbalance_percentage = 30;
    return d;
}

static void what_has_to_move_goes_to_a_caught_up_copy_where_there_is_room(void **state)
{
    (void)state;
    uint32_t fit = 0;
    for (uint64_t seed = chance_seed(), last = seed + 300; seed < last; seed++) {
        uint32_t copy[TASKS];
        int kept = 0;
        weighing *w = weighing_open(with_copies(seed, copy));
        for (uint32_t t = 0; t < w->solver->view.tasks; t++) {
            copy[t] = copy[t] == SEGUE_NONE ? w->balance.serve[t] : copy[t];
        }
        sgp_scale_weigh(&w->scale, copy);
        int fits = sgp_scale_fits_all(&w->scale);
        assert_int_equal(sgp_weigh_keep(&w->scale, &kept), SEGUE_OK);
        assert_false(kept);
        assert_int_equal(sgp_weigh(&w->scale), SEGUE_OK);
        for (uint32_t t = 0; fits && t < w->solver->view.tasks; t++) {
            EXPECT(w->balance.target[t] == copy[t], "seed %llu: task %u goes to %u, and its copy is on %u",
                   (unsigned long long)seed, t, w->balance.target[t], copy[t]);
        }
        fit += (uint32_t)fits;
        weighing_close(w);
    }
    EXPECT(fit > 100, "all fit in only %u groups", fit);
}

/* Does everybody serve something, and fit as it is? */
static int fits_as_it_is(weighing *w)
{
    for (uint32_t t = 0; t < w->solver->view.tasks; t++) {
        if (!sgp_scale_keeps(&w->scale, t)) {
            return 0;
        }
    }
    sgp_scale_weigh(&w->scale, w->balance.serve);
    return sgp_scale_fits_all(&w->scale);
}

static void what_fits_as_it_is_is_kept_also_where_no_packing_keeps_the_tolerance(void **state)
{
    (void)state;
    uint32_t kept_anyhow = 0;
    for (uint64_t seed = chance_seed(), last = seed + 3000; seed < last; seed++) {
        weighing *w = weighing_open(weighing_small_draft(seed)), *slow = weighing_open(weighing_small_draft(seed));
        int kept = 0, expected = fits_as_it_is(slow);
        if (!expected) {
            assert_int_equal(sgp_pack(&slow->scale, slow->scale.bin), SEGUE_OK);
            double reached = sgp_scale_distance(&slow->scale);
            if (reached > slow->solver->draft->config.imbalance_percentage / 100) {
                sgp_scale_tolerate(&slow->scale, reached);
                expected = fits_as_it_is(slow);
                kept_anyhow += (uint32_t)expected;
            }
        }
        assert_int_equal(sgp_weigh_keep(&w->scale, &kept), SEGUE_OK);
        EXPECT(kept == expected, "seed %llu: kept %d", (unsigned long long)seed, kept);
        for (uint32_t m = 0; kept && m < w->solver->view.members; m++) {
            EXPECT(w->balance.want[m] == w->scale.held[m], "seed %llu: member %u is to hold %u", (unsigned long long)seed, m,
                   w->balance.want[m]);
        }
        weighing_close(w);
        weighing_close(slow);
    }
    EXPECT(kept_anyhow > 0, "only %u are kept within the packing's distance", kept_anyhow);
}

/* Moves of the whole balance: 10 tasks of weight 1 on member 0, and 3 of 2 on member 1 if it serves any. */
static uint32_t moves_of_two(int both_serve)
{
    draft *d = draft_new();
    draft_tasks(d, 13, 1);
    uint32_t low[2], high[2];
    sgp_quota quota = {low, high, 0};
    for (uint32_t m = 0; m < 2; m++) {
        draft_member(d, m, 1);
    }
    for (uint32_t t = 0; t < 13; t++) {
        d->weight[t] = t < 10 ? 1 : 2;
        draft_owns(d, t >= 10 && both_serve, t, 1);
    }
    d->config.imbalance_percentage = 20;
    weighing *w = weighing_open(d);
    w->balance.scale = &w->scale;
    sgp_quota_share(&w->solver->view, 13, &quota);
    assert_int_equal(sgp_balance_run(&w->balance, &quota, NULL, 0), SEGUE_OK);
    uint32_t moves = moves_of(w, w->balance.target);
    weighing_close(w);
    return moves;
}

/* 10 and 6 are mended by one task less, and would fit the quota, too. */
static void only_who_serves_nothing_is_brought_to_its_quota(void **state)
{
    (void)state;
    assert_int_equal(moves_of_two(1), 1);
    assert_int_equal(moves_of_two(0), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_more_tasks_move_than_have_to_and_few_learners_stop),
        cmocka_unit_test(only_who_serves_nothing_is_brought_to_its_quota),
        cmocka_unit_test(what_fits_as_it_is_is_kept_also_where_no_packing_keeps_the_tolerance),
        cmocka_unit_test(what_has_to_move_goes_to_a_caught_up_copy_where_there_is_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
