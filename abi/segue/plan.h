/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segue/plan.h - what the group should hold after a rebalance, as columns.
 *
 * The caller owns all memory: it asks plan_bound how many rows there can be, points the columns at arrays of that
 * many, and states the capacities. A plugin writes columns and results and nothing else. The columns that carry one
 * row for each task have task_count rows (standby_start one more) and always have to be there.
 */
#ifndef SEGUE_PLAN_H
#define SEGUE_PLAN_H

#include "segue/base.h"
#include "segue/config.h"
#include "segue/group.h"
#include "segue/reason.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most rows that a plan can have. Set size; the plugin fills the rest. */
typedef struct segue_bound {
    uint32_t size;
    uint32_t standby_rows;  /* tasks * min(num_standby_replicas, processes - 1) */
    uint32_t decision_rows; /* tasks * 2 + standby_rows + copies */
    uint32_t reserved;
} segue_bound;

/*
 * Scalars. X(field, type, way): IN is set by the caller, OUT by the plugin.
 *
 *  standby_capacity   rows in standby_member
 *  decision_capacity  rows in each decision column; 0: no decisions are wanted, and the columns may be NULL
 *  task_count         of the group that was answered
 *  standby_count      rows used
 *  decision_count     rows used
 *  followup_needed    1: a later rebalance is needed
 *  followup_reason    enum segue_followup
 *  followup_at_ms     when at the latest, or SEGUE_TIME_NONE for "when a learner says that it is ready"
 *  moves              actives that change owner now; a task without an owner does not count
 *  min_moves          the least number of active moves that reaches the balanced target from here, from the closed
 *                     form: owned tasks that lie above the quota of a staying member, or on a member that does not
 *                     stay. Stateful tasks are counted by their quota, then stateless ones by what that leaves. By
 *                     weight, what has to leave or to come to members that are outside of their share's range
 *  learners           learners in flight after this rebalance
 *  optimal            1: the promises hold in full; 0: the budget ended, or for racks the count of steps that bounds any
 *                     search for them, and this is the best plan so far. Nothing else makes it 0
 *  spread             largest minus smallest active count for each thread among the staying members
 *  traffic            input partitions that the targets read from another rack; 0 where racks are not known
 *  min_traffic        proven lower bound of traffic under the quotas (from the flow's dual), and under what comes before it:
 *                     an even spread for balance_subtopology, the least moves where only newcomers take load. Stateful
 *                     tasks first, stateless ones by what that leaves. 0 where it was not asked for
 *  imbalance          largest distance of a staying member's weight from its share by threads, in the targets, in
 *                     percent of that share; 0 where weights do not count
 *  min_imbalance      proven lower bound of imbalance: no assignment of these tasks to these members has less
 *  extra_moves        moves beyond min_moves that the targets take to buy traffic, imbalance or spread
 *  held_back          tasks that should be learned and wait for a slot under a cap
 */
#define SEGUE_PLAN_SCALARS(X)                                                                                         \
    X(standby_capacity, uint32_t, IN)                                                                                 \
    X(decision_capacity, uint32_t, IN)                                                                                \
    X(task_count, uint32_t, OUT)                                                                                      \
    X(standby_count, uint32_t, OUT)                                                                                   \
    X(decision_count, uint32_t, OUT)                                                                                  \
    X(followup_needed, uint32_t, OUT)                                                                                 \
    X(followup_reason, uint32_t, OUT)                                                                                 \
    X(followup_at_ms, int64_t, OUT)                                                                                   \
    X(moves, uint32_t, OUT)                                                                                           \
    X(min_moves, uint32_t, OUT)                                                                                       \
    X(learners, uint32_t, OUT)                                                                                        \
    X(optimal, uint32_t, OUT)                                                                                         \
    X(spread, double, OUT)                                                                                            \
    X(traffic, int64_t, OUT)                                                                                          \
    X(min_traffic, int64_t, OUT)                                                                                      \
    X(imbalance, double, OUT)                                                                                         \
    X(min_imbalance, double, OUT)                                                                                     \
    X(extra_moves, uint32_t, OUT)                                                                                     \
    X(held_back, uint32_t, OUT)

/*
 * Columns. X(id, field, type, count used, count the caller provides)
 *
 *  active           member that owns the task
 *  learner          member that learns it, or SEGUE_NONE
 *  standby_start    first row of each task in standby_member; the last entry is standby_count
 *  standby_member   member; ascending inside a task
 *  decision_task    handle; rows come by task
 *  decision_kind    enum segue_kind
 *  decision_reason  enum segue_reason
 *  decision_from    member or SEGUE_NONE
 *  decision_to      member or SEGUE_NONE
 *  decision_number  four numbers for each decision, row by row; what they mean stands in reason.h
 */
#define SEGUE_PLAN_COLUMNS(X)                                                                                         \
    X(1, active, uint32_t, p->task_count, task_count)                                                                 \
    X(2, learner, uint32_t, p->task_count, task_count)                                                                \
    X(3, standby_start, uint32_t, (size_t)p->task_count + 1, task_count + 1)                                          \
    X(4, standby_member, uint32_t, p->standby_count, standby_capacity)                                                \
    X(5, decision_task, uint32_t, p->decision_count, decision_capacity)                                               \
    X(6, decision_kind, uint8_t, p->decision_count, decision_capacity)                                                \
    X(7, decision_reason, uint16_t, p->decision_count, decision_capacity)                                             \
    X(8, decision_from, uint32_t, p->decision_count, decision_capacity)                                               \
    X(9, decision_to, uint32_t, p->decision_count, decision_capacity)                                                 \
    X(10, decision_number, int64_t, (size_t)p->decision_count * 4, decision_capacity * 4)

#define SEGUE_DECISION_NUMBERS 4u

typedef struct segue_plan {
    uint32_t size;
#define SEGUE_PLAN_SCALAR(field, type, way) type field;
    SEGUE_PLAN_SCALARS(SEGUE_PLAN_SCALAR)
#undef SEGUE_PLAN_SCALAR
#define SEGUE_PLAN_COLUMN(id, field, type, used, capacity) type *field;
    SEGUE_PLAN_COLUMNS(SEGUE_PLAN_COLUMN)
#undef SEGUE_PLAN_COLUMN
} segue_plan;

SEGUE_ASSERT(offsetof(segue_plan, followup_at_ms) == 32);
SEGUE_ASSERT(offsetof(segue_plan, spread) == 56);
SEGUE_ASSERT(offsetof(segue_plan, extra_moves) == 96);
SEGUE_ASSERT(offsetof(segue_plan, active) == 104);

#ifdef __cplusplus
}
#endif
#endif
