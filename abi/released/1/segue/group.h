/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segue/group.h - what the leader of a group sees at a rebalance, as columns.
 *
 * A column is an array of fixed-width numbers with a stated count. Things are named by handles: a task, a member, a
 * process, a rack, a subtopology is its row number. Texts live once in a string table, for people and for nobody else:
 * no decision depends on them.
 *
 * Canonical order. Rows come sorted, so that a plan cannot depend on the order in which a host met things:
 *   subtopologies  ids that are decimal numbers first, by value; the others after them, by bytes
 *   tasks          by (subtopology, partition), strictly ascending
 *   members        by id as unsigned bytes, strictly ascending
 *   processes      numbered in the order in which the members name them
 *   copies         by member, then by task, strictly ascending: at most one row for each pair
 * Hosts sort while they encode (libsegue does it for JSON); a plugin may rely on it after segue_group_check.
 *
 * Everything is owned by the caller, read only, and may vanish when the call returns.
 */
#ifndef SEGUE_GROUP_H
#define SEGUE_GROUP_H

#include "segue/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a member holds of a task. A dormant copy is state on disk that nobody updates. Values are ranks: the strongest
 * claim of a member on a task is the one that is written down. */
enum segue_role { SEGUE_DORMANT = 0, SEGUE_STANDBY = 1, SEGUE_LEARNER = 2, SEGUE_ACTIVE = 3 };

/*
 * Counts and scalars. X(field, type)
 *
 *  now_ms            the leader's clock
 *  string_bytes_size bytes in string_bytes
 *  tag_count         dimensions of rack.aware.assignment.tags, in the order of that key
 */
#define SEGUE_GROUP_SCALARS(X)                                                                                        \
    X(now_ms, int64_t)                                                                                                \
    X(string_count, uint32_t)                                                                                         \
    X(string_bytes_size, uint32_t)                                                                                    \
    X(subtopology_count, uint32_t)                                                                                    \
    X(task_count, uint32_t)                                                                                           \
    X(member_count, uint32_t)                                                                                         \
    X(process_count, uint32_t)                                                                                        \
    X(copy_count, uint32_t)                                                                                           \
    X(rack_count, uint32_t)                                                                                           \
    X(task_rack_count, uint32_t)                                                                                      \
    X(tag_count, uint32_t)

/*
 * Columns. X(id, field, type, count, need)
 *
 * id is the column's number on the wire and never changes; count is an expression over the scalars of `g`; need is
 * REQUIRED or OPTIONAL. An optional column that is NULL has the default named below. Required columns with a count of
 * 0 may be NULL.
 *
 * What belongs together comes together: the four columns from task_inputs to task_rack_inputs; rack_name where rack_count
 * is above 0; tag_name and member_tag where tag_count is. Every process is named by at least one member. Where all
 * members have 0 threads no standbys are kept.
 *
 *  string_offset      where each string begins in string_bytes; the last entry is string_bytes_size; ascending
 *  string_bytes       UTF-8, not terminated
 *  subtopology_name   string; shown in texts
 *  task_name          string
 *  task_subtopology   handle
 *  task_partition     number inside the subtopology
 *  task_stateful      1: owns state that has to be replayed; 0: moves at no cost
 *  task_weight        relative processing cost, > 0 and finite        default: 1
 *  task_state_bytes   size of the state, or SEGUE_BYTES_UNKNOWN       default: unknown
 *  task_inputs        number of input partitions                      default: no rack knowledge at all
 *  task_rack_start    first row of each task in task_rack; the last entry is task_rack_count
 *  task_rack          rack handle: some input partition has a replica there; ascending inside a task
 *  task_rack_inputs   how many of the input partitions do
 *  member_name        string
 *  member_process     handle: members of one process share a disk
 *  member_threads     capacity; a member with 0 holds nothing while another has threads; when all have 0 each counts as 1
 *  member_rack        rack handle or SEGUE_NONE                       default: none
 *  member_leaving_ms  since when it is marked as leaving, or SEGUE_TIME_NONE      default: all stay
 *  member_deadline_ms when its tasks are forced away, or SEGUE_TIME_NONE for never default: never
 *  member_tag         string of the member's value in each tag dimension, dimension by dimension, or SEGUE_NONE
 *  process_name       string
 *  rack_name          string
 *  tag_name           string
 *  copy_start         first row of each member in the copy columns; the last entry is copy_count
 *  copy_task          handle
 *  copy_role          enum segue_role
 *  copy_lag           records still to replay, or SEGUE_LAG_UNKNOWN   default: an active is caught up (0), others unknown
 */
#define SEGUE_GROUP_COLUMNS(X)                                                                                        \
    X(1, string_offset, uint32_t, (size_t)g->string_count + 1, REQUIRED)                                              \
    X(2, string_bytes, char, g->string_bytes_size, REQUIRED)                                                          \
    X(3, subtopology_name, uint32_t, g->subtopology_count, REQUIRED)                                                  \
    X(4, task_name, uint32_t, g->task_count, REQUIRED)                                                                \
    X(5, task_subtopology, uint32_t, g->task_count, REQUIRED)                                                         \
    X(6, task_partition, uint32_t, g->task_count, REQUIRED)                                                           \
    X(7, task_stateful, uint8_t, g->task_count, REQUIRED)                                                             \
    X(8, task_weight, double, g->task_count, OPTIONAL)                                                                \
    X(9, task_state_bytes, int64_t, g->task_count, OPTIONAL)                                                          \
    X(10, task_inputs, uint32_t, g->task_count, OPTIONAL)                                                             \
    X(11, task_rack_start, uint32_t, (size_t)g->task_count + 1, OPTIONAL)                                             \
    X(12, task_rack, uint32_t, g->task_rack_count, OPTIONAL)                                                          \
    X(13, task_rack_inputs, uint32_t, g->task_rack_count, OPTIONAL)                                                   \
    X(14, member_name, uint32_t, g->member_count, REQUIRED)                                                           \
    X(15, member_process, uint32_t, g->member_count, REQUIRED)                                                        \
    X(16, member_threads, uint32_t, g->member_count, REQUIRED)                                                        \
    X(17, member_rack, uint32_t, g->member_count, OPTIONAL)                                                           \
    X(18, member_leaving_ms, int64_t, g->member_count, OPTIONAL)                                                      \
    X(19, member_deadline_ms, int64_t, g->member_count, OPTIONAL)                                                     \
    X(20, member_tag, uint32_t, (size_t)g->tag_count * g->member_count, OPTIONAL)                                     \
    X(21, process_name, uint32_t, g->process_count, REQUIRED)                                                         \
    X(22, rack_name, uint32_t, g->rack_count, OPTIONAL)                                                               \
    X(23, tag_name, uint32_t, g->tag_count, OPTIONAL)                                                                 \
    X(24, copy_start, uint32_t, (size_t)g->member_count + 1, REQUIRED)                                                \
    X(25, copy_task, uint32_t, g->copy_count, REQUIRED)                                                               \
    X(26, copy_role, uint8_t, g->copy_count, REQUIRED)                                                                \
    X(27, copy_lag, int64_t, g->copy_count, OPTIONAL)

/* Bounds that every group keeps, so that sums of counts stay inside 32 bits and products inside 64. */
#define SEGUE_MAX_TASKS 16777216u
#define SEGUE_MAX_MEMBERS 1048576u
#define SEGUE_MAX_COPIES 268435456u
#define SEGUE_MAX_THREADS 1048576u

typedef struct segue_group {
    uint32_t size;
    uint32_t reserved; /* 0 */
#define SEGUE_GROUP_SCALAR(field, type) type field;
    SEGUE_GROUP_SCALARS(SEGUE_GROUP_SCALAR)
#undef SEGUE_GROUP_SCALAR
#define SEGUE_GROUP_COLUMN(id, field, type, count, need) const type *field;
    SEGUE_GROUP_COLUMNS(SEGUE_GROUP_COLUMN)
#undef SEGUE_GROUP_COLUMN
} segue_group;

SEGUE_ASSERT(offsetof(segue_group, now_ms) == 8);
SEGUE_ASSERT(offsetof(segue_group, string_offset) == 56);

#ifdef __cplusplus
}
#endif
#endif
