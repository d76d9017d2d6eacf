/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include <stdlib.h>

#include "world_replay.h"

void sim_put(sim_world *world, int64_t at_us, uint32_t kind, uint32_t task, uint32_t member, uint64_t epoch)
{
    sim_due due = {.at_us = at_us, .epoch = epoch, .kind = kind, .task = task, .member = member};
    world->is_out_of_memory |= sim_agenda_put(&world->agenda, &due) != 0;
}

static void tell(sim_world *world, const sim_event *event)
{
    for (sim_listener *one = world->listener; one != NULL; one = one->next) {
        one->tell(one->self, event);
    }
}

void sim_tell(sim_world *world, uint32_t kind, uint32_t task, uint32_t member, double value)
{
    sim_event event = {.at_us = world->now_us, .value = value, .task = task, .member = member, .kind = (uint8_t)kind};
    tell(world, &event);
}

static void tell_role(sim_world *world, uint32_t task, uint32_t member, uint8_t role, double lag)
{
    sim_event event = {.at_us = world->now_us, .value = lag, .task = task, .member = member,
                       .kind = SIM_EVENT_ROLE, .role = role};
    tell(world, &event);
}

sim_copy *sim_find_copy(const sim_world *world, uint32_t task, uint32_t member)
{
    sim_task *it = &world->tasks[task];
    for (uint32_t i = 0; i < it->count; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): below the count each is written */
        if (it->copies[i].member == member) {
            return &it->copies[i];
        }
    }
    return NULL;
}

sim_copy *sim_add_copy(sim_world *world, uint32_t task, uint32_t member)
{
    sim_task *it = &world->tasks[task];
    if (it->count == it->room) {
        uint32_t room = it->room == 0 ? 4 : it->room * 2;
        sim_copy *grown = realloc(it->copies, room * sizeof *grown);
        if (grown == NULL) {
            world->is_out_of_memory = 1;
            return NULL;
        }
        it->copies = grown;
        it->room = room;
    }
    double place = sim_log_end(world, task) - (world->makes_whole_copies ? 0 : sim_state_bytes(world, task));
    it->copies[it->count] = (sim_copy){.place = place, .told = place, .member = member, .role = SIM_NO_ROLE};
    return &it->copies[it->count++];
}

/* It stands where it is from now on. */
static void end_following(sim_world *world, uint32_t task, sim_copy *copy)
{
    if (copy->is_replaying) {
        sim_end_replay(world, task, copy);
    }
    copy->place = sim_place_now(world, task, copy);
    copy->told = copy->place;
    copy->is_whole = 0;
}

static void begin_following(sim_world *world, uint32_t task, sim_copy *copy)
{
    if (copy->is_whole || copy->is_replaying || !world->members[copy->member].is_up) {
        return;
    }
    if (sim_lag(world, task, copy) > 0) {
        sim_begin_replay(world, task, copy);
    } else {
        copy->is_whole = 1;
        sim_tell(world, SIM_EVENT_WHOLE, task, copy->member, 0);
    }
}

static void forget_ready(sim_world *world, sim_copy *copy)
{
    world->ready_count -= copy->is_ready;
    copy->is_ready = 0;
}

sim_copy *sim_take_role(sim_world *world, uint32_t task, uint32_t member, uint8_t role)
{
    sim_copy *copy = sim_find_copy(world, task, member);
    copy = copy != NULL ? copy : sim_add_copy(world, task, member);
    if (copy == NULL || copy->role == role) {
        return copy;
    }
    forget_ready(world, copy);
    copy->role = role;
    copy->since_us = world->now_us;
    tell_role(world, task, member, role, sim_lag(world, task, copy));
    if (role == SEGUE_DORMANT || role == SEGUE_ACTIVE) {
        end_following(world, task, copy);
    } else {
        begin_following(world, task, copy);
        sim_look_for_ready(world, task, copy);
    }
    return copy;
}

void sim_drop_copy(sim_world *world, uint32_t task, uint32_t member)
{
    sim_task *it = &world->tasks[task];
    sim_copy *copy = sim_find_copy(world, task, member);
    forget_ready(world, copy);
    end_following(world, task, copy);
    tell_role(world, task, member, SIM_NO_ROLE, 0);
    *copy = it->copies[--it->count];
}

void sim_open_task(sim_world *world, uint32_t task, uint32_t member)
{
    sim_copy *copy = sim_find_copy(world, task, member);
    if (copy == NULL || copy->role != SEGUE_ACTIVE || !world->members[member].is_up) {
        return;
    }
    begin_following(world, task, copy);
    if (copy->is_whole) {
        sim_run_task(world, task, member);
    }
}

void sim_stop_task(sim_world *world, uint32_t task)
{
    uint32_t runner = world->tasks[task].runner;
    if (runner != SEGUE_NONE) {
        sim_set_runner(world, task, SEGUE_NONE);
        sim_tell(world, SIM_EVENT_STOP, task, runner, 0);
    }
}

void sim_halt(sim_world *world, uint32_t member)
{
    for (uint32_t task = 0; task < world->group->task_count; task++) {
        if (world->tasks[task].runner == member) {
            sim_stop_task(world, task);
        }
        sim_copy *copy = sim_find_copy(world, task, member);
        if (copy != NULL) {
            end_following(world, task, copy);
            forget_ready(world, copy);
        }
    }
}

void sim_resume(sim_world *world, uint32_t member)
{
    for (uint32_t task = 0; task < world->group->task_count; task++) {
        sim_copy *copy = sim_find_copy(world, task, member);
        if (copy != NULL && copy->role == SEGUE_ACTIVE) {
            sim_put(world, world->now_us + world->scenario->cluster.open_us, SIM_DUE_OPENED, task, member, 0);
        } else if (copy != NULL && copy->role != SEGUE_DORMANT) {
            begin_following(world, task, copy);
            sim_look_for_ready(world, task, copy);
        }
    }
}
