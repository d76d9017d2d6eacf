/* SPDX-License-Identifier: Apache-2.0 */
/* What decisions say, in thousands of groups that nobody thought of: test/decision_rules.h. */
#include "test/chance.h"
#include "test/decision_rules.h"
#include "test/random_group.h"
#include "test/testing.h"

static draft *some_group(uint64_t seed)
{
    static const unsigned left_out[] = {0, RANDOM_WEIGHTS, RANDOM_WEIGHTS | RANDOM_RACKS, RANDOM_STATELESS,
                                        RANDOM_CAPS, RANDOM_NO_OWNER | RANDOM_CONTESTED | RANDOM_COPIES};
    chance c = chance_of(~seed);
    unsigned without = left_out[chance_below(&c, 6)] | left_out[chance_below(&c, 6)];
    draft *d = random_group(seed, (random_size){16, 6, 3, 3}, RANDOM_ANYTHING & ~without);
    d->config.spread_subtopologies = chance_below(&c, 3) == 0;
    d->config.imbalance_percentage = 10 * chance_below(&c, 3);
    return d;
}

/* least: how many of the reasons there are at least; each of them is looked at as often as it is said. */
static void expect_so(const char *assignor, uint32_t groups, uint32_t least)
{
    uint32_t said[DECISION_REASONS] = {0};
    for (uint64_t seed = chance_seed(), last = seed + groups; seed < last; seed++) {
        draft *d = some_group(seed);
        rebalance *r = rebalance_run(assignor, d);
        decisions_are_so(assignor, d, r, said);
        rebalance_again(assignor, &d, &r, seed % 2 == 0 ? CAUGHT_UP : SAME_LAGS);
        decisions_are_so(assignor, d, r, said);
        rebalance_finish(d, r);
    }
    uint32_t reasons = 0;
    for (uint32_t i = 0; i < DECISION_REASONS; i++) {
        reasons += said[i] > 0;
    }
    EXPECT(reasons >= least, "%s: of only %u reasons", assignor, reasons);
}

/* Who gives a task up holds its quota there, but tasks without state are to come in its place, and nobody has any to give. */
static void tasks_with_state_are_counted_by_themselves(void **state)
{
    (void)state;
    static const uint64_t found[] = {20261242, 20263701};
    uint32_t said[DECISION_REASONS] = {0};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        draft *d = some_group(found[i]);
        rebalance *r = rebalance_run("learner", d);
        decisions_are_so("learner", d, r, said);
        rebalance_finish(d, r);
    }
    assert_true(said[SEGUE_REASON_QUOTA_WITH_STATE] > 0);
}

/* Where standbys warm up as well a learner may be ready and go on: it restores nothing. */
static void a_ready_learner_restores_nothing(void **state)
{
    (void)state;
    uint32_t said[DECISION_REASONS] = {0};
    draft *d = some_group(9131);
    rebalance *r = rebalance_run("high-availability", d);
    decisions_are_so("high-availability", d, r, said);
    rebalance_again("high-availability", &d, &r, SAME_LAGS);
    decisions_are_so("high-availability", d, r, said);
    rebalance_finish(d, r);
}

static void learners_decisions_are_so(void **state)
{
    (void)state;
    expect_so("learner", 4000, 18);
}

static void scale_downs_decisions_are_so(void **state)
{
    (void)state;
    expect_so("scale-down", 4000, 21);
}

static void balanceds_decisions_are_so(void **state)
{
    (void)state;
    expect_so("balanced", 4000, 25);
}

static void baselines_decisions_are_so(void **state)
{
    (void)state;
    expect_so("high-availability", 2000, 19);
    expect_so("sticky", 2000, 6);
    expect_so("eager", 2000, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_with_state_are_counted_by_themselves),
        cmocka_unit_test(a_ready_learner_restores_nothing),
        cmocka_unit_test(learners_decisions_are_so),
        cmocka_unit_test(scale_downs_decisions_are_so),
        cmocka_unit_test(balanceds_decisions_are_so),
        cmocka_unit_test(baselines_decisions_are_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
