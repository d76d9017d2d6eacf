/* SPDX-License-Identifier: Apache-2.0 */
#include "core/view.h"

#include "core/buckets.h"
#include "core/disks.h"
#include "core/places.h"
#include "core/scan.h"

#include <string.h>

/* A task that more than one member claims; never leaves this file. */
#define CONTESTED (SEGUE_NONE - 1)

static int64_t row_lag(const segue_group *g, uint32_t row)
{
    if (g->copy_lag != NULL) {
        return g->copy_lag[row];
    }
    return g->copy_role[row] == SEGUE_ACTIVE ? 0 : SEGUE_LAG_UNKNOWN;
}

static uint8_t least_byte(const uint8_t *column, uint32_t count)
{
    uint8_t least = UINT8_MAX;
    for (uint32_t i = 0; i < count; i++) {
        least = column[i] < least ? column[i] : least;
    }
    return least;
}

static uint32_t count_unowned(const sgp_view *view)
{
    uint32_t unowned = 0;
    for (uint32_t from = 0, to; from < view->tasks; from = to) {
        to = sgp_scan_end(from, view->tasks);
        uint32_t here = sgp_scan_nones(view->owner, from, to);
        view->vacant[from / SGP_SCAN_BLOCK] = here > 0;
        unowned += here;
    }
    return unowned;
}

/* Every row taken for the one owner's. They are if there are as many owners as rows, which is the answer. */
static int claim_all(sgp_view *view)
{
    const uint32_t *start = view->group->copy_start, *task = view->group->copy_task, members = view->members;
    uint32_t *restrict owner = view->owner;
    memset(owner, 0xff, (size_t)view->tasks * sizeof *owner);
    for (uint32_t m = 0; m < members; m++) {
        for (const uint32_t *at = task + start[m], *end = task + start[m + 1]; at < end; at++) {
            owner[*at] = m;
        }
    }
    return view->tasks - count_unowned(view) == view->group->copy_count;
}

/*
 * Owners; returns how many copies are not a sole owner's. Roles come in no order that a processor could foresee, so that
 * there is no branch on them.
 */
static uint32_t find_owners(sgp_view *view)
{
    const segue_group *g = view->group;
    uint32_t *owner = view->owner, others = 0;
    memset(owner, 0xff, (size_t)view->tasks * sizeof *owner);
    for (uint32_t m = 0; m < view->members; m++) {
        for (uint32_t r = g->copy_start[m], end = g->copy_start[m + 1]; r < end; r++) {
            uint32_t task = g->copy_task[r], before = owner[task], claims = g->copy_role[r] == SEGUE_ACTIVE;
            uint32_t claimed = before == SEGUE_NONE ? m : CONTESTED;
            owner[task] = claims ? claimed : before;
            /* The first claim turns into another copy as soon as there is a second. */
            others += 1 - claims + (claims & (before != SEGUE_NONE)) + (claims & (before < CONTESTED));
        }
    }
    return others;
}

static int is_other(const sgp_view *view, uint32_t row)
{
    uint32_t task = view->group->copy_task[row];
    return ((view->group->copy_role[row] != SEGUE_ACTIVE) | (view->owner[task] == CONTESTED)) &
           sgp_stateful(view, task);
}

/* Learners that run, in the group and on one member, up to a row. */
typedef struct runners {
    uint32_t all, here;
} runners;

static int has_caps(const sgp_view *view)
{
    return view->config->max_learners != SEGUE_NO_LIMIT || view->config->max_learners_per_member != SEGUE_NO_LIMIT;
}

/* One that is ready needs no slot any more. */
static int needs_slot(const sgp_view *view, uint32_t row)
{
    return view->group->copy_role[row] == SEGUE_LEARNER && !sgp_hot(view, row_lag(view->group, row));
}

/* Where nothing limits them it does not matter how many there are. */
static uint32_t count_runners(const sgp_view *view, uint32_t from, uint32_t to)
{
    uint32_t count = 0;
    for (uint32_t r = from; has_caps(view) && r < to; r++) {
        count += (uint32_t)(needs_slot(view, r) && is_other(view, r));
    }
    return count;
}

/* A learner beyond the caps is a dormant copy from the start, so that no decision leans on one that has to stop. Walks
 * backwards, as the rows are written. */
static uint32_t role_within_caps(const sgp_view *view, uint32_t row, runners *left)
{
    if (!needs_slot(view, row)) {
        return view->group->copy_role[row];
    }
    uint32_t all = left->all--, here = left->here--;
    int fits = all <= view->config->max_learners && here <= view->config->max_learners_per_member;
    return fits ? SEGUE_LEARNER : SEGUE_DORMANT;
}

/* The rows that are others', and in start[t + 1] how many each task has. Returns how many there are. */
static uint32_t list_others(const sgp_view *view, uint32_t *list, uint32_t *start)
{
    const segue_group *g = view->group;
    uint32_t count = 0;
    for (uint32_t r = 0; r < g->copy_count; r++) {
        uint32_t other = (uint32_t)is_other(view, r);
        list[count] = r;
        count += other;
        start[g->copy_task[r] + 1] += other;
    }
    return count;
}

static void index_copies(sgp_view *view, uint32_t *list)
{
    const segue_group *g = view->group;
    uint32_t *start = view->copy_start, member = view->members, count = list_others(view, list, start);
    runners left = {count_runners(view, 0, g->copy_count), 0};
    uint32_t whole = sgp_buckets_open(start, view->tasks);
    while (count-- > 0) {
        uint32_t row = list[count];
        while (row < g->copy_start[member]) {
            member--;
            left.here = count_runners(view, g->copy_start[member], g->copy_start[member + 1]);
        }
        sgp_copy copy = {row_lag(g, row), member, role_within_caps(view, row, &left)};
        view->copy[--start[g->copy_task[row] + 1]] = copy;
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

static void release_contested(sgp_view *view)
{
    for (uint32_t t = 0; t < view->tasks; t++) {
        if (view->owner[t] == CONTESTED) {
            view->owner[t] = SEGUE_NONE;
        }
    }
}

static void find_newcomers(sgp_view *view, int sole_owners)
{
    const segue_group *g = view->group;
    const uint32_t members = sole_owners ? view->members : 0, *owned = view->owned[1];
    uint8_t *restrict newcomer = view->newcomer;
    for (uint32_t m = 0; m < members; m++) {
        newcomer[m] = owned[m] == 0;
    }
    for (uint32_t m = 0; !sole_owners && m < view->members; m++) {
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

static int any_owner_lags(const segue_group *g, int only_actives)
{
    if (g->copy_lag == NULL) {
        return 0;
    }
    if (only_actives) {
        int64_t bits = 0;
        for (uint32_t r = 0; r < g->copy_count; r++) {
            bits |= g->copy_lag[r];
        }
        return bits != 0;
    }
    for (uint32_t r = 0; r < g->copy_count; r++) {
        if (g->copy_lag[r] != 0 && g->copy_role[r] == SEGUE_ACTIVE) {
            return 1;
        }
    }
    return 0;
}

/* sole_owners: all rows are those of stateful tasks' one owner. */
static void count_owned(sgp_view *view, int sole_owners)
{
    const uint32_t *start = view->group->copy_start, members = sole_owners ? view->members : 0;
    uint32_t *restrict owned = view->owned[1];
    for (uint32_t m = 0; m < members; m++) {
        owned[m] = start[m + 1] - start[m];
    }
    if (!sole_owners) {
        memset(owned, 0, view->members * sizeof *owned);
    }
    for (uint32_t t = 0; !sole_owners && t < view->tasks; t++) {
        if (view->owner[t] != SEGUE_NONE) {
            view->owned[sgp_stateful(view, t)][view->owner[t]]++;
        }
    }
}

static int32_t index_others(sgp_view *view, uint32_t others, sgp_region *region)
{
    view->copy_start = SGP_TAKE_ZERO(region, uint32_t, (size_t)view->tasks + 1);
    view->copy = SGP_TAKE(region, sgp_copy, others);
    uint32_t *list = SGP_TAKE(region, uint32_t, (size_t)others + 1);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    index_copies(view, list);
    release_contested(view);
    return SEGUE_OK;
}

/* Whoever has the only copy of a task, and stays, serves on whatever it lags by. Where nobody asks for more, lags are not
 * looked at: they are the largest column. */
static int needs_lags(const sgp_view *view, int only_moves)
{
    return !only_moves || view->stateful_tasks < view->tasks || view->staying < view->members || view->nobody_stays ||
           view->processes < view->members;
}

static int32_t index_tasks(sgp_view *view, int only_moves, uint32_t *room, sgp_region *region)
{
    const segue_group *g = view->group;
    int only_actives = least_byte(g->copy_role, g->copy_count) >= SEGUE_ACTIVE;
    int lags_first = !only_actives || needs_lags(view, only_moves);
    /* They would drive the owners out of the caches. */
    int owners_lag = lags_first && any_owner_lags(g, only_actives);
    uint32_t *own = view->owner;
    view->owner = room != NULL ? room : own;
    int sole_owners = only_actives && claim_all(view);
    view->owner = sole_owners ? view->owner : own;
    owners_lag |= !lags_first && !sole_owners && any_owner_lags(g, only_actives);
    uint32_t others = sole_owners ? 0 : find_owners(view);
    if (others > 0 && index_others(view, others, region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    if (owners_lag) {
        view->owner_lag = SGP_TAKE_ZERO(region, int64_t, view->tasks);
        if (region->failed) {
            return SEGUE_E_MEMORY;
        }
        set_owner_lags(view);
    }
    sole_owners = sole_owners && view->stateful_tasks == view->tasks;
    count_owned(view, sole_owners);
    find_newcomers(view, sole_owners);
    return sgp_disks_share(view, region);
}

/* Most groups are all of a kind, and asking that is quicker than counting. */
static void count_stateful(sgp_view *view)
{
    const uint32_t tasks = view->tasks;
    const uint8_t *stateful = view->group->task_stateful;
    int stateless = least_byte(stateful, tasks) == 0;
    uint32_t count = stateless ? 0 : tasks;
    for (uint32_t t = 0; stateless && t < tasks; t++) {
        count += stateful[t] != 0;
    }
    view->stateful_tasks = count;
}

/* The first task behind `at` that belongs to another subtopology: steps that double, then halves. */
static uint32_t end_of_subtopology(const sgp_view *view, uint32_t at)
{
    const uint32_t *subtopology = view->group->task_subtopology;
    uint32_t low = at, high = view->tasks;
    for (uint32_t step = 1; view->tasks - low > step; step *= 2) {
        if (subtopology[low + step] != subtopology[at]) {
            high = low + step;
            break;
        }
        low += step;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(subtopology[middle] == subtopology[at] ? &low : &high) = middle;
    }
    return high;
}

static void index_subtopologies(sgp_view *view)
{
    uint32_t *start = view->subtopology_start, next = 0;
    for (uint32_t t = 0; t < view->tasks; t = end_of_subtopology(view, t)) {
        for (; next <= view->group->task_subtopology[t]; next++) {
            start[next] = t;
        }
    }
    for (; next <= view->subtopologies; next++) {
        start[next] = view->tasks;
    }
}

int32_t sgp_view_build(sgp_view *view, const segue_group *group, const segue_config *config, int knows_leaving,
                       int only_moves, uint32_t *room, sgp_region *region)
{
    *view = (sgp_view){.group = group, .config = config, .tasks = group->task_count, .members = group->member_count,
                       .processes = group->process_count, .subtopologies = group->subtopology_count,
                       .row_start = group->copy_start, .row_task = group->copy_task};
    view->newcomer = SGP_TAKE(region, uint8_t, view->members);
    view->owned[0] = SGP_TAKE_ZERO(region, uint32_t, view->members);
    view->owned[1] = SGP_TAKE(region, uint32_t, view->members);
    view->owner = SGP_TAKE(region, uint32_t, view->tasks);
    view->vacant = SGP_TAKE(region, uint8_t, (size_t)view->tasks / SGP_SCAN_BLOCK + 1);
    view->subtopology_start = SGP_TAKE(region, uint32_t, (size_t)view->subtopologies + 1);
    if (region->failed || sgp_places_build(view, knows_leaving, region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    count_stateful(view);
    index_subtopologies(view);
    return index_tasks(view, only_moves, room, region);
}
