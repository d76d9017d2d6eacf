/* SPDX-License-Identifier: Apache-2.0 */
#include "view.h"

#include <math.h>
#include <stdlib.h>

enum { US_IN_MS = 1000 };

/* One allocation with all columns that have a row for each member. */
int sim_view_open(sim_view *view, const sim_world *world)
{
    size_t members = (size_t)world->group->member_count + 1;
    size_t words = members * (8 + world->group->tag_count);
    *view = (sim_view){0};
    view->memory = calloc(1, members * 2 * sizeof(int64_t) + words * sizeof(uint32_t));
    if (view->memory == NULL) {
        return -1;
    }
    view->leaving_ms = view->memory;
    view->deadline_ms = view->leaving_ms + members;
    uint32_t *word = (uint32_t *)(view->deadline_ms + members);
    view->members = word;
    view->rows = word + members;
    view->copy_start = word + members * 2;
    view->name = word + members * 3;
    view->process = word + members * 4;
    view->process_name = word + members * 5;
    view->threads = word + members * 6;
    view->rack = word + members * 7;
    view->tag = word + members * 8;
    return 0;
}

static uint32_t pick_members(sim_view *view, const sim_world *world)
{
    uint32_t count = 0;
    for (uint32_t member = 0; member < world->group->member_count; member++) {
        int is_there = world->members[member].is_known && world->members[member].is_up;
        view->rows[member] = is_there ? count : SEGUE_NONE;
        view->members[count] = member;
        count += (uint32_t)is_there;
    }
    return count;
}

static int64_t in_ms(int64_t us)
{
    return us == SEGUE_TIME_NONE ? SEGUE_TIME_NONE : us / US_IN_MS;
}

static void fill_members(sim_view *view, const sim_world *world, uint32_t count)
{
    const segue_group *all = world->group;
    for (uint32_t row = 0; row < count; row++) {
        uint32_t member = view->members[row];
        view->name[row] = all->member_name[member];
        view->process[row] = row;
        view->process_name[row] = all->process_name[all->member_process[member]];
        view->threads[row] = all->member_threads[member];
        view->rack[row] = all->member_rack == NULL ? SEGUE_NONE : all->member_rack[member];
        view->leaving_ms[row] = in_ms(world->members[member].leaving_us);
        view->deadline_ms[row] = in_ms(world->members[member].deadline_us);
        for (uint32_t tag = 0; tag < all->tag_count; tag++) {
            view->tag[(size_t)tag * count + row] = all->member_tag[(size_t)tag * all->member_count + member];
        }
    }
}

/* Copies of those who are there, by their rows: counts become starts. */
static uint32_t count_copies(sim_view *view, const sim_world *world, uint32_t count)
{
    for (uint32_t row = 0; row <= count; row++) {
        view->copy_start[row] = 0;
    }
    for (uint32_t task = 0; task < world->group->task_count; task++) {
        for (uint32_t i = 0; i < world->tasks[task].count; i++) {
            uint32_t row = view->rows[world->tasks[task].copies[i].member];
            view->copy_start[row == SEGUE_NONE ? 0 : row + 1] += row != SEGUE_NONE;
        }
    }
    for (uint32_t row = 0; row < count; row++) {
        view->copy_start[row + 1] += view->copy_start[row];
    }
    return view->copy_start[count];
}

static int make_room(sim_view *view, uint32_t copies)
{
    if (copies <= view->copy_room && view->copy_task != NULL) {
        return 0;
    }
    uint32_t room = copies + copies / 2 + 16;
    free(view->copy_task);
    free(view->copy_role);
    free(view->copy_lag);
    view->copy_task = malloc(room * sizeof *view->copy_task);
    view->copy_role = malloc(room);
    view->copy_lag = malloc(room * sizeof *view->copy_lag);
    view->copy_room = room;
    return view->copy_task != NULL && view->copy_role != NULL && view->copy_lag != NULL ? 0 : -1;
}

/* Tasks come in order, so each member's rows do. The starts serve as places to write at, and are put back. */
static void fill_copies(sim_view *view, const sim_world *world, uint32_t count)
{
    for (uint32_t task = 0; task < world->group->task_count; task++) {
        for (uint32_t i = 0; i < world->tasks[task].count; i++) {
            const sim_copy *copy = &world->tasks[task].copies[i];
            uint32_t row = view->rows[copy->member];
            if (row != SEGUE_NONE) {
                uint32_t at = view->copy_start[row]++;
                view->copy_task[at] = task;
                view->copy_role[at] = copy->role;
                view->copy_lag[at] = (int64_t)ceil(sim_lag(world, task, copy) / world->scenario->cluster.record_bytes);
            }
        }
    }
    for (uint32_t row = count; row > 0; row--) {
        view->copy_start[row] = view->copy_start[row - 1];
    }
    view->copy_start[0] = 0;
}

int sim_view_fill(sim_view *view, const sim_world *world)
{
    uint32_t count = pick_members(view, world);
    fill_members(view, world, count);
    uint32_t copies = count_copies(view, world, count);
    if (make_room(view, copies) != 0) {
        return -1;
    }
    fill_copies(view, world, count);
    segue_group *group = &view->group;
    *group = *world->group;
    group->now_ms = world->now_us / US_IN_MS;
    group->member_count = group->process_count = count;
    group->copy_count = copies;
    group->member_name = view->name;
    group->member_process = view->process;
    group->process_name = view->process_name;
    group->member_threads = view->threads;
    group->member_rack = world->group->member_rack == NULL ? NULL : view->rack;
    group->member_leaving_ms = view->leaving_ms;
    group->member_deadline_ms = view->deadline_ms;
    group->member_tag = world->group->tag_count == 0 ? NULL : view->tag;
    group->copy_start = view->copy_start;
    group->copy_task = view->copy_task;
    group->copy_role = view->copy_role;
    group->copy_lag = view->copy_lag;
    return 0;
}

void sim_view_close(sim_view *view)
{
    free(view->memory);
    free(view->copy_task);
    free(view->copy_role);
    free(view->copy_lag);
    *view = (sim_view){0};
}
