/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include <stdlib.h>

#include "segue/group.h"

#define US_IN_S 1e6

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

static void *grow(sim_measure *it, void *rows, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room) {
        return rows;
    }
    uint32_t larger = *room == 0 ? 8 : *room * 2;
    void *grown = realloc(rows, larger * size);
    if (grown == NULL) {
        it->is_out_of_memory = 1;
        return NULL;
    }
    *room = larger;
    return grown;
}

static double seconds(int64_t us)
{
    return (double)us / US_IN_S;
}

static double state_bytes(const sim_measure *it, uint32_t task)
{
    int is_known = it->group->task_stateful[task] && it->group->task_state_bytes != NULL &&
                   it->group->task_state_bytes[task] > 0;
    return is_known ? (double)it->group->task_state_bytes[task] : 0;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static seen_copy *find(seen_task *task, uint32_t member)
{
    for (uint32_t i = 0; i < task->count; i++) {
        if (task->copies[i].member == member) {
            return &task->copies[i];
        }
    }
    return NULL;
}

static seen_copy *find_or_add(sim_measure *it, uint32_t task, uint32_t member)
{
    seen_task *seen = &it->tasks[task];
    seen_copy *copy = find(seen, member);
    if (copy != NULL) {
        return copy;
    }
    seen_copy *grown = grow(it, seen->copies, seen->count, &seen->room, sizeof *grown);
    if (grown == NULL) {
        return NULL;
    }
    seen->copies = grown;
    seen->copies[seen->count] = (seen_copy){.member = member, .role = SIM_NO_ROLE, .estimate_s = -1};
    it->stored += state_bytes(it, task);
    double extra = it->stored - it->wanted_bytes;
    it->figures.extra_disk_bytes = extra > it->figures.extra_disk_bytes ? extra : it->figures.extra_disk_bytes;
    return &seen->copies[seen->count++];
}

static int replays(const seen_copy *copy)
{
    return !copy->is_whole && (copy->role == SEGUE_STANDBY || copy->role == SEGUE_LEARNER || copy->role == SEGUE_ACTIVE);
}

/* Counts again whether the task has the caught-up copies that are wanted of it. */
static void count_standbys(sim_measure *it, uint32_t task)
{
    seen_task *seen = &it->tasks[task];
    uint32_t others = it->up_count > 0 ? it->up_count - 1 : 0;
    uint32_t wanted = it->group->task_stateful[task] ? (it->wanted < others ? it->wanted : others) : 0;
    uint32_t there = 0;
    for (uint32_t i = 0; i < seen->count; i++) {
        there += seen->copies[i].is_whole && seen->copies[i].role != SEGUE_ACTIVE;
    }
    if (there < wanted && seen->lacking_us == SEGUE_TIME_NONE) {
        seen->lacking_us = it->at_us;
    } else if (there >= wanted && seen->lacking_us != SEGUE_TIME_NONE) {
        it->figures.without_standby_s += seconds(it->at_us - seen->lacking_us);
        seen->lacking_us = SEGUE_TIME_NONE;
    }
}

static void count_all_standbys(sim_measure *it)
{
    for (uint32_t task = 0; it->wanted > 0 && task < it->group->task_count; task++) {
        count_standbys(it, task);
    }
}

static void waste(sim_measure *it, seen_copy *copy)
{
    it->figures.bytes_wasted += copy->restored;
    copy->restored = 0;
    copy->lately = 0;
}

static void begin_learning(sim_measure *it, uint32_t task, seen_copy *copy, double lag)
{
    it->figures.learners++;
    copy->learns_us = it->at_us;
    copy->estimate_s = -1;
    beginner *grown = grow(it, it->beginners, it->beginner_count, &it->beginner_room, sizeof *grown);
    if (grown != NULL) {
        it->beginners = grown;
        it->beginners[it->beginner_count++] = (beginner){lag, task, copy->member};
    }
}

/* Everything of a rebalance has been told: the estimate of those that begin to learn is what anybody would say. */
static void estimate(sim_measure *it)
{
    for (uint32_t i = 0; i < it->beginner_count; i++) {
        const beginner *one = &it->beginners[i];
        const seen_member *member = &it->members[one->member];
        seen_copy *copy = find(&it->tasks[one->task], one->member);
        double left = one->lag > it->acceptable ? one->lag - it->acceptable : 0;
        if (copy != NULL && copy->role == SEGUE_LEARNER) {
            copy->estimate_s = left * (member->replays > 0 ? member->replays : 1) / member->bytes_per_s;
        }
    }
    it->beginner_count = 0;
}

static void on_role(sim_measure *it, const sim_event *event)
{
    seen_copy *copy = find_or_add(it, event->task, event->member);
    if (copy == NULL) {
        return;
    }
    seen_task *task = &it->tasks[event->task];
    uint8_t was = copy->role;
    it->members[event->member].replays -= (uint32_t)replays(copy);
    it->figures.copies_built += was == SIM_NO_ROLE && event->role != SEGUE_DORMANT && event->value > 0 &&
                                event->value >= state_bytes(it, event->task);
    it->figures.learners_abandoned += was == SEGUE_LEARNER && event->role != SEGUE_ACTIVE;
    copy->role = event->role;
    copy->is_whole = 0;
    it->members[event->member].replays += (uint32_t)replays(copy);
    if (event->role == SEGUE_LEARNER) {
        begin_learning(it, event->task, copy, event->value);
    }
    if (event->role == SEGUE_DORMANT || event->role == SIM_NO_ROLE) {
        waste(it, copy);
    }
    if (event->role == SIM_NO_ROLE) {
        *copy = task->copies[--task->count];
        it->stored -= state_bytes(it, event->task);
    }
    count_standbys(it, event->task);
}

static void on_whole(sim_measure *it, const sim_event *event)
{
    seen_copy *copy = find_or_add(it, event->task, event->member);
    if (copy != NULL) {
        it->members[event->member].replays -= (uint32_t)replays(copy);
        copy->is_whole = 1;
        count_standbys(it, event->task);
    }
}

static double restored_lately(const sim_measure *it, const seen_copy *copy)
{
    return copy->lately_us == it->now.began_us ? copy->lately : 0;
}

static void on_restored(sim_measure *it, const sim_event *event)
{
    seen_copy *copy = find_or_add(it, event->task, event->member);
    it->figures.bytes_restored += event->value;
    if (copy != NULL) {
        copy->restored += event->value;
        copy->lately = event->value + restored_lately(it, copy);
        copy->lately_us = it->now.began_us;
    }
}

static void on_ready(sim_measure *it, const sim_event *event)
{
    seen_copy *copy = find(&it->tasks[event->task], event->member);
    double took_s = copy == NULL ? 0 : seconds(it->at_us - copy->learns_us);
    if (copy == NULL || copy->estimate_s < 0 || took_s <= 0) {
        return;
    }
    double *grown = grow(it, it->errors, it->error_count, &it->error_room, sizeof *grown);
    if (grown != NULL) {
        double error = (copy->estimate_s - took_s) / took_s;
        it->errors = grown;
        it->errors[it->error_count++] = error < 0 ? -error : error;
    }
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

static void on_run(sim_measure *it, const sim_event *event)
{
    seen_task *task = &it->tasks[event->task];
    seen_copy *copy = find_or_add(it, event->task, event->member);
    if (task->stopped_us != SEGUE_TIME_NONE) {
        double gap_s = seconds(it->at_us - task->stopped_us);
        it->figures.down_s += gap_s;
        it->figures.longest_gap_s = gap_s > it->figures.longest_gap_s ? gap_s : it->figures.longest_gap_s;
    }
    int goes_on_elsewhere = task->last_runner != SEGUE_NONE && task->last_runner != event->member;
    if (goes_on_elsewhere) {
        it->figures.moves += task->was_given_up;
        it->figures.failovers += !task->was_given_up;
        it->now.moves += task->was_given_up;
        it->now.moved_us = it->at_us;
    }
    if (copy != NULL) {
        it->members[event->member].used += goes_on_elsewhere ? restored_lately(it, copy) : 0;
        copy->restored = 0;
        copy->lately = 0;
    }
    task->stopped_us = SEGUE_TIME_NONE;
    task->last_runner = event->member;
}

static void on_stop(sim_measure *it, const sim_event *event)
{
    it->tasks[event->task].stopped_us = it->at_us;
    it->tasks[event->task].was_given_up = it->members[event->member].is_up;
}

/* ---- episodes ---------------------------------------------------------------------------------------------------- */

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
    double took_s = seconds(it->now.moved_us - it->now.began_us);
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
    count_all_standbys(it);
}

/* What is on a disk stays there; the copy that nobody keeps up is no standby. */
static void on_down(sim_measure *it, const sim_event *event)
{
    seen_member *member = &it->members[event->member];
    if (!member->is_marked) {
        begin_episode(it);
    }
    member->is_up = 0;
    it->up_count--;
    for (uint32_t task = 0; task < it->group->task_count; task++) {
        seen_copy *copy = find(&it->tasks[task], event->member);
        if (copy != NULL) {
            member->replays -= (uint32_t)replays(copy);
            copy->is_whole = 0;
            member->replays += (uint32_t)replays(copy);
        }
    }
    count_all_standbys(it);
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
        [SIM_EVENT_UNMARK] = on_mark,   [SIM_EVENT_REBALANCE] = on_rebalance, [SIM_EVENT_ROLE] = on_role,
        [SIM_EVENT_WHOLE] = on_whole,   [SIM_EVENT_RESTORED] = on_restored, [SIM_EVENT_READY] = on_ready,
        [SIM_EVENT_RUN] = on_run,       [SIM_EVENT_STOP] = on_stop,         [SIM_EVENT_JOIN] = on_join,
    };
    sim_measure *it = self;
    if (event->at_us != it->at_us) {
        estimate(it);
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
        it->wanted_bytes += state_bytes(it, task) * (1 + it->wanted);
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
        double gap_s = seconds(it->at_us - task->stopped_us);
        it->figures.tasks_down++;
        it->figures.down_s += gap_s;
        it->figures.longest_gap_s = gap_s > it->figures.longest_gap_s ? gap_s : it->figures.longest_gap_s;
    }
    if (task->lacking_us != SEGUE_TIME_NONE) {
        it->figures.without_standby_s += seconds(it->at_us - task->lacking_us);
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
