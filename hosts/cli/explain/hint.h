/* SPDX-License-Identifier: Apache-2.0 */
/* hint.h - what is missing in a group or in its plan, and what somebody could do about it. */
#ifndef SEGUE_HOSTS_CLI_EXPLAIN_HINT_H
#define SEGUE_HOSTS_CLI_EXPLAIN_HINT_H

#include "grounds.h"

/* X(name, word, sentence): {0} and {1} are numbers. */
#define HINTS(X)                                                                                                       \
    X(FEW_PROCESSES, "few-processes", "{0} standbys of each task are wanted, and there are {1} processes: start more")  \
    X(HELD_BACK, "held-back",                                                                                           \
      "{0} tasks wait for a learner's slot: raise segue.max.learners, segue.max.learners.per.member or "                \
      "segue.max.learning.bytes, or wait for those that learn")                                                         \
    X(DOWN, "down", "{0} tasks have owners that still have to replay {1} records in all before they process")           \
    X(UNKNOWN_LAG, "unknown-lag", "{0} copies could not say how far behind they are: they count as not ready")          \
    X(NOBODY_STAYS, "nobody-stays", "all {0} members are leaving: start one that stays")                                \
    X(IDLE, "idle", "{0} members own nothing, since there are fewer tasks than threads: {1} tasks")                     \
    X(CUT_SHORT, "cut-short", "the plan was cut short: raise segue.max.compute.ms, or leave racks or weights out")       \
    X(IMBALANCE, "imbalance", "an instance is {0} percent from its share; no assignment has less than {1} percent")  \
    X(RACKS_UNKNOWN, "racks-unknown",                                                                                  \
      "{0} members and the inputs of {1} tasks are in no rack that is known: high-availability, as Kafka's own, heeds "   \
      "racks only where all of them are")                                                                               \
    X(STANDBYS, "standbys-without-racks",                                                                              \
      "high-availability heeds racks for actives, not for standbys: Kafka's own moves these by the racks of their "       \
      "changelogs, which a group does not tell")

enum hint_code {
#define HINT_ENUM(name, word, sentence) HINT_##name,
    HINTS(HINT_ENUM)
#undef HINT_ENUM
    HINT_CODES
};

typedef struct hint {
    uint32_t code;
    int64_t numbers[2];
} hint;

/* Fills `hints`, which has room for HINT_CODES; returns how many there are. */
uint32_t hints_find(const grounds *it, hint *hints);

const char *hint_word(uint32_t code);
void hint_text(const hint *one, char *text, size_t size);

#endif
