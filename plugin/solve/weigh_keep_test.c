/* SPDX-License-Identifier: Apache-2.0 */
/* When weights leave all as it is, and when they ask the counts, as weigh.h says it: read slowly. */
#include "solve/weigh.h"

#include "solve/weigh_pack.h"
#include "test/testing.h"
#include "test/weighing.h"

enum { MEMBERS = 12, TASKS = 200 };

/* In place of whoever owns the task. */
static void own_instead(draft *d, uint32_t member, uint32_t task)
{
    for (uint32_t i = 0; i < d->holding_count; i++) {
        if (d->holdings[i].task == task) {
            d->holdings[i].member = member;
        }
    }
}

/* Owners are those of the packing, of most groups all of them. */
static void own_as_packed(draft *d, chance *c)
{
    weighing *w = weighing_open(draft_clone(d));
    uint32_t others = chance_below(c, 3) / 2 * chance_below(c, 4);
    assert_int_equal(sgp_pack(&w->scale, w->scale.bin), SEGUE_OK);
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        own_instead(d, t < others ? chance_below(c, d->group.member_count) : w->scale.bin[t], t);
    }
    weighing_close(w);
}

/* Some tasks are learned by others; who would learn its own has lost it. */
static draft *some_group(uint64_t seed)
{
    chance c = chance_of(seed ^ 0x6ee9);
    draft *d = weighing_draft(seed, (enum chance_tail)(seed % CHANCE_TAILS), seed % 3 == 0 ? TASKS : 24, MEMBERS);
    d->config.imbalance_percentage = (double[]){0.5, 3, 10, 20}[chance_below(&c, 4)];
    if (chance_once_in(&c, 2)) {
        own_as_packed(d, &c);
    }
    for (uint32_t t = 0; t < d->group.task_count && seed % 4 == 0; t++) {
        if (chance_once_in(&c, 8)) {
            draft_copy(d, chance_below(&c, d->group.member_count), t, SEGUE_LEARNER, chance_once_in(&c, 3) ? 5 : 50000);
        }
    }
    return d;
}

/* Everybody keeps what it has, and has of what it learns all, or what has caught up, or nothing. 1 where all have a holder that
 * stays, and all fit. */
static int fits(weighing *w, int flies, uint32_t *holder)
{
    for (uint32_t t = 0; t < w->solver->view.tasks; t++) {
        int counts = flies == SGP_FLIES_ALL || (flies == SGP_FLIES_READY && w->scale.ready != NULL && w->scale.ready[t]);
        uint32_t owner = w->balance.serve[t], learner = counts ? sgp_scale_flying(&w->scale, t) : SEGUE_NONE;
        holder[t] = learner != SEGUE_NONE ? learner : owner;
        if (holder[t] == SEGUE_NONE || w->solver->view.place[holder[t]] != SGP_STAYS) {
            return 0;
        }
    }
    sgp_scale_weigh(&w->scale, holder);
    return sgp_scale_fits_all(&w->scale);
}

static int fits_somehow(weighing *w, uint32_t *holder)
{
    return fits(w, SGP_FLIES_ALL, holder) || fits(w, SGP_FLIES_READY, holder) || fits(w, SGP_FLIES_NONE, holder);
}

/* What is in flight goes on if it fits within the percentage, or within what the packing reaches where that is more. */
static int is_kept(weighing *w, double wanted, uint32_t *holder)
{
    sgp_scale_tolerate(&w->scale, wanted);
    if (fits_somehow(w, holder)) {
        return 1;
    }
    assert_int_equal(sgp_pack(&w->scale, w->scale.bin), SEGUE_OK);
    double reached = sgp_scale_distance(&w->scale);
    if (reached <= wanted) {
        return 0;
    }
    sgp_scale_tolerate(&w->scale, reached);
    return fits_somehow(w, holder);
}

static void expect_counts(const weighing *w, uint64_t seed)
{
    for (uint32_t m = 0; m < w->solver->view.members; m++) {
        EXPECT(w->balance.want[m] == solver_held(&w->balance, m, 0), "seed %llu: %u should hold %u", (unsigned long long)seed,
               m, w->balance.want[m]);
    }
}

static void what_fits_the_percentage_or_what_the_packing_reaches_is_kept(void **state)
{
    (void)state;
    uint32_t all = 0, beyond = 0;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        weighing *w = weighing_open(some_group(seed)), *slow = weighing_open(some_group(seed));
        uint32_t holder[TASKS];
        double wanted = w->solver->draft->config.imbalance_percentage / 100;
        int kept = -1, expected = is_kept(slow, wanted, holder);
        assert_int_equal(sgp_weigh_keep(&w->scale, &kept), SEGUE_OK);
        EXPECT(kept == expected, "seed %llu: kept is %d", (unsigned long long)seed, kept);
        if (kept) {
            assert_memory_equal(w->balance.target, holder, w->solver->view.tasks * sizeof *holder);
            expect_counts(w, seed);
            beyond += sgp_scale_distance(&w->scale) > wanted;
        }
        all += (uint32_t)kept;
        weighing_close(w);
        weighing_close(slow);
    }
    EXPECT(all > 200 && beyond > 60, "%u were kept, %u of them beyond what was wanted", all, beyond);
}

/* The counts are asked where a staying member serves nothing, and decide if all fit with their targets. */
static void the_counts_decide_where_somebody_serves_nothing_and_all_fit_with_them(void **state)
{
    (void)state;
    uint32_t by_counts = 0, by_weights = 0;
    for (uint64_t seed = chance_seed(), last = seed + 1000; seed < last; seed++) {
        draft *d = weighing_draft(seed, CHANCE_EVEN, 100, MEMBERS);
        for (uint32_t t = 0; t < d->group.task_count && seed % 2 == 0; t++) {
            own_instead(d, t % (d->group.member_count - 1), t);
        }
        weighing *w = weighing_open(draft_clone(d)), *slow = weighing_open(d);
        const sgp_view *view = &w->solver->view;
        sgp_quota quota = {SGP_TAKE(&w->solver->region, uint32_t, view->members),
                           SGP_TAKE(&w->solver->region, uint32_t, view->members), 0};
        sgp_quota_share(view, view->stateful_tasks, &quota);
        int idle = 0, kept = 0;
        for (uint32_t m = 0; m < view->members; m++) {
            idle |= w->balance.load[m] == 0;
        }
        assert_int_equal(sgp_weigh_keep(&slow->scale, &kept), SEGUE_OK);
        assert_int_equal(sgp_balance_run(&slow->balance, &quota, NULL, 0), SEGUE_OK);
        sgp_scale_weigh(&slow->scale, slow->balance.target);
        int expected = !kept && idle && sgp_scale_fits_all(&slow->scale);
        w->balance.scale = &w->scale;
        assert_int_equal(sgp_balance_run(&w->balance, &quota, NULL, 0), SEGUE_OK);
        EXPECT(w->scale.in_quota == expected, "seed %llu: the counts decide: %d", (unsigned long long)seed, w->scale.in_quota);
        if (expected) {
            assert_memory_equal(w->balance.target, slow->balance.target, view->tasks * sizeof *w->balance.target);
        }
        expect_counts(w, seed);
        by_counts += (uint32_t)expected;
        by_weights += !expected && idle && !kept;
        weighing_close(w);
        weighing_close(slow);
    }
    EXPECT(by_counts > 50 && by_weights > 200, "%u by counts, %u by weights", by_counts, by_weights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_the_percentage_or_what_the_packing_reaches_is_kept),
        cmocka_unit_test(the_counts_decide_where_somebody_serves_nothing_and_all_fit_with_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
