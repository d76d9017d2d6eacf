/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segue/config.h - the configuration that a decision depends on, as numbers.
 *
 * A host turns dotted names into this record once and passes it with each group. Keys that only a host needs
 * (search paths, batching, recording) are not here. Owned by the caller, read only, not kept by the plugin.
 */
#ifndef SEGUE_CONFIG_H
#define SEGUE_CONFIG_H

#include "segue/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum segue_rack_strategy { SEGUE_RACK_NONE = 0, SEGUE_RACK_MIN_TRAFFIC = 1, SEGUE_RACK_BALANCE_SUBTOPOLOGY = 2 };
enum segue_rebalancing_mode { SEGUE_MODE_INCREMENTAL = 0, SEGUE_MODE_UPGRADING = 1 };

/*
 * X(field, type, dotted name, default, least, greatest)
 *
 * The one list of configuration keys that cross the border: struct, wire layout, defaults, range checks and reference
 * page are made from it. Rows are only ever added at the end. Integers are whole numbers in the unit that the
 * field's name says; flags are 0 or 1.
 *
 *  num_standby_replicas      standbys wanted of each stateful task
 *  max_learners              learners in flight in the whole group; SEGUE_NO_LIMIT for none (high-availability, which is
 *                            Kafka's, then takes Kafka's default of 2)
 *  max_learners_per_member   the same on each member
 *  acceptable_recovery_lag   records; a copy this far behind or nearer is caught up (inclusive)
 *  max_learning_bytes        sum of state_bytes of the learners in flight; -1 for no bound
 *  probing_rebalance_interval_ms  latest time of a follow-up while learners restore
 *  max_compute_us            budget of one `assign` in microseconds, 0 for none; its key is in milliseconds, like all of
 *                            Kafka's, and the host multiplies. When it has ended, the best plan so far that holds all
 *                            rules is the answer, and says optimal 0; the first such plan is made in any case.
 *  imbalance_percentage      tolerated distance from the weighted share, percent of that share; where tasks of a kind
 *                            (with state or without) do not weigh the same, spread_subtopologies decides nothing about
 *                            their actives in a strategy that weighs, and racks only which of equal weight go where
 *  learner_partial_rebalance 1 eager: hand over each learner that is ready; 0 stable: when all of its member's are
 *  spread_subtopologies      1: buy an even spread of each subtopology with further moves
 *  rack_strategy             enum segue_rack_strategy
 *  rebalancing_mode          enum segue_rebalancing_mode
 */
#define SEGUE_CONFIG_FIELDS(X)                                                                                        \
    X(num_standby_replicas, uint32_t, "num.standby.replicas", 0, 0, 1000)                                             \
    X(max_learners, uint32_t, "max.warmup.replicas", SEGUE_NO_LIMIT, 0, SEGUE_NO_LIMIT)                               \
    X(max_learners_per_member, uint32_t, "segue.max.learners.per.member", SEGUE_NO_LIMIT, 0, SEGUE_NO_LIMIT)          \
    X(acceptable_recovery_lag, int64_t, "acceptable.recovery.lag", 10000, 0, INT64_MAX)                               \
    X(max_learning_bytes, int64_t, "segue.max.learning.bytes", -1, -1, INT64_MAX)                                     \
    X(probing_rebalance_interval_ms, int64_t, "probing.rebalance.interval.ms", 600000, 1, INT64_MAX)                  \
    X(max_compute_us, int64_t, "segue.max.compute.ms", 0, 0, INT64_MAX)                                               \
    X(imbalance_percentage, double, "stream.imbalance.percentage", 20, 0, 100)                                        \
    X(learner_partial_rebalance, uint32_t, "learner.partial.rebalance", 1, 0, 1)                                      \
    X(spread_subtopologies, uint32_t, "segue.spread.subtopologies", 0, 0, 1)                                          \
    X(rack_strategy, uint32_t, "rack.aware.assignment.strategy", SEGUE_RACK_NONE, 0, 2)                               \
    X(rebalancing_mode, uint32_t, "stream.rebalancing.mode", SEGUE_MODE_INCREMENTAL, 0, 1)

typedef struct segue_config {
    uint32_t size;
#define SEGUE_CONFIG_MEMBER(field, type, key, initial, least, greatest) type field;
    SEGUE_CONFIG_FIELDS(SEGUE_CONFIG_MEMBER)
#undef SEGUE_CONFIG_MEMBER
} segue_config;

/* The layout has no hidden padding, so it is the wire layout as well. */
SEGUE_ASSERT(offsetof(segue_config, acceptable_recovery_lag) == 16);
SEGUE_ASSERT(offsetof(segue_config, learner_partial_rebalance) == 56);
SEGUE_ASSERT(offsetof(segue_config, rebalancing_mode) == 68);

#ifdef __cplusplus
}
#endif
#endif
