/* SPDX-License-Identifier: Apache-2.0 */
#include "strategy/echo.h"

#include "core/buckets.h"

#include <string.h>

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

static uint64_t most_rows(const sgp_course *c)
{
    uint64_t copies = c->view.copy_start == NULL ? 0 : c->view.copy_start[c->view.tasks];
    return copies + (uint64_t)c->view.tasks * (c->standbys.ranks + 3);
}

/* All rows by task, and in start[m + 1] how many each member has; from[t] is the first one of each task. */
static void list_rows(const sgp_course *c, slip *slips, uint32_t *from, uint32_t *start)
{
    from[0] = 0;
    for (uint32_t t = 0; t < c->view.tasks; t++) {
        slip *own = slips + from[t];
        from[t + 1] = from[t] + rows_of(c, t, own);
        for (uint32_t i = 0; i < from[t + 1] - from[t]; i++) {
            start[own[i].member + 1]++;
        }
    }
}

/* Tasks are put in from the last to the first, so that they ascend inside each member. */
static void write_rows(const sgp_course *c, const slip *slips, const uint32_t *from, echo_columns *e)
{
    uint32_t rows = sgp_buckets_open(e->start, c->view.members);
    for (uint32_t t = c->view.tasks; t-- > 0;) {
        for (uint32_t i = from[t]; i < from[t + 1]; i++) {
            uint32_t row = --e->start[slips[i].member + 1];
            e->task[row] = t;
            e->role[row] = (uint8_t)slips[i].role;
            e->lag[row] = slips[i].lag;
        }
    }
    sgp_buckets_close(e->start, c->view.members, rows);
}

int32_t sgp_echo(const sgp_course *c, segue_group *echo)
{
    echo_columns e;
    slip *slips = SGP_TAKE(c->region, slip, most_rows(c));
    uint32_t *from = SGP_TAKE(c->region, uint32_t, (size_t)c->view.tasks + 1);
    e.start = SGP_TAKE_ZERO(c->region, uint32_t, (size_t)c->view.members + 1);
    if (c->region->failed) {
        return SEGUE_E_MEMORY;
    }
    list_rows(c, slips, from, e.start);
    uint32_t rows = from[c->view.tasks];
    e.task = SGP_TAKE(c->region, uint32_t, rows);
    e.role = SGP_TAKE(c->region, uint8_t, rows);
    e.lag = SGP_TAKE(c->region, int64_t, rows);
    if (c->region->failed) {
        return SEGUE_E_MEMORY;
    }
    write_rows(c, slips, from, &e);
    *echo = *c->view.group;
    echo->copy_count = rows;
    echo->copy_start = e.start;
    echo->copy_task = e.task;
    echo->copy_role = e.role;
    echo->copy_lag = e.lag;
    return SEGUE_OK;
}

static int stands_by(const sgp_course *c, uint32_t task, uint32_t member)
{
    const uint32_t *row = sgp_standbys_of(&c->standbys, task);
    for (uint32_t i = 0; i < c->standbys.ranks; i++) {
        if (row[i] == member) {
            return 1;
        }
    }
    return 0;
}

static uint32_t count_standbys(const sgp_course *c, uint32_t task)
{
    const uint32_t *row = sgp_standbys_of(&c->standbys, task);
    uint32_t count = 0;
    while (count < c->standbys.ranks && row[count] != SEGUE_NONE) {
        count++;
    }
    return count;
}

/* Has everybody that copy of the task already which it should have, and nobody one to give up? */
static int is_left_alone(const sgp_course *c, uint32_t task)
{
    uint32_t count, learner = c->roles.learner[task], missing = count_standbys(c, task) + (learner != SEGUE_NONE);
    const sgp_copy *copies = sgp_copies(&c->view, task, &count);
    for (uint32_t i = 0; i < count; i++) {
        int learns = copies[i].role == SEGUE_LEARNER, stands = copies[i].role == SEGUE_STANDBY;
        if ((learns && copies[i].member != learner) || (stands && !stands_by(c, task, copies[i].member))) {
            return 0;
        }
        missing -= (uint32_t)(learns || stands);
    }
    return missing == 0;
}

int sgp_echo_is_group(const sgp_course *c)
{
    const sgp_view *view = &c->view;
    const segue_config *config = view->config;
    /* Under limits the view leaves learners out that the group has. */
    if (config->max_learners != SEGUE_NO_LIMIT || config->max_learners_per_member != SEGUE_NO_LIMIT ||
        memcmp(view->owner, c->roles.active, view->tasks * sizeof *view->owner) != 0) {
        return 0;
    }
    for (uint32_t t = 0; t < view->tasks; t++) {
        if (sgp_stateful(view, t) && !is_left_alone(c, t)) {
            return 0;
        }
    }
    return 1;
}
