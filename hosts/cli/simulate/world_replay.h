/* SPDX-License-Identifier: Apache-2.0 */
/*
 * world_replay.h - logs that grow and copies that follow them, between the files of world.h.
 *
 * Whoever changes what a member replays or how fast brings its places to now first; these functions do so themselves.
 */
#ifndef SEGUE_HOSTS_CLI_SIMULATE_WORLD_REPLAY_H
#define SEGUE_HOSTS_CLI_SIMULATE_WORLD_REPLAY_H

#include "world.h"

/* Bytes written to the task's log until now. */
double sim_log_end(const sim_world *world, uint32_t task);

/* Where in the log the copy stands now. */
double sim_place_now(const sim_world *world, uint32_t task, const sim_copy *copy);

/* The copy takes its share of its member's bandwidth; it ends where it is. */
void sim_begin_replay(sim_world *world, uint32_t task, sim_copy *copy);
void sim_end_replay(sim_world *world, uint32_t task, sim_copy *copy);

/* A learner within the acceptable lag is told as ready, once. */
void sim_look_for_ready(sim_world *world, uint32_t task, sim_copy *copy);

/* The task's log grows from now on if `runner` is a member, and does not if it is SEGUE_NONE. Tells nobody. */
void sim_set_runner(sim_world *world, uint32_t task, uint32_t runner);

/* The member runs the task from now on, unless everybody rests; tells so. */
void sim_run_task(sim_world *world, uint32_t task, uint32_t member);

/* A copy that has nothing and no role; everything, where the world makes whole ones. NULL without memory. */
sim_copy *sim_add_copy(sim_world *world, uint32_t task, uint32_t member);

#endif
