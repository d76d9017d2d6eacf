/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "group.h"

#define US_IN_S 1e6

/* Half a byte: below it a copy has arrived, whatever rounding says. */
#define NOTHING 0.5

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

/* ---- logs -------------------------------------------------------------------------------------------------------- */

static double log_rate(const sim_world *world, uint32_t task)
{
    return world->tasks[task].runner == SEGUE_NONE ? 0 : world->scenario->cluster.write_bytes_per_s;
}

static double log_end(const sim_world *world, uint32_t task)
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

/* ---- replays ----------------------------------------------------------------------------------------------------- */

/* Bytes a second of each of the member's replays. */
static double share_of(const sim_member *it)
{
    return it->bytes_per_s / it->replay_count;
}

static double place_now(const sim_world *world, uint32_t task, const sim_copy *copy)
{
    if (copy->is_whole) {
        return log_end(world, task);
    }
    const sim_member *it = &world->members[copy->member];
    double replayed = copy->is_replaying ? share_of(it) * (double)(world->now_us - it->replayed_us) / US_IN_S : 0;
    return copy->place + replayed;
}

double sim_lag(const sim_world *world, uint32_t task, const sim_copy *copy)
{
    double lag = log_end(world, task) - place_now(world, task, copy);
    double whole = sim_state_bytes(world, task);
    return lag < NOTHING ? 0 : lag > whole ? whole : lag;
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
    double end = log_end(world, task);
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
        copy->place = place_now(world, it->replays[i], copy);
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

static void begin_replay(sim_world *world, uint32_t task, sim_copy *copy)
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
    copy->place = log_end(world, task) - sim_lag(world, task, copy);
    copy->told = copy->place;
    copy->is_replaying = 1;
    it->replays[it->replay_count++] = task;
    plan_progress(world, copy->member);
}

static void end_replay(sim_world *world, uint32_t task, sim_copy *copy)
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
static void set_runner(sim_world *world, uint32_t task, uint32_t runner)
{
    sim_task *it = &world->tasks[task];
    it->log = log_end(world, task);
    it->log_us = world->now_us;
    it->runner = runner;
    for (uint32_t i = 0; i < it->count; i++) {
        if (it->copies[i].is_replaying) {
            bring_up(world, it->copies[i].member);
            plan_progress(world, it->copies[i].member);
        }
    }
}

static void run(sim_world *world, uint32_t task, uint32_t member)
{
    if (!world->is_at_rest && world->tasks[task].runner != member) {
        set_runner(world, task, member);
        sim_tell(world, SIM_EVENT_RUN, task, member, 0);
    }
}

static void arrive(sim_world *world, uint32_t task, sim_copy *copy)
{
    end_replay(world, task, copy);
    copy->is_whole = 1;
    sim_tell(world, SIM_EVENT_WHOLE, task, copy->member, 0);
    if (copy->role == SEGUE_ACTIVE) {
        run(world, task, copy->member);
    }
}

static void look_for_ready(sim_world *world, uint32_t task, sim_copy *copy)
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
        look_for_ready(world, task, copy);
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

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static sim_copy *add_copy(sim_world *world, uint32_t task, uint32_t member)
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
    double place = log_end(world, task) - (world->makes_whole_copies ? 0 : sim_state_bytes(world, task));
    it->copies[it->count] = (sim_copy){.place = place, .told = place, .member = member, .role = SIM_NO_ROLE};
    return &it->copies[it->count++];
}

/* It stands where it is from now on. */
static void end_following(sim_world *world, uint32_t task, sim_copy *copy)
{
    if (copy->is_replaying) {
        end_replay(world, task, copy);
    }
    copy->place = place_now(world, task, copy);
    copy->told = copy->place;
    copy->is_whole = 0;
}

static void begin_following(sim_world *world, uint32_t task, sim_copy *copy)
{
    if (copy->is_whole || copy->is_replaying || !world->members[copy->member].is_up) {
        return;
    }
    if (sim_lag(world, task, copy) > 0) {
        begin_replay(world, task, copy);
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
    copy = copy != NULL ? copy : add_copy(world, task, member);
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
        look_for_ready(world, task, copy);
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
        run(world, task, member);
    }
}

void sim_stop_task(sim_world *world, uint32_t task)
{
    uint32_t runner = world->tasks[task].runner;
    if (runner != SEGUE_NONE) {
        set_runner(world, task, SEGUE_NONE);
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
            look_for_ready(world, task, copy);
        }
    }
}

/* ---- the beginning ----------------------------------------------------------------------------------------------- */

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
    sim_copy *copy = add_copy(world, task, member);
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
