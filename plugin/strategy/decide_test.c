/* SPDX-License-Identifier: Apache-2.0 */
/* Each reason, in the group that gives it; that rows are valid is held in every plan (test/plan_rules.h). */
#include "test/chance.h"
#include "test/random_group.h"
#include "test/rebalance.h"
#include "test/testing.h"

static draft *two_members(uint32_t tasks)
{
    draft *d = draft_new();
    draft_tasks(d, tasks, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    return d;
}

static void assert_reason(const char *assignor, draft *d, uint32_t task, uint32_t kind, uint32_t reason)
{
    rebalance *r = rebalance_run(assignor, d);
    assert_int_equal(rebalance_reason(r, task, kind), reason);
    rebalance_free(r);
    draft_free(d);
}

static void several_claims_are_named_and_counted(void **state)
{
    (void)state;
    draft *d = two_members(1);
    draft_owns(d, 0, 0, 1);
    draft_owns(d, 1, 0, 1);
    rebalance *r = rebalance_run("learner", d);
    uint32_t row = rebalance_decision(r, 0, SEGUE_KIND_PLACE);
    assert_int_not_equal(row, SEGUE_NONE);
    assert_int_equal(r->plan.decision_reason[row], SEGUE_REASON_CONTESTED);
    assert_int_equal(r->plan.decision_number[row * SEGUE_DECISION_NUMBERS], 2);
    rebalance_free(r);
    draft_free(d);
}

static void an_owner_that_restores_is_the_reason(void **state)
{
    (void)state;
    draft *d = two_members(1);
    draft_copy(d, 0, 0, SEGUE_ACTIVE, 90000);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 10);
    assert_reason("learner", d, 0, SEGUE_KIND_HAND_OVER, SEGUE_REASON_OWNER_RESTORING);
}

static void a_move_on_one_disk_says_so(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 2, 1);
    draft_member(d, 0, 1);
    draft_member(d, 0, 1);
    draft_owns(d, 0, 0, 2);
    rebalance *r = rebalance_run("learner", d);
    assert_int_equal(r->plan.moves, 1);
    assert_int_equal(rebalance_reason(r, r->plan.active[0] == 1 ? 0 : 1, SEGUE_KIND_HAND_OVER),
                     SEGUE_REASON_SAME_PROCESS);
    rebalance_free(r);
    draft_free(d);
}

static void a_cold_move_says_so(void **state)
{
    (void)state;
    draft *d = two_members(2);
    draft_owns(d, 0, 0, 2);
    assert_reason("sticky", d, 1, SEGUE_KIND_HAND_OVER, SEGUE_REASON_COLD_MOVE);
}

static void a_learner_of_unknown_lag_goes_on_for_that_reason(void **state)
{
    (void)state;
    draft *d = two_members(2);
    draft_owns(d, 0, 0, 2);
    draft_copy(d, 1, 1, SEGUE_LEARNER, SEGUE_LAG_UNKNOWN);
    assert_reason("learner", d, 1, SEGUE_KIND_LEARN, SEGUE_REASON_UNKNOWN_LAG);
}

/* Two members that hold two tasks each, as they should. */
static draft *two_with_two(void)
{
    draft *d = draft_new();
    draft_tasks(d, 2, 1);
    draft_tasks(d, 2, 1);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, 2);
    draft_owns(d, 1, 2, 2);
    return d;
}

/* Masks of racks; member 0 is in the first. */
enum { OWN_RACK = 1, OTHER_RACK = 2, BOTH_RACKS = 3 };

/* The same in a rack each, with the racks where tasks 1, 2 and 3 are read; task 0 is read in both. */
static draft *two_in_racks(uint64_t first, uint64_t second, uint64_t third)
{
    const uint64_t racks[] = {BOTH_RACKS, first, second, third};
    draft *d = two_with_two();
    d->config.rack_strategy = SEGUE_RACK_MIN_TRAFFIC;
    draft_racks(d, 2);
    d->member_rack[0] = 0;
    d->member_rack[1] = 1;
    for (uint32_t t = 0; t < 4; t++) {
        draft_input(d, t, racks[t]);
    }
    return d;
}

static void assert_learns_for(const rebalance *r, uint32_t reason)
{
    uint32_t learn = 0;
    for (uint32_t i = 0; i < r->plan.decision_count; i++) {
        if (r->plan.decision_kind[i] == SEGUE_KIND_LEARN) {
            assert_int_equal(r->plan.decision_reason[i], reason);
            learn++;
        }
    }
    assert_int_equal(learn, 2);
}

static void an_exchange_for_racks_says_what_is_read_across_them(void **state)
{
    (void)state;
    draft *d = two_in_racks(OTHER_RACK, BOTH_RACKS, OWN_RACK);
    rebalance *r = rebalance_run("balanced", d);
    assert_learns_for(r, SEGUE_REASON_LESS_TRAFFIC);
    uint32_t row = rebalance_decision(r, 1, SEGUE_KIND_LEARN);
    assert_int_not_equal(row, SEGUE_NONE);
    assert_int_equal(r->plan.decision_number[row * SEGUE_DECISION_NUMBERS], 0);
    assert_int_equal(r->plan.decision_number[row * SEGUE_DECISION_NUMBERS + 1], 1);
    rebalance_free(r);
    draft_free(d);
}

/* Task 1 is read in the other rack, and task 2 or 3, which cost the same everywhere, makes room for it. */
static void what_makes_room_in_an_exchange_says_so(void **state)
{
    (void)state;
    draft *d = two_in_racks(OTHER_RACK, BOTH_RACKS, BOTH_RACKS);
    rebalance *r = rebalance_run("balanced", d);
    assert_int_equal(rebalance_reason(r, 1, SEGUE_KIND_LEARN), SEGUE_REASON_LESS_TRAFFIC);
    uint32_t other = r->plan.learner[2] != SEGUE_NONE ? 2 : 3;
    assert_int_equal(rebalance_reason(r, other, SEGUE_KIND_LEARN), SEGUE_REASON_EXCHANGE);
    rebalance_free(r);
    draft_free(d);
}

static void an_exchange_that_evens_out_says_what(void **state)
{
    (void)state;
    for (int weighs = 0; weighs < 2; weighs++) {
        draft *d = two_with_two();
        d->config.spread_subtopologies = !weighs;
        d->weight[0] = d->weight[1] = weighs ? 3 : 1;
        rebalance *r = rebalance_run("balanced", d);
        assert_learns_for(r, weighs ? SEGUE_REASON_WEIGHT : SEGUE_REASON_SPREAD);
        rebalance_free(r);
        draft_free(d);
    }
}

/* Also where racks and spread are asked for, which weights leave no say. */
static void by_weight_nothing_else_is_named(void **state)
{
    (void)state;
    draft *d = two_in_racks(OTHER_RACK, BOTH_RACKS, OWN_RACK);
    d->config.spread_subtopologies = 1;
    d->weight[0] = d->weight[1] = 3;
    rebalance *r = rebalance_run("balanced", d);
    assert_learns_for(r, SEGUE_REASON_WEIGHT);
    rebalance_free(r);
    draft_free(d);
}

/* Six tasks that should be learned by two members, under three limits. */
static void what_is_held_back_names_the_limit_that_is_used_up(void **state)
{
    (void)state;
    static const struct {
        uint32_t all, each;
        int64_t bytes;
        uint32_t reason;
        int64_t number;
    } limits[] = {
        {1,              SEGUE_NO_LIMIT, -1, SEGUE_REASON_NO_SLOT,  1},
        {SEGUE_NO_LIMIT, 1,              -1, SEGUE_REASON_NO_SLOT,  1},
        {2,              9,              -1, SEGUE_REASON_NO_SLOT,  2},
        {9,              9,              25, SEGUE_REASON_NO_BYTES, 25},
        {3,              1,              90, SEGUE_REASON_NO_SLOT,  1},
        {SEGUE_NO_LIMIT, SEGUE_NO_LIMIT, 10, SEGUE_REASON_NO_BYTES, 10},
    };
    for (uint32_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        draft *d = draft_of_one_owner(9, 3);
        for (uint32_t t = 0; t < 9; t++) {
            d->state_bytes[t] = 10;
        }
        d->config.max_learners = limits[i].all;
        d->config.max_learners_per_member = limits[i].each;
        d->config.max_learning_bytes = limits[i].bytes;
        rebalance *r = rebalance_run("learner", d);
        uint32_t held = 0;
        for (uint32_t row = 0; row < r->plan.decision_count; row++) {
            if (r->plan.decision_kind[row] == SEGUE_KIND_KEEP_BACK) {
                EXPECT(r->plan.decision_reason[row] == limits[i].reason, "limits %u: reason %u", i,
                       r->plan.decision_reason[row]);
                assert_int_equal(r->plan.decision_number[row * SEGUE_DECISION_NUMBERS], limits[i].number);
                held++;
            }
        }
        EXPECT(held == r->plan.held_back && held > 0, "limits %u: %u are held back", i, held);
        rebalance_free(r);
        draft_free(d);
    }
}

static void a_ready_learner_of_the_stable_mode_waits_for_a_stated_number(void **state)
{
    (void)state;
    draft *d = two_members(4);
    draft_owns(d, 0, 0, 4);
    draft_copy(d, 1, 2, SEGUE_LEARNER, 5);
    draft_copy(d, 1, 3, SEGUE_LEARNER, 50000);
    d->config.learner_partial_rebalance = 0;
    rebalance *r = rebalance_run("learner", d);
    uint32_t row = rebalance_decision(r, 2, SEGUE_KIND_KEEP_BACK);
    assert_int_not_equal(row, SEGUE_NONE);
    assert_int_equal(r->plan.decision_reason[row], SEGUE_REASON_WAITS_FOR_ALL);
    assert_int_equal(r->plan.decision_number[row * SEGUE_DECISION_NUMBERS], 1);
    rebalance_free(r);
    draft_free(d);
}

static void a_standby_that_is_wanted_and_a_copy_that_is_not_are_named(void **state)
{
    (void)state;
    draft *d = two_members(1);
    draft_member(d, 2, 1);
    draft_owns(d, 0, 0, 1);
    draft_copy(d, 1, 0, SEGUE_LEARNER, 50000);
    draft_copy(d, 2, 0, SEGUE_DORMANT, 0);
    d->config.num_standby_replicas = 1;
    assert_reason("learner", d, 0, SEGUE_KIND_STANDBY, SEGUE_REASON_STANDBY_WANTED);
    d = two_members(1);
    draft_owns(d, 0, 0, 1);
    draft_copy(d, 1, 0, SEGUE_STANDBY, 0);
    assert_reason("learner", d, 0, SEGUE_KIND_DROP, SEGUE_REASON_NOT_WANTED);
}

static void a_plan_that_changes_nothing_decides_nothing(void **state)
{
    (void)state;
    draft *d = two_members(2);
    draft_owns(d, 0, 0, 1);
    draft_owns(d, 1, 1, 1);
    rebalance *r = rebalance_run("learner", d);
    assert_int_equal(r->plan.decision_count, 0);
    rebalance_free(r);
    draft_free(d);
}

/* Every change has a row: whoever reads the decisions alone knows the plan. */
static void every_new_owner_learner_and_standby_has_its_decision(void **state)
{
    (void)state;
    for (uint64_t seed = chance_seed(), last = seed + 1500; seed < last; seed++) {
        draft *d = random_group(seed, (random_size){16, 7, 3, 4}, RANDOM_ANYTHING);
        rebalance *r = rebalance_run("balanced", d);
        for (uint32_t t = 0; t < d->group.task_count; t++) {
            const holding *owns = draft_find(d, r->plan.active[t], t);
            int moved = owns == NULL || owns->role != SEGUE_ACTIVE;
            int said = rebalance_reason(r, t, SEGUE_KIND_HAND_OVER) != 0 ||
                       rebalance_reason(r, t, SEGUE_KIND_PLACE) != 0 || rebalance_reason(r, t, SEGUE_KIND_FORCE) != 0;
            EXPECT(!moved || said, "seed %llu: task %u moves without a word", (unsigned long long)seed, t);
            int learns = r->plan.learner[t] != SEGUE_NONE;
            EXPECT(!learns || rebalance_reason(r, t, SEGUE_KIND_LEARN) != 0 ||
                       rebalance_reason(r, t, SEGUE_KIND_KEEP_BACK) == SEGUE_REASON_WAITS_FOR_ALL,
                   "seed %llu: task %u is learned without a word", (unsigned long long)seed, t);
            for (uint32_t i = r->plan.standby_start[t]; i < r->plan.standby_start[t + 1]; i++) {
                const holding *h = draft_find(d, r->plan.standby_member[i], t);
                EXPECT((h != NULL && h->role == SEGUE_STANDBY) || rebalance_reason(r, t, SEGUE_KIND_STANDBY) != 0,
                       "seed %llu: task %u has a standby without a word", (unsigned long long)seed, t);
            }
        }
        rebalance_free(r);
        draft_free(d);
    }
}

/* Owners of tasks that do not move are not kept for a plan without decisions (course.c). */
static void assert_same_without(const char *assignor, draft *d)
{
    rebalance *with = rebalance_run(assignor, d), *without = rebalance_room(d);
    segue_instance *instance = NULL;
    without->plan.decision_capacity = 0;
    assert_int_equal(rebalance_slots()->create(assignor, &instance, NULL), SEGUE_OK);
    assert_int_equal(rebalance_slots()->assign(instance, &d->group, &d->config, &without->plan, NULL), SEGUE_OK);
    rebalance_slots()->destroy(instance);
    EXPECT(rebalance_same(with, without) && with->plan.moves == without->plan.moves &&
               with->plan.learners == without->plan.learners && with->plan.held_back == without->plan.held_back &&
               memcmp(&with->plan.spread, &without->plan.spread, sizeof(double)) == 0,
           "%s, seed %llu: another plan without decisions", assignor, (unsigned long long)d->seed);
    rebalance_free(with);
    rebalance_free(without);
}

static void a_plan_is_the_same_whether_decisions_are_asked_for_or_not(void **state)
{
    (void)state;
    static const char *const assignors[] = {"eager", "sticky", "learner", "balanced"};
    for (uint64_t seed = chance_seed(), last = seed + 300; seed < last; seed++) {
        unsigned traits = (seed % 2 ? RANDOM_NO_OWNER : 0) | (seed % 3 ? 0 : RANDOM_CAPS);
        draft *d = random_group(seed, (random_size){400, 12, seed % 5 ? 1 : 4, 3}, traits);
        assert_same_without(assignors[seed % 4], d);
        draft_free(d);
    }
}

/* ---- where the members' tasks do not add up to a reason ---- */

static void assert_numbers(draft *d, const char *assignor, uint32_t task, uint32_t kind, uint32_t reason, const int64_t *number)
{
    rebalance *r = rebalance_run(assignor, d);
    uint32_t row = rebalance_decision(r, task, kind);
    assert_int_not_equal(row, SEGUE_NONE);
    assert_int_equal(r->plan.decision_reason[row], reason);
    assert_memory_equal(r->plan.decision_number + (size_t)row * SEGUE_DECISION_NUMBERS, number, 4 * sizeof *number);
    rebalance_finish(d, r);
}

/* Seven tasks of member 0, of which five have no state, and two of member 1; nobody has task 3. */
static void a_full_member_may_have_room_for_state(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 4, 1);
    draft_tasks(d, 5, 0);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, 1);
    draft_owns(d, 1, 1, 2);
    draft_owns(d, 0, 4, 5);
    assert_numbers(d, "learner", 3, SEGUE_KIND_PLACE, SEGUE_REASON_ROOM_WITH_STATE, (int64_t[]){2, 2, 0, 0});
}

/* Member 0 gives one of its two tasks with state to member 1, and has room for another one without, 4, when that is learned. */
static void room_that_there_will_be_is_told(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 2, 1);
    draft_tasks(d, 2, 0);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, 2);
    draft_owns(d, 1, 2, 1);
    assert_numbers(d, "balanced", 3, SEGUE_KIND_PLACE, SEGUE_REASON_ROOM_LATER, (int64_t[]){2, 2, 0, 0});
}

/* Member 0 is in rack 0 and has its quota, member 1, in rack 1, one too many, which is read in rack 0. Member 2, in rack 2 and
 * new, gets from member 0 what is read everywhere, and member 0 that one in its place. */
static void who_gets_another_task_in_its_place_is_told(void **state)
{
    (void)state;
    const uint64_t racks[] = {7, 1, 1, 2, 2};
    draft *d = draft_new();
    draft_tasks(d, 5, 1);
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, m, 1);
    }
    draft_owns(d, 0, 0, 2);
    draft_owns(d, 1, 2, 3);
    draft_racks(d, 3);
    for (uint32_t m = 0; m < 3; m++) {
        d->member_rack[m] = m;
    }
    for (uint32_t t = 0; t < 5; t++) {
        draft_input(d, t, racks[t]);
    }
    d->config.rack_strategy = SEGUE_RACK_MIN_TRAFFIC;
    assert_numbers(d, "balanced", 0, SEGUE_KIND_LEARN, SEGUE_REASON_REPLACED, (int64_t[]){0, 0, 0, 0});
}

static void who_serves_what_others_claim_is_told(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 1, 1);
    for (uint32_t m = 0; m < 3; m++) {
        draft_member(d, m, m / 2);
    }
    draft_owns(d, 0, 0, 1);
    draft_owns(d, 1, 0, 1);
    assert_numbers(d, "learner", 0, SEGUE_KIND_PLACE, SEGUE_REASON_CONTESTED_ELSEWHERE, (int64_t[]){2, 0, 0, 0});
}

/* Member 0 is full, so that another copy that is caught up will do; and one without threads has a nearer copy than member 1. */
static void a_copy_is_called_the_nearest_only_where_it_is(void **state)
{
    (void)state;
    draft *d = two_members(2);
    draft_owns(d, 0, 0, 1);
    draft_copy(d, 0, 1, SEGUE_STANDBY, 0);
    draft_copy(d, 1, 1, SEGUE_STANDBY, 50);
    assert_numbers(d, "learner", 1, SEGUE_KIND_PLACE, SEGUE_REASON_CAUGHT_UP, (int64_t[]){50, 10000, 0, 0});
    d = draft_new();
    draft_tasks(d, 1, 1);
    draft_member(d, 0, 0);
    draft_member(d, 1, 1);
    draft_copy(d, 0, 0, SEGUE_DORMANT, 20000);
    draft_copy(d, 1, 0, SEGUE_DORMANT, 50000);
    assert_numbers(d, "learner", 0, SEGUE_KIND_PLACE, SEGUE_REASON_KNOWN_COPY, (int64_t[]){50000, 0, 0, 0});
}

/* Weights differ, but not those of tasks with state: these go by racks. */
static void weights_are_named_only_where_they_decide(void **state)
{
    (void)state;
    draft *d = draft_new();
    draft_tasks(d, 2, 1);
    draft_tasks(d, 2, 0);
    draft_member(d, 0, 1);
    draft_member(d, 1, 1);
    draft_owns(d, 0, 0, 1);
    draft_owns(d, 1, 1, 1);
    draft_owns(d, 0, 2, 1);
    draft_owns(d, 1, 3, 1);
    draft_racks(d, 2);
    d->member_rack[0] = 0;
    d->member_rack[1] = 1;
    draft_input(d, 0, OTHER_RACK);
    draft_input(d, 1, OWN_RACK);
    d->config.rack_strategy = SEGUE_RACK_MIN_TRAFFIC;
    d->weight[2] = d->weight[3] = 2;
    assert_numbers(d, "balanced", 0, SEGUE_KIND_LEARN, SEGUE_REASON_LESS_TRAFFIC, (int64_t[]){0, 1, 0, 0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_claims_are_named_and_counted),
        cmocka_unit_test(an_owner_that_restores_is_the_reason),
        cmocka_unit_test(a_move_on_one_disk_says_so),
        cmocka_unit_test(a_cold_move_says_so),
        cmocka_unit_test(a_learner_of_unknown_lag_goes_on_for_that_reason),
        cmocka_unit_test(an_exchange_for_racks_says_what_is_read_across_them),
        cmocka_unit_test(what_makes_room_in_an_exchange_says_so),
        cmocka_unit_test(an_exchange_that_evens_out_says_what),
        cmocka_unit_test(by_weight_nothing_else_is_named),
        cmocka_unit_test(what_is_held_back_names_the_limit_that_is_used_up),
        cmocka_unit_test(a_ready_learner_of_the_stable_mode_waits_for_a_stated_number),
        cmocka_unit_test(a_standby_that_is_wanted_and_a_copy_that_is_not_are_named),
        cmocka_unit_test(a_plan_that_changes_nothing_decides_nothing),
        cmocka_unit_test(every_new_owner_learner_and_standby_has_its_decision),
        cmocka_unit_test(a_plan_is_the_same_whether_decisions_are_asked_for_or_not),
        cmocka_unit_test(a_full_member_may_have_room_for_state),
        cmocka_unit_test(room_that_there_will_be_is_told),
        cmocka_unit_test(who_gets_another_task_in_its_place_is_told),
        cmocka_unit_test(who_serves_what_others_claim_is_told),
        cmocka_unit_test(a_copy_is_called_the_nearest_only_where_it_is),
        cmocka_unit_test(weights_are_named_only_where_they_decide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
