/* SPDX-License-Identifier: Apache-2.0 */
/* hint.h - what is missing in a group or in its plan, and what somebody could do about it. */
#ifndef SEGUE_HOSTS_CLI_EXPLAIN_HINT_H
#define SEGUE_HOSTS_CLI_EXPLAIN_HINT_H

#include "grounds.h"

/* X(name, word, sentence): {0} and {1} are numbers; {0:task waits|tasks wait} is the number, and the word for one or for
 * several. Two rows may share a word. */
#define HINTS(X)                                                                                                       \
    X(FEW_PROCESSES, "few-processes",                                                                                  \
      "{0:standby is|standbys are} wanted of each task, and {1:process is|processes are} there: start more")           \
    X(HELD_BACK, "held-back",                                                                                          \
      "{0:task waits|tasks wait} for a learner's slot: raise segue.max.learners, segue.max.learners.per.member or "     \
      "segue.max.learning.bytes, or wait for those that learn")                                                        \
    X(DOWN, "down",                                                                                                    \
      "{0:task has an owner that still has|tasks have owners that still have} to replay {1:record|records} in all "     \
      "before processing")                                                                                             \
    X(UNKNOWN_LAG, "unknown-lag",                                                                                      \
      "{0:copy|copies} could not say how many records are missing: that counts as not ready")                          \
    X(NOBODY_STAYS, "nobody-stays", "nobody stays, {0:member is|members are} leaving: start one that stays")           \
    X(IDLE, "idle",                                                                                                    \
      "{0:member owns|members own} nothing, since there are fewer tasks than threads: {1:task|tasks}")                 \
    X(CUT_SHORT, "cut-short", "the plan was cut short: raise segue.max.compute.ms, or leave racks or weights out")     \
    X(TOO_LARGE, "too-large",                                                                                          \
      "the least traffic across racks was not looked for to the end, since the group is too large for limits that no "  \
      "setting raises: the plan is the best that was found, and min_traffic reaches further than balance_subtopology")  \
    X(IMBALANCE, "imbalance", "an instance is {0} percent from its share; no assignment has less than {1} percent")    \
    X(RACKS_OF_MEMBERS, "racks-unknown",                                                                               \
      "{0:member is|members are} in no rack that is known: high-availability, as Kafka's own, heeds racks only where "  \
      "all of them are")                                                                                               \
    X(RACKS_OF_INPUTS, "racks-unknown",                                                                                \
      "{0:task has|tasks have} inputs whose racks are not known, or none: high-availability, as Kafka's own, heeds "    \
      "racks only where all of them are")                                                                              \
    X(RACKS_APART, "racks-apart",                                                                                      \
      "{0:process has|processes have} members in more than one rack: high-availability, as Kafka's own, heeds racks "   \
      "only where each process is in one")                                                                             \
    X(STANDBYS, "standbys-without-racks",                                                                              \
      "high-availability heeds racks for actives, not for standbys: Kafka's own moves these by the racks of their "     \
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
