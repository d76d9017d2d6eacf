/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_cost.h"

#include "test/random_group.h"
#include "test/chance.h"
#include "test/solver.h"
#include "test/testing.h"

enum { A = 1 << 0, B = 1 << 1, C = 1 << 2 };

/* Task 0 reads two partitions, one in a and b, one in b; task 1 the same; task 2 one of which nothing is known; task 3 one
 * in c, where nobody is. Member 0 is in a, 1 in b, 2 in no rack that is known, 3 leaves and is in c. */
static draft *four_tasks(void)
{
    draft *d = draft_new();
    draft_tasks(d, 4, 1);
    for (uint32_t m = 0; m < 4; m++) {
        draft_member(d, m, 1);
    }
    draft_leaves(d, 3, SEGUE_TIME_NONE);
    draft_racks(d, 3);
    for (uint32_t t = 0; t < 2; t++) {
        draft_input(d, t, A | B);
        draft_input(d, t, B);
    }
    draft_input(d, 2, 0);
    draft_input(d, 3, C);
    d->member_rack[0] = 0;
    d->member_rack[1] = 1;
    d->member_rack[3] = 2;
    return d;
}

static void an_input_without_a_replica_in_the_rack_counts(void **state)
{
    (void)state;
    draft *d = four_tasks();
    const segue_group *g = draft_group(d);
    assert_int_equal(sgp_rack_traffic(g, 0, 0), 1);
    assert_int_equal(sgp_rack_traffic(g, 0, 1), 0);
    assert_int_equal(sgp_rack_traffic(g, 0, 3), 2);
    assert_int_equal(sgp_rack_traffic(g, 3, 0), 1);
    draft_free(d);
}

static void what_is_not_known_costs_nothing(void **state)
{
    (void)state;
    draft *d = four_tasks();
    const segue_group *g = draft_group(d);
    assert_int_equal(sgp_rack_traffic(g, 2, 0), 0);
    assert_int_equal(sgp_rack_traffic(g, 0, 2), 0);
    draft_free(d);
}

static void racks_are_known_when_both_sides_say_theirs(void **state)
{
    (void)state;
    draft *d = four_tasks();
    segue_group without_members = *draft_group(d), without_inputs = *draft_group(d);
    without_members.member_rack = NULL;
    without_inputs.task_inputs = without_inputs.task_rack_start = NULL;
    assert_true(sgp_racks_known(&d->group));
    assert_false(sgp_racks_known(&without_members));
    assert_false(sgp_racks_known(&without_inputs));
    draft_free(d);
}

static void equal_tasks_share_a_row_and_racks_without_members_have_none(void **state)
{
    (void)state;
    solver *s = solver_open(four_tasks());
    sgp_rack_cost cost;
    assert_int_equal(sgp_rack_cost_build(&cost, &s->view, NULL, &s->region), SEGUE_OK);
    assert_int_equal(cost.places, 3); /* a, b and none */
    assert_int_equal(cost.vectors, 3);
    assert_int_equal(cost.vector[0], cost.vector[1]);
    assert_int_equal(cost.place[3], SEGUE_NONE);
    assert_int_equal(cost.most, 1);
    solver_close(s);
}

static void the_table_says_what_the_columns_say(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 500; seed < last; seed++) {
        solver *s = solver_open(random_group(seed, (random_size){30, 8, 3, 4}, RANDOM_RACKS | RANDOM_LEAVING));
        sgp_rack_cost cost;
        if (sgp_racks_known(s->view.group)) {
            assert_int_equal(sgp_rack_cost_build(&cost, &s->view, NULL, &s->region), SEGUE_OK);
            for (uint32_t t = 0; t < s->view.tasks; t++) {
                for (uint32_t m = 0; m < s->view.members; m++) {
                    EXPECT(cost.place[m] == SEGUE_NONE || sgp_rack_cost_of(&cost, cost.vector[t], cost.place[m]) ==
                                                              sgp_rack_traffic(s->view.group, t, m),
                           "seed %llu, task %u, member %u", (unsigned long long)seed, (unsigned)t, (unsigned)m);
                }
            }
        }
        solver_close(s);
    }
}

/* 64 racks with a member each, and tasks of so many kinds, no two of which are read in the same racks. */
static draft *many_racks(uint32_t tasks, uint32_t kinds)
{
    draft *d = draft_new();
    draft_tasks(d, tasks, 1);
    for (uint32_t m = 0; m < 64; m++) {
        draft_member(d, m, 1);
    }
    draft_racks(d, 64);
    for (uint32_t t = 0; t < tasks; t++) {
        draft_input(d, t, t % kinds + 1);
    }
    for (uint32_t m = 0; m < 64; m++) {
        d->member_rack[m] = m;
    }
    return d;
}

static void a_long_table_ends_with_the_budget_and_then_nothing_costs_anything(void **state)
{
    (void)state;
    for (uint32_t is_long = 0; is_long <= 1; is_long++) {
        solver *s = solver_open(many_racks(is_long ? 2000 : 500, 2000));
        sgp_deadline long_ago = {.at_ns = 0};
        sgp_rack_cost cost;
        assert_int_equal(sgp_rack_cost_build(&cost, &s->view, &long_ago, &s->region), SEGUE_OK);
        assert_int_equal(cost.is_known, 1);
        assert_int_equal(long_ago.passed, is_long);
        assert_int_equal(cost.most, !is_long);
        assert_int_equal(cost.places, is_long ? 1 : 65);
        assert_int_equal(sgp_rack_cost_of(&cost, cost.vector[499], cost.place[63]), !is_long);
        solver_close(s);
    }
}

/* The table of those that stand for their equals grows several times meanwhile. */
static void of_many_tasks_those_and_no_others_share_a_row_that_are_read_alike(void **state)
{
    (void)state;
    enum { KINDS = 700 };
    solver *s = solver_open(many_racks(2 * KINDS, KINDS));
    sgp_rack_cost cost;
    assert_int_equal(sgp_rack_cost_build(&cost, &s->view, NULL, &s->region), SEGUE_OK);
    assert_int_equal(cost.vectors, KINDS);
    for (uint32_t t = 0; t < 2 * KINDS; t++) {
        assert_int_equal(cost.vector[t], t % KINDS);
    }
    solver_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_input_without_a_replica_in_the_rack_counts),
        cmocka_unit_test(what_is_not_known_costs_nothing),
        cmocka_unit_test(racks_are_known_when_both_sides_say_theirs),
        cmocka_unit_test(equal_tasks_share_a_row_and_racks_without_members_have_none),
        cmocka_unit_test(of_many_tasks_those_and_no_others_share_a_row_that_are_read_alike),
        cmocka_unit_test(a_long_table_ends_with_the_budget_and_then_nothing_costs_anything),
        cmocka_unit_test(the_table_says_what_the_columns_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
