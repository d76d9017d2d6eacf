/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.h - what a run was like, computed from its events and from nothing else.
 *
 * An episode begins with what is done to members (a start, an end, a mark) and lasts until the next one. What is done
 * at one time makes one episode; the end of a member that was drained belongs to its mark's.
 */
#ifndef SEGUE_HOSTS_CLI_SIMULATE_MEASURE_H
#define SEGUE_HOSTS_CLI_SIMULATE_MEASURE_H

#include <math.h>

#include "event.h"
#include "scenario.h"

/*
 * X(field, type, name, unit, meaning)
 *
 * The one list of figures: struct, JSON, tables and comparison are made from it.
 */
#define SIM_FIGURES(X)                                                                                                \
    X(rebalances, int64_t, "rebalances", "", "assignments that were made")                                            \
    X(moves, int64_t, "moves", "", "tasks that went from an owner who was there to another")                          \
    X(least_moves, int64_t, "least_moves", "", "the fewest that balance takes, as the plans prove it")                \
    X(failovers, int64_t, "failovers", "", "tasks that went on elsewhere since their owner was gone")                 \
    X(copies_built, int64_t, "copies_built", "", "copies that began with nothing")                                    \
    X(learners, int64_t, "learners", "", "copies that began to learn")                                                \
    X(learners_abandoned, int64_t, "learners_abandoned", "", "of these, given up before they owned the task")         \
    X(bytes_restored, double, "bytes_restored", "B", "replayed from changelogs")                                      \
    X(bytes_wasted, double, "bytes_wasted", "B", "of these, for copies given up or lost before they owned the task")  \
    X(down_s, double, "down_s", "s", "seconds without an owner that processes, over all tasks")                       \
    X(tasks_down, int64_t, "tasks_down", "", "tasks that nobody processes in the end")                                \
    X(longest_gap_s, double, "longest_gap_s", "s", "longest such time of one task")                                   \
    X(without_standby_s, double, "without_standby_s", "s", "seconds with fewer caught-up copies than wanted")         \
    X(balance_s, double, "balance_s", "s", "longest from an episode's beginning to its last move; not reached: the end came first") \
    X(balance_bound_s, double, "balance_bound_s", "s", "what that episode's replays take at full bandwidth")          \
    X(extra_disk_bytes, double, "extra_disk_bytes", "B", "most that was stored beyond one copy for owner and standbys") \
    X(estimate_error, double, "estimate_error", "", "median error of the time until a learner is ready, as part of it") \
    X(fallbacks, int64_t, "fallbacks", "", "plans that the fallback had to make")

/* What is longer than any time: balance_s where the run ends and moves are still to come, or tasks are down. */
#define SIM_NOT_REACHED ((double)INFINITY)

typedef struct sim_figures {
#define SIM_FIGURE(field, type, name, unit, meaning) type field;
    SIM_FIGURES(SIM_FIGURE)
#undef SIM_FIGURE
} sim_figures;

typedef struct sim_measure sim_measure;

/* A listener that measures. NULL without memory. */
sim_measure *sim_measure_open(const sim_scenario *scenario);
sim_listener *sim_measure_listener(sim_measure *measure);

/* Ends the measuring at the last event. 0, or -1 when memory ran out on the way. */
int sim_measure_end(sim_measure *measure, sim_figures *figures);
void sim_measure_close(sim_measure *measure);

#endif
