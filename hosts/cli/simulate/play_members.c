/* SPDX-License-Identifier: Apache-2.0 */
/* Members that start, end, are marked and leave, and what the group knows of it. */
#include <stdlib.h>

#include "play_state.h"

static void join(play *it, uint32_t member)
{
    sim_member *one = &it->world.members[member];
    one->is_known = 1;
    one->is_waiting = 0;
    sim_tell(&it->world, SIM_EVENT_JOIN, SEGUE_NONE, member, 0);
    sim_request(it, SIM_CAUSE_JOINED, it->cluster->rebalance_us);
}

static void start(play *it, uint32_t member)
{
    sim_member *one = &it->world.members[member];
    if (one->is_up) {
        return;
    }
    one->is_up = 1;
    one->leaving_us = one->deadline_us = SEGUE_TIME_NONE;
    sim_tell(&it->world, SIM_EVENT_UP, SEGUE_NONE, member, 0);
    if (!one->is_known) {
        join(it, member);
    } else if (it->cluster->has_static_members) {
        one->session++;
        sim_resume(&it->world, member);
    } else {
        one->is_waiting = 1;
    }
}

static void forget_roles(play *it, uint32_t member)
{
    sim_world *world = &it->world;
    for (uint32_t task = 0; task < world->group->task_count; task++) {
        if (sim_find_copy(world, task, member) != NULL) {
            sim_put_aside(world, task, member);
        }
    }
}

/* A static member comes back to its roles, and has to build everything anew. */
static void lose_disk(play *it, uint32_t member)
{
    sim_world *world = &it->world;
    for (uint32_t task = 0; task < world->group->task_count; task++) {
        const sim_copy *copy = sim_find_copy(world, task, member);
        if (copy != NULL) {
            uint8_t role = copy->role;
            sim_drop_copy(world, task, member);
            if (it->cluster->has_static_members && role != SEGUE_DORMANT) {
                sim_take_role(world, task, member, role);
            }
        }
    }
}

void sim_end_session(play *it, uint32_t member)
{
    sim_member *one = &it->world.members[member];
    one->is_known = 0;
    one->session++;
    forget_roles(it, member);
    sim_tell(&it->world, SIM_EVENT_GONE, SEGUE_NONE, member, 0);
    if (one->is_waiting) {
        join(it, member);
    } else {
        sim_request(it, SIM_CAUSE_LEFT, it->cluster->rebalance_us);
    }
}

/* Its process ends. What was on a lost disk is gone at once; in the group it stays until its session ends. */
static void stop(play *it, uint32_t member, int loses_disk)
{
    sim_member *one = &it->world.members[member];
    one->is_up = 0;
    one->is_waiting = 0;
    sim_tell(&it->world, SIM_EVENT_DOWN, SEGUE_NONE, member, loses_disk);
    sim_halt(&it->world, member);
    if (loses_disk) {
        lose_disk(it, member);
    }
}

static void let_go(play *it, uint32_t member, int loses_disk)
{
    if (!it->world.members[member].is_up) {
        return;
    }
    /* Whose old session is still there has not joined yet: it has nothing to leave. */
    int was_waiting = it->world.members[member].is_waiting;
    stop(it, member, loses_disk);
    if (!was_waiting) {
        sim_end_session(it, member);
    }
}

static void vanish(play *it, uint32_t member, int loses_disk)
{
    sim_member *one = &it->world.members[member];
    if (!one->is_up) {
        return;
    }
    int was_waiting = one->is_waiting;
    stop(it, member, loses_disk);
    if (!was_waiting) {
        sim_put(&it->world, it->world.now_us + it->cluster->session_us, SIM_DUE_SESSION, SEGUE_NONE, member,
                one->session);
    }
}

static void mark(play *it, uint32_t member, int64_t timeout_us)
{
    sim_member *one = &it->world.members[member];
    if (!one->is_up) {
        return;
    }
    one->leaving_us = it->world.now_us;
    one->deadline_us = timeout_us < 0 ? SEGUE_TIME_NONE : it->world.now_us + timeout_us;
    sim_tell(&it->world, SIM_EVENT_MARK, SEGUE_NONE, member, timeout_us < 0 ? -1 : (double)one->deadline_us);
    sim_request(it, SIM_CAUSE_MARKED, it->cluster->rebalance_us);
}

static void unmark(play *it, uint32_t member)
{
    sim_member *one = &it->world.members[member];
    if (one->leaving_us == SEGUE_TIME_NONE) {
        return;
    }
    one->leaving_us = one->deadline_us = SEGUE_TIME_NONE;
    sim_tell(&it->world, SIM_EVENT_UNMARK, SEGUE_NONE, member, 0);
    sim_request(it, SIM_CAUSE_MARKED, it->cluster->rebalance_us);
}

/* Who cannot be drained, since the assignor knows nothing of it, leaves as such members do today. */
static void drain(play *it, uint32_t member, int64_t timeout_us)
{
    if (it->player->traits & SEGUE_TRAIT_LEAVING) {
        mark(it, member, timeout_us);
    } else {
        let_go(it, member, 0);
    }
}

void sim_act(play *it, const sim_action *action)
{
    switch (action->deed) {
    case SIM_START:
        start(it, action->member);
        break;
    case SIM_LEAVE:
        let_go(it, action->member, action->number != 0);
        break;
    case SIM_CLOSE:
    case SIM_CRASH:
        vanish(it, action->member, action->number != 0);
        break;
    case SIM_DRAIN:
        drain(it, action->member, action->number);
        break;
    case SIM_CANCEL:
        unmark(it, action->member);
        break;
    default:
        sim_set_bandwidth(&it->world, action->member, (double)action->number);
    }
}


void sim_let_empty_go(play *it)
{
    sim_world *world = &it->world;
    uint8_t *is_owner = calloc((size_t)world->group->member_count + 1, 1);
    if (is_owner == NULL) {
        world->is_out_of_memory = 1;
        return;
    }
    for (uint32_t task = 0; task < world->group->task_count; task++) {
        const sim_copy *owner = sim_find_owner(world, task);
        if (owner != NULL) {
            is_owner[owner->member] = 1;
        }
    }
    for (uint32_t member = 0; member < world->group->member_count; member++) {
        const sim_member *one = &world->members[member];
        if (one->leaving_us != SEGUE_TIME_NONE && one->is_up && one->is_known && !is_owner[member]) {
            let_go(it, member, 0);
        }
    }
    free(is_owner);
}

int sim_waits_for_dead(const play *it)
{
    for (uint32_t member = 0; member < it->world.group->member_count; member++) {
        const sim_member *one = &it->world.members[member];
        if (one->is_known && (!one->is_up || one->is_waiting)) {
            return 1;
        }
    }
    return 0;
}
