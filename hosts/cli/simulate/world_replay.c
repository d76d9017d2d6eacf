/* SPDX-License-Identifier: Apache-2.0 */
#include "world_replay.h"

#include <math.h>
#include <stdlib.h>

#define US_IN_S 1e6

/* Half a byte: below it a copy has arrived, whatever rounding says. */
#define NOTHING 0.5

static double log_rate(const sim_world *world, uint32_t task)
{
    return world->tasks[task].runner == SEGUE_NONE ? 0 : world->scenario->cluster.write_bytes_per_s;
}

double sim_log_end(const sim_world *world, uint32_t task)
{
    const sim_task *it = &world->tasks[task];
    return it->log + log_rate(world, task) * (double)(world->now_us - it->log_us) / US_IN_S;
}

double sim_state_bytes(const sim_world *world, uint32_t task)
{
    const segue_group *group = world->group;
    int is_known = group->task_stateful[task] && group->task_state_bytes != NULL && group->task_state_bytes[task] > 0;
    return is_known ? (double)group->task_state_bytes[task] : 0;
}

/* Bytes a second of each of the member's replays. */
static double share_of(const sim_member *it)
{
    return it->bytes_per_s / it->replay_count;
}

double sim_place_now(const sim_world *world, uint32_t task, const sim_copy *copy)
{
    if (copy->is_whole) {
        return sim_log_end(world, task);
    }
    const sim_member *it = &world->members[copy->member];
    double replayed = copy->is_replaying ? share_of(it) * (double)(world->now_us - it->replayed_us) / US_IN_S : 0;
    return copy->place + replayed;
}

double sim_lag(const sim_world *world, uint32_t task, const sim_copy *copy)
{
    double lag = sim_log_end(world, task) - sim_place_now(world, task, copy);
    double whole = sim_state_bytes(world, task);
    return lag < NOTHING ? 0 : lag > whole ? whole : lag;
}

static void tell_restored(sim_world *world, uint32_t task, sim_copy *copy)
{
    if (copy->place > copy->told) {
        sim_tell(world, SIM_EVENT_RESTORED, task, copy->member, copy->place - copy->told);
    }
    copy->told = copy->place;
}

/* No farther than the log, and, of a log that was compacted meanwhile, no farther back than the whole state: what is
 * passed over so was not read. */
static void keep_within_log(sim_world *world, uint32_t task, sim_copy *copy)
{
    double end = sim_log_end(world, task);
    double least = end - sim_state_bytes(world, task);
    copy->place = copy->place > end ? end : copy->place;
    if (copy->place < least) {
        copy->told += least - copy->place;
        copy->place = least;
    }
}

/* All places of the member's replays become those of now. */
static void bring_up(sim_world *world, uint32_t member)
{
    sim_member *it = &world->members[member];
    for (uint32_t i = 0; i < it->replay_count; i++) {
        sim_copy *copy = sim_find_copy(world, it->replays[i], member);
        copy->place = sim_place_now(world, it->replays[i], copy);
        keep_within_log(world, it->replays[i], copy);
    }
    it->replayed_us = world->now_us;
}

void sim_settle(sim_world *world, uint32_t member)
{
    sim_member *it = &world->members[member];
    bring_up(world, member);
    for (uint32_t i = 0; i < it->replay_count; i++) {
        tell_restored(world, it->replays[i], sim_find_copy(world, it->replays[i], member));
    }
}

/* How long until the copy is where something happens, in seconds; infinite when its log grows as fast. */
static double time_left(const sim_world *world, uint32_t task, const sim_copy *copy)
{
    int looks_for_ready = copy->role == SEGUE_LEARNER && !copy->is_ready;
    double goal = looks_for_ready ? world->acceptable_bytes : 0;
    double speed = share_of(&world->members[copy->member]) - log_rate(world, task);
    double lag = sim_lag(world, task, copy) - goal;
    return lag <= 0 ? 0 : speed <= 0 ? INFINITY : lag / speed;
}

/* Puts the member's next arrival on the agenda; what was there for it counts no more. Its replays are of now. */
static void plan_progress(sim_world *world, uint32_t member)
{
    sim_member *it = &world->members[member];
    double soonest = INFINITY;
    it->epoch++;
    for (uint32_t i = 0; i < it->replay_count; i++) {
        double left = time_left(world, it->replays[i], sim_find_copy(world, it->replays[i], member));
        soonest = left < soonest ? left : soonest;
    }
    double at_us = (double)world->now_us + ceil(soonest * US_IN_S);
    if (at_us < (double)world->scenario->until_us) {
        sim_put(world, (int64_t)at_us, SIM_DUE_PROGRESS, SEGUE_NONE, member, it->epoch);
    }
}

void sim_begin_replay(sim_world *world, uint32_t task, sim_copy *copy)
{
    sim_member *it = &world->members[copy->member];
    if (it->replay_count == it->replay_room) {
        uint32_t room = it->replay_room == 0 ? 16 : it->replay_room * 2;
        uint32_t *grown = realloc(it->replays, room * sizeof *grown);
        if (grown == NULL) {
            world->is_out_of_memory = 1;
            return;
        }
        it->replays = grown;
        it->replay_room = room;
    }
    bring_up(world, copy->member);
    /* Of a log that was compacted meanwhile no more than the whole state is read. */
    copy->place = sim_log_end(world, task) - sim_lag(world, task, copy);
    copy->told = copy->place;
    copy->is_replaying = 1;
    it->replays[it->replay_count++] = task;
    plan_progress(world, copy->member);
}

void sim_end_replay(sim_world *world, uint32_t task, sim_copy *copy)
{
    sim_member *it = &world->members[copy->member];
    bring_up(world, copy->member);
    tell_restored(world, task, copy);
    copy->is_replaying = 0;
    uint32_t at = 0;
    while (it->replays[at] != task) {
        at++;
    }
    it->replays[at] = it->replays[--it->replay_count];
    plan_progress(world, copy->member);
}

/* Its log begins or ends to grow, so those that replay it arrive at another time. */
void sim_set_runner(sim_world *world, uint32_t task, uint32_t runner)
{
    sim_task *it = &world->tasks[task];
    it->log = sim_log_end(world, task);
    it->log_us = world->now_us;
    it->runner = runner;
    for (uint32_t i = 0; i < it->count; i++) {
        if (it->copies[i].is_replaying) {
            bring_up(world, it->copies[i].member);
            plan_progress(world, it->copies[i].member);
        }
    }
}

void sim_run_task(sim_world *world, uint32_t task, uint32_t member)
{
    if (!world->is_at_rest && world->tasks[task].runner != member) {
        sim_set_runner(world, task, member);
        sim_tell(world, SIM_EVENT_RUN, task, member, 0);
    }
}

static void arrive(sim_world *world, uint32_t task, sim_copy *copy)
{
    sim_end_replay(world, task, copy);
    copy->is_whole = 1;
    sim_tell(world, SIM_EVENT_WHOLE, task, copy->member, 0);
    if (copy->role == SEGUE_ACTIVE) {
        sim_run_task(world, task, copy->member);
    }
}

void sim_look_for_ready(sim_world *world, uint32_t task, sim_copy *copy)
{
    if (copy->role == SEGUE_LEARNER && !copy->is_ready && sim_lag(world, task, copy) <= world->acceptable_bytes + NOTHING) {
        copy->is_ready = 1;
        world->ready_count++;
        sim_tell(world, SIM_EVENT_READY, task, copy->member, sim_lag(world, task, copy));
    }
}

void sim_progress(sim_world *world, uint32_t member)
{
    sim_member *it = &world->members[member];
    bring_up(world, member);
    for (uint32_t i = it->replay_count; i-- > 0;) {
        uint32_t task = it->replays[i];
        sim_copy *copy = sim_find_copy(world, task, member);
        sim_look_for_ready(world, task, copy);
        if (sim_lag(world, task, copy) == 0) {
            arrive(world, task, copy);
        }
    }
    plan_progress(world, member);
}

void sim_set_bandwidth(sim_world *world, uint32_t member, double bytes_per_s)
{
    bring_up(world, member);
    world->members[member].bytes_per_s = bytes_per_s;
    sim_tell(world, SIM_EVENT_DISK, SEGUE_NONE, member, bytes_per_s);
    plan_progress(world, member);
}
