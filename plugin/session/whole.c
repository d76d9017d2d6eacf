/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions by a full run: the group is put together, planned, and held against what its members have. */
#include "session/session.h"

#include "core/buckets.h"
#include "core/fault.h"
#include "strategy/answer.h"
#include "strategy/course.h"

#include <string.h>

/* A member with a role, by rank. */
typedef struct part {
    uint32_t rank;
    uint8_t role;
} part;

typedef struct cast {
    segue_session *session;
    const segue_group *group;
    const segue_plan *plan;
    uint32_t *start, *row, *rank; /* by task: its copies, rows of the group and their members' ranks, ascending */
    part *parts;                  /* of one task, by rank, which the plan has for it */
    uint32_t count;
} cast;

static int32_t make_room(segue_session *s, const segue_group *g, segue_plan *plan)
{
    segue_bound bound = sgp_answer_bound(g, &s->config);
    plan->size = sizeof *plan;
    plan->standby_capacity = bound.standby_rows;
    plan->active = SGP_TAKE(&s->region, uint32_t, g->task_count);
    plan->learner = SGP_TAKE(&s->region, uint32_t, g->task_count);
    plan->standby_start = SGP_TAKE(&s->region, uint32_t, (size_t)g->task_count + 1);
    plan->standby_member = SGP_TAKE(&s->region, uint32_t, bound.standby_rows);
    return s->region.failed ? SEGUE_E_MEMORY : SEGUE_OK;
}

static int32_t index_copies(cast *c)
{
    const segue_group *g = c->group;
    sgp_region *region = &c->session->region;
    c->start = SGP_TAKE_ZERO(region, uint32_t, (size_t)g->task_count + 1);
    c->row = SGP_TAKE(region, uint32_t, g->copy_count);
    c->rank = SGP_TAKE(region, uint32_t, g->copy_count);
    c->parts = SGP_TAKE(region, part, (size_t)g->process_count + 2);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t r = 0; r < g->copy_count; r++) {
        c->start[g->copy_task[r] + 1]++;
    }
    uint32_t rows = sgp_buckets_open(c->start, g->task_count);
    for (uint32_t m = g->member_count; m-- > 0;) {
        for (uint32_t r = g->copy_start[m + 1]; r-- > g->copy_start[m];) {
            uint32_t at = --c->start[g->copy_task[r] + 1];
            c->row[at] = r;
            c->rank[at] = m;
        }
    }
    sgp_buckets_close(c->start, g->task_count, rows);
    return SEGUE_OK;
}

static void add_part(cast *c, uint32_t rank, uint8_t role)
{
    uint32_t at = c->count++;
    for (; at > 0 && c->parts[at - 1].rank > rank; at--) {
        c->parts[at] = c->parts[at - 1];
    }
    c->parts[at] = (part){rank, role};
}

/* Standbys come in order, and at most two more are put between them. */
static void list_parts(cast *c, uint32_t task)
{
    const segue_plan *p = c->plan;
    c->count = 0;
    for (uint32_t i = p->standby_start[task]; i < p->standby_start[task + 1]; i++) {
        add_part(c, p->standby_member[i], SEGUE_STANDBY);
    }
    add_part(c, p->active[task], SEGUE_ACTIVE);
    if (p->learner[task] != SEGUE_NONE) {
        add_part(c, p->learner[task], SEGUE_LEARNER);
    }
}

static void want(const cast *c, segue_copies *changes, uint32_t task, uint32_t rank, uint8_t role, int64_t lag)
{
    sgp_session_want(changes, task, c->session->order[rank], role, lag);
}

/* What a copy without a part becomes. */
static uint8_t rest(const cast *c, uint32_t task, uint8_t role)
{
    if (role == SEGUE_DORMANT) {
        return role;
    }
    return c->group->task_stateful[task] ? (uint8_t)SEGUE_DORMANT : SEGUE_COPY_GONE;
}

/* Copies and parts, both by rank, go side by side. */
static void compare(cast *c, uint32_t task, segue_copies *changes)
{
    const segue_group *g = c->group;
    uint32_t i = c->start[task], end = c->start[task + 1], next = 0;
    while (i < end || next < c->count) {
        const part *p = &c->parts[next];
        if (i == end || (next < c->count && p->rank < c->rank[i])) {
            want(c, changes, task, p->rank, p->role, p->role == SEGUE_ACTIVE ? 0 : SEGUE_LAG_UNKNOWN);
            next++;
            continue;
        }
        uint8_t had = g->copy_role[c->row[i]];
        int keeps = next < c->count && p->rank == c->rank[i];
        uint8_t role = keeps ? p->role : rest(c, task, had);
        if (role != had) {
            want(c, changes, task, c->rank[i], role, g->copy_lag[c->row[i]]);
        }
        next += (uint32_t)keeps;
        i++;
    }
}

static void copy_scalars(const segue_plan *from, segue_plan *to)
{
#define WAY_IN(field)
#define WAY_OUT(field) to->field = from->field;
#define COPY_SCALAR(field, type, way) WAY_##way(field)
    SEGUE_PLAN_SCALARS(COPY_SCALAR)
#undef COPY_SCALAR
#undef WAY_OUT
#undef WAY_IN
}

static int32_t no_memory(segue_error *error)
{
    return sgp_fault(error, SEGUE_E_MEMORY, SEGUE_NONE, "no memory for a full run");
}

int32_t sgp_whole(segue_session *s, int64_t now_ms, segue_copies *changes, segue_plan *plan, segue_error *error)
{
    segue_group group;
    segue_plan made = {0};
    cast c = {.session = s, .group = &group, .plan = &made};
    int32_t status = sgp_gather(s, now_ms, &group, error);
    if (status != SEGUE_OK) {
        return status;
    }
    if (make_room(s, &group, &made) != SEGUE_OK) {
        return no_memory(error);
    }
    status = sgp_course_run(s->strategy, &group, &s->config, &made, &s->region, error);
    if (status != SEGUE_OK) {
        return status;
    }
    if (index_copies(&c) != SEGUE_OK) {
        return no_memory(error);
    }
    for (uint32_t t = 0; t < group.task_count; t++) {
        list_parts(&c, t);
        compare(&c, t, changes);
    }
    copy_scalars(&made, plan);
    changes->full_run = 1;
    return SEGUE_OK;
}
