/* SPDX-License-Identifier: Apache-2.0 */
/* measure_state.h - what the events have told so far, between the files of measure.h. */
#ifndef SEGUE_HOSTS_CLI_SIMULATE_MEASURE_STATE_H
#define SEGUE_HOSTS_CLI_SIMULATE_MEASURE_STATE_H

#include "measure.h"

#include "segue/group.h"

/* A copy as the events have told of it. */
typedef struct seen_copy {
    double restored;   /* since it was made, or since it last owned the task */
    double lately;     /* of this, what belongs to the episode that began at `lately_us` */
    int64_t lately_us;
    double estimate_s; /* until ready, made when it began to learn; < 0: none */
    int64_t learns_us;
    uint32_t member;
    uint8_t role, is_whole;
} seen_copy;

typedef struct seen_task {
    seen_copy *copies;
    int64_t stopped_us; /* nobody processes it since, or SEGUE_TIME_NONE */
    int64_t lacking_us; /* fewer caught-up copies than wanted since, or SEGUE_TIME_NONE */
    uint32_t count, room;
    uint32_t last_runner;
    uint8_t was_given_up; /* its last owner was there when it stopped */
} seen_task;

typedef struct seen_member {
    double bytes_per_s;
    double best; /* the most bytes a second that it restored in this episode */
    double used; /* bytes restored in this episode for tasks that it took over */
    uint32_t replays;
    uint8_t is_up, is_marked;
} seen_member;

/* A learner that has just begun; its estimate needs to know what else its member got in the same rebalance. */
typedef struct beginner {
    double lag;
    uint32_t task, member;
} beginner;

typedef struct episode {
    int64_t began_us, moved_us;
    int64_t moves, least_moves;
    int awaits_plan;
} episode;

struct sim_measure {
    sim_listener listener;
    const segue_group *group;
    sim_figures figures;
    episode now;
    seen_task *tasks;
    seen_member *members;
    beginner *beginners;
    double *errors;
    double stored, wanted_bytes, acceptable;
    int64_t at_us;
    uint32_t beginner_count, beginner_room, error_count, error_room;
    uint32_t wanted, up_count;
    int is_out_of_memory;
    int is_unsettled; /* moves are still to come, as far as anybody has said */
};

static inline double sim_seconds(int64_t us)
{
    return (double)us / 1e6;
}

/* The size of the task's state; 0 where none is known. */
static inline double sim_seen_bytes(const sim_measure *it, uint32_t task)
{
    int is_known = it->group->task_stateful[task] && it->group->task_state_bytes != NULL &&
                   it->group->task_state_bytes[task] > 0;
    return is_known ? (double)it->group->task_state_bytes[task] : 0;
}

/* Each takes its event as sim_listener has it; memory that runs out is noted in `is_out_of_memory`. */
void sim_on_role(sim_measure *it, const sim_event *event);
void sim_on_whole(sim_measure *it, const sim_event *event);
void sim_on_restored(sim_measure *it, const sim_event *event);
void sim_on_ready(sim_measure *it, const sim_event *event);
void sim_on_run(sim_measure *it, const sim_event *event);
void sim_on_stop(sim_measure *it, const sim_event *event);

/* Everything of a rebalance has been told: what anybody would say now of those that begin to learn. */
void sim_estimate(sim_measure *it);

/* The member is gone. */
void sim_stop_following(sim_measure *it, uint32_t member);

/* Members came or went, and with them the number of copies that is wanted. */
void sim_count_all_standbys(sim_measure *it);

#endif
