/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grounds.h - what a plan rests on, and why it passed over the members that it did.
 *
 * Nothing here asks the assignor again: all of it follows from the group and the plan, so it is true of any assignor.
 */
#ifndef SEGUE_HOSTS_CLI_EXPLAIN_GROUNDS_H
#define SEGUE_HOSTS_CLI_EXPLAIN_GROUNDS_H

#include "segue/host.h"

typedef struct grounds {
    const char *assignor;
    const segue_group *group;
    const segue_config *config;
    const segue_plan *plan;
    uint32_t traits;
    uint32_t *loads[2];      /* by kind (0: without state, 1: with), by member: tasks that it owns when all is learned */
    uint32_t *owned_now;     /* by member: tasks with state that it owns before this plan */
    uint32_t *owner_before;  /* by task, or SEGUE_NONE */
    uint32_t kind_count[2];
    uint64_t threads; /* of those that stay */
    uint64_t elapsed_ns; /* that the plan took; the caller's */
    int is_weighed;   /* tasks do not weigh the same, so counts say nothing */
} grounds;

/* 0, or -1 without memory. Everything else stays the caller's. */
int grounds_open(grounds *it, const char *assignor, uint32_t traits, const segue_group *group,
                 const segue_config *config, const segue_plan *plan);
void grounds_close(grounds *it);

/* Who owns the task when all is learned. */
uint32_t grounds_target(const grounds *it, uint32_t task);
int grounds_stays(const grounds *it, uint32_t member);
/* It has threads, or nobody has any, and no deadline of it has passed. */
int grounds_is_there(const grounds *it, uint32_t member);

/* A baseline that promises less than balance has none: high-availability. */
int grounds_has_quotas(const grounds *it);
/* The most tasks of the kind that balance lets the member own. */
uint32_t grounds_quota(const grounds *it, uint32_t member, uint32_t kind);

/* Records that the member lacks: SEGUE_LAG_UNKNOWN where it cannot say; 1 when it has a copy at all. */
int grounds_lag(const grounds *it, uint32_t task, uint32_t member, int64_t *lag);

/*
 * Why a member is not the one. X(name, word, sentence): {member}, {chosen}, {task}, {0} and {1} as in segue/reason.h.
 * The first that is true, in this order.
 */
#define ALTERNATIVES(X)                                                                                               \
    X(NO_THREADS, "no-threads", "{member} has no threads")                                                            \
    X(LEAVING, "leaving", "{member} is leaving")                                                                      \
    X(NO_GAIN, "no-gain", "{chosen} has it, and is within its quota: a move would cost a pause and even nothing out") \
    X(ABOVE_QUOTA, "above-quota",                                                                                     \
      "{chosen} has it and keeps {0} in the end, above its quota of {1}; in this plan {member} takes none of them")   \
    X(NO_QUOTA, "no-quota", "this assignor goes by no quota, and {task} is for {chosen} by its own order")            \
    X(KEEPS, "keeps", "{chosen} has it, and keeping it is what the plan's weights ask for")                           \
    X(OWNS_OTHERS, "owns-others", "{member} owns tasks already, and only new members learn here")                     \
    X(FULL, "full", "{member} holds {0} in the end, its quota of {1}")                                                \
    X(NO_COPY, "no-copy", "{member} has nothing of {task} on its disk, {chosen} is {0} records behind")               \
    X(FURTHER, "further-behind", "{member} is {0} records behind, {chosen} {1}")                                      \
    X(WEIGHT, "weight", "{chosen} is further below its share of the weight")                                          \
    X(TIE, "tie", "{member} would do as well; {chosen} has less to do or comes first by its id")

enum alternative_code {
#define ALTERNATIVE_ENUM(name, word, sentence) ALTERNATIVE_##name,
    ALTERNATIVES(ALTERNATIVE_ENUM)
#undef ALTERNATIVE_ENUM
    ALTERNATIVE_CODES
};

typedef struct alternative {
    uint32_t code;
    int64_t numbers[2];
    int64_t records; /* what it would have to replay, or SEGUE_LAG_UNKNOWN */
    int64_t bytes;   /* the same where nothing is there and the size is known, or SEGUE_BYTES_UNKNOWN */
} alternative;

/* Of a member that is neither the target of the task nor its owner until then. */
alternative grounds_against(const grounds *it, uint32_t task, uint32_t member);

const char *alternative_word(uint32_t code);

/* Writes the sentence, cut to fit. */
void alternative_text(const grounds *it, uint32_t task, uint32_t member, const alternative *why, char *text,
                      size_t size);

/* A member's or task's name, cut to fit. Returns `text`. */
const char *grounds_member(const grounds *it, uint32_t member, char *text, size_t size);
const char *grounds_task(const grounds *it, uint32_t task, char *text, size_t size);

#endif
