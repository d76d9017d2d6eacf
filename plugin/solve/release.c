/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/release.h"

#include "core/buckets.h"
#include "core/sort.h"

#include <string.h>

/* Tasks of one subtopology that one giver serves. */
typedef struct lot {
    uint32_t subtopology, held, out;
    uint32_t end; /* behind the last of them in the list of the giver's tasks */
} lot;

typedef struct lots {
    const uint32_t *start, *task; /* by member: its tasks, ascending; there may be others among them */
    lot *list;                    /* of the giver that is being looked at, by subtopology */
    uint32_t count;
    uint32_t *subtopology_tasks;
    uint32_t *pending; /* by subtopology: pending tasks so far */
    uint64_t *order, *spare;
} lots;

static int gives(const sgp_balance *b, uint32_t task, uint32_t member)
{
    return sgp_is_kind(b, task) && b->target[task] == member && sgp_server(b, task) == member;
}

/* What members serve lies in their own rows of the group, unless they share disks and took over another's copy. */
static int has_own_rows(const sgp_view *view)
{
    return view->row_start != NULL && view->processes == view->members;
}

static int32_t list_tasks(const sgp_balance *b, const uint32_t *give, lots *l)
{
    const sgp_view *view = b->view;
    if (has_own_rows(view)) {
        l->start = view->row_start;
        l->task = view->row_task;
        return SEGUE_OK;
    }
    uint32_t *start = SGP_TAKE_ZERO(b->region, uint32_t, (size_t)view->members + 1);
    uint32_t *task = SGP_TAKE(b->region, uint32_t, view->tasks);
    if (b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t t = 0; t < view->tasks; t++) {
        uint32_t member = sgp_is_kind(b, t) ? b->target[t] : SEGUE_NONE;
        if (member != SEGUE_NONE && give[member] > 0) {
            start[member + 1]++;
        }
    }
    uint32_t rows = sgp_buckets_open(start, view->members);
    for (uint32_t t = view->tasks; t-- > 0;) {
        uint32_t member = sgp_is_kind(b, t) ? b->target[t] : SEGUE_NONE;
        if (member != SEGUE_NONE && give[member] > 0) {
            task[--start[member + 1]] = t;
        }
    }
    sgp_buckets_close(start, view->members, rows);
    l->start = start;
    l->task = task;
    return SEGUE_OK;
}

static void count_kind(const sgp_balance *b, lots *l)
{
    const uint32_t *start = b->view->subtopology_start;
    if (b->kind_tasks != NULL) {
        memcpy(l->subtopology_tasks, b->kind_tasks, b->view->subtopologies * sizeof *l->subtopology_tasks);
    }
    for (uint32_t s = 0; b->kind_tasks == NULL && sgp_is_only_kind(b) && s < b->view->subtopologies; s++) {
        l->subtopology_tasks[s] = start[s + 1] - start[s];
    }
    for (uint32_t t = 0; b->kind_tasks == NULL && !sgp_is_only_kind(b) && t < b->view->tasks; t++) {
        l->subtopology_tasks[b->view->group->task_subtopology[t]] += (uint32_t)sgp_is_kind(b, t);
    }
    for (uint32_t t = 0; b->pending > 0 && t < b->view->tasks; t++) {
        l->pending[b->view->group->task_subtopology[t]] += sgp_is_kind(b, t) && b->target[t] == SEGUE_NONE;
    }
}

static void find_lots(const sgp_balance *b, lots *l, uint32_t member)
{
    const uint32_t *subtopology = b->view->group->task_subtopology;
    l->count = 0;
    for (uint32_t r = l->start[member]; r < l->start[member + 1]; r++) {
        uint32_t task = l->task[r];
        if (!gives(b, task, member)) {
            continue;
        }
        if (l->count == 0 || l->list[l->count - 1].subtopology != subtopology[task]) {
            l->list[l->count++] = (lot){.subtopology = subtopology[task]};
        }
        l->list[l->count - 1].held++;
        l->list[l->count - 1].end = r + 1;
    }
}

/* Held above the member's share of the subtopology, in units of 1 / (tasks of the kind). */
static int64_t excess(const sgp_balance *b, const lots *l, const lot *at, uint32_t member)
{
    int64_t share = (int64_t)((uint64_t)l->subtopology_tasks[at->subtopology] * b->want[member]);
    return (int64_t)(at->held - at->out) * b->count - share;
}

static uint64_t put(lots *l, lot *at, uint32_t tasks)
{
    at->out += tasks;
    l->pending[at->subtopology] += tasks;
    return tasks;
}

/* Gives up whole tasks above the share, largest excess first, at most `left`. */
static uint32_t give_whole(sgp_balance *b, lots *l, uint32_t member, uint32_t left)
{
    uint64_t whole = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        int64_t above = excess(b, l, &l->list[i], member);
        whole += above > 0 ? (uint64_t)above / b->count : 0;
    }
    /* More than there is to give: lower every excess by the same level, found by halving. */
    uint64_t level = 0, top = (uint64_t)b->count;
    while (whole > left && level < top) {
        uint64_t middle = level + (top - level) / 2, sum = 0;
        for (uint32_t i = 0; i < l->count; i++) {
            int64_t above = excess(b, l, &l->list[i], member);
            uint64_t tasks = above > 0 ? (uint64_t)above / b->count : 0;
            sum += tasks > middle ? tasks - middle : 0;
        }
        if (sum > left) {
            level = middle + 1;
        } else {
            top = middle;
        }
    }
    for (uint32_t i = 0; i < l->count; i++) {
        lot *at = &l->list[i];
        int64_t above = excess(b, l, at, member);
        uint64_t tasks = above > 0 ? (uint64_t)above / b->count : 0;
        left -= tasks > level ? (uint32_t)put(l, at, (uint32_t)(tasks - level)) : 0;
    }
    return left;
}

/* One more task of as many subtopologies as it takes: those above the share first, then the least pending. */
static uint32_t give_parts(sgp_balance *b, lots *l, uint32_t member, uint32_t left)
{
    uint32_t candidates = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const lot *at = &l->list[i];
        if (at->out == at->held) {
            continue;
        }
        int64_t above = excess(b, l, at, member);
        uint64_t steps = above > 0 ? ((uint64_t)above + b->count - 1) / b->count : 0;
        uint64_t below = steps > 255 ? 0 : 255 - steps;
        /* How full the pool is of this subtopology, against an even pool: 24 bits of fraction. */
        uint64_t filled = ((uint64_t)l->pending[at->subtopology] << 20) / l->subtopology_tasks[at->subtopology];
        l->order[candidates++] = below << 56 | (filled > 0xffffff ? 0xffffff : filled) << 32 | i;
    }
    sgp_sort_above(32, l->order, l->spare, candidates);
    for (uint32_t i = 0; i < candidates && left > 0; i++, left--) {
        put(l, &l->list[l->order[i] & 0xffffffff], 1);
    }
    return left;
}

/* Turns the lots' numbers into pending tasks: of each lot the last ones, so that owners keep their lowest. */
static void apply(sgp_balance *b, const lots *l, uint32_t member)
{
    for (uint32_t i = 0; i < l->count; i++) {
        const lot *at = &l->list[i];
        for (uint32_t r = at->end, left = at->out; left > 0; r--) {
            if (gives(b, l->task[r - 1], member)) {
                sgp_give_up(b, l->task[r - 1]);
                left--;
            }
        }
    }
}

static int32_t take_columns(const sgp_balance *b, const uint32_t *give, lots *l)
{
    const sgp_view *view = b->view;
    size_t most = 0;
    for (uint32_t m = 0; (m = sgp_scan_above_none(give, m, view->members)) < view->members; m++) {
        most = b->load[m] > most ? b->load[m] : most;
    }
    *l = (lots){0};
    l->list = SGP_TAKE(b->region, lot, most);
    l->order = SGP_TAKE(b->region, uint64_t, most);
    l->spare = SGP_TAKE(b->region, uint64_t, most);
    l->subtopology_tasks = SGP_TAKE_ZERO(b->region, uint32_t, view->subtopologies);
    l->pending = SGP_TAKE_ZERO(b->region, uint32_t, view->subtopologies);
    return b->region->failed ? SEGUE_E_MEMORY : SEGUE_OK;
}

int32_t sgp_release(sgp_balance *b, const uint32_t *give)
{
    lots l;
    if (take_columns(b, give, &l) != SEGUE_OK || list_tasks(b, give, &l) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    count_kind(b, &l);
    for (uint32_t m = 0; (m = sgp_scan_above_none(give, m, b->view->members)) < b->view->members; m++) {
        find_lots(b, &l, m);
        uint32_t left = give_whole(b, &l, m, give[m]);
        for (uint32_t before = 0; left > 0 && left != before;) {
            before = left;
            left = give_parts(b, &l, m, left);
        }
        apply(b, &l, m);
    }
    return SEGUE_OK;
}
