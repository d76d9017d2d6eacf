/* SPDX-License-Identifier: Apache-2.0 */
/* The loop: takes what is due, one after the other. */
#include "play.h"

#include <stdlib.h>

#include "error.h"
#include "play_state.h"

/* In the eager protocol everybody gives everything up before joining. */
static void stop_all(play *it)
{
    it->world.is_at_rest = 1;
    for (uint32_t task = 0; task < it->world.group->task_count; task++) {
        sim_stop_task(&it->world, task);
    }
}

void sim_request(play *it, uint32_t cause, int64_t delay_us)
{
    int64_t at_us = it->world.now_us + delay_us;
    int is_under_way = it->assign_us != SEGUE_TIME_NONE;
    if (is_under_way && it->assign_us <= at_us) {
        return;
    }
    if (!is_under_way) {
        it->cause = cause;
        if (it->cluster->is_eager) {
            stop_all(it);
        }
    }
    it->assign_us = at_us;
    sim_put(&it->world, at_us, SIM_DUE_ASSIGN, SEGUE_NONE, SEGUE_NONE, (uint64_t)at_us);
}

/* With learner.partial.rebalance=false a member asks when all its learners are ready, else when one is. */
static int is_worth_asking(const play *it)
{
    const sim_world *world = &it->world;
    if (world->ready_count == 0 || world->config->learner_partial_rebalance) {
        return world->ready_count > 0;
    }
    uint8_t *is_learning = calloc((size_t)world->group->member_count + 1, 1);
    uint8_t *is_ready = calloc((size_t)world->group->member_count + 1, 1);
    int found = 0;
    for (uint32_t task = 0; is_learning != NULL && is_ready != NULL && task < world->group->task_count; task++) {
        for (uint32_t i = 0; i < world->tasks[task].count; i++) {
            const sim_copy *copy = &world->tasks[task].copies[i];
            is_learning[copy->member] |= copy->role == SEGUE_LEARNER && !copy->is_ready;
            is_ready[copy->member] |= copy->is_ready;
        }
    }
    for (uint32_t member = 0; is_learning != NULL && is_ready != NULL && member < world->group->member_count; member++) {
        found |= is_ready[member] && !is_learning[member];
    }
    free(is_learning);
    free(is_ready);
    return found;
}

/* Readiness is gathered from the first one on. Asked after every turn, so no way to become ready is forgotten. */
static void gather(play *it, uint32_t ready_before)
{
    int is_new = it->world.ready_count > ready_before;
    if (it->hears_ready && is_new && !it->is_gathering && is_worth_asking(it)) {
        it->is_gathering = 1;
        sim_put(&it->world, it->world.now_us + it->cluster->ready_batch_us, SIM_DUE_READY, SEGUE_NONE, SEGUE_NONE, 0);
    }
}

/* What was replayed up to now is told before anything changes, so that it is known to which episode it belongs. */
static void settle_all(play *it)
{
    for (uint32_t member = 0; member < it->world.group->member_count; member++) {
        sim_settle(&it->world, member);
    }
}

static int32_t take_turn(play *it, const sim_due *due)
{
    const sim_scenario *scenario = it->world.scenario;
    switch (due->kind) {
    case SIM_DUE_ACTION:
        settle_all(it);
        sim_act(it, &scenario->actions[due->epoch]);
        if (due->epoch + 1 < scenario->action_count) {
            sim_put(&it->world, scenario->actions[due->epoch + 1].at_us, SIM_DUE_ACTION, SEGUE_NONE, SEGUE_NONE,
                    due->epoch + 1);
        }
        return SEGUE_OK;
    case SIM_DUE_PROGRESS:
        if (it->world.members[due->member].epoch == due->epoch) {
            sim_progress(&it->world, due->member);
        }
        return SEGUE_OK;
    case SIM_DUE_OPENED:
        sim_open_task(&it->world, due->task, due->member);
        return SEGUE_OK;
    case SIM_DUE_SESSION:
        if (it->world.members[due->member].session == due->epoch) {
            sim_end_session(it, due->member);
        }
        return SEGUE_OK;
    case SIM_DUE_READY:
        it->is_gathering = 0;
        if (is_worth_asking(it)) {
            sim_request(it, SIM_CAUSE_READY, it->cluster->rebalance_us);
        }
        return SEGUE_OK;
    case SIM_DUE_FOLLOWUP:
        if (it->generation == due->epoch) {
            sim_request(it, SIM_CAUSE_FOLLOWUP, it->cluster->rebalance_us);
        }
        return SEGUE_OK;
    default:
        /* An assignment that waits for a dead member comes with the rebalance that the end of its session asks for. */
        if (it->assign_us != due->at_us) {
            return SEGUE_OK;
        }
        it->assign_us = sim_waits_for_dead(it) ? SEGUE_TIME_NONE : it->assign_us;
        return it->assign_us == SEGUE_TIME_NONE ? SEGUE_OK : sim_assign(it);
    }
}

static void begin(play *it)
{
    const sim_scenario *scenario = it->world.scenario;
    int owns_anything = 0;
    for (uint32_t task = 0; task < it->world.group->task_count; task++) {
        owns_anything |= sim_find_owner(&it->world, task) != NULL;
    }
    it->generation = (uint64_t)owns_anything;
    it->world.makes_whole_copies = !owns_anything;
    sim_request(it, SIM_CAUSE_BEGIN, 0);
    if (scenario->action_count > 0) {
        sim_put(&it->world, scenario->actions[0].at_us, SIM_DUE_ACTION, SEGUE_NONE, SEGUE_NONE, 0);
    }
}

/* Where nothing more happens and a task is down, it is down until the scenario's end. */
static void wait_for_down(play *it)
{
    for (uint32_t task = 0; task < it->world.group->task_count; task++) {
        if (it->world.tasks[task].runner == SEGUE_NONE) {
            it->world.now_us = it->world.scenario->until_us;
        }
    }
}

static int32_t run(play *it)
{
    sim_due due;
    int32_t status = SEGUE_OK;
    begin(it);
    while (status == SEGUE_OK && !it->world.is_out_of_memory && sim_agenda_take(&it->world.agenda, &due)) {
        if (due.at_us > it->world.scenario->until_us) {
            it->world.now_us = it->world.scenario->until_us;
            break;
        }
        uint32_t ready_before = it->world.ready_count;
        it->world.now_us = due.at_us;
        status = take_turn(it, &due);
        gather(it, ready_before);
    }
    wait_for_down(it);
    settle_all(it);
    sim_tell(&it->world, SIM_EVENT_END, SEGUE_NONE, SEGUE_NONE, 0);
    return status == SEGUE_OK && it->world.is_out_of_memory ? sgi_fail(it->error, SEGUE_E_MEMORY, "no memory is left")
                                                            : status;
}

static int32_t set_up(play *it, const sim_scenario *scenario, sim_listener *listener)
{
    segue_bound bound = {.size = sizeof bound};
    const segue_config *own = it->player->config;
    const segue_config *config = own == NULL ? segue_document_config(scenario->group) : own;
    int is_open = sim_world_open(&it->world, scenario, config, listener) == 0 && sim_view_open(&it->view, &it->world) == 0;
    int32_t status = is_open ? segue_host_bound(it->world.group, it->world.config, &bound) : SEGUE_E_MEMORY;
    status = status == SEGUE_OK ? segue_plan_new(it->world.group->task_count, &bound, it->player->decides, &it->plan) : status;
    return status == SEGUE_OK ? status : sgi_fail(it->error, status, "no memory is left for %u tasks",
                                                  it->world.group == NULL ? 0 : it->world.group->task_count);
}

int32_t sim_play(const sim_player *player, const sim_scenario *scenario, sim_listener *listener, segue_error *error)
{
    play it = {.player = player, .cluster = &scenario->cluster, .error = error, .assign_us = SEGUE_TIME_NONE};
    uint32_t trigger = scenario->cluster.trigger;
    it.hears_ready = trigger == SIM_TRIGGER_READY || (trigger == SIM_TRIGGER_AUTO && !(player->traits & SEGUE_TRAIT_LOOSE));
    int32_t status = set_up(&it, scenario, listener);
    status = status == SEGUE_OK ? run(&it) : status;
    segue_plan_free(it.plan);
    sim_view_close(&it.view);
    sim_world_close(&it.world);
    return status;
}
