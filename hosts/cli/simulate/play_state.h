/* SPDX-License-Identifier: Apache-2.0 */
/* play_state.h - a run under way, and what its three parts do for each other: the group's members, its plans, the loop. */
#ifndef SEGUE_HOSTS_CLI_SIMULATE_PLAY_STATE_H
#define SEGUE_HOSTS_CLI_SIMULATE_PLAY_STATE_H

#include "play.h"
#include "view.h"
#include "world.h"

typedef struct play {
    const sim_player *player;
    const sim_cluster *cluster;
    sim_world world;
    sim_view view;
    segue_plan *plan;
    segue_error *error;
    int64_t assign_us;   /* when the rebalance under way comes to its assignment, or SEGUE_TIME_NONE */
    uint64_t generation; /* counts assignments */
    uint32_t cause;      /* of the rebalance under way */
    int hears_ready;     /* somebody asks for a rebalance when a learner is ready */
    int is_gathering;    /* readiness is on the agenda */
} play;

/* Asks for a rebalance. One that is under way takes the wish along, or is hurried by it. */
void sim_request(play *it, uint32_t cause, int64_t delay_us);

/* Who owns the task in the group's eyes, or NULL. */
const sim_copy *sim_find_owner(const sim_world *world, uint32_t task);

/* A copy that is not needed any more: on disk, unless there is nothing to keep. */
void sim_put_aside(sim_world *world, uint32_t task, uint32_t member);

/* Does to a member what the scenario says. */
void sim_act(play *it, const sim_action *action);

/* The member's session has ended: the group knows now that it is gone. */
void sim_end_session(play *it, uint32_t member);

/* Leaving members that own nothing any more leave. */
void sim_let_empty_go(play *it);

/* Somebody that the group still waits for, though it is dead: then nobody is assigned anything. */
int sim_waits_for_dead(const play *it);

/* The assignor's plan for the group as it is now, and all that follows from it. */
int32_t sim_assign(play *it);

#endif
