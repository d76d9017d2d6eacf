/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <locale.h>

#include "testing.h"

static void set(segue_config *config, const char *key, const char *value)
{
    fault f;
    if (segue_config_set(config, key, value, fault_of(&f)) != SEGUE_OK) {
        fail_msg("%s", f.text);
    }
}

static void assert_refused(const char *key, const char *value, const char *why)
{
    fault f;
    segue_config config = {.size = sizeof config}, before;
    segue_config_init(&config);
    before = config;
    assert_int_equal(segue_config_set(&config, key, value, fault_of(&f)), SEGUE_E_CONFIG);
    assert_mentions(f.text, why);
    assert_memory_equal(&config, &before, sizeof config);
}

static void defaults_are_those_of_the_table(void **state)
{
    (void)state;
    segue_config config = {.size = sizeof config};
    segue_config_init(&config);
    assert_int_equal(config.size, sizeof config);
    assert_int_equal(config.num_standby_replicas, 0);
    assert_int_equal(config.max_learners, SEGUE_NO_LIMIT);
    assert_int_equal(config.acceptable_recovery_lag, 10000);
    assert_int_equal(config.learner_partial_rebalance, 1);
    assert_true(config.imbalance_percentage == 20);
    assert_int_equal(sgi_config_check(&config, NULL), SEGUE_OK);
}

static void every_key_reaches_its_field(void **state)
{
    (void)state;
    segue_config c = {.size = sizeof c};
    segue_config_init(&c);
    set(&c, "num.standby.replicas", "2");
    set(&c, "acceptable.recovery.lag", " 9223372036854775807 ");
    set(&c, "segue.max.learners.per.member", "3");
    set(&c, "segue.max.learning.bytes", "-1");
    set(&c, "probing.rebalance.interval.ms", "60000");
    set(&c, "stream.imbalance.percentage", "12.5");
    set(&c, "learner.partial.rebalance", "FALSE");
    set(&c, "segue.spread.subtopologies", "true");
    set(&c, "rack.aware.assignment.strategy", "balance_subtopology");
    set(&c, "stream.rebalancing.mode", "upgrading");
    assert_int_equal(c.num_standby_replicas, 2);
    assert_true(c.acceptable_recovery_lag == INT64_MAX);
    assert_int_equal(c.max_learners_per_member, 3);
    assert_int_equal(c.max_learning_bytes, -1);
    assert_int_equal(c.probing_rebalance_interval_ms, 60000);
    assert_true(c.imbalance_percentage == 12.5);
    assert_int_equal(c.learner_partial_rebalance, 0);
    assert_int_equal(c.spread_subtopologies, 1);
    assert_int_equal(c.rack_strategy, SEGUE_RACK_BALANCE_SUBTOPOLOGY);
    assert_int_equal(c.rebalancing_mode, SEGUE_MODE_UPGRADING);
}

static void the_smaller_of_the_two_learner_limits_counts(void **state)
{
    (void)state;
    segue_config c = {.size = sizeof c};
    segue_config_init(&c);
    set(&c, "max.warmup.replicas", "2");
    set(&c, "segue.max.learners", "5");
    assert_int_equal(c.max_learners, 2);
    segue_config_init(&c);
    set(&c, "segue.max.learners", "5");
    set(&c, "max.warmup.replicas", "7");
    assert_int_equal(c.max_learners, 5);
}

static void the_compute_budget_is_given_in_milliseconds(void **state)
{
    (void)state;
    segue_config c = {.size = sizeof c};
    segue_config_init(&c);
    set(&c, "segue.max.compute.ms", "250");
    assert_int_equal(c.max_compute_us, 250000);
    assert_refused("segue.max.compute.ms", "9223372036854775807", "a whole number from 0 to");
}

static void values_outside_of_their_range_are_refused(void **state)
{
    (void)state;
    assert_refused("num.standby.replicas", "-1",
                   "num.standby.replicas is '-1': it must be a whole number from 0 to 1000");
    assert_refused("num.standby.replicas", "1001", "from 0 to 1000");
    assert_refused("num.standby.replicas", "2x", "'2x'");
    assert_refused("num.standby.replicas", "", "''");
    assert_refused("num.standby.replicas", "0x10", "'0x10'");
    assert_refused("num.standby.replicas", "1.0", "'1.0'");
    assert_refused("acceptable.recovery.lag", "9223372036854775808", "from 0 to 9223372036854775807");
    assert_refused("probing.rebalance.interval.ms", "0", "from 1 to");
    assert_refused("stream.imbalance.percentage", "100.1", "a number from 0 to 100");
    assert_refused("stream.imbalance.percentage", "nan", "a number from 0 to 100");
    assert_refused("stream.imbalance.percentage", "1e999", "a number from 0 to 100");
    assert_refused("stream.imbalance.percentage", "0x1p3", "a number from 0 to 100");
    assert_refused("learner.partial.rebalance", "yes", "it must be false or true");
    assert_refused("rack.aware.assignment.strategy", "min", "none or min_traffic or balance_subtopology");
}

static void an_unknown_key_of_ours_names_the_nearest(void **state)
{
    (void)state;
    assert_refused("segue.max.learner", "1", "did you mean segue.max.learners?");
    assert_refused("segue.asignor", "learner", "did you mean segue.assignor?");
    assert_refused("segue.", "1", "segue. is no known key");
}

static void foreign_and_host_keys_are_left_alone(void **state)
{
    (void)state;
    segue_config c = {.size = sizeof c}, before;
    segue_config_init(&c);
    before = c;
    set(&c, "bootstrap.servers", "localhost:9092");
    set(&c, "segue.assignor", "learner");
    set(&c, "segue.fallback", "keep");
    set(&c, "segue.plugin.path", "/opt");
    set(&c, "segue.ready.batch.ms", "500");
    set(&c, "segue.record.path", "/tmp");
    set(&c, "scale.down.timeout.ms", "60000");
    assert_memory_equal(&c, &before, sizeof c);
}

static void typed_values_must_have_the_keys_kind(void **state)
{
    (void)state;
    fault f;
    segue_config c = {.size = sizeof c};
    segue_config_init(&c);
    sgi_value two = {SGI_INTEGER, NULL, 2, 0}, half = {SGI_REAL, NULL, 0, 0.5}, yes = {SGI_BOOLEAN, NULL, 1, 0};
    assert_int_equal(sgi_config_set_value(&c, "num.standby.replicas", &two, NULL), SEGUE_OK);
    assert_int_equal(sgi_config_set_value(&c, "segue.spread.subtopologies", &yes, NULL), SEGUE_OK);
    assert_int_equal(sgi_config_set_value(&c, "stream.imbalance.percentage", &half, NULL), SEGUE_OK);
    assert_int_equal(sgi_config_set_value(&c, "stream.imbalance.percentage", &two, NULL), SEGUE_OK);
    assert_int_equal(c.num_standby_replicas, 2);
    assert_int_equal(c.spread_subtopologies, 1);
    assert_true(c.imbalance_percentage == 2);
    assert_int_equal(sgi_config_set_value(&c, "num.standby.replicas", &half, fault_of(&f)), SEGUE_E_CONFIG);
    assert_int_equal(sgi_config_set_value(&c, "num.standby.replicas", &yes, fault_of(&f)), SEGUE_E_CONFIG);
    assert_mentions(f.text, "num.standby.replicas is true: it must be a whole number");
    assert_int_equal(sgi_config_set_value(&c, "learner.partial.rebalance", &two, fault_of(&f)), SEGUE_E_CONFIG);
    assert_mentions(f.text, "learner.partial.rebalance is 2: it must be false or true");
}

/* Where such a locale is installed; the C locale shows nothing, but is no fault either. */
static void a_decimal_comma_in_the_locale_changes_nothing(void **state)
{
    (void)state;
    segue_config c = {.size = sizeof c};
    segue_config_init(&c);
    setlocale(LC_ALL, "de_DE.UTF-8");
    set(&c, "stream.imbalance.percentage", "2.5");
    setlocale(LC_ALL, "C");
    assert_true(c.imbalance_percentage == 2.5);
}

static void a_record_out_of_range_is_named_by_its_key(void **state)
{
    (void)state;
    fault f;
    segue_config c = {.size = sizeof c};
    segue_config_init(&c);
    c.rack_strategy = 3;
    assert_int_equal(sgi_config_check(&c, fault_of(&f)), SEGUE_E_CONFIG);
    assert_mentions(f.text, "rack.aware.assignment.strategy");
    segue_config_init(&c);
    uint64_t bits = UINT64_C(0x7ff8000000000000);
    memcpy(&c.imbalance_percentage, &bits, sizeof bits);
    assert_int_equal(sgi_config_check(&c, fault_of(&f)), SEGUE_E_CONFIG);
    c.size = 8;
    assert_int_equal(sgi_config_check(&c, NULL), SEGUE_E_ARGUMENT);
}

/* Every field away from its default, as texts and back. */
static void a_configuration_is_made_again_from_its_texts(void **state)
{
    (void)state;
    segue_config config = {.size = sizeof config}, again = {.size = sizeof again};
    const char *key = NULL;
    char text[32];
    uint32_t at = 0, count = 0;
    segue_config_init(&config);
    assert_int_equal(sgi_config_next(&config, &at, &key, text, sizeof text), 0);
    segue_config_init(&again);
    config.num_standby_replicas = 2;
    config.max_learners = 3;
    config.max_learners_per_member = 4;
    config.acceptable_recovery_lag = 5;
    config.max_learning_bytes = INT64_C(6000000000);
    config.probing_rebalance_interval_ms = 7;
    config.max_compute_us = 8000;
    config.imbalance_percentage = 9.25;
    config.learner_partial_rebalance = 0;
    config.spread_subtopologies = 1;
    config.rack_strategy = SEGUE_RACK_BALANCE_SUBTOPOLOGY;
    config.rebalancing_mode = SEGUE_MODE_UPGRADING;
    while (sgi_config_next(&config, &at, &key, text, sizeof text)) {
        assert_int_equal(segue_config_set(&again, key, text, NULL), SEGUE_OK);
        count++;
    }
    assert_memory_equal(&config, &again, sizeof config);
    assert_int_equal(count, 12);
}

static void numbers_may_have_signs_and_end_at_their_ranges(void **state)
{
    (void)state;
    segue_config c = {.size = sizeof c};
    segue_config_init(&c);
    set(&c, "num.standby.replicas", " +5 ");
    assert_int_equal(c.num_standby_replicas, 5);
    set(&c, "stream.imbalance.percentage", "+1.5e+1");
    assert_true(c.imbalance_percentage > 14.9 && c.imbalance_percentage < 15.1);
    static const char *const wrong[][2] = {{"num.standby.replicas", "-1"},         {"num.standby.replicas", "+"},
                                           {"acceptable.recovery.lag", "-1"},      {"stream.imbalance.percentage", "-1e-9"},
                                           {"stream.imbalance.percentage", "100.1"}, {"stream.imbalance.percentage", "much"},
                                           {"num.standby.replicas", "1001"},       {"num.standby.replicas", ""}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        fault f;
        assert_int_equal(segue_config_set(&c, wrong[i][0], wrong[i][1], fault_of(&f)), SEGUE_E_CONFIG);
        assert_mentions(f.text, wrong[i][0]);
    }
    assert_int_equal(c.num_standby_replicas, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_may_have_signs_and_end_at_their_ranges),
        cmocka_unit_test(defaults_are_those_of_the_table),
        cmocka_unit_test(every_key_reaches_its_field),
        cmocka_unit_test(the_smaller_of_the_two_learner_limits_counts),
        cmocka_unit_test(the_compute_budget_is_given_in_milliseconds),
        cmocka_unit_test(values_outside_of_their_range_are_refused),
        cmocka_unit_test(an_unknown_key_of_ours_names_the_nearest),
        cmocka_unit_test(foreign_and_host_keys_are_left_alone),
        cmocka_unit_test(typed_values_must_have_the_keys_kind),
        cmocka_unit_test(a_decimal_comma_in_the_locale_changes_nothing),
        cmocka_unit_test(a_record_out_of_range_is_named_by_its_key),
        cmocka_unit_test(a_configuration_is_made_again_from_its_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
