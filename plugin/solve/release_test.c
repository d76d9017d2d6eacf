/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/release.h"

#include "test/chance.h"
#include "test/solver.h"
#include "test/testing.h"

#define MOST 6

static void the_subtopology_held_most_above_its_share_gives_first(void **state)
{
    (void)state;
    const uint32_t want[] = {3, 3}, give[] = {3, 0};
    draft *d = draft_new();
    draft_tasks(d, 4, 1);
    draft_tasks(d, 2, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, 6);
    solver *s = solver_open(d);
    sgp_balance b = solver_balance(s, want);
    assert_int_equal(sgp_release(&b, give), SEGUE_OK);
    assert_int_equal(solver_held(&b, 0, 0), 2);
    assert_int_equal(solver_held(&b, 0, 1), 1);
    assert_int_equal(b.pending, 3);
    assert_int_equal(b.surplus[0], 0);
    solver_close(s);
}

static void an_owner_keeps_its_lowest_partitions(void **state)
{
    (void)state;
    const uint32_t want[] = {2, 2}, give[] = {2, 0};
    draft *d = draft_new();
    draft_tasks(d, 4, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, 4);
    solver *s = solver_open(d);
    sgp_balance b = solver_balance(s, want);
    assert_int_equal(sgp_release(&b, give), SEGUE_OK);
    assert_int_equal(b.target[0], 0);
    assert_int_equal(b.target[1], 0);
    assert_int_equal(b.target[2], SEGUE_NONE);
    assert_int_equal(b.target[3], SEGUE_NONE);
    solver_close(s);
}

static void where_it_is_free_what_the_pool_has_least_of_is_released(void **state)
{
    (void)state;
    /* Both hold one of each subtopology and give one: the second gives of what the first kept. */
    const uint32_t want[] = {1, 1, 2}, give[] = {1, 1, 0};
    draft *d = draft_new();
    draft_tasks(d, 2, 1);
    draft_tasks(d, 2, 1);
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, m, 1);
    }
    for (uint32_t t = 0; t < 4; t++) {
        draft_owns(d, t % 2, t, 1);
    }
    solver *s = solver_open(d);
    sgp_balance b = solver_balance(s, want);
    assert_int_equal(sgp_release(&b, give), SEGUE_OK);
    assert_int_equal(solver_held(&b, SEGUE_NONE, 0), 1);
    assert_int_equal(solver_held(&b, SEGUE_NONE, 1), 1);
    solver_close(s);
}

/* One member holds everything: what it keeps can always be within its share of each subtopology, rounded. */
static void what_a_sole_owner_keeps_is_its_share_of_each_subtopology_rounded(void **state)
{
    (void)state;
    uint64_t first = chance_seed();
    for (uint64_t seed = first; seed < first + 2000; seed++) {
        chance c = chance_of(seed);
        draft *d = draft_new();
        for (uint32_t s = 1 + chance_below(&c, 6); s > 0; s--) {
            draft_tasks(d, 1 + chance_below(&c, 12), 1);
        }
        uint32_t tasks = d->group.task_count, keeps = chance_below(&c, tasks + 1);
        const uint32_t want[] = {keeps, tasks - keeps}, give[] = {tasks - keeps, 0};
        draft_member(d, 0, 1);
        draft_member(d, 1, 1);
        draft_owns(d, 0, 0, tasks);
        solver *s = solver_open(d);
        sgp_balance b = solver_balance(s, want);
        assert_int_equal(sgp_release(&b, give), SEGUE_OK);
        EXPECT(b.pending == tasks - keeps, "seed %llu: %u released of %u", (unsigned long long)seed, b.pending,
               give[0]);
        for (uint32_t i = 0; i < s->view.subtopologies; i++) {
            uint32_t held = solver_held(&b, 0, i), all = held + solver_held(&b, SEGUE_NONE, i);
            EXPECT(held * tasks < all * keeps + tasks && all * keeps < held * tasks + tasks,
                   "seed %llu, subtopology %u: keeps %u of %u, and %u of %u in all", (unsigned long long)seed, i, held,
                   all, keeps, tasks);
        }
        solver_close(s);
    }
}

static void everybody_gives_exactly_what_it_was_told(void **state)
{
    (void)state;
    uint64_t first = chance_seed();
    for (uint64_t seed = first; seed < first + 1000; seed++) {
        chance c = chance_of(seed);
        uint32_t want[MOST] = {0}, give[MOST] = {0}, owned[MOST] = {0}, members = 1 + chance_below(&c, MOST), all = 0;
        draft *d = draft_new();
        for (uint32_t s = 1 + chance_below(&c, 5); s > 0; s--) {
            draft_tasks(d, 1 + chance_below(&c, 10), 1);
        }
        for (uint32_t m = 0; m < members; m++) {
            draft_member(d, m, 1);
        }
        for (uint32_t t = 0; t < d->group.task_count; t++) {
            uint32_t owner = chance_below(&c, members);
            draft_owns(d, owner, t, 1);
            owned[owner]++;
        }
        for (uint32_t m = 0; m < members; m++) {
            give[m] = chance_below(&c, owned[m] + 1);
            want[m] = owned[m] - give[m];
            all += give[m];
        }
        solver *s = solver_open(d);
        sgp_balance b = solver_balance(s, want);
        assert_int_equal(sgp_release(&b, give), SEGUE_OK);
        EXPECT(b.pending == all, "seed %llu: %u pending instead of %u", (unsigned long long)seed, b.pending, all);
        for (uint32_t m = 0; m < members; m++) {
            uint32_t held = 0;
            for (uint32_t i = 0; i < s->view.subtopologies; i++) {
                held += solver_held(&b, m, i);
            }
            EXPECT(held == want[m] && b.surplus[m] == 0, "seed %llu, member %u: keeps %u", (unsigned long long)seed, m,
                   held);
        }
        solver_close(s);
    }
}

static void what_was_promised_by_others_is_not_released(void **state)
{
    (void)state;
    /* Task 0 goes to member 1 already; its own task 2 is the one that it may give up. */
    const uint32_t want[] = {1, 1, 1}, give[] = {0, 1, 0};
    draft *d = draft_new();
    draft_tasks(d, 3, 1);
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, m, 1);
    }
    draft_owns(d, 0, 0, 2);
    draft_owns(d, 1, 2, 1);
    solver *s = solver_open(d);
    sgp_balance b = solver_balance(s, want);
    b.target[0] = 1;
    b.surplus[1] = 1;
    assert_int_equal(sgp_release(&b, give), SEGUE_OK);
    assert_int_equal(b.target[0], 1);
    assert_int_equal(b.target[2], SEGUE_NONE);
    solver_close(s);
}

/* What a slow reading of release.h would take from one member after the other: counts by subtopology. */
typedef struct reference {
    uint32_t subtopologies, all; /* tasks of the kind */
    uint32_t tasks[MOST], pending[MOST], held[MOST], out[MOST];
} reference;

/* Whole tasks above the member's share (`parts`: and begun ones), of a subtopology of which `out` have been given. */
static uint32_t above_share(const reference *r, uint32_t i, uint32_t want, int parts)
{
    int64_t excess = (int64_t)(r->held[i] - r->out[i]) * r->all - (int64_t)r->tasks[i] * want;
    return excess <= 0 ? 0 : (uint32_t)((excess + (parts ? r->all - 1 : 0)) / r->all);
}

static uint32_t give_down_to(reference *r, uint32_t want, uint32_t level, int really)
{
    uint32_t given = 0;
    for (uint32_t i = 0; i < r->subtopologies; i++) {
        uint32_t whole = above_share(r, i, want, 0), gives = whole > level ? whole - level : 0;
        given += gives;
        r->out[i] += really ? gives : 0;
        r->pending[i] += really ? gives : 0;
    }
    return given;
}

/* The most above the share before the emptiest of the pool before the first; `steps` are of before the pass. */
static int goes_before(const reference *r, const uint32_t *steps, const uint32_t *pending, uint32_t i, uint32_t k)
{
    uint32_t filled_i = pending[i] * r->tasks[k], filled_k = pending[k] * r->tasks[i];
    return steps[i] != steps[k] ? steps[i] > steps[k] : (filled_i != filled_k ? filled_i < filled_k : i < k);
}

/* So far above their share that all such subtopologies are alike. */
enum { FAR = 255 };

/* One of each subtopology at most; returns how many are left. */
static uint32_t give_once(reference *r, uint32_t want, uint32_t left)
{
    uint32_t steps[MOST], pending[MOST], given[MOST] = {0};
    for (uint32_t i = 0; i < r->subtopologies; i++) {
        steps[i] = above_share(r, i, want, 1);
        steps[i] = steps[i] > FAR ? FAR : steps[i];
        pending[i] = r->pending[i];
    }
    for (uint32_t best = 0; left > 0 && best != SEGUE_NONE;) {
        best = SEGUE_NONE;
        for (uint32_t i = 0; i < r->subtopologies; i++) {
            int can = !given[i] && r->out[i] < r->held[i];
            best = can && (best == SEGUE_NONE || goes_before(r, steps, pending, i, best)) ? i : best;
        }
        if (best != SEGUE_NONE) {
            given[best] = 1;
            r->out[best]++;
            r->pending[best]++;
            left--;
        }
    }
    return left;
}

static void give_by_reference(reference *r, uint32_t want, uint32_t give)
{
    uint32_t level = 0;
    memset(r->out, 0, sizeof r->out);
    while (give_down_to(r, want, level, 0) > give) {
        level++;
    }
    give -= give_down_to(r, want, level, 1);
    while (give > 0) {
        give = give_once(r, want, give);
    }
}

/* Some tasks nobody serves, some are of the other kind, some members share a disk. */
static draft *anything_to_give(chance *c, uint32_t members)
{
    draft *d = draft_new();
    int one_kind = chance_once_in(c, 2), own_disks = chance_once_in(c, 2);
    int doubled = chance_once_in(c, 2); /* of sizes that divide each other some shares are whole, and some are not */
    for (uint32_t s = 1 + chance_below(c, MOST); s > 0; s--) {
        draft_tasks(d, doubled ? 3u << chance_below(c, 3) : 1 + chance_below(c, 12), one_kind || !chance_once_in(c, 3));
    }
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, own_disks ? m : m / 2, 1);
    }
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        uint32_t owner = chance_below(c, members + 1);
        if (owner < members) {
            draft_owns(d, owner, t, 1);
        }
    }
    return d;
}

/* Some tasks are served by the neighbour on their owner's disk: they are not in its rows of the group. */
static void pass_on(chance *c, sgp_balance *b, uint32_t *serve, uint32_t *load)
{
    const sgp_view *view = b->view;
    memset(load, 0, MOST * sizeof *load);
    for (uint32_t t = 0; t < view->tasks; t++) {
        uint32_t owner = b->serve[t], next = owner ^ 1;
        int can = owner != SEGUE_NONE && next < view->members && sgp_process(view, owner) == sgp_process(view, next);
        serve[t] = can && chance_once_in(c, 3) ? next : owner;
        if (serve[t] != SEGUE_NONE && sgp_is_kind(b, t)) {
            b->target[t] = serve[t];
            load[serve[t]]++;
        }
    }
    b->serve = serve;
    b->load = load;
}

/* Of what each subtopology gives the last ones: holds `kept` of the member against the balance. */
static void assert_gives_the_last(uint64_t seed, const sgp_balance *b, const reference *r, uint32_t member)
{
    uint32_t kept[MOST];
    for (uint32_t i = 0; i < r->subtopologies; i++) {
        kept[i] = r->held[i] - r->out[i];
    }
    for (uint32_t t = 0; t < b->view->tasks; t++) {
        uint32_t i = b->view->group->task_subtopology[t];
        if (sgp_is_kind(b, t) && b->serve[t] == member) {
            uint32_t expected = kept[i] > 0 ? member : SEGUE_NONE;
            EXPECT(b->target[t] == expected, "seed %llu, member %u, task %u goes to %u instead of %u",
                   (unsigned long long)seed, member, t, b->target[t], expected);
            kept[i] -= kept[i] > 0;
        }
    }
}

/* Releases `give` of each member, and holds what that comes to against the slow reading. */
static void expect_slow_reading(uint64_t seed, sgp_balance *b, const uint32_t *give)
{
    const sgp_view *view = b->view;
    reference r = {.subtopologies = view->subtopologies, .all = b->count};
    for (uint32_t i = 0; i < r.subtopologies; i++) {
        r.pending[i] = r.tasks[i] = solver_held(b, SEGUE_NONE, i);
        for (uint32_t m = 0; m < view->members; m++) {
            r.tasks[i] += solver_held(b, m, i);
        }
    }
    for (uint32_t m = 0; m < view->members; m++) {
        b->surplus[m] = give[m];
    }
    assert_int_equal(sgp_release(b, give), SEGUE_OK);
    for (uint32_t m = 0; m < view->members; m++) {
        memset(r.held, 0, sizeof r.held);
        for (uint32_t t = 0; t < view->tasks; t++) {
            r.held[view->group->task_subtopology[t]] += sgp_is_kind(b, t) && b->serve[t] == m;
        }
        give_by_reference(&r, b->want[m], give[m]);
        assert_gives_the_last(seed, b, &r, m);
    }
}

static void what_is_released_is_what_a_slow_reading_of_the_rules_releases(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 3000; seed < last; seed++) {
        chance c = chance_of(seed);
        uint32_t members = 1 + chance_below(&c, MOST), want[MOST] = {0}, give[MOST] = {0};
        uint32_t serve[12 * MOST], load[MOST];
        solver *s = solver_open(anything_to_give(&c, members));
        sgp_balance b = solver_balance(s, want);
        pass_on(&c, &b, serve, load);
        for (uint32_t m = 0; m < members; m++) {
            give[m] = chance_below(&c, b.load[m] + 1);
            b.want[m] = b.load[m] - give[m];
        }
        expect_slow_reading(seed, &b, give);
        solver_close(s);
    }
}

/* Of those 254 and 256 above. */
static void what_is_far_above_its_share_gives_before_what_is_less_so(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 200; seed < last; seed++) {
        chance c = chance_of(seed);
        uint32_t give[] = {1 + chance_below(&c, 9)};
        draft *d = draft_new();
        for (uint32_t s = 2 + chance_below(&c, MOST - 1); s > 0; s--) {
            draft_tasks(d, 253 + chance_below(&c, 6), 1);
        }
        draft_member(d, 0, 1);
        for (uint32_t t = 0; t < d->group.task_count; t++) {
            if (!chance_once_in(&c, 200)) {
                draft_owns(d, 0, t, 1);
            }
        }
        solver *s = solver_open(d);
        sgp_balance b = solver_balance(s, (const uint32_t[]){0}); /* shares are 0 */
        expect_slow_reading(seed, &b, give);
        solver_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_subtopology_held_most_above_its_share_gives_first),
        cmocka_unit_test(an_owner_keeps_its_lowest_partitions),
        cmocka_unit_test(where_it_is_free_what_the_pool_has_least_of_is_released),
        cmocka_unit_test(what_a_sole_owner_keeps_is_its_share_of_each_subtopology_rounded),
        cmocka_unit_test(everybody_gives_exactly_what_it_was_told),
        cmocka_unit_test(what_was_promised_by_others_is_not_released),
        cmocka_unit_test(what_is_far_above_its_share_gives_before_what_is_less_so),
        cmocka_unit_test(what_is_released_is_what_a_slow_reading_of_the_rules_releases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
