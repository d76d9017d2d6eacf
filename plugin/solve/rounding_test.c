/* SPDX-License-Identifier: Apache-2.0 */
/* The least number of moves, against every assignment there is. */
#include "solve/rounding.h"

#include "test/chance.h"
#include "test/random_group.h"
#include "test/rebalance.h"
#include "test/solver.h"
#include "test/testing.h"

#define MOST_MEMBERS 4

typedef struct search {
    const sgp_view *view;
    const sgp_quota *quota;
    uint32_t held[MOST_MEMBERS];
    uint32_t least;
} search;

static int within_quota(const search *s)
{
    for (uint32_t m = 0; m < s->view->members; m++) {
        if (s->held[m] < s->quota->floor[m] || s->held[m] > s->quota->ceiling[m]) {
            return 0;
        }
    }
    return 1;
}

/* Tries every member for every task from `task` on. */
static void try_all(search *s, uint32_t task, uint32_t moves)
{
    if (task == s->view->tasks) {
        s->least = within_quota(s) && moves < s->least ? moves : s->least;
        return;
    }
    uint32_t owner = s->view->owner[task];
    for (uint32_t m = 0; m < s->view->members; m++) {
        s->held[m]++;
        try_all(s, task + 1, moves + (owner != SEGUE_NONE && owner != m));
        s->held[m]--;
    }
}

static uint32_t least_of_all_assignments(const sgp_view *view, uint32_t *counted)
{
    uint32_t low[MOST_MEMBERS], high[MOST_MEMBERS], owned[MOST_MEMBERS] = {0};
    sgp_quota quota = {low, high, 0};
    search s = {.view = view, .quota = &quota, .least = UINT32_MAX};
    sgp_quota_share(view, view->tasks, &quota);
    for (uint32_t t = 0; t < view->tasks; t++) {
        if (view->owner[t] != SEGUE_NONE) {
            owned[view->owner[t]]++;
        }
    }
    try_all(&s, 0, 0);
    *counted = sgp_least_moves(view, owned, &quota);
    return s.least;
}

/* Moves that really happen until nothing changes, everything catching up between two rounds. */
static uint32_t moves_until_settled(const char *assignor, const draft *start, uint32_t *promised)
{
    draft *d = draft_clone(start);
    rebalance *r = rebalance_run(assignor, d);
    uint32_t moves = r->plan.moves;
    *promised = r->plan.min_moves;
    for (int round = 0; round < 4; round++) {
        rebalance_again(assignor, &d, &r, CAUGHT_UP);
        moves += r->plan.moves;
    }
    EXPECT(r->plan.moves == 0 && r->plan.learners == 0, "%s, seed %llu: still moving", assignor,
           (unsigned long long)d->seed);
    draft_free(d);
    rebalance_free(r);
    return moves;
}

static void assert_least(uint64_t seed, unsigned traits, const char *const *assignors)
{
    draft *d = random_group(seed, (random_size){7, MOST_MEMBERS, 3, 3}, traits);
    solver *s = solver_open(draft_clone(d));
    uint32_t counted, promised, least = least_of_all_assignments(&s->view, &counted);
    EXPECT(counted == least, "seed %llu: %u moves counted, %u suffice", (unsigned long long)seed, counted, least);
    for (; *assignors != NULL; assignors++) {
        uint32_t moves = moves_until_settled(*assignors, d, &promised);
        EXPECT(promised == least, "%s, seed %llu: %u promised, %u suffice", *assignors, (unsigned long long)seed,
               promised, least);
        EXPECT(moves == least, "%s, seed %llu: %u moves, %u suffice", *assignors, (unsigned long long)seed, moves,
               least);
    }
    solver_close(s);
    draft_free(d);
}

static void the_least_number_of_moves_is_that_of_the_best_of_all_assignments(void **state)
{
    (void)state;
    static const char *const both[] = {"balanced", "sticky", NULL};
    for (uint64_t seed = chance_seed(), last = seed + 2000; seed < last; seed++) {
        assert_least(seed, 0, both);
    }
}

static void tasks_that_nobody_owns_cost_no_move_more(void **state)
{
    (void)state;
    static const char *const both[] = {"balanced", "sticky", NULL};
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        assert_least(seed, RANDOM_NO_OWNER | RANDOM_SHARED_DISKS, both);
    }
}

static void leaving_members_give_up_all_and_no_other_task_moves_for_it(void **state)
{
    (void)state;
    static const char *const one[] = {"balanced", NULL};
    for (uint64_t seed = chance_seed(), last = seed + 3000, done = 0; seed < last && done < 1000; seed++) {
        draft *d = random_group(seed, (random_size){7, MOST_MEMBERS, 3, 3}, RANDOM_LEAVING);
        solver *s = solver_open(d);
        int somebody_stays = !s->view.nobody_stays;
        solver_close(s);
        if (somebody_stays) {
            assert_least(seed, RANDOM_LEAVING, one);
            done++;
        }
    }
}

static void a_rounding_goes_to_who_holds_more_than_its_floor_already(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 5, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, 2);
    draft_owns(d, 1, 2, 3);
    solver *s = solver_open(d);
    const uint32_t nothing[2] = {0};
    uint32_t low[2], high[2];
    sgp_quota quota = {low, high, 0};
    sgp_balance b = solver_balance(s, nothing);
    sgp_quota_share(&s->view, 5, &quota);
    assert_int_equal(sgp_round_up(&b, &quota, NULL, 0), SEGUE_OK);
    assert_int_equal(b.want[0], 2);
    assert_int_equal(b.want[1], 3);
    solver_close(s);
}

static void a_rounding_that_finds_no_owner_goes_to_whom_copies_wait_for(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 4, 1);
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, m, 1);
    }
    draft_leaves(d, 0, SEGUE_TIME_NONE);
    draft_owns(d, 0, 0, 3);
    draft_copy(d, 2, 0, SEGUE_LEARNER, 50000);
    draft_copy(d, 2, 1, SEGUE_LEARNER, 50000);
    d->group.task_count = 3;
    solver *s = solver_open(d);
    const uint32_t nothing[3] = {0};
    uint32_t low[3], high[3];
    sgp_quota quota = {low, high, 0};
    sgp_balance b = solver_balance(s, nothing);
    sgp_quota_share(&s->view, 3, &quota);
    assert_int_equal(sgp_round_up(&b, &quota, NULL, 0), SEGUE_OK);
    assert_int_equal(b.want[1], 1);
    assert_int_equal(b.want[2], 2);
    solver_close(s);
}

/* Who waits with the better copies is rounded up; where both wait alike, the first. */
static void of_two_that_wait_the_one_with_the_better_copies_is_rounded_up(void **state)
{
    (void)state;
    static const struct {
        uint32_t role, strength;
        int64_t lag;
    } kinds[] = {{SEGUE_LEARNER, 0, 50000},  {SEGUE_LEARNER, 0, 5},  {SEGUE_DORMANT, 1, 5},     {SEGUE_STANDBY, 1, 10000},
                 {SEGUE_DORMANT, 2, 50000}, {SEGUE_DORMANT, 2, SEGUE_LAG_UNKNOWN}, {SEGUE_STANDBY, 3, 50000}};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    for (uint32_t code = 0; code < KINDS * KINDS; code++) {
        uint32_t one = code % KINDS, other = code / KINDS, low[3], high[3];
        const uint32_t nothing[3] = {0};
        sgp_quota quota = {low, high, 0};
        draft *d = draft_new();
        draft_tasks(d, 3, 1);
        for (uint32_t m = 0; m < 3; m++) {
            draft_member(d, m, 1);
        }
        draft_leaves(d, 0, SEGUE_TIME_NONE);
        draft_owns(d, 0, 0, 3);
        for (uint32_t t = 0; t < 2; t++) {
            draft_copy(d, 1, t, kinds[one].role, kinds[one].lag);
            draft_copy(d, 2, t, kinds[other].role, kinds[other].lag);
        }
        solver *s = solver_open(d);
        sgp_balance b = solver_balance(s, nothing);
        sgp_quota_share(&s->view, 3, &quota);
        assert_int_equal(sgp_round_up(&b, &quota, NULL, 0), SEGUE_OK);
        uint32_t up = kinds[one].strength <= kinds[other].strength ? 1 : 2;
        EXPECT(b.want[up] == 2 && b.want[3 - up] == 1, "case %u: %u is not rounded up", code, up);
        solver_close(s);
    }
}

static void costly_roundings_stop_at_their_budget_while_others_are_free(void **state)
{
    (void)state;
    const uint8_t costly[] = {1, 1, 0, 0};
    draft *d = draft_new();
    draft_tasks(d, 6, 1);
    for (uint32_t m = 0; m < 4; m++) {
        draft_member(d, m, 1);
    }
    draft_owns(d, 0, 0, 3);
    draft_owns(d, 1, 3, 3);
    solver *s = solver_open(d);
    const uint32_t nothing[4] = {0};
    uint32_t low[4], high[4];
    sgp_quota quota = {low, high, 0};
    sgp_balance b = solver_balance(s, nothing);
    sgp_quota_share(&s->view, 6, &quota); /* 1.5 each: two are rounded up */
    assert_int_equal(sgp_round_up(&b, &quota, costly, 1), SEGUE_OK);
    assert_int_equal(b.want[0] + b.want[1], 3);
    assert_int_equal(b.want[2] + b.want[3], 3);
    assert_int_equal(sgp_round_up(&b, &quota, costly, 2), SEGUE_OK);
    assert_int_equal(b.want[0] + b.want[1], 4);
    solver_close(s);
}

static void where_only_costly_roundings_are_left_every_task_still_finds_a_place(void **state)
{
    (void)state;
    const uint8_t costly[] = {1, 1};
    draft *d = draft_new();
    draft_tasks(d, 3, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    solver *s = solver_open(d);
    const uint32_t nothing[2] = {0};
    uint32_t low[2], high[2];
    sgp_quota quota = {low, high, 0};
    sgp_balance b = solver_balance(s, nothing);
    sgp_quota_share(&s->view, 3, &quota);
    assert_int_equal(sgp_round_up(&b, &quota, costly, 0), SEGUE_OK);
    assert_int_equal(b.want[0] + b.want[1], 3);
    solver_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_number_of_moves_is_that_of_the_best_of_all_assignments),
        cmocka_unit_test(tasks_that_nobody_owns_cost_no_move_more),
        cmocka_unit_test(leaving_members_give_up_all_and_no_other_task_moves_for_it),
        cmocka_unit_test(a_rounding_goes_to_who_holds_more_than_its_floor_already),
        cmocka_unit_test(a_rounding_that_finds_no_owner_goes_to_whom_copies_wait_for),
        cmocka_unit_test(of_two_that_wait_the_one_with_the_better_copies_is_rounded_up),
        cmocka_unit_test(costly_roundings_stop_at_their_budget_while_others_are_free),
        cmocka_unit_test(where_only_costly_roundings_are_left_every_task_still_finds_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
