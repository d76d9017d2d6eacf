/* SPDX-License-Identifier: Apache-2.0 */
#include "session/session.h"

#include "core/check.h"
#include "core/fault.h"
#include "core/known.h"
#include "solve/rack_cost.h"

#include <string.h>

uint32_t sgp_session_room(uint32_t rows, uint32_t wanted)
{
    uint32_t twice = rows > UINT32_MAX / 2 ? UINT32_MAX : rows * 2;
    return twice > wanted ? twice : wanted;
}

enum { TOGETHER_MOST = 3 };

int32_t sgp_session_grow(segue_session *s, const sgp_growth *columns, uint32_t count, uint32_t rows, uint32_t wanted)
{
    void *larger[TOGETHER_MOST] = {NULL}, *old;
    int failed = 0;
    for (uint32_t i = 0; i < count && columns[i].size > 0; i++) {
        larger[i] = sgp_arena_take(s->arena, wanted * columns[i].size);
        failed |= larger[i] == NULL;
    }
    for (uint32_t i = 0; i < count && columns[i].size > 0; i++) {
        memcpy(&old, columns[i].column, sizeof old);
        if (failed) {
            sgp_arena_give(s->arena, larger[i], wanted * columns[i].size);
            continue;
        }
        if (rows > 0) {
            memcpy(larger[i], old, rows * columns[i].size);
        }
        sgp_arena_give(s->arena, old, rows * columns[i].size);
        memcpy(columns[i].column, &larger[i], sizeof larger[i]);
    }
    return failed ? SEGUE_E_MEMORY : SEGUE_OK;
}

void sgp_session_want(segue_copies *changes, uint32_t task, uint32_t member, uint8_t role, int64_t lag)
{
    uint32_t at = changes->count++;
    if (at < changes->capacity) {
        changes->task[at] = task;
        changes->member[at] = member;
        changes->role[at] = role;
        changes->lag[at] = lag;
    }
}

/* ---- opening ---- */

/* Columns that change with members and copies are the roster's and the ledger's. */
static int is_kept(int id)
{
    return id <= 13 || id == 22 || id == 23;
}

/* A column of the session's own, or NULL where it needs none. */
static const void *keep(segue_session *s, int id, const void *column, size_t bytes, int *failed)
{
    if (!is_kept(id) || column == NULL || bytes == 0) {
        return is_kept(id) ? column : NULL;
    }
    void *own = sgp_arena_take(s->arena, bytes);
    if (own == NULL) {
        *failed = 1;
        return NULL;
    }
    return memcpy(own, column, bytes);
}

static int32_t keep_columns(segue_session *s, const segue_group *g)
{
    int failed = 0;
    s->base = *g;
#define KEEP(id, field, type, rows, need) s->base.field = keep(s, id, g->field, (size_t)(rows) * sizeof(type), &failed);
    SEGUE_GROUP_COLUMNS(KEEP)
#undef KEEP
    s->has_racks = g->member_rack != NULL;
    return failed ? SEGUE_E_MEMORY : SEGUE_OK;
}

/* Subtopologies without tasks are empty ranges. */
static int32_t index_subtopologies(segue_session *s)
{
    const segue_group *g = &s->base;
    uint32_t next = 0;
    s->subtopology_start = sgp_arena_take(s->arena, ((size_t)g->subtopology_count + 1) * sizeof *s->subtopology_start);
    if (s->subtopology_start == NULL) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t t = 0; t < g->task_count; t++) {
        for (; next <= g->task_subtopology[t]; next++) {
            s->subtopology_start[next] = t;
        }
    }
    for (; next <= g->subtopology_count; next++) {
        s->subtopology_start[next] = g->task_count;
    }
    return SEGUE_OK;
}

static int has_one_kind(const segue_group *g)
{
    uint32_t stateful = 0;
    for (uint32_t t = 0; t < g->task_count; t++) {
        stateful += g->task_stateful[t] != 0;
    }
    return stateful == 0 || stateful == g->task_count;
}

static int weights_differ(const segue_group *g)
{
    for (uint32_t t = 1; g->task_weight != NULL && t < g->task_count; t++) {
        if (memcmp(&g->task_weight[t], &g->task_weight[0], sizeof g->task_weight[0]) != 0) {
            return 1;
        }
    }
    return 0;
}

/* Is whatever stays as it is in favour of looking only at what moves? */
static int may_be_plain(const segue_session *s, const segue_group *g)
{
    const segue_config *c = &s->config;
    return s->strategy->solve == NULL && !s->strategy->forgets && g->task_count > 0 && has_one_kind(g) &&
           !(s->strategy->weighs && weights_differ(g)) && !sgp_racks_known(g) && c->num_standby_replicas == 0 &&
           c->rack_strategy == SEGUE_RACK_NONE && !c->spread_subtopologies && c->max_learners == SEGUE_NO_LIMIT &&
           c->max_learners_per_member == SEGUE_NO_LIMIT && c->max_learning_bytes < 0;
}

static int32_t fill(segue_session *s, const segue_group *g, const segue_config *config, segue_error *error)
{
    if (keep_columns(s, g) != SEGUE_OK || index_subtopologies(s) != SEGUE_OK) {
        return sgp_fault(error, SEGUE_E_MEMORY, SEGUE_NONE, "no memory for the columns of %u tasks",
                         (unsigned)g->task_count);
    }
    memcpy(&s->config, config, sizeof s->config);
    s->config.size = sizeof s->config;
    s->stateful = g->task_count > 0 && g->task_stateful[0] != 0;
    s->may_be_plain = may_be_plain(s, g);
    int32_t status = sgp_roster_open(s, g, error);
    return status == SEGUE_OK ? sgp_ledger_open(s, g, error) : status;
}

static segue_session *make(const sgp_strategy *strategy)
{
    sgp_arena *arena = sgp_arena_new();
    segue_session *s = arena == NULL ? NULL : sgp_arena_take(arena, sizeof *s);
    if (s == NULL) {
        sgp_arena_free(arena);
        return NULL;
    }
    *s = (segue_session){.strategy = strategy, .arena = arena};
    sgp_region_init(&s->region, arena);
    return s;
}

static void close_session(segue_session *s)
{
    if (s != NULL) {
        sgp_arena_free(s->arena);
    }
}

static int32_t open_session(const char *name, const segue_group *group, const segue_config *config,
                            segue_session **session, segue_error *error)
{
    if (session == NULL) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, SEGUE_NONE, "session is NULL");
    }
    *session = NULL;
    const sgp_strategy *strategy = name == NULL ? NULL : sgp_strategy_find(name);
    if (strategy == NULL) {
        return sgp_fault(error, SEGUE_E_NAME, SEGUE_NONE, "no assignor is called \"%.64s\"", name == NULL ? "" : name);
    }
    segue_group group_room;
    segue_config config_room;
    group = sgp_known_group(group, &group_room);
    config = sgp_known_config(config, &config_room);
    int32_t status = sgp_check(group, config, error);
    if (status != SEGUE_OK) {
        return status;
    }
    segue_session *made = make(strategy);
    if (made == NULL) {
        return sgp_fault(error, SEGUE_E_MEMORY, SEGUE_NONE, "no memory for a session of %s", name);
    }
    status = fill(made, group, config, error);
    if (status != SEGUE_OK) {
        close_session(made);
        return status;
    }
    *session = made;
    return SEGUE_OK;
}

/* ---- changes ---- */

static int32_t no_session(segue_error *error)
{
    return sgp_fault(error, SEGUE_E_ARGUMENT, SEGUE_NONE, "session is NULL");
}

static int32_t join(segue_session *s, const segue_joiner *joiner, segue_error *error)
{
    return s == NULL ? no_session(error) : sgp_roster_join(s, joiner, error);
}

static int32_t leave(segue_session *s, uint32_t member, segue_error *error)
{
    return s == NULL ? no_session(error) : sgp_roster_leave(s, member, error);
}

static int32_t mark(segue_session *s, uint32_t member, int64_t leaving_ms, int64_t deadline_ms, segue_error *error)
{
    return s == NULL ? no_session(error) : sgp_roster_mark(s, member, leaving_ms, deadline_ms, error);
}

static int32_t put(segue_session *s, const segue_copies *copies, segue_error *error)
{
    return s == NULL ? no_session(error) : sgp_ledger_put(s, copies, error);
}

/* ---- answers ---- */

static int32_t check_room(const segue_copies *changes, const segue_plan *plan, segue_error *error)
{
    if (changes == NULL || !SEGUE_HAS(segue_copies, lag, changes->size) ||
        (changes->capacity > 0 &&
         (changes->task == NULL || changes->member == NULL || changes->role == NULL || changes->lag == NULL))) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, SEGUE_NONE, "changes is NULL, too small or lacks a column");
    }
    if (plan == NULL) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, SEGUE_NONE, "plan is NULL or smaller than version 1");
    }
    return SEGUE_OK;
}

static int32_t decide(segue_session *s, int64_t now_ms, segue_copies *changes, segue_plan *plan, segue_error *error)
{
    int done = 0;
    segue_plan plan_room, *known = sgp_known_plan(plan, &plan_room);
    int32_t status = s == NULL ? no_session(error) : check_room(changes, known, error);
    if (status != SEGUE_OK) {
        return status;
    }
    sgp_region_reset(&s->region);
    changes->count = 0;
    changes->full_run = 0;
    status = sgp_part(s, now_ms, changes, known, &done, error);
    if (status == SEGUE_OK && !done) {
        status = sgp_whole(s, now_ms, changes, known, error);
    }
    sgp_known_return(plan, known);
    if (status == SEGUE_OK && changes->count > changes->capacity) {
        return sgp_fault(error, SEGUE_E_SPACE, SEGUE_NONE, "changes has room for %u rows, %u are needed",
                         (unsigned)changes->capacity, (unsigned)changes->count);
    }
    return status;
}

static int32_t read_group(segue_session *s, int64_t now_ms, segue_group *group, const uint32_t **numbers,
                          segue_error *error)
{
    if (s == NULL || group == NULL || !SEGUE_HAS(segue_group, copy_lag, group->size) || numbers == NULL) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, SEGUE_NONE, "session, group or numbers is NULL or too small");
    }
    segue_group made;
    sgp_region_reset(&s->region);
    uint32_t *own = SGP_TAKE(&s->region, uint32_t, s->members);
    int32_t status = sgp_gather(s, now_ms, &made, error);
    if (own == NULL || status != SEGUE_OK) {
        return status != SEGUE_OK ? status : sgp_fault(error, SEGUE_E_MEMORY, SEGUE_NONE, "no memory for the numbers");
    }
    memcpy(own, s->order, s->members * sizeof *own);
    made.size = group->size;
    memset(group, 0, group->size);
    memcpy(group, &made, made.size < sizeof made ? made.size : sizeof made);
    *numbers = own;
    return SEGUE_OK;
}

static int32_t read_memory(segue_session *s, segue_memory *memory)
{
    if (s == NULL || memory == NULL || !SEGUE_HAS(segue_memory, peak_bytes, memory->size)) {
        return SEGUE_E_ARGUMENT;
    }
    memory->held_bytes = sgp_arena_held(s->arena);
    memory->peak_bytes = s->region.peak > s->region.total ? s->region.peak : s->region.total;
    sgp_clear_tail(memory, memory->size, sizeof *memory);
    return SEGUE_OK;
}

const segue_session_slots sgp_session_slots = {
    .size = sizeof(segue_session_slots),
    .open = open_session,
    .close = close_session,
    .join = join,
    .leave = leave,
    .mark = mark,
    .put = put,
    .decide = decide,
    .read_group = read_group,
    .read_memory = read_memory,
};
