/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.h - what happens in a simulation, one after the other. Everything that is said of a run is computed from these,
 * here and by whoever reads the file of them (`events/1`, in hosts/SCENARIO.md).
 */
#ifndef SEGUE_HOSTS_CLI_SIMULATE_EVENT_H
#define SEGUE_HOSTS_CLI_SIMULATE_EVENT_H

#include <stdint.h>

#include "segue/group.h"
#include "segue/plan.h"

/*
 * Kinds. X(name, word)
 *
 *  UP         member: its process has started
 *  JOIN       member: the group knows it
 *  DOWN       member: its process is gone; value: 1 when its disk is lost. STOP of what it ran comes behind it
 *  GONE       member: the group knows that it is gone
 *  MARK       member: it is marked as leaving; value: its deadline in microseconds, or -1 for none
 *  UNMARK     member: the mark is taken away
 *  DISK       member: it restores `value` bytes a second from now on
 *  REBALANCE  an assignment is made; value: reason (enum sim_cause)
 *  ROLE       task, member: role is what the member's copy is from now on, SIM_NO_ROLE where it is deleted; value:
 *             bytes that it lacks
 *  RESTORED   task, member: value bytes were replayed since the copy began or was last reported
 *  READY      task, member: a learner is within the acceptable lag
 *  WHOLE      task, member: the copy is caught up
 *  RUN, STOP  task, member: the member begins, ends processing the task
 *  END        nothing more happens, or the scenario's time is over
 */
#define SIM_EVENTS(X)                                                                                                 \
    X(UP, "up")                                                                                                       \
    X(JOIN, "join")                                                                                                   \
    X(DOWN, "down")                                                                                                   \
    X(GONE, "gone")                                                                                                   \
    X(MARK, "mark")                                                                                                   \
    X(UNMARK, "unmark")                                                                                               \
    X(DISK, "disk")                                                                                                   \
    X(REBALANCE, "rebalance")                                                                                         \
    X(ROLE, "role")                                                                                                   \
    X(RESTORED, "restored")                                                                                           \
    X(READY, "ready")                                                                                                 \
    X(WHOLE, "whole")                                                                                                 \
    X(RUN, "run")                                                                                                     \
    X(STOP, "stop")                                                                                                   \
    X(END, "end")

enum sim_event_kind {
#define SIM_EVENT_ENUM(name, word) SIM_EVENT_##name,
    SIM_EVENTS(SIM_EVENT_ENUM)
#undef SIM_EVENT_ENUM
    SIM_EVENT_KINDS
};

/* Why a rebalance was asked for. X(name, word) */
#define SIM_CAUSES(X)                                                                                                 \
    X(BEGIN, "begin")       /* the group forms */                                                                     \
    X(JOINED, "joined")     /* a member has joined */                                                                 \
    X(LEFT, "left")         /* one has left, or its session has ended */                                              \
    X(MARKED, "marked")     /* a mark was set or taken away */                                                        \
    X(READY, "ready")       /* learners are ready */                                                                  \
    X(REVOKED, "revoked")   /* tasks were given up, and can be given now */                                           \
    X(FOLLOWUP, "follow-up") /* the plan before asked for it */

enum sim_cause {
#define SIM_CAUSE_ENUM(name, word) SIM_CAUSE_##name,
    SIM_CAUSES(SIM_CAUSE_ENUM)
#undef SIM_CAUSE_ENUM
    SIM_CAUSES_COUNT
};

/* A copy that is no longer there. Other roles are those of segue/group.h. */
#define SIM_NO_ROLE 255u

/* What a REBALANCE says beside its cause. The plan has decisions where sim_player.decides is set. */
typedef struct sim_rebalance {
    const segue_group *group;     /* as the assignor saw it: its tasks are the world's */
    const segue_plan *plan;
    const uint32_t *member_of;    /* the world's member for each of the group's */
    uint32_t moves, least_moves, learners, members, fallback, held_back;
} sim_rebalance;

typedef struct sim_event {
    int64_t at_us;
    double value;
    const sim_rebalance *rebalance; /* of REBALANCE alone; lives during the call */
    uint32_t task, member;          /* SEGUE_NONE where there is none */
    uint8_t kind;                   /* enum sim_event_kind */
    uint8_t role;                   /* of ROLE */
} sim_event;

const char *sim_event_word(uint32_t kind);
const char *sim_cause_word(uint32_t cause);
const char *sim_role_word(uint32_t role);

/* Who is told. Called in the order in which things happen. */
typedef struct sim_listener {
    void (*tell)(void *self, const sim_event *event);
    void *self;
    struct sim_listener *next; /* told after this one, or NULL */
} sim_listener;

#endif
