/* SPDX-License-Identifier: Apache-2.0 */
#include "strategy/echo.h"

/* Behind by more than anything that is caught up; a started copy has nothing yet. */
#define STARTED_BEHIND 100000

typedef struct echo_columns {
    uint32_t *start, *task;
    uint8_t *role;
    int64_t *lag;
} echo_columns;

/* The task's rows so far, to find those of one member. Rows of a task are few. */
typedef struct slip {
    uint32_t member, role;
    int64_t lag;
} slip;

static int64_t started_lag(const sgp_course *c)
{
    int64_t acceptable = c->view.config->acceptable_recovery_lag;
    return acceptable < INT64_MAX - STARTED_BEHIND ? acceptable + STARTED_BEHIND : SEGUE_LAG_UNKNOWN;
}

/* A copy on the same disk serves the new holder as well: it starts from there. */
static int64_t lag_for(const sgp_course *c, uint32_t task, uint32_t member)
{
    uint32_t role;
    int64_t lag = sgp_lag_on(&c->view, task, member, &role);
    return role == SEGUE_NONE || lag < 0 ? started_lag(c) : lag;
}

static uint32_t add(const sgp_course *c, slip *slips, uint32_t count, uint32_t task, uint32_t member, uint32_t role)
{
    if (member == SEGUE_NONE) {
        return count;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (slips[i].member == member) {
            slips[i].role = role;
            return count;
        }
    }
    slips[count] = (slip){member, role, sgp_stateful(&c->view, task) ? lag_for(c, task, member) : 0};
    return count + 1;
}

/* Who has what of the task afterwards. */
static uint32_t rows_of(const sgp_course *c, uint32_t task, slip *slips)
{
    uint32_t copies, count = 0, owner = c->view.owner[task];
    const sgp_copy *copy = sgp_copies(&c->view, task, &copies);
    if (owner != SEGUE_NONE && sgp_stateful(&c->view, task)) {
        slips[count++] = (slip){owner, SEGUE_DORMANT, sgp_owner_lag(&c->view, task)};
    }
    for (uint32_t i = 0; i < copies; i++) {
        slips[count++] = (slip){copy[i].member, SEGUE_DORMANT, copy[i].lag};
    }
    for (uint32_t i = 0; i < c->standbys.ranks; i++) {
        count = add(c, slips, count, task, c->standbys.member[(size_t)task * c->standbys.ranks + i], SEGUE_STANDBY);
    }
    count = add(c, slips, count, task, c->roles.learner[task], SEGUE_LEARNER);
    return add(c, slips, count, task, c->roles.active[task], SEGUE_ACTIVE);
}

static uint32_t most_rows(const sgp_course *c)
{
    uint32_t most = 0, copies;
    for (uint32_t t = 0; t < c->view.tasks; t++) {
        sgp_copies(&c->view, t, &copies);
        most = copies > most ? copies : most;
    }
    return most + c->standbys.ranks + 3;
}

static void count_rows(const sgp_course *c, slip *slips, echo_columns *e)
{
    for (uint32_t t = 0; t < c->view.tasks; t++) {
        uint32_t count = rows_of(c, t, slips);
        for (uint32_t i = 0; i < count; i++) {
            e->start[slips[i].member + 1]++;
        }
    }
    for (uint32_t m = 0; m < c->view.members; m++) {
        e->start[m + 1] += e->start[m];
    }
}

/* Writes the rows; `next` starts as a copy of the starts. Tasks ascend inside each member since they do here. */
static void write_rows(const sgp_course *c, slip *slips, echo_columns *e, uint32_t *next)
{
    for (uint32_t m = 0; m < c->view.members; m++) {
        next[m] = e->start[m];
    }
    for (uint32_t t = 0; t < c->view.tasks; t++) {
        uint32_t count = rows_of(c, t, slips);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t row = next[slips[i].member]++;
            e->task[row] = t;
            e->role[row] = (uint8_t)slips[i].role;
            e->lag[row] = slips[i].lag;
        }
    }
}

int32_t sgp_echo(const sgp_course *c, segue_group *echo)
{
    echo_columns e;
    slip *slips = SGP_TAKE(c->region, slip, most_rows(c));
    uint32_t *next = SGP_TAKE(c->region, uint32_t, c->view.members);
    e.start = SGP_TAKE_ZERO(c->region, uint32_t, (size_t)c->view.members + 1);
    if (c->region->failed) {
        return SEGUE_E_MEMORY;
    }
    count_rows(c, slips, &e);
    uint32_t rows = e.start[c->view.members];
    e.task = SGP_TAKE(c->region, uint32_t, rows);
    e.role = SGP_TAKE(c->region, uint8_t, rows);
    e.lag = SGP_TAKE(c->region, int64_t, rows);
    if (c->region->failed) {
        return SEGUE_E_MEMORY;
    }
    write_rows(c, slips, &e, next);
    *echo = *c->view.group;
    echo->copy_count = rows;
    echo->copy_start = e.start;
    echo->copy_task = e.task;
    echo->copy_role = e.role;
    echo->copy_lag = e.lag;
    return SEGUE_OK;
}
