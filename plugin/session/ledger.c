/* SPDX-License-Identifier: Apache-2.0 */
#include "session/session.h"

#include "core/fault.h"

#include <string.h>

/* What the copies of one task count for. */
typedef struct tally {
    uint32_t claims, odd;
} tally;

/* Copies of a task are few. */
static tally count_task(const segue_session *s, uint32_t task)
{
    tally t = {0, 0};
    for (uint32_t r = s->first[task]; r != SEGUE_NONE; r = s->row[r].sibling) {
        int claims = s->row[r].role == SEGUE_ACTIVE;
        t.odd += !claims || s->row[r].lag != 0 || t.claims > 0;
        t.claims += (uint32_t)claims;
    }
    return t;
}

static void recount(segue_session *s, uint32_t task, tally before)
{
    tally now = count_task(s, task);
    uint64_t bit = (uint64_t)1 << task % 64;
    s->odd += now.odd - before.odd;
    s->orphans += (uint32_t)(now.claims == 0) - (uint32_t)(before.claims == 0);
    s->orphan[task / 64] = now.claims == 0 ? s->orphan[task / 64] | bit : s->orphan[task / 64] & ~bit;
}

static int32_t reserve(segue_session *s, size_t wanted)
{
    uint32_t before = s->row_rows;
    if (wanted <= before) {
        return SEGUE_OK;
    }
    if (wanted > SEGUE_MAX_COPIES) {
        return SEGUE_E_MEMORY;
    }
    uint32_t rows = sgp_session_room(before, (uint32_t)wanted);
    const sgp_growth column = {&s->row, sizeof *s->row};
    if (sgp_session_grow(s, &column, 1, before, rows) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t r = rows; r-- > before;) {
        s->row[r].next = s->free_row;
        s->free_row = r;
    }
    s->row_rows = rows;
    return SEGUE_OK;
}

static void add(segue_session *s, uint32_t task, uint32_t member, uint8_t role, int64_t lag)
{
    sgp_attendee *at = &s->member[member];
    uint32_t r = s->free_row;
    s->free_row = s->row[r].next;
    s->row[r] = (sgp_row){lag, task, member, at->first_row, SEGUE_NONE, s->first[task], role};
    if (at->first_row != SEGUE_NONE) {
        s->row[at->first_row].before = r;
    }
    at->first_row = s->first[task] = r;
    s->held[s->rank[member]]++;
    s->rows++;
}

static void take_out(segue_session *s, uint32_t r)
{
    sgp_row *row = &s->row[r];
    uint32_t *link = &s->first[row->task];
    while (*link != r) {
        link = &s->row[*link].sibling;
    }
    *link = row->sibling;
    *(row->before == SEGUE_NONE ? &s->member[row->member].first_row : &s->row[row->before].next) = row->next;
    if (row->next != SEGUE_NONE) {
        s->row[row->next].before = row->before;
    }
    s->held[s->rank[row->member]]--;
    s->rows--;
    row->next = s->free_row;
    s->free_row = r;
}

static void put(segue_session *s, uint32_t task, uint32_t member, uint8_t role, int64_t lag)
{
    tally before = count_task(s, task);
    uint32_t r = s->first[task];
    while (r != SEGUE_NONE && s->row[r].member != member) {
        r = s->row[r].sibling;
    }
    if (r == SEGUE_NONE && role != SEGUE_COPY_GONE) {
        add(s, task, member, role, lag);
    } else if (r != SEGUE_NONE && role == SEGUE_COPY_GONE) {
        take_out(s, r);
    } else if (r != SEGUE_NONE) {
        s->row[r].role = role;
        s->row[r].lag = lag;
    }
    recount(s, task, before);
}

void sgp_ledger_drop(segue_session *s, uint32_t member)
{
    for (uint32_t r = s->member[member].first_row; r != SEGUE_NONE; r = s->member[member].first_row) {
        uint32_t task = s->row[r].task;
        tally before = count_task(s, task);
        take_out(s, r);
        recount(s, task, before);
    }
}

static int32_t check_row(const segue_session *s, const segue_copies *c, uint32_t row, segue_error *error)
{
    if (c->task[row] >= s->base.task_count) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, row, "there is no task %u", (unsigned)c->task[row]);
    }
    if (!sgp_roster_has(s, c->member[row])) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, row, "there is no member %u", (unsigned)c->member[row]);
    }
    if (c->role[row] > SEGUE_ACTIVE && c->role[row] != SEGUE_COPY_GONE) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, row, "%u is no role", (unsigned)c->role[row]);
    }
    if (c->lag[row] < SEGUE_LAG_UNKNOWN) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, row, "a lag is 0 or more, or SEGUE_LAG_UNKNOWN");
    }
    return SEGUE_OK;
}

int32_t sgp_ledger_put(segue_session *s, const segue_copies *c, segue_error *error)
{
    if (c == NULL || !SEGUE_HAS(segue_copies, lag, c->size) ||
        (c->count > 0 && (c->task == NULL || c->member == NULL || c->role == NULL || c->lag == NULL))) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, SEGUE_NONE, "copies is NULL, too small or lacks a column");
    }
    int32_t status = SEGUE_OK;
    for (uint32_t i = 0; status == SEGUE_OK && i < c->count; i++) {
        status = check_row(s, c, i, error);
    }
    if (status != SEGUE_OK) {
        return status;
    }
    if (reserve(s, (size_t)s->rows + c->count) != SEGUE_OK) {
        return sgp_fault(error, SEGUE_E_MEMORY, SEGUE_NONE, "no memory for %u further copies", (unsigned)c->count);
    }
    for (uint32_t i = 0; i < c->count; i++) {
        put(s, c->task[i], c->member[i], c->role[i], c->lag[i]);
    }
    return SEGUE_OK;
}

static int64_t lag_of(const segue_group *g, uint32_t row)
{
    if (g->copy_lag != NULL) {
        return g->copy_lag[row];
    }
    return g->copy_role[row] == SEGUE_ACTIVE ? 0 : SEGUE_LAG_UNKNOWN;
}

static void open_tasks(segue_session *s)
{
    const uint32_t tasks = s->base.task_count;
    memset(s->first, 0xff, tasks * sizeof *s->first);
    memset(s->orphan, 0, ((size_t)tasks / 64 + 1) * sizeof *s->orphan);
    for (uint32_t t = 0; t < tasks; t++) {
        s->orphan[t / 64] |= (uint64_t)1 << t % 64;
    }
    s->orphans = tasks;
}

int32_t sgp_ledger_open(segue_session *s, const segue_group *g, segue_error *error)
{
    s->free_row = SEGUE_NONE;
    s->first = sgp_arena_take(s->arena, ((size_t)g->task_count + 1) * sizeof *s->first);
    s->orphan = sgp_arena_take(s->arena, ((size_t)g->task_count / 64 + 1) * sizeof *s->orphan);
    if (s->first == NULL || s->orphan == NULL || reserve(s, g->copy_count) != SEGUE_OK) {
        return sgp_fault(error, SEGUE_E_MEMORY, SEGUE_NONE, "no memory for %u tasks and %u copies",
                         (unsigned)g->task_count, (unsigned)g->copy_count);
    }
    open_tasks(s);
    for (uint32_t m = 0; m < g->member_count; m++) {
        for (uint32_t r = g->copy_start[m]; r < g->copy_start[m + 1]; r++) {
            add(s, g->copy_task[r], m, g->copy_role[r], lag_of(g, r));
        }
    }
    for (uint32_t t = 0; t < g->task_count; t++) {
        recount(s, t, (tally){0, 0});
    }
    return SEGUE_OK;
}
