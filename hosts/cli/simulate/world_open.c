/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning: who is up, and what is on whose disk. */
#include <stdlib.h>

#include "group.h"
#include "world_replay.h"

static void place_copy(sim_world *world, uint32_t member, uint32_t row)
{
    const segue_group *group = world->group;
    uint32_t task = group->copy_task[row];
    int64_t records = sgi_copy_lag(group, row);
    int is_up = world->members[member].is_up;
    /* Of several that claim a task the first one has it. */
    int is_claimed = group->copy_role[row] == SEGUE_ACTIVE && world->owned[task];
    uint8_t role = is_up && !is_claimed ? group->copy_role[row] : SEGUE_DORMANT;
    if (!group->task_stateful[task] && role != SEGUE_ACTIVE) {
        return;
    }
    sim_copy *copy = sim_add_copy(world, task, member);
    if (copy != NULL) {
        double lag = (double)records * world->scenario->cluster.record_bytes;
        double whole = sim_state_bytes(world, task);
        copy->place = -(records == SEGUE_LAG_UNKNOWN || lag > whole ? whole : lag);
        copy->told = copy->place;
        world->owned[task] |= role == SEGUE_ACTIVE;
        sim_take_role(world, task, member, role);
    }
}

static void open_members(sim_world *world)
{
    for (uint32_t member = 0; member < world->group->member_count; member++) {
        sim_member *it = &world->members[member];
        it->bytes_per_s = world->scenario->cluster.restore_bytes_per_s;
        it->leaving_us = it->deadline_us = SEGUE_TIME_NONE;
        it->is_up = it->is_known = !world->scenario->is_absent[member];
        sim_tell(world, SIM_EVENT_DISK, SEGUE_NONE, member, it->bytes_per_s);
        if (it->is_up) {
            sim_tell(world, SIM_EVENT_UP, SEGUE_NONE, member, 0);
            sim_tell(world, SIM_EVENT_JOIN, SEGUE_NONE, member, 0);
        }
    }
}

static void open_copies(sim_world *world)
{
    const segue_group *group = world->group;
    for (uint32_t member = 0; member < group->member_count; member++) {
        for (uint32_t row = group->copy_start[member]; row < group->copy_start[member + 1]; row++) {
            place_copy(world, member, row);
        }
    }
    for (uint32_t task = 0; task < group->task_count; task++) {
        for (uint32_t i = 0; i < world->tasks[task].count; i++) {
            sim_open_task(world, task, world->tasks[task].copies[i].member);
        }
    }
}

int sim_world_open(sim_world *world, const sim_scenario *scenario, const segue_config *config, sim_listener *listener)
{
    const segue_group *group = segue_document_group(scenario->group);
    *world = (sim_world){.scenario = scenario, .group = group, .config = config, .listener = listener};
    world->acceptable_bytes = (double)world->config->acceptable_recovery_lag * scenario->cluster.record_bytes;
    world->tasks = calloc((size_t)group->task_count + 1, sizeof *world->tasks);
    world->members = calloc((size_t)group->member_count + 1, sizeof *world->members);
    world->owned = calloc((size_t)group->task_count + 1, 1);
    if (world->tasks == NULL || world->members == NULL || world->owned == NULL) {
        return -1;
    }
    for (uint32_t task = 0; task < group->task_count; task++) {
        world->tasks[task].runner = SEGUE_NONE;
    }
    open_members(world);
    open_copies(world);
    return world->is_out_of_memory ? -1 : 0;
}

void sim_world_close(sim_world *world)
{
    for (uint32_t task = 0; world->tasks != NULL && task < world->group->task_count; task++) {
        free(world->tasks[task].copies);
    }
    for (uint32_t member = 0; world->members != NULL && member < world->group->member_count; member++) {
        free(world->members[member].replays);
    }
    free(world->tasks);
    free(world->members);
    free(world->owned);
    sim_agenda_free(&world->agenda);
    *world = (sim_world){0};
}
