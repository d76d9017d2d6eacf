/* SPDX-License-Identifier: Apache-2.0 */
#include "core/view.h"

#include "test/chance.h"
#include "test/random_group.h"
#include "test/solver.h"
#include "test/testing.h"

static void a_sole_claim_makes_an_owner_and_its_copy_is_not_indexed(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 2, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_copy(d, 1, 0, SEGUE_ACTIVE, 0);
    draft_copy(d, 0, 0, SEGUE_STANDBY, 7);
    solver *s = solver_open(d);
    uint32_t count;
    const sgp_copy *copies = sgp_copies(&s->view, 0, &count);
    assert_int_equal(s->view.owner[0], 1);
    assert_int_equal(s->view.owner[1], SEGUE_NONE);
    assert_int_equal(count, 1);
    assert_int_equal(copies[0].member, 0);
    assert_int_equal(copies[0].lag, 7);
    assert_int_equal(copies[0].role, SEGUE_STANDBY);
    sgp_copies(&s->view, 1, &count);
    assert_int_equal(count, 0);
    solver_close(s);
}

static void a_task_that_several_claim_has_no_owner_and_all_their_copies(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 1, 1);
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, m, 1);
        draft_copy(d, m, 0, SEGUE_ACTIVE, m);
    }
    solver *s = solver_open(d);
    uint32_t count;
    const sgp_copy *copies = sgp_copies(&s->view, 0, &count);
    assert_int_equal(s->view.owner[0], SEGUE_NONE);
    assert_int_equal(count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(copies[i].member, i);
        assert_int_equal(copies[i].role, SEGUE_ACTIVE);
    }
    solver_close(s);
}

static void a_group_of_caught_up_owners_needs_no_index(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 4, 1);
    draft_member(d, 0, 1);
    draft_owns(d, 0, 0, 4);
    solver *s = solver_open(d);
    assert_null(s->view.copy_start);
    assert_null(s->view.owner_lag);
    assert_int_equal(sgp_owner_lag(&s->view, 3), 0);
    solver_close(s);
}

static void without_lags_an_owner_is_caught_up_and_others_are_unknown(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 1, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_copy(d, 0, 0, SEGUE_ACTIVE, 5);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 5);
    solver *s = solver_open(d);
    uint32_t count;
    d->group.copy_lag = NULL;
    assert_int_equal(sgp_view_build(&s->view, &d->group, &d->config, 1, 0, NULL, &s->region), SEGUE_OK);
    assert_int_equal(sgp_owner_lag(&s->view, 0), 0);
    assert_int_equal(sgp_copies(&s->view, 0, &count)[0].lag, SEGUE_LAG_UNKNOWN);
    solver_close(s);
}

/* Three members own a task each, one of which lags. */
static draft *owner_that_lags(void)
{
    draft *d = draft_new();
    draft_tasks(d, 3, 1);
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, m, 1);
        draft_copy(d, m, m, SEGUE_ACTIVE, m == 1 ? 50 : 0);
    }
    return d;
}

static void a_member_leaves(draft *d) { draft_leaves(d, 2, SEGUE_TIME_NONE); }
static void a_task_is_claimed_twice(draft *d) { draft_copy(d, 0, 2, SEGUE_ACTIVE, 0); }
static void a_task_has_a_standby(draft *d) { draft_copy(d, 0, 2, SEGUE_STANDBY, 0); }
static void a_disk_is_shared(draft *d) { draft_member(d, 2, 1); }
static void a_task_has_no_state(draft *d) { draft_tasks(d, 1, 0); }

static void owners_that_go_on_in_any_case_are_not_asked_for_lags_where_only_moves_count(void **state)
{
    (void)state;
    void (*const changes[])(draft *) = {a_member_leaves, a_task_is_claimed_twice, a_task_has_a_standby, a_disk_is_shared,
                                        a_task_has_no_state};
    solver *s = solver_open(owner_that_lags());
    assert_int_equal(sgp_owner_lag(&s->view, 1), 50);
    assert_int_equal(sgp_view_build(&s->view, &s->draft->group, &s->draft->config, 1, 1, NULL, &s->region), SEGUE_OK);
    assert_null(s->view.owner_lag);
    solver_close(s);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        draft *d = owner_that_lags();
        changes[i](d);
        s = solver_open(d);
        assert_int_equal(sgp_view_build(&s->view, &d->group, &d->config, 1, 1, NULL, &s->region), SEGUE_OK);
        assert_int_equal(sgp_owner_lag(&s->view, 1), 50);
        solver_close(s);
    }
}

static void copies_of_stateless_tasks_are_nothing(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 1, 0);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_copy(d, 0, 0, SEGUE_ACTIVE, 0);
    draft_copy(d, 1, 0, SEGUE_LEARNER, 0);
    solver *s = solver_open(d);
    uint32_t count;
    sgp_copies(&s->view, 0, &count);
    assert_int_equal(count, 0);
    assert_int_equal(s->view.owner[0], 0);
    assert_int_equal(s->view.stateful_tasks, 0);
    solver_close(s);
}

static void caught_up_means_known_and_acceptable_inclusively(void **state)
{
    (void)state;
    draft *d = draft_new();
    d->config.acceptable_recovery_lag = 100;
    solver *s = solver_open(d);
    assert_true(sgp_hot(&s->view, 0));
    assert_true(sgp_hot(&s->view, 100));
    assert_false(sgp_hot(&s->view, 101));
    assert_false(sgp_hot(&s->view, SEGUE_LAG_UNKNOWN));
    solver_close(s);
}

static void leaving_members_linger_until_their_deadline(void **state)
{
    (void)state;
    draft *d = draft_new();
    for (uint32_t m = 0; m < 4; m++) {
        draft_member(d, m, 1);
    }
    d->group.now_ms = 1000;
    draft_leaves(d, 1, SEGUE_TIME_NONE);
    draft_leaves(d, 2, 1001);
    draft_leaves(d, 3, 1000);
    solver *s = solver_open(d);
    const uint8_t expected[] = {SGP_STAYS, SGP_LINGERS, SGP_LINGERS, SGP_GONE};
    assert_memory_equal(s->view.place, expected, sizeof expected);
    assert_int_equal(s->view.staying, 1);
    assert_false(s->view.nobody_stays);
    assert_int_equal(sgp_view_build(&s->view, &d->group, &d->config, 0, 0, NULL, &s->region), SEGUE_OK);
    assert_int_equal(s->view.staying, 4);
    solver_close(s);
}

static void where_everybody_leaves_those_with_time_left_count_as_staying(void **state)
{
    (void)state;
    draft *d = draft_new();
    for (uint32_t m = 0; m < 2; m++) {
        draft_member(d, m, 1);
    }
    d->group.now_ms = 1000;
    draft_leaves(d, 0, 2000);
    draft_leaves(d, 1, 500);
    solver *s = solver_open(d);
    assert_true(s->view.nobody_stays);
    assert_int_equal(s->view.place[0], SGP_STAYS);
    assert_int_equal(s->view.place[1], SGP_GONE);
    d->deadline_ms[0] = 500;
    assert_int_equal(sgp_view_build(&s->view, &d->group, &d->config, 1, 0, NULL, &s->region), SEGUE_OK);
    assert_int_equal(s->view.staying, 2);
    solver_close(s);
}

static void a_member_without_threads_is_gone_unless_nobody_has_any(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_member(d, 0, 0);
    draft_member(d, 1, 3);
    solver *s = solver_open(d);
    assert_int_equal(s->view.place[0], SGP_GONE);
    assert_false(s->view.idle);
    assert_int_equal(s->view.capacity, 3);
    d->threads[1] = 0;
    assert_int_equal(sgp_view_build(&s->view, &d->group, &d->config, 1, 0, NULL, &s->region), SEGUE_OK);
    assert_true(s->view.idle);
    assert_int_equal(s->view.capacity, 2);
    assert_int_equal(s->view.staying, 2);
    solver_close(s);
}

static void a_member_is_new_without_stateful_actives_and_while_it_learns(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 3, 1);
    draft_tasks(d, 1, 0);
    for (uint32_t m = 0; m < 5; m++) {
        draft_member(d, m, 1);
    }
    draft_owns(d, 0, 0, 1);
    draft_owns(d, 1, 1, 1);
    draft_copy(d, 1, 0, SEGUE_LEARNER, 5);
    draft_owns(d, 2, 3, 1);
    draft_copy(d, 3, 0, SEGUE_STANDBY, 0);
    draft_owns(d, 4, 2, 1);
    draft_copy(d, 4, 0, SEGUE_STANDBY, 0);
    solver *s = solver_open(d);
    const uint8_t expected[] = {0, 1, 1, 1, 0};
    assert_memory_equal(s->view.newcomer, expected, sizeof expected);
    solver_close(s);
}

static void learning_from_a_leaving_member_makes_nobody_new(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 2, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_leaves(d, 0, SEGUE_TIME_NONE);
    draft_owns(d, 0, 0, 1);
    draft_owns(d, 1, 1, 1);
    draft_copy(d, 1, 0, SEGUE_LEARNER, 5);
    solver *s = solver_open(d);
    assert_false(s->view.newcomer[1]);
    solver_close(s);
}

static void learners_beyond_the_caps_are_dormant_from_the_start(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 4, 1);
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, m, 1);
    }
    draft_owns(d, 0, 0, 4);
    for (uint32_t t = 0; t < 4; t++) {
        draft_copy(d, 1 + t % 2, t, SEGUE_LEARNER, 20000);
    }
    d->config.max_learners = 3;
    d->config.max_learners_per_member = 1;
    solver *s = solver_open(d);
    const uint32_t expected[] = {SEGUE_LEARNER, SEGUE_LEARNER, SEGUE_DORMANT, SEGUE_DORMANT};
    for (uint32_t t = 0; t < 4; t++) {
        uint32_t count;
        assert_int_equal(sgp_copies(&s->view, t, &count)[0].role, expected[t]);
    }
    solver_close(s);
}

static void a_learner_that_is_ready_is_within_every_cap(void **state)
{
    (void)state;
    draft *d = draft_of_one_owner(3, 3);
    const int64_t lags[] = {5, 20000, 10000};
    for (uint32_t t = 0; t < 3; t++) {
        draft_copy(d, 1, t, SEGUE_LEARNER, lags[t]);
    }
    d->config.max_learners = d->config.max_learners_per_member = 1;
    solver *s = solver_open(d);
    for (uint32_t t = 0; t < 3; t++) {
        uint32_t count;
        assert_int_equal(sgp_copies(&s->view, t, &count)[0].role, SEGUE_LEARNER);
    }
    solver_close(s);
}

static void processes_know_their_members_and_the_best_place_among_them(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_member(d, 0, 1);
    draft_member(d, 2, 1);
    draft_leaves(d, 0, SEGUE_TIME_NONE);
    draft_leaves(d, 1, SEGUE_TIME_NONE);
    solver *s = solver_open(d);
    const uint32_t starts[] = {0, 2, 3, 4}, members[] = {0, 2, 1, 3};
    const uint8_t places[] = {SGP_STAYS, SGP_LINGERS, SGP_STAYS};
    assert_memory_equal(s->view.process_start, starts, sizeof starts);
    assert_memory_equal(s->view.process_member, members, sizeof members);
    assert_memory_equal(s->view.process_place, places, sizeof places);
    solver_close(s);
}

/* Of all copies but the sole owners' each is found once under its task, in the order of members. */
static void every_copy_is_found_under_its_task(void **state)
{
    (void)state;
    uint64_t first = chance_seed();
    for (uint64_t seed = first; seed < first + 300; seed++) {
        solver *s = solver_open(random_group(seed, (random_size){30, 8, 3, 4}, RANDOM_ANYTHING & ~RANDOM_CAPS));
        const draft *d = s->draft;
        uint32_t found = 0, expected = 0, count;
        for (uint32_t i = 0; i < d->holding_count; i++) {
            const holding *h = &d->holdings[i];
            expected += d->stateful[h->task] && s->view.owner[h->task] != h->member;
        }
        for (uint32_t t = 0; t < s->view.tasks; t++) {
            const sgp_copy *copies = sgp_copies(&s->view, t, &count);
            for (uint32_t i = 0; i < count; i++) {
                const holding *h = draft_find(d, copies[i].member, t);
                EXPECT(h != NULL && h->lag == copies[i].lag && h->role == copies[i].role &&
                           (i == 0 || copies[i - 1].member < copies[i].member),
                       "seed %llu, task %u", (unsigned long long)seed, t);
                found++;
            }
        }
        EXPECT(found == expected, "seed %llu: %u copies instead of %u", (unsigned long long)seed, found, expected);
        solver_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sole_claim_makes_an_owner_and_its_copy_is_not_indexed),
        cmocka_unit_test(a_task_that_several_claim_has_no_owner_and_all_their_copies),
        cmocka_unit_test(a_group_of_caught_up_owners_needs_no_index),
        cmocka_unit_test(without_lags_an_owner_is_caught_up_and_others_are_unknown),
        cmocka_unit_test(owners_that_go_on_in_any_case_are_not_asked_for_lags_where_only_moves_count),
        cmocka_unit_test(copies_of_stateless_tasks_are_nothing),
        cmocka_unit_test(caught_up_means_known_and_acceptable_inclusively),
        cmocka_unit_test(leaving_members_linger_until_their_deadline),
        cmocka_unit_test(where_everybody_leaves_those_with_time_left_count_as_staying),
        cmocka_unit_test(a_member_without_threads_is_gone_unless_nobody_has_any),
        cmocka_unit_test(a_member_is_new_without_stateful_actives_and_while_it_learns),
        cmocka_unit_test(learning_from_a_leaving_member_makes_nobody_new),
        cmocka_unit_test(learners_beyond_the_caps_are_dormant_from_the_start),
        cmocka_unit_test(a_learner_that_is_ready_is_within_every_cap),
        cmocka_unit_test(processes_know_their_members_and_the_best_place_among_them),
        cmocka_unit_test(every_copy_is_found_under_its_task),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
