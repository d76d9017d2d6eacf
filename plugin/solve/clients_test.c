/* SPDX-License-Identifier: Apache-2.0 */
#include "test/clients_scene.h"
#include "test/testing.h"

static uint32_t nearness(const clients_scene *s, uint32_t task, uint32_t client)
{
    return sgp_state_of(&s->clients, task, client).nearness;
}

static void a_client_is_caught_up_behind_uncertain_or_without_a_copy(void **state)
{
    (void)state;
    draft *d = clients_draft(1, 5);
    draft_owns(d, 0, 0, 1);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 10000);
    draft_copy(d, 2, 0, SEGUE_DORMANT, 10001);
    draft_copy(d, 3, 0, SEGUE_LEARNER, SEGUE_LAG_UNKNOWN);
    clients_scene s = clients_open(d, 0);
    assert_int_equal(nearness(&s, 0, 0), SGP_CAUGHT_UP);
    assert_int_equal(nearness(&s, 0, 1), SGP_CAUGHT_UP);
    assert_int_equal(nearness(&s, 0, 2), SGP_BEHIND);
    assert_int_equal(nearness(&s, 0, 3), SGP_UNCERTAIN);
    assert_int_equal(nearness(&s, 0, 4), SGP_WITHOUT);
    assert_int_equal(sgp_count_caught_up(&s.clients, 0), 2);
    clients_close(&s);
}

static void a_process_has_the_threads_of_its_members_and_the_best_that_one_of_them_knows(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 1, 1);
    draft_member(d, 0, 2);
    draft_member(d, 0, 3);
    draft_member(d, 1, 0);
    draft_copy(d, 0, 0, SEGUE_STANDBY, SEGUE_LAG_UNKNOWN);
    draft_copy(d, 1, 0, SEGUE_ACTIVE, 70000);
    draft_copy(d, 2, 0, SEGUE_STANDBY, 5);
    clients_scene s = clients_open(d, 0);
    sgp_state own = sgp_state_of(&s.clients, 0, 0);
    assert_int_equal(s.clients.threads[0], 5);
    assert_int_equal(s.clients.present, 1);
    assert_int_equal(own.nearness, SGP_BEHIND);
    assert_int_equal(own.lag, 70000);
    assert_int_equal(own.owns, 1);
    assert_int_equal(nearness(&s, 0, 1), SGP_WITHOUT);
    clients_close(&s);
}

/* Whatever its members report, in whichever order: the smallest lag that one knows, the best nearness, and the owner's word. */
static void what_a_process_has_is_the_best_of_its_members_in_any_order(void **state)
{
    (void)state;
    static const int64_t lags[] = {0, 3, 10000, 10001, 90000, SEGUE_LAG_UNKNOWN};
    enum { LAGS = sizeof lags / sizeof *lags, MEMBERS = 3 };
    for (uint32_t code = 0; code < 2 * LAGS * LAGS * LAGS * (MEMBERS + 1); code++) {
        uint32_t leaves = code % 2, owner = code / 2 % (MEMBERS + 1), rest = code / 2 / (MEMBERS + 1);
        int64_t least = INT64_MAX;
        draft *d = draft_new();
        draft_tasks(d, 1, 1);
        for (uint32_t m = 0; m < MEMBERS; m++, rest /= LAGS) {
            int64_t lag = lags[rest % LAGS];
            draft_member(d, 0, 1);
            draft_copy(d, m, 0, m == owner ? SEGUE_ACTIVE : SEGUE_STANDBY, lag);
            least = lag >= 0 && lag < least ? lag : least;
        }
        draft_member(d, 1, 1);
        for (uint32_t m = 0; leaves && m < MEMBERS; m++) {
            draft_leaves(d, m, SEGUE_TIME_NONE);
        }
        clients_scene s = clients_open(d, 0);
        sgp_state own = sgp_state_of(&s.clients, 0, 0);
        int known = least != INT64_MAX;
        EXPECT(own.lag == (known ? least : 0) && own.owns == (owner < MEMBERS) &&
                   own.nearness == (!known ? SGP_UNCERTAIN : (least <= 10000 ? SGP_CAUGHT_UP : SGP_BEHIND)),
               "case %u: lag %lld, nearness %u, owns %u", code, (long long)own.lag, own.nearness, own.owns);
        clients_close(&s);
    }
}

static void threads_of_a_process_do_not_run_over(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 1, 1);
    for (uint32_t m = 0; m < (1u << 12); m++) {
        draft_member(d, 0, SEGUE_MAX_THREADS);
    }
    clients_scene s = clients_open(d, 0);
    assert_int_equal(s.clients.threads[0], UINT32_MAX);
    assert_int_equal(s.clients.present, 1);
    clients_close(&s);
}

static void nearer_is_by_nearness_then_by_lag_and_of_equals_the_owner(void **state)
{
    (void)state;
    const sgp_state order[] = {
        {.nearness = SGP_CAUGHT_UP, .lag = 9000}, {.nearness = SGP_BEHIND, .lag = 20000, .owns = 1},
        {.nearness = SGP_BEHIND, .lag = 20000},   {.nearness = SGP_BEHIND, .lag = 20001},
        {.nearness = SGP_UNCERTAIN},              {.nearness = SGP_WITHOUT},
    };
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
            assert_int_equal(sgp_is_nearer(&order[i], &order[k]), i < k);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_is_caught_up_behind_uncertain_or_without_a_copy),
        cmocka_unit_test(a_process_has_the_threads_of_its_members_and_the_best_that_one_of_them_knows),
        cmocka_unit_test(what_a_process_has_is_the_best_of_its_members_in_any_order),
        cmocka_unit_test(threads_of_a_process_do_not_run_over),
        cmocka_unit_test(nearer_is_by_nearness_then_by_lag_and_of_equals_the_owner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
