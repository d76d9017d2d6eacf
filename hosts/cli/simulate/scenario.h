/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scenario.h - what a simulation is asked to play: a group, the cluster around it, and what happens to its members.
 *
 * The format is `scenario/1`, in hosts/SCENARIO.md. Times inside are microseconds from the beginning, sizes bytes.
 */
#ifndef SEGUE_HOSTS_CLI_SIMULATE_SCENARIO_H
#define SEGUE_HOSTS_CLI_SIMULATE_SCENARIO_H

#include <stdint.h>

#include "segue/host.h"

/* Bounds of what a document may say, far beyond any machine. */
#define SIM_BYTES_PER_S_MOST 1e15
#define SIM_RECORD_BYTES_MOST 1e9

/* What can happen to a member. The words of a document that happen again and again are written out as these. */
enum sim_deed {
    SIM_START,  /* its process starts and joins */
    SIM_CLOSE,  /* it closes and does not leave: its session has to time out */
    SIM_LEAVE,  /* it closes and leaves the group */
    SIM_CRASH,  /* it dies; number: 1 loses the disk as well */
    SIM_DRAIN,  /* it is marked as leaving; number: microseconds until its deadline, or -1 for none */
    SIM_CANCEL, /* the mark is taken away */
    SIM_DISK    /* its restore bandwidth changes; number: bytes a second */
};

typedef struct sim_action {
    int64_t at_us;
    int64_t number;
    uint32_t member;
    uint32_t deed;  /* enum sim_deed */
    uint32_t order; /* in the document; decides between two at one time */
    uint32_t reserved;
} sim_action;

/* Who asks for the rebalance in which a learner that has caught up becomes the owner. */
enum sim_trigger {
    SIM_TRIGGER_AUTO,    /* the learner, but for an assignor that is loose: nobody there listens to it */
    SIM_TRIGGER_READY,   /* the learner says so, gathered for `ready_batch_us` */
    SIM_TRIGGER_PROBING  /* nobody: the plan's own follow-up has to come */
};

/* The cluster: how long its steps take. X(field, key in the document, default): milliseconds there. */
#define SIM_DURATIONS(X)                                                                                              \
    X(rebalance_us, "rebalance_ms", 3300)     /* from a wish to the assignment, while members wait for heartbeats */  \
    X(followup_us, "followup_ms", 350)        /* the same where all join at once, behind a revocation */              \
    X(close_us, "close_ms", 100)              /* an owner gives a task up */                                          \
    X(open_us, "open_ms", 50)                 /* a new owner opens it */                                              \
    X(session_us, "session_timeout_ms", 45000)                                                                        \
    X(ready_batch_us, "ready_batch_ms", 500)                                                                          \
    X(cleanup_us, "state_cleanup_delay_ms", 600000) /* a copy without a role is deleted after it */

typedef struct sim_cluster {
#define SIM_DURATION(field, key, initial) int64_t field;
    SIM_DURATIONS(SIM_DURATION)
#undef SIM_DURATION
    double record_bytes;
    double write_bytes_per_s;   /* of each stateful task while it runs */
    double restore_bytes_per_s; /* of each member, shared by what it restores */
    uint32_t trigger;           /* enum sim_trigger */
    uint8_t is_eager;           /* 1: all tasks stop during a rebalance */
    uint8_t has_static_members; /* 1: a restart within the session keeps the tasks */
} sim_cluster;

typedef struct sim_scenario {
    char *name;
    segue_document *group; /* every member that ever is there, with what it holds at the beginning */
    sim_cluster cluster;
    sim_action *actions; /* by time */
    uint32_t action_count;
    uint8_t *is_absent; /* by member: it starts later */
    int64_t until_us;
} sim_scenario;

/* Reads a document; `seed` decides what the document leaves to chance. E_SYNTAX and what a group can have wrong. The
 * caller gives *scenario to sim_scenario_free, also after a fault. */
int32_t sim_scenario_read(const char *text, size_t size, const char *source, uint64_t seed, sim_scenario *scenario,
                          segue_error *error);
void sim_scenario_free(sim_scenario *scenario);

#endif
