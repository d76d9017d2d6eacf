/* SPDX-License-Identifier: Apache-2.0 */
#include "core/view.h"

#include "core/buckets.h"

#include <string.h>

/* A task that more than one member claims; never leaves this file. */
#define CONTESTED (SEGUE_NONE - 1)

static int is_leaving(const segue_group *g, uint32_t member)
{
    return g->member_leaving_ms != NULL && g->member_leaving_ms[member] != SEGUE_TIME_NONE;
}

static int is_expired(const segue_group *g, uint32_t member)
{
    return is_leaving(g, member) && g->member_deadline_ms != NULL &&
           g->member_deadline_ms[member] != SEGUE_TIME_NONE && g->member_deadline_ms[member] <= g->now_ms;
}

static void set_threads(sgp_view *view)
{
    uint32_t all = 0;
    for (uint32_t m = 0; m < view->members; m++) {
        view->threads[m] = view->group->member_threads[m];
        all |= view->threads[m];
    }
    view->idle = all == 0;
    for (uint32_t m = 0; view->idle && m < view->members; m++) {
        view->threads[m] = 1;
    }
}

static void count_staying(sgp_view *view)
{
    view->staying = 0;
    view->capacity = 0;
    for (uint32_t m = 0; m < view->members; m++) {
        if (view->place[m] == SGP_STAYS) {
            view->staying++;
            view->capacity += view->threads[m];
        }
    }
}

/* Members with threads and a place of at least `least` count as staying; the others hold nothing. */
static void promote(sgp_view *view, const uint8_t *place, uint8_t least)
{
    for (uint32_t m = 0; m < view->members; m++) {
        view->place[m] = view->threads[m] > 0 && place[m] >= least ? SGP_STAYS : SGP_GONE;
    }
    count_staying(view);
}

static void set_places(sgp_view *view, int knows_leaving, uint8_t *scratch)
{
    const segue_group *g = view->group;
    for (uint32_t m = 0; m < view->members; m++) {
        int leaves = knows_leaving && is_leaving(g, m);
        uint8_t place = SGP_STAYS;
        if (leaves) {
            place = is_expired(g, m) ? SGP_GONE : SGP_LINGERS;
        }
        scratch[m] = place;
        view->place[m] = view->threads[m] == 0 ? (uint8_t)SGP_GONE : place;
    }
    count_staying(view);
    view->nobody_stays = view->staying == 0;
    for (uint8_t least = SGP_LINGERS; view->staying == 0 && view->members > 0; least--) {
        promote(view, scratch, least);
    }
}

static void index_processes(sgp_view *view)
{
    const uint32_t *process = view->group->member_process;
    memset(view->process_start, 0, ((size_t)view->processes + 1) * sizeof *view->process_start);
    memset(view->process_place, SGP_GONE, view->processes);
    for (uint32_t m = 0; m < view->members; m++) {
        view->process_start[process[m] + 1]++;
        if (view->place[m] > view->process_place[process[m]]) {
            view->process_place[process[m]] = view->place[m];
        }
    }
    sgp_buckets_open(view->process_start, view->processes);
    for (uint32_t m = view->members; m-- > 0;) {
        view->process_member[--view->process_start[process[m] + 1]] = m;
    }
    sgp_buckets_close(view->process_start, view->processes, view->members);
}

static int64_t row_lag(const segue_group *g, uint32_t row)
{
    if (g->copy_lag != NULL) {
        return g->copy_lag[row];
    }
    return g->copy_role[row] == SEGUE_ACTIVE ? 0 : SEGUE_LAG_UNKNOWN;
}

/* Owners, and in owner_lag[t] their lag; returns how many copies are not a sole owner's. */
static uint32_t find_owners(sgp_view *view)
{
    const segue_group *g = view->group;
    uint32_t others = 0;
    memset(view->owner, 0xff, (size_t)view->tasks * sizeof *view->owner);
    for (uint32_t m = 0; m < view->members; m++) {
        for (uint32_t r = g->copy_start[m]; r < g->copy_start[m + 1]; r++) {
            uint32_t task = g->copy_task[r];
            if (g->copy_role[r] != SEGUE_ACTIVE) {
                others++;
            } else if (view->owner[task] == SEGUE_NONE) {
                view->owner[task] = m;
            } else {
                others += view->owner[task] == CONTESTED ? 1 : 2;
                view->owner[task] = CONTESTED;
            }
        }
    }
    return others;
}

static int is_other(const sgp_view *view, uint32_t row)
{
    uint32_t task = view->group->copy_task[row];
    return sgp_stateful(view, task) &&
           (view->group->copy_role[row] != SEGUE_ACTIVE || view->owner[task] == CONTESTED);
}

/* Learners that run, in the group and on one member, up to a row. */
typedef struct runners {
    uint32_t all, here;
} runners;

static uint32_t count_runners(const sgp_view *view, uint32_t from, uint32_t to)
{
    uint32_t count = 0;
    for (uint32_t r = from; r < to; r++) {
        count += view->group->copy_role[r] == SEGUE_LEARNER && is_other(view, r);
    }
    return count;
}

/* A learner beyond the caps is a dormant copy from the start, so that no decision leans on one that has to stop. Walks
 * backwards, as the rows are written. */
static uint32_t role_within_caps(const sgp_view *view, uint32_t row, runners *left)
{
    if (view->group->copy_role[row] != SEGUE_LEARNER) {
        return view->group->copy_role[row];
    }
    uint32_t all = left->all--, here = left->here--;
    int fits = all <= view->config->max_learners && here <= view->config->max_learners_per_member;
    return fits ? SEGUE_LEARNER : SEGUE_DORMANT;
}

static void index_copies(sgp_view *view)
{
    const segue_group *g = view->group;
    uint32_t *start = view->copy_start;
    runners left = {count_runners(view, 0, g->copy_count), 0};
    for (uint32_t r = 0; r < g->copy_count; r++) {
        if (is_other(view, r)) {
            start[g->copy_task[r] + 1]++;
        }
    }
    uint32_t whole = sgp_buckets_open(start, view->tasks);
    for (uint32_t m = view->members; m-- > 0;) {
        left.here = count_runners(view, g->copy_start[m], g->copy_start[m + 1]);
        for (uint32_t r = g->copy_start[m + 1]; r-- > g->copy_start[m];) {
            if (is_other(view, r)) {
                sgp_copy copy = {row_lag(g, r), m, role_within_caps(view, r, &left)};
                view->copy[--start[g->copy_task[r] + 1]] = copy;
            }
        }
    }
    sgp_buckets_close(start, view->tasks, whole);
}

static void set_owner_lags(sgp_view *view)
{
    const segue_group *g = view->group;
    for (uint32_t m = 0; m < view->members; m++) {
        for (uint32_t r = g->copy_start[m]; r < g->copy_start[m + 1]; r++) {
            if (view->owner[g->copy_task[r]] == m && g->copy_role[r] == SEGUE_ACTIVE) {
                view->owner_lag[g->copy_task[r]] = row_lag(g, r);
            }
        }
    }
}

/* The nearest lag that members of each process tell of one task. */
typedef struct disks {
    uint32_t *task; /* by process: number of the task + 1 that `lag` is about */
    int64_t *lag;
} disks;

static void tell(disks *d, uint32_t process, uint32_t task, int64_t lag)
{
    int known = d->task[process] == task + 1;
    int nearer = known && lag >= 0 && (d->lag[process] < 0 || lag < d->lag[process]);
    if (!known || nearer) {
        d->lag[process] = lag;
    }
    d->task[process] = task + 1;
}

static void share_task(sgp_view *view, disks *d, uint32_t task)
{
    const uint32_t *process = view->group->member_process;
    uint32_t owner = view->owner[task];
    if (owner != SEGUE_NONE) {
        tell(d, process[owner], task, sgp_owner_lag(view, task));
    }
    for (uint32_t i = view->copy_start[task]; i < view->copy_start[task + 1]; i++) {
        tell(d, process[view->copy[i].member], task, view->copy[i].lag);
    }
    for (uint32_t i = view->copy_start[task]; i < view->copy_start[task + 1]; i++) {
        uint32_t disk = process[view->copy[i].member];
        view->copy[i].lag = view->process_place[disk] == SGP_STAYS ? d->lag[disk] : view->copy[i].lag;
    }
    if (owner != SEGUE_NONE && view->owner_lag != NULL && view->process_place[process[owner]] == SGP_STAYS) {
        view->owner_lag[task] = d->lag[process[owner]];
    }
}

/* Members of a process share a disk: what one of them knows of a copy holds for all, if one of them stays to use it.
 * Without this a task could be sent to and fro between two that tell different lags of the same files. */
static int32_t share_disks(sgp_view *view, sgp_region *region)
{
    if (view->copy_start == NULL || view->processes == view->members || view->nobody_stays) {
        return SEGUE_OK;
    }
    disks d = {SGP_TAKE_ZERO(region, uint32_t, view->processes), SGP_TAKE(region, int64_t, view->processes)};
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t t = 0; t < view->tasks; t++) {
        if (view->copy_start[t + 1] > view->copy_start[t]) {
            share_task(view, &d, t);
        }
    }
    return SEGUE_OK;
}

static void release_contested(sgp_view *view)
{
    for (uint32_t t = 0; t < view->tasks; t++) {
        if (view->owner[t] == CONTESTED) {
            view->owner[t] = SEGUE_NONE;
        }
    }
}

static void find_newcomers(sgp_view *view)
{
    const segue_group *g = view->group;
    for (uint32_t m = 0; m < view->members; m++) {
        int has_active = 0, learns = 0;
        for (uint32_t r = g->copy_start[m]; r < g->copy_start[m + 1] && !learns; r++) {
            uint32_t task = g->copy_task[r], owner = view->owner[task];
            if (sgp_stateful(view, task)) {
                has_active |= g->copy_role[r] == SEGUE_ACTIVE;
                learns |= g->copy_role[r] == SEGUE_LEARNER && owner != SEGUE_NONE && view->place[owner] == SGP_STAYS;
            }
        }
        view->newcomer[m] = (uint8_t)(!has_active || learns);
    }
}

static int any_owner_lags(const segue_group *g)
{
    if (g->copy_lag == NULL) {
        return 0;
    }
    for (uint32_t r = 0; r < g->copy_count; r++) {
        if (g->copy_lag[r] != 0 && g->copy_role[r] == SEGUE_ACTIVE) {
            return 1;
        }
    }
    return 0;
}

static int32_t index_tasks(sgp_view *view, sgp_region *region)
{
    uint32_t others = find_owners(view);
    if (others > 0) {
        view->copy_start = SGP_TAKE_ZERO(region, uint32_t, (size_t)view->tasks + 1);
        view->copy = SGP_TAKE(region, sgp_copy, others);
    }
    if (any_owner_lags(view->group)) {
        view->owner_lag = SGP_TAKE_ZERO(region, int64_t, view->tasks);
    }
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    if (others > 0) {
        index_copies(view);
        release_contested(view);
    }
    if (view->owner_lag != NULL) {
        set_owner_lags(view);
    }
    find_newcomers(view);
    return share_disks(view, region);
}

static void count_stateful(sgp_view *view)
{
    view->stateful_tasks = 0;
    for (uint32_t t = 0; t < view->tasks; t++) {
        view->stateful_tasks += view->group->task_stateful[t] != 0;
    }
}

int32_t sgp_view_build(sgp_view *view, const segue_group *group, const segue_config *config, int knows_leaving,
                       sgp_region *region)
{
    *view = (sgp_view){.group = group, .config = config, .tasks = group->task_count, .members = group->member_count,
                       .processes = group->process_count, .subtopologies = group->subtopology_count};
    view->threads = SGP_TAKE(region, uint32_t, view->members);
    view->place = SGP_TAKE(region, uint8_t, view->members);
    view->newcomer = SGP_TAKE(region, uint8_t, view->members);
    view->process_start = SGP_TAKE(region, uint32_t, (size_t)view->processes + 1);
    view->process_member = SGP_TAKE(region, uint32_t, view->members);
    view->process_place = SGP_TAKE(region, uint8_t, view->processes);
    view->owner = SGP_TAKE(region, uint32_t, view->tasks);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    set_threads(view);
    set_places(view, knows_leaving, view->newcomer);
    index_processes(view);
    count_stateful(view);
    return index_tasks(view, region);
}
