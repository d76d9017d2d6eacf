/* SPDX-License-Identifier: Apache-2.0 */
#include "strategy/echo.h"

#include "core/disks.h"

#include <string.h>

/* Behind by more than anything that is caught up; a started copy has nothing yet. */
#define STARTED_BEHIND 100000

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

/* A row for the member, if it has none of the task yet: rows of a task are few. */
static uint32_t add(const sgp_course *c, sgp_copy *rows, uint32_t count, uint32_t task, uint32_t member, uint32_t role)
{
    if (member == SEGUE_NONE) {
        return count;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].member == member) {
            rows[i].role = role;
            return count;
        }
    }
    rows[count] = (sgp_copy){lag_for(c, task, member), member, role};
    return count + 1;
}

/* Who has what of the task afterwards, but for its owner. */
static uint32_t list_others(const sgp_course *c, uint32_t task, sgp_copy *rows)
{
    uint32_t copies, count = 0, owner = c->view.owner[task];
    const sgp_copy *copy = sgp_copies(&c->view, task, &copies);
    if (owner != SEGUE_NONE) {
        rows[count++] = (sgp_copy){sgp_owner_lag(&c->view, task), owner, SEGUE_DORMANT};
    }
    for (uint32_t i = 0; i < copies; i++) {
        rows[count++] = (sgp_copy){copy[i].lag, copy[i].member, SEGUE_DORMANT};
    }
    for (uint32_t i = 0; i < c->standbys.ranks; i++) {
        count = add(c, rows, count, task, c->standbys.member[(size_t)task * c->standbys.ranks + i], SEGUE_STANDBY);
    }
    return add(c, rows, count, task, c->roles.learner[task], SEGUE_LEARNER);
}

/* Takes the member's row out, and gives its lag. */
static int64_t take_out(const sgp_course *c, uint32_t task, uint32_t member, sgp_copy *rows, uint32_t *count)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (rows[i].member == member) {
            int64_t lag = rows[i].lag;
            rows[i] = rows[--*count];
            return lag;
        }
    }
    return lag_for(c, task, member);
}

static void sort_by_member(sgp_copy *rows, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        sgp_copy moved = rows[i];
        uint32_t at = i;
        for (; at > 0 && rows[at - 1].member > moved.member; at--) {
            rows[at] = rows[at - 1];
        }
        rows[at] = moved;
    }
}

/* Returns whether an owner is behind. */
static int list_copies(const sgp_course *c, sgp_view *echo)
{
    uint32_t row = 0;
    int64_t lags = 0;
    for (uint32_t t = 0; t < echo->tasks; t++) {
        sgp_copy *rows = echo->copy + row;
        uint32_t count = 0;
        echo->copy_start[t] = row;
        echo->owner_lag[t] = 0;
        if (sgp_stateful(echo, t)) {
            count = list_others(c, t, rows);
            echo->owner_lag[t] = take_out(c, t, echo->owner[t], rows, &count);
            sort_by_member(rows, count);
        }
        lags |= echo->owner_lag[t];
        row += count;
    }
    echo->copy_start[echo->tasks] = row;
    return lags != 0;
}

/* Members that own no state, or learn from one that stays. */
static void count_owned(const sgp_course *c, sgp_view *echo)
{
    for (uint32_t t = 0; t < echo->tasks; t++) {
        echo->owned[sgp_stateful(echo, t)][echo->owner[t]]++;
    }
    for (uint32_t m = 0; m < echo->members; m++) {
        echo->newcomer[m] = echo->owned[1][m] == 0;
    }
    for (uint32_t t = 0; c->roles.learners > 0 && t < echo->tasks; t++) {
        uint32_t learner = c->roles.learner[t];
        if (learner != SEGUE_NONE && echo->place[echo->owner[t]] == SGP_STAYS) {
            echo->newcomer[learner] = 1;
        }
    }
}

static int32_t take_columns(const sgp_course *c, sgp_view *echo)
{
    const uint64_t copies = echo->copy_start == NULL ? 0 : echo->copy_start[echo->tasks];
    echo->owner = SGP_TAKE(c->region, uint32_t, echo->tasks);
    echo->owner_lag = SGP_TAKE(c->region, int64_t, echo->tasks);
    echo->copy_start = SGP_TAKE(c->region, uint32_t, (size_t)echo->tasks + 1);
    echo->copy = SGP_TAKE(c->region, sgp_copy, copies + (uint64_t)echo->tasks * (c->standbys.ranks + 2));
    echo->newcomer = SGP_TAKE(c->region, uint8_t, echo->members);
    echo->owned[0] = SGP_TAKE_ZERO(c->region, uint32_t, echo->members);
    echo->owned[1] = SGP_TAKE_ZERO(c->region, uint32_t, echo->members);
    return c->region->failed ? SEGUE_E_MEMORY : SEGUE_OK;
}

int32_t sgp_echo(const sgp_course *c, sgp_view *echo)
{
    *echo = c->view;
    echo->row_start = echo->row_task = NULL;
    echo->vacant = NULL;
    if (take_columns(c, echo) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    memcpy(echo->owner, c->roles.active, echo->tasks * sizeof *echo->owner);
    echo->owner_lag = list_copies(c, echo) ? echo->owner_lag : NULL;
    count_owned(c, echo);
    if (echo->copy_start[echo->tasks] == 0) {
        echo->copy_start = NULL;
    }
    return sgp_disks_share(echo, c->region);
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
