/* SPDX-License-Identifier: Apache-2.0 */
/* Every sentence of serve.h, on one task that several members have. */
#include "solve/serve.h"

#include "test/chance.h"
#include "test/random_group.h"
#include "test/solver.h"
#include "test/testing.h"

/* `tasks` tasks and `members` members with one thread, each on a disk of its own. */
static draft *bare_group(uint32_t tasks, uint32_t members)
{
    draft *d = draft_new();
    draft_tasks(d, tasks, 1);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, 1);
    }
    return d;
}

/* Who serves task 0; frees the draft. */
static uint32_t server_of(draft *d)
{
    solver *s = solver_open(d);
    uint32_t *serve = SGP_TAKE(&s->region, uint32_t, s->view.tasks),
             *load = SGP_TAKE(&s->region, uint32_t, s->view.members);
    memset(serve, 0x77, s->view.tasks * sizeof *serve);
    assert_int_equal(sgp_serve(&s->view, 0, serve, load, &s->region), SEGUE_OK);
    uint32_t server = serve[0];
    solver_close(s);
    return server;
}

/* Members 0 and 1 with one copy each and no owner: which one serves? */
static uint32_t better_of(uint32_t role, int64_t lag, uint32_t other_role, int64_t other_lag)
{
    draft *d = bare_group(1, 2);
    draft_copy(d, 0, 0, other_role, other_lag);
    draft_copy(d, 1, 0, role, lag);
    return server_of(d);
}

static void an_owner_that_is_caught_up_goes_on(void **state)
{
    (void)state;
    draft *d = bare_group(1, 2);
    draft_copy(d, 0, 0, SEGUE_ACTIVE, 10000);
    draft_copy(d, 1, 0, SEGUE_LEARNER, 0);
    assert_int_equal(server_of(d), 0);
}

static void an_owner_of_unknown_lag_goes_on(void **state)
{
    (void)state;
    draft *d = bare_group(1, 2);
    draft_copy(d, 0, 0, SEGUE_ACTIVE, SEGUE_LAG_UNKNOWN);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 0);
    assert_int_equal(server_of(d), 0);
}

static void an_owner_that_still_restores_hands_over_to_a_caught_up_copy_at_once(void **state)
{
    (void)state;
    draft *d = bare_group(1, 2);
    draft_copy(d, 0, 0, SEGUE_ACTIVE, 10001);
    draft_copy(d, 1, 0, SEGUE_DORMANT, 10000);
    assert_int_equal(server_of(d), 1);
}

static void an_owner_that_still_restores_goes_on_while_nobody_is_caught_up(void **state)
{
    (void)state;
    draft *d = bare_group(1, 2);
    draft_copy(d, 0, 0, SEGUE_ACTIVE, 500000);
    draft_copy(d, 1, 0, SEGUE_LEARNER, 10001);
    assert_int_equal(server_of(d), 0);
}

static void a_leaving_owner_with_time_left_goes_on(void **state)
{
    (void)state;
    draft *d = bare_group(1, 2);
    draft_owns(d, 0, 0, 1);
    draft_leaves(d, 0, 10);
    draft_copy(d, 1, 0, SEGUE_LEARNER, 0);
    assert_int_equal(server_of(d), 0);
}

static void when_the_deadline_has_passed_the_best_copy_takes_over(void **state)
{
    (void)state;
    draft *d = bare_group(1, 3);
    draft_owns(d, 0, 0, 1);
    draft_leaves(d, 0, 0);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 30000);
    draft_copy(d, 2, 0, SEGUE_DORMANT, 20000);
    assert_int_equal(server_of(d), 2);
}

static void a_task_without_any_copy_is_served_by_nobody_yet(void **state)
{
    (void)state;
    assert_int_equal(server_of(bare_group(1, 2)), SEGUE_NONE);
}

static void caught_up_comes_before_not(void **state)
{
    (void)state;
    assert_int_equal(better_of(SEGUE_DORMANT, 10000, SEGUE_LEARNER, 10001), 1);
    assert_int_equal(better_of(SEGUE_DORMANT, 0, SEGUE_STANDBY, SEGUE_LAG_UNKNOWN), 1);
}

static void of_copies_that_are_behind_the_nearest_comes_first(void **state)
{
    (void)state;
    assert_int_equal(better_of(SEGUE_DORMANT, 20000, SEGUE_LEARNER, 20001), 1);
}

static void a_known_lag_comes_before_an_unknown_one(void **state)
{
    (void)state;
    assert_int_equal(better_of(SEGUE_DORMANT, INT64_MAX, SEGUE_LEARNER, SEGUE_LAG_UNKNOWN), 1);
}

static void at_equal_readiness_the_stronger_role_comes_first(void **state)
{
    (void)state;
    const int64_t lags[] = {0, 20000, SEGUE_LAG_UNKNOWN};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(better_of(SEGUE_LEARNER, lags[i], SEGUE_STANDBY, lags[i]), 1);
        assert_int_equal(better_of(SEGUE_LEARNER, lags[i], SEGUE_DORMANT, lags[i]), 1);
        assert_int_equal(better_of(SEGUE_STANDBY, lags[i], SEGUE_DORMANT, lags[i]), 1);
    }
}

static void among_the_caught_up_it_does_not_matter_how_near(void **state)
{
    (void)state;
    assert_int_equal(better_of(SEGUE_LEARNER, 9999, SEGUE_STANDBY, 0), 1);
}

static void of_two_that_claim_a_task_the_nearer_keeps_it(void **state)
{
    (void)state;
    assert_int_equal(better_of(SEGUE_ACTIVE, 20000, SEGUE_ACTIVE, 30000), 1);
    assert_int_equal(better_of(SEGUE_ACTIVE, 0, SEGUE_ACTIVE, 30000), 1);
    assert_int_equal(better_of(SEGUE_ACTIVE, 0, SEGUE_ACTIVE, 0), 0);
    assert_int_equal(better_of(SEGUE_ACTIVE, 0, SEGUE_LEARNER, 0), 1);
}

static void of_equal_copies_one_on_a_member_that_stays_comes_first(void **state)
{
    (void)state;
    const int64_t lags[] = {0, 20000, SEGUE_LAG_UNKNOWN};
    for (uint32_t i = 0; i < 6; i++) {
        draft *d = bare_group(1, 2);
        draft_copy(d, 0, 0, SEGUE_STANDBY, lags[i / 2]);
        draft_copy(d, 1, 0, SEGUE_STANDBY, lags[i / 2]);
        draft_leaves(d, i % 2, SEGUE_TIME_NONE);
        assert_int_equal(server_of(d), 1 - i % 2);
    }
}

static void a_caught_up_dormant_copy_that_stays_comes_before_a_learner_that_leaves(void **state)
{
    (void)state;
    draft *d = bare_group(1, 2);
    draft_copy(d, 0, 0, SEGUE_LEARNER, 0);
    draft_copy(d, 1, 0, SEGUE_DORMANT, 0);
    draft_leaves(d, 0, SEGUE_TIME_NONE);
    assert_int_equal(server_of(d), 1);
}

static void a_caught_up_copy_on_a_leaving_member_with_time_left_comes_before_one_that_is_behind(void **state)
{
    (void)state;
    draft *d = bare_group(1, 2);
    draft_copy(d, 0, 0, SEGUE_STANDBY, 0);
    draft_copy(d, 1, 0, SEGUE_LEARNER, 20000);
    draft_leaves(d, 0, 100);
    assert_int_equal(server_of(d), 0);
}

static void a_copy_of_a_member_whose_deadline_has_passed_serves_nobody(void **state)
{
    (void)state;
    draft *d = bare_group(1, 2);
    draft_copy(d, 0, 0, SEGUE_STANDBY, 0);
    draft_copy(d, 1, 0, SEGUE_DORMANT, 900000);
    draft_leaves(d, 0, 0);
    assert_int_equal(server_of(d), 1);
}

static void of_equal_copies_the_lighter_member_for_its_threads_comes_first(void **state)
{
    (void)state;
    draft *d = bare_group(4, 2);
    d->threads[1] = 3;
    draft_owns(d, 0, 1, 1);
    draft_owns(d, 1, 2, 2); /* 2 on 3 threads weigh less than 1 on 1 */
    draft_copy(d, 0, 0, SEGUE_STANDBY, 0);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 0);
    assert_int_equal(server_of(d), 1);
}

static void tasks_with_a_choice_wait_for_those_without_one(void **state)
{
    (void)state;
    /* Task 1 can only go to member 0, so that task 0 goes to member 1 although it comes first. */
    draft *d = bare_group(2, 2);
    draft_copy(d, 0, 0, SEGUE_STANDBY, 0);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 0);
    draft_copy(d, 0, 1, SEGUE_STANDBY, 0);
    assert_int_equal(server_of(d), 1);
}

static void a_disk_whose_holder_leaves_is_served_by_its_lightest_member_that_stays(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 2, 1);
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, 0, 1);
    }
    draft_owns(d, 1, 1, 1);
    draft_copy(d, 0, 0, SEGUE_STANDBY, 0);
    draft_leaves(d, 0, 0);
    assert_int_equal(server_of(d), 2);
}

static void a_member_without_threads_gives_its_tasks_to_its_disks_neighbour(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 1, 1);
    draft_member(d, 0, 0);
    draft_member(d, 1, 1);
    draft_member(d, 0, 1);
    draft_owns(d, 0, 0, 1);
    draft_copy(d, 1, 0, SEGUE_LEARNER, 9000);
    assert_int_equal(server_of(d), 2);
}

/* On the disk of a leaving member without threads lies a nearer copy that nobody may take over. Then no leaving
 * member's copy wins by being less far behind; those that stay choose among theirs. */
static void a_nearer_hidden_copy_leaves_the_choice_to_members_that_stay(void **state)
{
    (void)state;
    static const struct {
        int64_t hidden;
        uint32_t server;
    } cases[] = {{0, 2}, {20000, 2}, {29999, 2}, {30000, 1}, {40000, 1}, {SEGUE_LAG_UNKNOWN, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        draft *d = bare_group(1, 3);
        draft_member(d, 0, 0); /* member 3 shares member 0's disk */
        draft_leaves(d, 0, SEGUE_TIME_NONE);
        draft_leaves(d, 1, SEGUE_TIME_NONE);
        draft_copy(d, 1, 0, SEGUE_STANDBY, 30000);
        draft_copy(d, 2, 0, SEGUE_DORMANT, 50000);
        draft_copy(d, 3, 0, SEGUE_DORMANT, cases[i].hidden);
        EXPECT(server_of(d) == cases[i].server, "hidden at %lld", (long long)cases[i].hidden);
    }
}

/* The one that is caught up lies where nobody may take it over, and what is nearer is not caught up either. */
static void an_owner_that_still_restores_goes_on_while_the_ready_copy_is_out_of_reach(void **state)
{
    (void)state;
    draft *d = bare_group(1, 3);
    draft_copy(d, 0, 0, SEGUE_ACTIVE, 50000);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 5);
    draft_copy(d, 2, 0, SEGUE_STANDBY, 20000);
    d->threads[1] = 0;
    assert_int_equal(server_of(d), 0);
}

static void where_nobody_stays_the_owners_go_on(void **state)
{
    (void)state;
    draft *d = bare_group(1, 2);
    draft_owns(d, 0, 0, 1);
    draft_copy(d, 1, 0, SEGUE_LEARNER, 0);
    draft_leaves(d, 0, 100);
    draft_leaves(d, 1, SEGUE_TIME_NONE);
    assert_int_equal(server_of(d), 0);
}

static void where_nobody_has_threads_the_owners_go_on(void **state)
{
    (void)state;
    draft *d = bare_group(1, 2);
    d->threads[0] = d->threads[1] = 0;
    draft_owns(d, 0, 0, 1);
    assert_int_equal(server_of(d), 0);
}

static void a_copy_is_taken_over_by_its_holder_a_neighbour_or_nobody(void **state)
{
    (void)state;
    const uint32_t load[] = {0, 2, 1, 0, 0};
    draft *d = draft_new();
    const uint32_t disks[] = {0, 0, 0, 1, 2};
    for (uint32_t m = 0; m < 5; m++) {
        draft_member(d, disks[m], 1);
    }
    draft_leaves(d, 0, SEGUE_TIME_NONE);
    draft_leaves(d, 3, SEGUE_TIME_NONE);
    d->threads[4] = 0;
    solver *s = solver_open(d);
    assert_int_equal(sgp_serve_on(&s->view, 1, load), 1);
    assert_int_equal(sgp_serve_on(&s->view, 0, load), 2);
    assert_int_equal(sgp_serve_on(&s->view, 3, load), 3);
    assert_int_equal(sgp_serve_on(&s->view, 4, load), SEGUE_NONE);
    solver_close(s);
}

static void loads_count_what_is_served_and_stateless_rows_are_left_alone(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 500; seed < last; seed++) {
        solver *s = solver_open(random_group(seed, (random_size){20, 6, 3, 4}, RANDOM_ANYTHING));
        const sgp_view *view = &s->view;
        uint32_t *serve = SGP_TAKE(&s->region, uint32_t, view->tasks),
                 *load = SGP_TAKE(&s->region, uint32_t, view->members);
        uint32_t *count = SGP_TAKE_ZERO(&s->region, uint32_t, view->members);
        memset(serve, 0x77, view->tasks * sizeof *serve);
        assert_int_equal(sgp_serve(view, 0, serve, load, &s->region), SEGUE_OK);
        for (uint32_t t = 0; t < view->tasks; t++) {
            if (!sgp_stateful(view, t)) {
                EXPECT(serve[t] == 0x77777777, "seed %llu, task %u is stateless", (unsigned long long)seed, t);
            } else if (serve[t] != SEGUE_NONE) {
                EXPECT(view->place[serve[t]] != SGP_GONE, "seed %llu, task %u: gone", (unsigned long long)seed, t);
                count[serve[t]]++;
            }
        }
        EXPECT(memcmp(count, load, view->members * sizeof *load) == 0, "seed %llu: loads", (unsigned long long)seed);
        solver_close(s);
    }
}

/* Three members and three tasks of the first; in each case one thing differs. */
static void everybody_goes_on_where_no_copy_and_no_owner_that_is_gone_asks_for_a_choice(void **state)
{
    (void)state;
    enum { PLAIN, LEAVES, IDLE_GONE, STATELESS, COPY, LAG, OWNER_GONE, CASES };
    for (int which = 0; which < CASES; which++) {
        draft *d = draft_of_one_owner(3, 3);
        if (which == LEAVES) {
            draft_leaves(d, 0, SEGUE_TIME_NONE);
        } else if (which == STATELESS) {
            draft_tasks(d, 1, 0);
        } else if (which == COPY) {
            draft_copy(d, 1, 0, SEGUE_STANDBY, 0);
        } else if (which == LAG) {
            draft_copy(d, 0, 0, SEGUE_ACTIVE, 5);
        }
        d->threads[2] = which == IDLE_GONE ? 0 : 1;
        d->threads[0] = which == OWNER_GONE ? 0 : 1;
        solver *s = solver_open(d);
        EXPECT(sgp_everybody_goes_on(&s->view) == (which < STATELESS), "case %d", which);
        solver_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_owner_that_is_caught_up_goes_on),
        cmocka_unit_test(an_owner_of_unknown_lag_goes_on),
        cmocka_unit_test(an_owner_that_still_restores_hands_over_to_a_caught_up_copy_at_once),
        cmocka_unit_test(an_owner_that_still_restores_goes_on_while_nobody_is_caught_up),
        cmocka_unit_test(a_leaving_owner_with_time_left_goes_on),
        cmocka_unit_test(when_the_deadline_has_passed_the_best_copy_takes_over),
        cmocka_unit_test(a_task_without_any_copy_is_served_by_nobody_yet),
        cmocka_unit_test(caught_up_comes_before_not),
        cmocka_unit_test(of_copies_that_are_behind_the_nearest_comes_first),
        cmocka_unit_test(a_known_lag_comes_before_an_unknown_one),
        cmocka_unit_test(at_equal_readiness_the_stronger_role_comes_first),
        cmocka_unit_test(among_the_caught_up_it_does_not_matter_how_near),
        cmocka_unit_test(of_two_that_claim_a_task_the_nearer_keeps_it),
        cmocka_unit_test(of_equal_copies_one_on_a_member_that_stays_comes_first),
        cmocka_unit_test(a_caught_up_dormant_copy_that_stays_comes_before_a_learner_that_leaves),
        cmocka_unit_test(a_caught_up_copy_on_a_leaving_member_with_time_left_comes_before_one_that_is_behind),
        cmocka_unit_test(a_copy_of_a_member_whose_deadline_has_passed_serves_nobody),
        cmocka_unit_test(of_equal_copies_the_lighter_member_for_its_threads_comes_first),
        cmocka_unit_test(tasks_with_a_choice_wait_for_those_without_one),
        cmocka_unit_test(a_disk_whose_holder_leaves_is_served_by_its_lightest_member_that_stays),
        cmocka_unit_test(a_member_without_threads_gives_its_tasks_to_its_disks_neighbour),
        cmocka_unit_test(a_nearer_hidden_copy_leaves_the_choice_to_members_that_stay),
        cmocka_unit_test(an_owner_that_still_restores_goes_on_while_the_ready_copy_is_out_of_reach),
        cmocka_unit_test(where_nobody_stays_the_owners_go_on),
        cmocka_unit_test(where_nobody_has_threads_the_owners_go_on),
        cmocka_unit_test(a_copy_is_taken_over_by_its_holder_a_neighbour_or_nobody),
        cmocka_unit_test(loads_count_what_is_served_and_stateless_rows_are_left_alone),
        cmocka_unit_test(everybody_goes_on_where_no_copy_and_no_owner_that_is_gone_asks_for_a_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
