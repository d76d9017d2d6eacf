/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segue/reason.h - decisions as codes and numbers.
 *
 * A plugin says what it decided as a kind, a reason and up to four numbers; the host makes the sentence, so that all
 * languages say the same. Codes are only ever added.
 */
#ifndef SEGUE_REASON_H
#define SEGUE_REASON_H

#include "segue/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Kinds of decision. X(name, value, word)
 *
 *  KEEP_BACK  a move that is wanted and does not happen now
 *  LEARN      `to` learns the task (starts now, or goes on) while `from` serves it
 *  HAND_OVER  the active goes from `from` to a caught-up copy on `to`
 *  PLACE      a task without an owner goes to `to`
 *  FORCE      the active leaves `from`, whose deadline has passed, for `to`, ready or not
 *  STANDBY    `to` gets a standby that it did not have as one; `from` is SEGUE_NONE
 *  DROP       `from` gives up its standby or learner; `to` is SEGUE_NONE
 */
#define SEGUE_KINDS(X)                                                                                                \
    X(KEEP_BACK, 1, "keep-back")                                                                                      \
    X(LEARN, 2, "learn")                                                                                              \
    X(HAND_OVER, 3, "hand-over")                                                                                      \
    X(PLACE, 4, "place")                                                                                              \
    X(FORCE, 5, "force")                                                                                              \
    X(STANDBY, 6, "standby")                                                                                          \
    X(DROP, 7, "drop")

/*
 * Reasons. X(name, value, word, sentence)
 *
 * In a sentence {task}, {from} and {to} stand for names and {0} to {3} for the decision's numbers. A number below 0 is
 * one that nobody knows, and is written so.
 */
#define SEGUE_REASONS(X)                                                                                              \
    X(BELOW_QUOTA, 1, "below-quota", "{to} holds {0} of its quota of {1}; {from} holds {2} of {3}")                   \
    X(CAUGHT_UP, 2, "caught-up", "{to} is caught up on {task}: {0} records behind, {1} are acceptable")               \
    X(SAME_PROCESS, 3, "same-process", "{to} shares the disk of {from}, so {task} needs no replay")                   \
    X(STATELESS, 4, "stateless", "{task} has no state to replay; {to} holds {0} of its quota of {1}")                 \
    X(NO_OWNER, 5, "no-owner", "nobody serves {task}; {to} has room: it holds {0} of its quota of {1}")               \
    X(BEST_COPY, 6, "best-copy", "nobody serves {task}; {to} has the nearest copy of it, {0} records behind")         \
    X(OWNER_RESTORING, 7, "owner-restoring", "{from} is still {0} records behind on {task}; {to} is caught up")       \
    X(LEAVING, 8, "leaving", "{from} is leaving; {to} holds {0} of its quota of {1}")                                 \
    X(DEADLINE_PASSED, 9, "deadline-passed", "the deadline of {from} has passed; {to} is {0} records behind")         \
    X(NO_SLOT, 10, "no-slot", "{to} should learn {task}, but all {0} slots for learners are taken")                   \
    X(WAITS_FOR_ALL, 11, "waits-for-all", "{to} is ready for {task} and waits for its {0} other learners")            \
    X(RESTORING, 12, "restoring", "{to} goes on learning {task}: {0} records behind, {1} are acceptable")             \
    X(STANDBY_WANTED, 13, "standby-wanted", "{task} has {0} of the {1} standbys wanted without {to}")                 \
    X(FORMER_OWNER, 14, "former-owner", "{to} keeps its copy of {task} as a standby")                                 \
    X(NOT_WANTED, 15, "not-wanted", "{from} gives up its copy of {task}: no role is left for it")                     \
    X(NOBODY_STAYS, 16, "nobody-stays", "{from} is leaving, but no member stays to take {task}")                      \
    X(COLD_MOVE, 17, "cold-move", "{task} moves from {from} to {to} without its state")                               \
    X(NO_THREADS, 18, "no-threads", "{from} has no threads; {to} serves {task}")                                      \
    X(CONTESTED, 19, "contested", "{0} members claim {task}; {to} keeps it")                                          \
    X(FALLBACK, 20, "fallback", "the assignor's plan was refused; {to} serves {task}")                                \
    X(UNKNOWN_LAG, 21, "unknown-lag", "{to} goes on learning {task}; it could not say how far behind it is")          \
    X(LESS_TRAFFIC, 22, "less-traffic", "inputs of {task} read from other racks: {0} by {to}, {1} by {from}")         \
    X(EXCHANGE, 23, "exchange", "{to} takes {task} from {from} in exchange for another task")                         \
    X(SPREAD, 24, "spread", "{to} takes {task} from {from}, so that members share its subtopology evenly")            \
    X(WEIGHT, 25, "weight", "{to} takes {task} from {from}, so that members share the weight evenly")                 \
    X(NO_BYTES, 26, "no-bytes", "{to} should learn {task}, but learners may restore {0} bytes at a time")             \
    X(QUOTA_WITH_STATE, 27, "quota-with-state",                                                                       \
      "{to} holds {0} of its quota of {1} tasks with state; {from} holds {2} of {3}")                                 \
    X(ROOM_WITH_STATE, 28, "room-with-state",                                                                         \
      "nobody serves {task}; {to} has room: it holds {0} of its quota of {1} tasks with state")                       \
    X(ROOM_LATER, 29, "room-later",                                                                                   \
      "nobody serves {task}; {to} will hold {0} of its quota of {1} when all learners are done")                      \
    X(REPLACED, 30, "replaced", "{to} takes {task} from {from}, which gets another task in its place")          \
    X(CONTESTED_ELSEWHERE, 31, "contested-elsewhere", "{0} members claim {task}; {to}, which does not, serves it")    \
    X(KNOWN_COPY, 32, "known-copy", "nobody serves {task}; {to} has a copy of it, {0} records behind")                \
    X(WARMS_UP, 33, "warms-up", "{to} warms up for {task} while {from} serves it")

/* Why a later rebalance is needed. X(name, value, word) */
#define SEGUE_FOLLOWUPS(X)                                                                                            \
    X(NONE, 0, "none")                                                                                                \
    X(LEARNERS_RESTORING, 1, "learners-restoring")                                                                    \
    X(MEMBERS_LEAVING, 2, "members-leaving")                                                                          \
    X(FALLBACK, 3, "fallback")

enum segue_kind {
#define SEGUE_KIND_ENUM(name, value, word) SEGUE_KIND_##name = (value),
    SEGUE_KINDS(SEGUE_KIND_ENUM)
#undef SEGUE_KIND_ENUM
    SEGUE_KIND_LIMIT_ = 255
};

enum segue_reason {
#define SEGUE_REASON_ENUM(name, value, word, sentence) SEGUE_REASON_##name = (value),
    SEGUE_REASONS(SEGUE_REASON_ENUM)
#undef SEGUE_REASON_ENUM
    SEGUE_REASON_LIMIT_ = 65535
};

enum segue_followup {
#define SEGUE_FOLLOWUP_ENUM(name, value, word) SEGUE_FOLLOWUP_##name = (value),
    SEGUE_FOLLOWUPS(SEGUE_FOLLOWUP_ENUM)
#undef SEGUE_FOLLOWUP_ENUM
    SEGUE_FOLLOWUP_LIMIT_ = 65535
};

#ifdef __cplusplus
}
#endif
#endif
