/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan does to the copies of a group. */
#include "play_state.h"

const sim_copy *sim_find_owner(const sim_world *world, uint32_t task)
{
    for (uint32_t i = 0; i < world->tasks[task].count; i++) {
        if (world->tasks[task].copies[i].role == SEGUE_ACTIVE) {
            return &world->tasks[task].copies[i];
        }
    }
    return NULL;
}

void sim_put_aside(sim_world *world, uint32_t task, uint32_t member)
{
    if (world->group->task_stateful[task]) {
        sim_take_role(world, task, member, SEGUE_DORMANT);
    } else {
        sim_drop_copy(world, task, member);
    }
}

/* Copies that have had no role for long are deleted, as their holders do by themselves. */
static void clean_up(play *it)
{
    sim_world *world = &it->world;
    for (uint32_t task = 0; task < world->group->task_count; task++) {
        for (uint32_t i = world->tasks[task].count; i-- > 0;) {
            const sim_copy *copy = &world->tasks[task].copies[i];
            if (copy->role == SEGUE_DORMANT && world->members[copy->member].is_up &&
                copy->since_us + it->cluster->cleanup_us <= world->now_us) {
                sim_drop_copy(world, task, copy->member);
            }
        }
    }
}

static void give(play *it, uint32_t task, uint32_t member, int64_t open_us)
{
    sim_take_role(&it->world, task, member, SEGUE_ACTIVE);
    if (open_us == 0) {
        sim_open_task(&it->world, task, member);
    } else {
        sim_put(&it->world, it->world.now_us + open_us, SIM_DUE_OPENED, task, member, 0);
    }
}

static int is_standby(const segue_plan *plan, uint32_t task, uint32_t row)
{
    for (uint32_t i = plan->standby_start[task]; i < plan->standby_start[task + 1]; i++) {
        if (plan->standby_member[i] == row) {
            return 1;
        }
    }
    return 0;
}

/* The role of a member that is not to own the task. */
static uint8_t lesser_role(const segue_plan *plan, uint32_t task, uint32_t row)
{
    return plan->learner[task] == row ? SEGUE_LEARNER
           : is_standby(plan, task, row) ? SEGUE_STANDBY
                                         : SEGUE_DORMANT;
}

/* Copies that are there and for which the plan has another role than the owner's; `keep` stays as it is. */
static void demote(play *it, uint32_t task, uint32_t owner, uint32_t keep)
{
    sim_world *world = &it->world;
    for (uint32_t i = world->tasks[task].count; i-- > 0;) {
        uint32_t member = world->tasks[task].copies[i].member;
        uint32_t row = it->view.rows[member];
        if (member == owner || member == keep || row == SEGUE_NONE) {
            continue;
        }
        uint8_t role = lesser_role(it->plan, task, row);
        if (role == SEGUE_DORMANT) {
            sim_put_aside(world, task, member);
        } else {
            sim_take_role(world, task, member, role);
        }
    }
}

static void make_copies(play *it, uint32_t task)
{
    const segue_plan *plan = it->plan;
    for (uint32_t i = plan->standby_start[task]; i < plan->standby_start[task + 1]; i++) {
        sim_take_role(&it->world, task, it->view.members[plan->standby_member[i]], SEGUE_STANDBY);
    }
    if (plan->learner[task] != SEGUE_NONE) {
        sim_take_role(&it->world, task, it->view.members[plan->learner[task]], SEGUE_LEARNER);
    }
}

/* Applies the plan to one task. 1: its owner gives it up first, and another round has to give it away. */
static int apply_task(play *it, uint32_t task)
{
    sim_world *world = &it->world;
    const sim_copy *owner = sim_find_owner(world, task);
    uint32_t from = owner == NULL ? SEGUE_NONE : owner->member;
    uint32_t to = it->plan->active[task] == SEGUE_NONE ? SEGUE_NONE : it->view.members[it->plan->active[task]];
    int is_revoked = !it->cluster->is_eager && from != SEGUE_NONE && from != to;
    if (from != to) {
        sim_stop_task(world, task);
    }
    demote(it, task, is_revoked ? SEGUE_NONE : to, is_revoked ? to : SEGUE_NONE);
    make_copies(it, task);
    if (!is_revoked && to != SEGUE_NONE) {
        give(it, task, to, from == to || it->generation == 0 ? 0 : it->cluster->open_us);
    }
    return is_revoked;
}

static void tell_rebalance(play *it, const segue_report *report)
{
    const segue_plan *plan = it->plan;
    sim_rebalance about = {.group = &it->view.group, .plan = plan, .member_of = it->view.members,
                           .moves = plan->moves, .least_moves = plan->min_moves, .learners = plan->learners,
                           .members = it->view.group.member_count, .fallback = report->fallback,
                           .held_back = plan->held_back};
    sim_event event = {.at_us = it->world.now_us, .value = it->cause, .rebalance = &about, .task = SEGUE_NONE,
                       .member = SEGUE_NONE, .kind = SIM_EVENT_REBALANCE};
    for (sim_listener *one = it->world.listener; one != NULL; one = one->next) {
        one->tell(one->self, &event);
    }
}

static void apply(play *it)
{
    uint32_t revoked = 0;
    it->world.is_at_rest = 0;
    for (uint32_t task = 0; task < it->world.group->task_count; task++) {
        revoked += (uint32_t)apply_task(it, task);
    }
    it->world.makes_whole_copies = 0;
    it->generation++;
    if (revoked > 0) {
        sim_request(it, SIM_CAUSE_REVOKED, it->cluster->close_us + it->cluster->followup_us);
    } else {
        sim_let_empty_go(it);
    }
}

static void note_followup(play *it)
{
    if (it->plan->followup_needed && it->plan->followup_at_ms != SEGUE_TIME_NONE) {
        int64_t at_us = it->plan->followup_at_ms * 1000;
        int64_t least_us = it->world.now_us + 1000;
        sim_put(&it->world, at_us < least_us ? least_us : at_us, SIM_DUE_FOLLOWUP, SEGUE_NONE, SEGUE_NONE,
                it->generation);
    }
}

/* Decisions come for each copy that there is, and copies become more: the plan grows with them. It has room for the standbys
 * of everybody from the beginning, and keeps it, whoever is away when it grows. */
static int32_t make_room(play *it)
{
    segue_bound bound = {.size = sizeof bound};
    int32_t status = segue_host_bound(&it->view.group, it->world.config, &bound);
    if (status != SEGUE_OK || bound.decision_rows <= it->plan->decision_capacity) {
        return status;
    }
    segue_plan *grown = NULL;
    bound.standby_rows = it->plan->standby_capacity;
    bound.decision_rows *= 2;
    status = segue_plan_new(it->world.group->task_count, &bound, 1, &grown);
    if (status == SEGUE_OK) {
        segue_plan_free(it->plan);
        it->plan = grown;
    }
    return status;
}

int32_t sim_assign(play *it)
{
    char text[256];
    segue_report report = {.size = sizeof report, .text = text, .text_size = sizeof text};
    it->assign_us = SEGUE_TIME_NONE;
    clean_up(it);
    if (sim_view_fill(&it->view, &it->world) != 0) {
        it->world.is_out_of_memory = 1;
        return SEGUE_OK;
    }
    if (it->view.group.member_count == 0) {
        return SEGUE_OK;
    }
    if (it->player->decides && make_room(it) != SEGUE_OK) {
        it->world.is_out_of_memory = 1;
        return SEGUE_OK;
    }
    int32_t status = segue_host_assign(it->player->host, it->player->assignor, &it->view.group, it->world.config,
                                       it->plan, &report, it->error);
    if (status == SEGUE_OK) {
        tell_rebalance(it, &report);
        apply(it);
        note_followup(it);
    }
    return status;
}
