/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/release.h"

#include "core/buckets.h"
#include "core/sort.h"

#include <string.h>

/* Tasks of one subtopology on one giver. */
typedef struct lot {
    uint32_t member, subtopology, held, out;
} lot;

typedef struct lots {
    lot *list;       /* by subtopology, then as met */
    uint32_t count;
    uint32_t *start; /* by member, into `of_member` */
    uint32_t *of_member;
    uint32_t *subtopology_tasks;
    uint32_t *pending; /* by subtopology: pending tasks so far */
    uint64_t *order, *spare;
} lots;

static uint32_t end_of_subtopology(const sgp_view *view, uint32_t task)
{
    uint32_t subtopology = view->group->task_subtopology[task];
    while (task < view->tasks && view->group->task_subtopology[task] == subtopology) {
        task++;
    }
    return task;
}

/* One lot for each pair of giver and subtopology; `last` holds the number of each giver's newest lot. */
static void find_lots(const sgp_balance *b, const uint32_t *give, lots *l, uint32_t *last)
{
    memset(last, 0xff, b->view->members * sizeof *last);
    for (uint32_t t = 0; t < b->view->tasks; t++) {
        uint32_t subtopology = b->view->group->task_subtopology[t], member = b->target[t];
        if (!sgp_is_kind(b, t)) {
            continue;
        }
        l->subtopology_tasks[subtopology]++;
        if (member == SEGUE_NONE) {
            l->pending[subtopology]++;
        } else if (give[member] > 0 && b->serve[t] == member) {
            if (last[member] == SEGUE_NONE || l->list[last[member]].subtopology != subtopology) {
                last[member] = l->count;
                l->list[l->count++] = (lot){member, subtopology, 0, 0};
                l->start[member + 1]++;
            }
            l->list[last[member]].held++;
        }
    }
}

static void index_lots(const sgp_view *view, lots *l)
{
    sgp_buckets_open(l->start, view->members);
    for (uint32_t i = l->count; i-- > 0;) {
        l->of_member[--l->start[l->list[i].member + 1]] = i;
    }
    sgp_buckets_close(l->start, view->members, l->count);
}

/* Held above the member's share of the subtopology, in units of 1 / (tasks of the kind). */
static int64_t excess(const sgp_balance *b, const lots *l, const lot *at)
{
    int64_t share = (int64_t)((uint64_t)l->subtopology_tasks[at->subtopology] * b->want[at->member]);
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
    uint32_t from = l->start[member], to = l->start[member + 1];
    uint64_t whole = 0;
    for (uint32_t i = from; i < to; i++) {
        int64_t above = excess(b, l, &l->list[l->of_member[i]]);
        whole += above > 0 ? (uint64_t)above / b->count : 0;
    }
    /* More than there is to give: lower every excess by the same level, found by halving. */
    uint64_t level = 0, top = (uint64_t)b->count;
    while (whole > left && level < top) {
        uint64_t middle = level + (top - level) / 2, sum = 0;
        for (uint32_t i = from; i < to; i++) {
            int64_t above = excess(b, l, &l->list[l->of_member[i]]);
            uint64_t tasks = above > 0 ? (uint64_t)above / b->count : 0;
            sum += tasks > middle ? tasks - middle : 0;
        }
        if (sum > left) {
            level = middle + 1;
        } else {
            top = middle;
        }
    }
    for (uint32_t i = from; i < to; i++) {
        lot *at = &l->list[l->of_member[i]];
        int64_t above = excess(b, l, at);
        uint64_t tasks = above > 0 ? (uint64_t)above / b->count : 0;
        left -= tasks > level ? (uint32_t)put(l, at, (uint32_t)(tasks - level)) : 0;
    }
    return left;
}

/* One more task of as many subtopologies as it takes: those above the share first, then the least pending. */
static uint32_t give_parts(sgp_balance *b, lots *l, uint32_t member, uint32_t left)
{
    uint32_t from = l->start[member], candidates = 0;
    for (uint32_t i = from; i < l->start[member + 1]; i++) {
        const lot *at = &l->list[l->of_member[i]];
        if (at->out == at->held) {
            continue;
        }
        int64_t above = excess(b, l, at);
        uint64_t steps = above > 0 ? ((uint64_t)above + b->count - 1) / b->count : 0;
        uint64_t below = steps > 255 ? 0 : 255 - steps;
        /* How full the pool is of this subtopology, against an even pool: 24 bits of fraction. */
        uint64_t filled = ((uint64_t)l->pending[at->subtopology] << 20) / l->subtopology_tasks[at->subtopology];
        l->order[candidates++] = below << 56 | (filled > 0xffffff ? 0xffffff : filled) << 32 | i;
    }
    sgp_sort(l->order, l->spare, candidates);
    for (uint32_t i = 0; i < candidates && left > 0; i++, left--) {
        put(l, &l->list[l->of_member[l->order[i] & 0xffffffff]], 1);
    }
    return left;
}

/* Turns the lots' numbers into pending tasks: of each lot the last ones, so that owners keep their lowest. */
static void apply(sgp_balance *b, const lots *l, uint32_t *out)
{
    const sgp_view *view = b->view;
    uint32_t next = 0;
    memset(out, 0, view->members * sizeof *out);
    for (uint32_t t = 0; t < view->tasks && next < l->count;) {
        uint32_t subtopology = view->group->task_subtopology[t], end = end_of_subtopology(view, t), first = next;
        for (; next < l->count && l->list[next].subtopology == subtopology; next++) {
            out[l->list[next].member] = l->list[next].out;
        }
        for (uint32_t at = end; first < next && at-- > t;) {
            uint32_t member = b->target[at];
            if (sgp_is_kind(b, at) && member != SEGUE_NONE && b->serve[at] == member && out[member] > 0) {
                out[member]--;
                sgp_give_up(b, at);
            }
        }
        t = end;
    }
}

static int32_t take_columns(const sgp_balance *b, const uint32_t *give, lots *l)
{
    const sgp_view *view = b->view;
    size_t most = 0;
    for (uint32_t m = 0; m < view->members; m++) {
        most += give[m] > 0 ? b->load[m] : 0;
    }
    *l = (lots){0};
    l->list = SGP_TAKE(b->region, lot, most);
    l->start = SGP_TAKE_ZERO(b->region, uint32_t, (size_t)view->members + 1);
    l->of_member = SGP_TAKE(b->region, uint32_t, most);
    l->order = SGP_TAKE(b->region, uint64_t, most);
    l->spare = SGP_TAKE(b->region, uint64_t, most);
    l->subtopology_tasks = SGP_TAKE_ZERO(b->region, uint32_t, view->subtopologies);
    l->pending = SGP_TAKE_ZERO(b->region, uint32_t, view->subtopologies);
    return b->region->failed ? SEGUE_E_MEMORY : SEGUE_OK;
}

int32_t sgp_release(sgp_balance *b, const uint32_t *give)
{
    lots l;
    uint32_t *scratch = SGP_TAKE(b->region, uint32_t, b->view->members);
    if (take_columns(b, give, &l) != SEGUE_OK || b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    find_lots(b, give, &l, scratch);
    index_lots(b->view, &l);
    for (uint32_t m = 0; m < b->view->members; m++) {
        uint32_t left = give[m] > 0 ? give_whole(b, &l, m, give[m]) : 0;
        for (uint32_t before = 0; left > 0 && left != before;) {
            before = left;
            left = give_parts(b, &l, m, left);
        }
    }
    apply(b, &l, scratch);
    return SEGUE_OK;
}
