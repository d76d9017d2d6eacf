/* SPDX-License-Identifier: Apache-2.0 */
/*
 * world.h - logs, disks and replays: what is true of tasks and copies at a time, whoever decides what should be.
 *
 * A task has a log that grows while somebody runs the task. A copy stands at a place in it; what it lacks is what
 * was written behind that place, and never more than the whole state, since a changelog is compacted. The copies that a
 * member replays share its bandwidth evenly. Between two events everything is linear in time, so nothing is stepped.
 * One thread. Functions that can fail set `is_out_of_memory`, which the loop looks at once a turn.
 */
#ifndef SEGUE_HOSTS_CLI_SIMULATE_WORLD_H
#define SEGUE_HOSTS_CLI_SIMULATE_WORLD_H

#include "agenda.h"
#include "event.h"
#include "scenario.h"

typedef struct sim_copy {
    double place;     /* in the log, of the time replayed_us of its member */
    double told;      /* the place up to which RESTORED was told */
    int64_t since_us; /* when it took the role */
    uint32_t member;
    uint8_t role; /* enum segue_role */
    uint8_t is_whole;     /* stands at the log's end and goes with it */
    uint8_t is_replaying; /* shares its member's bandwidth */
    uint8_t is_ready;     /* READY was told */
} sim_copy;

typedef struct sim_task {
    sim_copy *copies;
    double log; /* bytes written up to log_us */
    int64_t log_us;
    uint32_t count, room;
    uint32_t runner; /* who processes it, or SEGUE_NONE */
} sim_task;

typedef struct sim_member {
    uint32_t *replays; /* tasks */
    double bytes_per_s;
    int64_t replayed_us;
    int64_t leaving_us, deadline_us; /* or SEGUE_TIME_NONE */
    uint64_t epoch;                  /* of its progress on the agenda */
    uint64_t session;                /* counts its ends, so that an old one is told from the current */
    uint32_t replay_count, replay_room;
    uint8_t is_up;     /* its process runs */
    uint8_t is_known;  /* the group has it, which is so until its session ends */
    uint8_t is_waiting; /* it is up again, and its old session has not ended */
} sim_member;

enum sim_due_kind {
    SIM_DUE_ACTION,   /* epoch: its row */
    SIM_DUE_PROGRESS, /* a replay of the member comes to an end or to the acceptable lag */
    SIM_DUE_OPENED,   /* the member has opened the task */
    SIM_DUE_SESSION,  /* the member's session ends */
    SIM_DUE_READY,    /* readiness was gathered for long enough */
    SIM_DUE_ASSIGN,   /* everybody has joined */
    SIM_DUE_FOLLOWUP  /* what the plan asked for */
};

typedef struct sim_world {
    const sim_scenario *scenario;
    const segue_group *group; /* all members and tasks */
    const segue_config *config;
    sim_task *tasks;
    sim_member *members;
    uint8_t *owned; /* by task, while the beginning is made: somebody has it */
    sim_agenda agenda;
    sim_listener *listener;
    double acceptable_bytes;
    int64_t now_us;
    int is_out_of_memory;
    int is_at_rest;         /* nothing runs: everybody waits for an assignment of the eager protocol */
    int makes_whole_copies; /* of a group that begins: what is placed is there already */
    uint32_t ready_count; /* learners that are ready and not yet handed over */
} sim_world;

/* Everybody who is there at the beginning is up and known, with the copies of the scenario's group. 0, or -1. */
int sim_world_open(sim_world *world, const sim_scenario *scenario, const segue_config *config, sim_listener *listener);
void sim_world_close(sim_world *world);

void sim_put(sim_world *world, int64_t at_us, uint32_t kind, uint32_t task, uint32_t member, uint64_t epoch);
void sim_tell(sim_world *world, uint32_t kind, uint32_t task, uint32_t member, double value);

double sim_state_bytes(const sim_world *world, uint32_t task);

/* What the copy lacks now, in bytes. */
double sim_lag(const sim_world *world, uint32_t task, const sim_copy *copy);

/* The member's copy, or NULL. The pointer is good until a copy of the task is added or removed. */
sim_copy *sim_find_copy(const sim_world *world, uint32_t task, uint32_t member);

/* Gives the member's copy a role; one that is not there is made, with nothing on disk. Standbys and learners replay
 * while they lack something; an active does so once it is opened. NULL without memory. */
sim_copy *sim_take_role(sim_world *world, uint32_t task, uint32_t member, uint8_t role);
void sim_drop_copy(sim_world *world, uint32_t task, uint32_t member);

/* The member has opened the task that it owns: it runs, at once or when it has replayed. */
void sim_open_task(sim_world *world, uint32_t task, uint32_t member);
void sim_stop_task(sim_world *world, uint32_t task);

/* The member's process is gone: it runs, follows and replays nothing. Roles stay. */
void sim_halt(sim_world *world, uint32_t member);

/* It is back before its session has ended: it goes on with its roles, and opens the tasks that it owns. */
void sim_resume(sim_world *world, uint32_t member);

/* Brings the member's replays to now and looks who has arrived. */
void sim_progress(sim_world *world, uint32_t member);

/* What is restored so far is told: at the end of a run, and when a bandwidth changes. */
void sim_settle(sim_world *world, uint32_t member);
void sim_set_bandwidth(sim_world *world, uint32_t member, double bytes_per_s);

#endif
