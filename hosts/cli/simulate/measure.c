/* SPDX-License-Identifier: Apache-2.0 */
/* Episodes, and the figures in the end. */
#include "measure_state.h"

#include <stdlib.h>

/* The longest one counts, with the bound that goes with it. */
static void end_episode(sim_measure *it)
{
    double bound_s = 0;
    for (uint32_t member = 0; member < it->group->member_count; member++) {
        double needs_s = it->members[member].used / it->members[member].best;
        bound_s = needs_s > bound_s ? needs_s : bound_s;
        it->members[member].used = 0;
        it->members[member].best = it->members[member].bytes_per_s;
    }
    double took_s = sim_seconds(it->now.moved_us - it->now.began_us);
    if (took_s > it->figures.balance_s) {
        it->figures.balance_s = took_s;
        it->figures.balance_bound_s = bound_s;
    }
}

/* What was still to be moved when the next episode began is part of that one's least, and is not counted twice. */
static int64_t pending_moves(const sim_measure *it)
{
    int64_t left = it->now.least_moves - it->now.moves;
    return left > 0 ? left : 0;
}

static void begin_episode(sim_measure *it)
{
    if (it->now.began_us == it->at_us) {
        return;
    }
    int64_t pending = pending_moves(it);
    end_episode(it);
    it->now = (episode){.began_us = it->at_us, .moved_us = it->at_us, .awaits_plan = 1};
    it->figures.least_moves -= pending;
}

static void on_rebalance(sim_measure *it, const sim_event *event)
{
    it->is_unsettled = event->rebalance->moves < event->rebalance->least_moves;
    it->figures.rebalances++;
    it->figures.fallbacks += event->rebalance->fallback;
    if (it->now.awaits_plan) {
        it->now.awaits_plan = 0;
        it->now.least_moves = event->rebalance->least_moves;
        it->figures.least_moves += event->rebalance->least_moves;
    }
}

static void on_up(sim_measure *it, const sim_event *event)
{
    seen_member *member = &it->members[event->member];
    member->is_up = 1;
    member->is_marked = 0;
    it->up_count++;
    begin_episode(it);
    sim_count_all_standbys(it);
}

static void on_down(sim_measure *it, const sim_event *event)
{
    seen_member *member = &it->members[event->member];
    if (!member->is_marked) {
        begin_episode(it);
    }
    member->is_up = 0;
    it->up_count--;
    sim_stop_following(it, event->member);
    sim_count_all_standbys(it);
}

static void on_mark(sim_measure *it, const sim_event *event)
{
    it->members[event->member].is_marked = event->kind == SIM_EVENT_MARK;
    it->is_unsettled = 1;
    begin_episode(it);
}

/* Somebody is there whom no plan knows yet. */
static void on_join(sim_measure *it, const sim_event *event)
{
    (void)event;
    it->is_unsettled = 1;
}

static void tell(void *self, const sim_event *event)
{
    static void (*const on[SIM_EVENT_KINDS])(sim_measure *, const sim_event *) = {
        [SIM_EVENT_UP] = on_up,         [SIM_EVENT_DOWN] = on_down,         [SIM_EVENT_MARK] = on_mark,
        [SIM_EVENT_UNMARK] = on_mark,   [SIM_EVENT_REBALANCE] = on_rebalance, [SIM_EVENT_ROLE] = sim_on_role,
        [SIM_EVENT_WHOLE] = sim_on_whole,   [SIM_EVENT_RESTORED] = sim_on_restored, [SIM_EVENT_READY] = sim_on_ready,
        [SIM_EVENT_RUN] = sim_on_run,       [SIM_EVENT_STOP] = sim_on_stop,         [SIM_EVENT_JOIN] = on_join,
    };
    sim_measure *it = self;
    if (event->at_us != it->at_us) {
        sim_estimate(it);
        it->at_us = event->at_us;
    }
    if (event->kind == SIM_EVENT_DISK) {
        seen_member *member = &it->members[event->member];
        member->bytes_per_s = event->value;
        member->best = event->value > member->best ? event->value : member->best;
    } else if (on[event->kind] != NULL) {
        on[event->kind](it, event);
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

sim_measure *sim_measure_open(const sim_scenario *scenario)
{
    sim_measure *it = calloc(1, sizeof *it);
    if (it == NULL) {
        return NULL;
    }
    it->group = segue_document_group(scenario->group);
    const segue_config *config = segue_document_config(scenario->group);
    it->listener = (sim_listener){.tell = tell, .self = it};
    it->wanted = config->num_standby_replicas;
    it->acceptable = (double)config->acceptable_recovery_lag * scenario->cluster.record_bytes;
    it->tasks = calloc((size_t)it->group->task_count + 1, sizeof *it->tasks);
    it->members = calloc((size_t)it->group->member_count + 1, sizeof *it->members);
    if (it->tasks == NULL || it->members == NULL) {
        sim_measure_close(it);
        return NULL;
    }
    for (uint32_t task = 0; task < it->group->task_count; task++) {
        it->tasks[task].last_runner = SEGUE_NONE;
        it->tasks[task].lacking_us = SEGUE_TIME_NONE;
        it->wanted_bytes += sim_seen_bytes(it, task) * (1 + it->wanted);
    }
    return it;
}

sim_listener *sim_measure_listener(sim_measure *measure)
{
    return &measure->listener;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *rows, uint32_t count)
{
    if (count == 0) {
        return 0;
    }
    qsort(rows, count, sizeof *rows, compare);
    return (rows[(count - 1) / 2] + rows[count / 2]) / 2;
}

/* What is still open at the end lasts until the end. */
static void end_task(sim_measure *it, seen_task *task)
{
    if (task->stopped_us != SEGUE_TIME_NONE) {
        double gap_s = sim_seconds(it->at_us - task->stopped_us);
        it->figures.tasks_down++;
        it->figures.down_s += gap_s;
        it->figures.longest_gap_s = gap_s > it->figures.longest_gap_s ? gap_s : it->figures.longest_gap_s;
    }
    if (task->lacking_us != SEGUE_TIME_NONE) {
        it->figures.without_standby_s += sim_seconds(it->at_us - task->lacking_us);
    }
}

int sim_measure_end(sim_measure *it, sim_figures *figures)
{
    for (uint32_t task = 0; task < it->group->task_count; task++) {
        end_task(it, &it->tasks[task]);
    }
    end_episode(it);
    if (it->is_unsettled || it->figures.tasks_down > 0) {
        it->figures.balance_s = SIM_NOT_REACHED;
    }
    it->figures.estimate_error = median(it->errors, it->error_count);
    *figures = it->figures;
    return it->is_out_of_memory ? -1 : 0;
}

void sim_measure_close(sim_measure *it)
{
    if (it == NULL) {
        return;
    }
    for (uint32_t task = 0; it->tasks != NULL && task < it->group->task_count; task++) {
        free(it->tasks[task].copies);
    }
    free(it->tasks);
    free(it->members);
    free(it->beginners);
    free(it->errors);
    free(it);
}
