/* SPDX-License-Identifier: Apache-2.0 */
#include "path.h"

#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "error.h"

/* ---- copies -------------------------------------------------------------------------------------------------------- */

static int copies_make(path_copies *it, uint32_t members, size_t count)
{
    char *memory = malloc(count * (sizeof *it->lag + sizeof *it->task + 1) + ((size_t)members + 1) * sizeof *it->start);
    *it = (path_copies){0};
    if (memory == NULL) {
        return -1;
    }
    it->lag = (int64_t *)memory;
    it->start = (uint32_t *)(it->lag + count);
    it->task = it->start + members + 1;
    it->role = (uint8_t *)(it->task + count);
    return 0;
}

static void copies_free(path_copies *it)
{
    free(it->lag);
    *it = (path_copies){0};
}

/* The group has these from now on. */
static void hold(path *it, path_copies *copies)
{
    copies_free(&it->copies);
    it->copies = *copies;
    it->now.copy_start = copies->start;
    it->now.copy_task = copies->task;
    it->now.copy_role = copies->role;
    it->now.copy_lag = copies->lag;
    it->now.copy_count = copies->start[it->now.member_count];
}

/* ---- what a plan wants, by member ---------------------------------------------------------------------------------- */

typedef void (*taker)(void *context, uint32_t member, uint32_t task, uint8_t role);

static void give(uint32_t member, uint32_t task, uint8_t role, taker take, void *context)
{
    if (member != SEGUE_NONE) {
        take(context, member, task, role);
    }
}

/* Tasks come in order. */
static void each(const segue_plan *plan, taker take, void *context)
{
    for (uint32_t task = 0; task < plan->task_count; task++) {
        give(plan->active[task], task, SEGUE_ACTIVE, take, context);
        give(plan->learner[task], task, SEGUE_LEARNER, take, context);
        for (uint32_t row = plan->standby_start[task]; row < plan->standby_start[task + 1]; row++) {
            give(plan->standby_member[row], task, SEGUE_STANDBY, take, context);
        }
    }
}

static void count_one(void *context, uint32_t member, uint32_t task, uint8_t role)
{
    path_copies *wanted = context;
    (void)task;
    (void)role;
    wanted->start[member + 1]++;
}

static void put_one(void *context, uint32_t member, uint32_t task, uint8_t role)
{
    path_copies *wanted = context;
    uint32_t row = wanted->start[member]++;
    wanted->task[row] = task;
    wanted->role[row] = role;
}

static int want(const path *it, const segue_plan *plan, path_copies *wanted)
{
    uint32_t members = it->now.member_count;
    if (copies_make(wanted, members, (size_t)plan->task_count * 2 + plan->standby_count) != 0) {
        return -1;
    }
    memset(wanted->start, 0, ((size_t)members + 1) * sizeof *wanted->start);
    each(plan, count_one, wanted);
    for (uint32_t member = 0; member < members; member++) {
        wanted->start[member + 1] += wanted->start[member];
    }
    each(plan, put_one, wanted);
    /* Each start has become the next member's. */
    memmove(wanted->start + 1, wanted->start, (size_t)members * sizeof *wanted->start);
    wanted->start[0] = 0;
    return 0;
}

/* ---- the next group ------------------------------------------------------------------------------------------------ */

int64_t path_plus(int64_t sum, int64_t more)
{
    if (sum < 0 || more < 0) {
        return sum < 0 ? sum : more;
    }
    return more <= INT64_MAX - sum ? sum + more : COURSE_TOO_MUCH;
}

static void build(const path *it, uint32_t task, uint8_t role, int64_t *built, path_step *step)
{
    if (it->now.task_stateful[task]) {
        step->copies++;
        step->cold += role == SEGUE_ACTIVE;
        *built = path_plus(*built, it->bytes[task]);
    }
}

/* One member's copies: those it is to have, caught up, and what lies on its disk without a role. What it gave up is gone. */
static uint32_t merge(const path *it, uint32_t member, const path_copies *wanted, path_copies *next, uint32_t at,
                      int64_t *built, path_step *step)
{
    const segue_group *now = &it->now;
    uint32_t old = now->copy_start[member];
    uint32_t new = wanted->start[member];
    while (old < now->copy_start[member + 1] || new < wanted->start[member + 1]) {
        uint32_t has = old < now->copy_start[member + 1] ? now->copy_task[old] : SEGUE_NONE;
        uint32_t gets = new < wanted->start[member + 1] ? wanted->task[new] : SEGUE_NONE;
        uint8_t was = has <= gets ? now->copy_role[old] : SEGUE_DORMANT;
        uint8_t is = gets <= has ? wanted->role[new] : SEGUE_DORMANT;
        if (gets < has && !disks_have(&it->disks, now, member, gets)) {
            build(it, gets, is, built, step);
        }
        step->changes |= was != is;
        if (is != SEGUE_DORMANT || was == SEGUE_DORMANT) {
            next->task[at] = has < gets ? has : gets;
            next->role[at] = is;
            next->lag[at++] = is != SEGUE_DORMANT ? 0 : now->copy_lag == NULL ? SEGUE_LAG_UNKNOWN : now->copy_lag[old];
        }
        old += has <= gets;
        new += gets <= has;
    }
    return at;
}

static int32_t follow(path *it, const segue_plan *plan, int64_t *built, path_step *step, segue_error *error)
{
    path_copies wanted = {0};
    path_copies next = {0};
    uint32_t members = it->now.member_count;
    uint32_t at = 0;
    if (want(it, plan, &wanted) != 0 ||
        copies_make(&next, members, (size_t)wanted.start[members] + it->now.copy_count) != 0) {
        copies_free(&wanted);
        return sgi_fail(error, SEGUE_E_MEMORY, "no memory for the next group");
    }
    for (uint32_t member = 0; member < members; member++) {
        next.start[member] = at;
        at = merge(it, member, &wanted, &next, at, &built[member], step);
    }
    next.start[members] = at;
    step->moves = plan->moves;
    step->learners = plan->learners;
    hold(it, &next);
    copies_free(&wanted);
    return SEGUE_OK;
}

/* ---- asking -------------------------------------------------------------------------------------------------------- */

static int32_t keep_first(path *it, const char *assignor, const segue_plan *plan, segue_error *error)
{
    char *text = NULL;
    size_t size = 0;
    int32_t status = segue_document_write_plan(it->document, assignor, plan, 0, 0, &text, &size, error);
    if (status == SEGUE_OK) {
        json_t *document = json_loadb(text, size, 0, NULL);
        it->first = json_incref(json_object_get(document, "members"));
        it->min_moves = plan->min_moves;
        json_decref(document);
        status = it->first != NULL ? SEGUE_OK : sgi_fail(error, SEGUE_E_MEMORY, "no memory for a plan");
    }
    segue_free(text);
    return status;
}

int32_t path_go(path *it, segue_host *host, const char *assignor, int64_t *built, path_step *step, segue_error *error)
{
    const segue_config *config = segue_document_config(it->document);
    segue_bound bound = {.size = sizeof bound};
    segue_plan *plan = NULL;
    *step = (path_step){0};
    int32_t status = segue_host_bound(&it->now, config, &bound);
    status = status == SEGUE_OK ? segue_plan_new(it->now.task_count, &bound, 0, &plan) : status;
    if (status != SEGUE_OK) {
        return sgi_fail(error, status, "no memory holds a plan of %u tasks", it->now.task_count);
    }
    status = segue_host_assign(host, assignor, &it->now, config, plan, NULL, error);
    status = status == SEGUE_OK && it->first == NULL ? keep_first(it, assignor, plan, error) : status;
    status = status == SEGUE_OK ? follow(it, plan, built, step, error) : status;
    segue_plan_free(plan);
    return status;
}

/* ---- beginning and end --------------------------------------------------------------------------------------------- */

static int note_bytes(path *it, int64_t state_bytes)
{
    const segue_group *group = &it->now;
    it->bytes = malloc(((size_t)group->task_count + 1) * sizeof *it->bytes);
    for (uint32_t task = 0; it->bytes != NULL && task < group->task_count; task++) {
        int64_t said = group->task_state_bytes == NULL ? SEGUE_BYTES_UNKNOWN : group->task_state_bytes[task];
        it->bytes[task] = said != SEGUE_BYTES_UNKNOWN ? said : state_bytes;
    }
    return it->bytes != NULL ? 0 : -1;
}

int32_t path_open(path *it, const json_t *group, int64_t state_bytes, segue_error *error)
{
    *it = (path){0};
    char *text = json_dumps(group, JSON_COMPACT);
    if (text == NULL) {
        return sgi_fail(error, SEGUE_E_MEMORY, "no memory for a group");
    }
    int32_t status = segue_document_read(text, strlen(text), "the group", &it->document, error);
    free(text);
    if (status != SEGUE_OK) {
        return status;
    }
    it->now = *segue_document_group(it->document);
    return note_bytes(it, state_bytes) == 0 && disks_open(&it->disks, &it->now) == 0 ? SEGUE_OK : sgi_fail(error, SEGUE_E_MEMORY, "no memory for a group");
}

uint32_t path_active(const path *it, uint32_t member)
{
    uint32_t count = 0;
    for (uint32_t row = it->now.copy_start[member]; row < it->now.copy_start[member + 1]; row++) {
        count += it->now.copy_role[row] == SEGUE_ACTIVE;
    }
    return count;
}

json_t *path_member(const path *it, uint32_t member)
{
    const segue_group *group = &it->now;
    uint32_t name = group->member_name[member];
    uint32_t from = group->string_offset[name];
    return json_stringn(group->string_bytes + from, group->string_offset[name + 1] - from);
}

void path_close(path *it)
{
    copies_free(&it->copies);
    disks_close(&it->disks);
    segue_document_free(it->document);
    json_decref(it->first);
    free(it->bytes);
    *it = (path){0};
}
