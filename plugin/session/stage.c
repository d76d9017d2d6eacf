/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of the small view, as the solver reads them. */
#include "session/part.h"

#include "core/sort.h"

#include <string.h>

static void list_orphans(const segue_session *s, uint64_t *keys, uint32_t *count)
{
    uint32_t left = s->orphans;
    for (uint32_t word = 0; left > 0; word++) {
        for (uint64_t bits = s->orphan[word]; bits != 0; bits &= bits - 1, left--) {
            uint32_t task = word * 64;
            for (uint64_t below = (bits & (0 - bits)) - 1; below != 0; below >>= 1) {
                task++;
            }
            keys[(*count)++] = (uint64_t)task << 32 | SEGUE_NONE;
        }
    }
}

/* All tasks of the view, ascending, each above the member that holds it. */
static void list_tasks(const sgp_stage *st, uint64_t *keys, uint64_t *spare)
{
    const segue_session *s = st->session;
    uint32_t count = 0;
    for (uint32_t m = 0; m < st->members; m++) {
        uint32_t number = s->order[st->rank[m]];
        for (uint32_t r = s->member[number].first_row; r != SEGUE_NONE; r = s->row[r].next) {
            keys[count++] = (uint64_t)s->row[r].task << 32 | m;
        }
    }
    list_orphans(s, keys, &count);
    sgp_sort_above(32, keys, spare, count);
}

/* Subtopologies that no task of the view belongs to are left out; the others keep their order. */
static void number_subtopologies(sgp_stage *st, uint32_t *subtopology, uint32_t *start)
{
    const segue_session *s = st->session;
    uint32_t count = 0;
    for (uint32_t t = 0; t < st->tasks; t++) {
        uint32_t own = s->base.task_subtopology[st->task[t]];
        if (t == 0 || own != s->base.task_subtopology[st->task[t - 1]]) {
            start[count] = t;
            st->kind_tasks[count++] = s->subtopology_start[own + 1] - s->subtopology_start[own];
        }
        subtopology[t] = count - 1;
    }
    start[count] = st->tasks;
    st->view.subtopologies = count;
}

/* Rows by member, for the step that lists what a member gives up. */
static void write_rows(const sgp_stage *st, const uint32_t *serve, uint32_t *start, uint32_t *task)
{
    const segue_session *s = st->session;
    uint32_t at = 0;
    for (uint32_t m = 0; m < st->members; m++) {
        start[m] = at;
        at += s->held[st->rank[m]];
    }
    for (uint32_t t = 0; t < st->tasks; t++) {
        if (serve[t] != SEGUE_NONE) {
            task[start[serve[t]]++] = t;
        }
    }
    memmove(start + 1, start, st->members * sizeof *start);
    start[0] = 0;
}

static void write_members(sgp_stage *st, uint32_t *load, uint8_t *receives)
{
    const segue_session *s = st->session;
    memset(st->view.place, SGP_STAYS, st->members);
    for (uint32_t m = 0; m < st->members; m++) {
        load[m] = s->held[st->rank[m]];
        st->view.threads[m] = s->threads[st->rank[m]];
        receives[m] = (uint8_t)(sgp_everyone_receives(s) || load[m] == 0);
    }
}

static int32_t build(sgp_stage *st)
{
    sgp_region *region = &st->session->region;
    const uint32_t tasks = st->tasks, members = st->members;
    uint64_t *keys = SGP_TAKE(region, uint64_t, tasks), *spare = SGP_TAKE(region, uint64_t, tasks);
    uint32_t *serve = SGP_TAKE(region, uint32_t, tasks), *subtopology = SGP_TAKE(region, uint32_t, tasks);
    uint32_t *start = SGP_TAKE(region, uint32_t, (size_t)tasks + 1);
    uint32_t *row_start = SGP_TAKE(region, uint32_t, (size_t)members + 1), *row = SGP_TAKE(region, uint32_t, tasks);
    uint32_t *load = SGP_TAKE(region, uint32_t, members);
    uint8_t *stateful = SGP_TAKE(region, uint8_t, tasks), *receives = SGP_TAKE(region, uint8_t, members);
    sgp_balance *b = &st->balance;
    st->task = SGP_TAKE(region, uint32_t, tasks);
    st->kind_tasks = SGP_TAKE(region, uint32_t, tasks);
    st->view.threads = SGP_TAKE(region, uint32_t, members);
    st->view.place = SGP_TAKE(region, uint8_t, members);
    b->target = SGP_TAKE(region, uint32_t, tasks);
    b->surplus = SGP_TAKE(region, uint32_t, members);
    b->deficit = SGP_TAKE(region, uint32_t, members);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    list_tasks(st, keys, spare);
    for (uint32_t t = 0; t < tasks; t++) {
        st->task[t] = (uint32_t)(keys[t] >> 32);
        serve[t] = (uint32_t)keys[t];
    }
    memset(stateful, st->session->stateful, tasks);
    number_subtopologies(st, subtopology, start);
    write_rows(st, serve, row_start, row);
    write_members(st, load, receives);
    st->group = (segue_group){.task_subtopology = subtopology, .task_stateful = stateful};
    st->view.row_start = row_start;
    st->view.row_task = row;
    st->view.subtopology_start = start;
    b->serve = serve;
    b->load = load;
    b->receives = receives;
    return SEGUE_OK;
}

int32_t sgp_stage_targets(sgp_stage *st)
{
    segue_session *s = st->session;
    sgp_view *v = &st->view;
    sgp_balance *b = &st->balance;
    if (build(st) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    v->group = &st->group;
    v->config = &s->config;
    v->tasks = st->tasks;
    v->stateful_tasks = s->stateful ? st->tasks : 0;
    v->members = v->processes = v->staying = st->members;
    v->capacity = (uint64_t)s->members * s->threads[0];
    b->view = v;
    b->region = &s->region;
    b->stateful = s->stateful;
    b->count = s->base.task_count;
    b->kind_tasks = st->kind_tasks;
    b->want = st->want;
    return sgp_balance_find_targets(b);
}
