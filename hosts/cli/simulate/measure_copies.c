/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and the tasks they belong to: what is down, built, restored and wasted. */
#include "measure_state.h"

#include <stdlib.h>

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
    it->stored += sim_seen_bytes(it, task);
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
        it->figures.without_standby_s += sim_seconds(it->at_us - seen->lacking_us);
        seen->lacking_us = SEGUE_TIME_NONE;
    }
}

void sim_count_all_standbys(sim_measure *it)
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

void sim_estimate(sim_measure *it)
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

void sim_on_role(sim_measure *it, const sim_event *event)
{
    seen_copy *copy = find_or_add(it, event->task, event->member);
    if (copy == NULL) {
        return;
    }
    seen_task *task = &it->tasks[event->task];
    uint8_t was = copy->role;
    it->members[event->member].replays -= (uint32_t)replays(copy);
    it->figures.copies_built += was == SIM_NO_ROLE && event->role != SEGUE_DORMANT && event->value > 0 &&
                                event->value >= sim_seen_bytes(it, event->task);
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
        it->stored -= sim_seen_bytes(it, event->task);
    }
    count_standbys(it, event->task);
}

/* What is on its disk stays there; the copy that nobody keeps up is no standby. */
void sim_stop_following(sim_measure *it, uint32_t member)
{
    for (uint32_t task = 0; task < it->group->task_count; task++) {
        seen_copy *copy = find(&it->tasks[task], member);
        if (copy != NULL) {
            it->members[member].replays -= (uint32_t)replays(copy);
            copy->is_whole = 0;
            it->members[member].replays += (uint32_t)replays(copy);
        }
    }
}

void sim_on_whole(sim_measure *it, const sim_event *event)
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

void sim_on_restored(sim_measure *it, const sim_event *event)
{
    seen_copy *copy = find_or_add(it, event->task, event->member);
    it->figures.bytes_restored += event->value;
    if (copy != NULL) {
        copy->restored += event->value;
        copy->lately = event->value + restored_lately(it, copy);
        copy->lately_us = it->now.began_us;
    }
}

void sim_on_ready(sim_measure *it, const sim_event *event)
{
    seen_copy *copy = find(&it->tasks[event->task], event->member);
    double took_s = copy == NULL ? 0 : sim_seconds(it->at_us - copy->learns_us);
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

void sim_on_run(sim_measure *it, const sim_event *event)
{
    seen_task *task = &it->tasks[event->task];
    seen_copy *copy = find_or_add(it, event->task, event->member);
    if (task->stopped_us != SEGUE_TIME_NONE) {
        double gap_s = sim_seconds(it->at_us - task->stopped_us);
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

void sim_on_stop(sim_measure *it, const sim_event *event)
{
    it->tasks[event->task].stopped_us = it->at_us;
    it->tasks[event->task].was_given_up = it->members[event->member].is_up;
}
