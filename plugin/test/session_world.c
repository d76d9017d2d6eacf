/* SPDX-License-Identifier: Apache-2.0 */
#include "test/session_world.h"

#include "test/rebalance.h"
#include "test/testing.h"

#include <stdio.h>

static uint8_t *role_of(const world *w, uint32_t task, uint32_t number)
{
    return &w->role[(size_t)task * WORLD_NUMBERS + number];
}

static int64_t *lag_of(const world *w, uint32_t task, uint32_t number)
{
    return &w->lag[(size_t)task * WORLD_NUMBERS + number];
}

static void *column(size_t rows, size_t size)
{
    void *made = calloc(rows + 1, size);
    assert_non_null(made);
    return made;
}

static void expect_ok(const world *w, int32_t status)
{
    EXPECT(status == SEGUE_OK, "%s, seed %llu: %s", w->assignor, (unsigned long long)w->seed, w->text);
}

/* ---- opening ---- */

static void record_members(world *w, const segue_group *g)
{
    for (uint32_t m = 0; m < g->member_count; m++) {
        world_member *at = &w->member[m];
        *at = (world_member){.present = 1, .threads = g->member_threads[m], .process = g->member_process[m]};
        snprintf(at->name, sizeof at->name, "m%06u", (unsigned)(m * 100));
        at->rack = g->member_rack == NULL ? SEGUE_NONE : g->member_rack[m];
        at->leaving_ms = g->member_leaving_ms[m];
        at->deadline_ms = g->member_deadline_ms[m];
    }
    w->next_process = g->process_count;
}

static void record_copies(world *w, const segue_group *g)
{
    memset(w->role, WORLD_NOBODY, (size_t)w->tasks * WORLD_NUMBERS);
    for (uint32_t m = 0; m < g->member_count; m++) {
        for (uint32_t r = g->copy_start[m]; r < g->copy_start[m + 1]; r++) {
            *role_of(w, g->copy_task[r], m) = g->copy_role[r];
            *lag_of(w, g->copy_task[r], m) = g->copy_lag[r];
        }
    }
}

/* Strings: an empty one for everything but members, then their names. */
static void open_session(world *w, const segue_group *start, const segue_config *config)
{
    segue_group g = *start;
    uint32_t *offset = column((size_t)start->string_count + g.member_count + 1, sizeof *offset);
    uint32_t *name = column(g.member_count, sizeof *name);
    char *bytes = column(g.member_count, WORLD_NAME);
    for (uint32_t m = 0; m < g.member_count; m++) {
        uint32_t string = start->string_count + m;
        name[m] = string;
        memcpy(bytes + offset[string], w->member[m].name, strlen(w->member[m].name));
        offset[string + 1] = offset[string] + (uint32_t)strlen(w->member[m].name);
    }
    g.string_count += g.member_count;
    g.string_bytes_size = offset[g.string_count];
    g.string_offset = offset;
    g.string_bytes = bytes;
    g.member_name = name;
    int32_t status = w->slots->open(w->assignor, &g, config, &w->session, &w->error);
    free(offset);
    free(name);
    free(bytes);
    expect_ok(w, status);
}

draft *world_even(uint32_t members, uint32_t each)
{
    draft *d = draft_new();
    draft_tasks(d, members * each, 1);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, 1);
        draft_owns(d, m, m * each, each);
    }
    return d;
}

void world_open(world *w, const char *assignor, draft *start)
{
    const segue_group *g = draft_group(start);
    *w = (world){.seed = start->seed, .assignor = assignor, .start = start, .tasks = g->task_count};
    w->error = (segue_error){.size = sizeof w->error, .text = w->text, .text_size = sizeof w->text};
    w->slots = rebalance_slots()->get_extension(SEGUE_SESSION_ID);
    assert_non_null(w->slots);
    w->role = column((size_t)w->tasks * WORLD_NUMBERS, sizeof *w->role);
    w->lag = column((size_t)w->tasks * WORLD_NUMBERS, sizeof *w->lag);
    uint32_t rows = w->tasks * 8 + WORLD_NUMBERS * 16;
    w->changes = (segue_copies){.size = sizeof w->changes, .capacity = rows};
    w->changes.task = column(rows, sizeof *w->changes.task);
    w->changes.member = column(rows, sizeof *w->changes.member);
    w->changes.role = column(rows, sizeof *w->changes.role);
    w->changes.lag = column(rows, sizeof *w->changes.lag);
    w->plan.size = sizeof w->plan;
    record_members(w, g);
    record_copies(w, g);
    open_session(w, g, &start->config);
}

void world_close(world *w)
{
    w->slots->close(w->session);
    free(w->role);
    free(w->lag);
    free(w->changes.task);
    free(w->changes.member);
    free(w->changes.role);
    free(w->changes.lag);
}

/* ---- changes ---- */

int world_has_name(const world *w, const char *name)
{
    for (uint32_t n = 0; n < WORLD_NUMBERS; n++) {
        if (w->member[n].present && strcmp(w->member[n].name, name) == 0) {
            return 1;
        }
    }
    return 0;
}

void world_join(world *w, uint32_t number, const char *name, uint32_t threads, uint32_t process, uint32_t rack)
{
    segue_joiner joiner = {sizeof joiner, number, threads, process, rack, (uint32_t)strlen(name), name};
    world_member *at = &w->member[number];
    expect_ok(w, w->slots->join(w->session, &joiner, &w->error));
    *at = (world_member){.present = 1, .threads = threads, .rack = rack, .leaving_ms = SEGUE_TIME_NONE};
    at->deadline_ms = SEGUE_TIME_NONE;
    at->process = process == number ? w->next_process++ : w->member[process].process;
    snprintf(at->name, sizeof at->name, "%s", name);
}

void world_leave(world *w, uint32_t number)
{
    expect_ok(w, w->slots->leave(w->session, number, &w->error));
    w->member[number].present = 0;
    for (uint32_t t = 0; t < w->tasks; t++) {
        *role_of(w, t, number) = WORLD_NOBODY;
    }
}

void world_mark(world *w, uint32_t number, int64_t leaving_ms, int64_t deadline_ms)
{
    expect_ok(w, w->slots->mark(w->session, number, leaving_ms, deadline_ms, &w->error));
    w->member[number].leaving_ms = leaving_ms;
    w->member[number].deadline_ms = deadline_ms;
}

void world_put(world *w, uint32_t task, uint32_t number, uint8_t role, int64_t lag)
{
    segue_copies one = {sizeof one, 1, 0, 0, &task, &number, &role, &lag};
    expect_ok(w, w->slots->put(w->session, &one, &w->error));
    *role_of(w, task, number) = role == SEGUE_COPY_GONE ? WORLD_NOBODY : role;
    *lag_of(w, task, number) = lag;
}

/* ---- what the session says ---- */

static void check_members(const world *w, const segue_group *g, const uint32_t *numbers)
{
    uint32_t present = 0, named = 0, process[WORLD_NUMBERS];
    for (uint32_t n = 0; n < WORLD_NUMBERS; n++) {
        present += (uint32_t)w->member[n].present;
    }
    assert_int_equal(g->member_count, present);
    for (uint32_t m = 0; m < g->member_count; m++) {
        const world_member *at = &w->member[numbers[m]];
        uint32_t string = g->member_name[m], begin = g->string_offset[string];
        assert_true(at->present);
        assert_int_equal(g->string_offset[string + 1] - begin, strlen(at->name));
        assert_memory_equal(g->string_bytes + begin, at->name, strlen(at->name));
        assert_true(m == 0 || strcmp(w->member[numbers[m - 1]].name, at->name) < 0);
        assert_int_equal(g->member_threads[m], at->threads);
        assert_true(g->member_leaving_ms[m] == at->leaving_ms && g->member_deadline_ms[m] == at->deadline_ms);
        assert_true(g->member_rack == NULL ? at->rack == SEGUE_NONE : g->member_rack[m] == at->rack);
        assert_true(g->member_process[m] <= named);
        process[g->member_process[m]] = g->member_process[m] == named ? at->process : process[g->member_process[m]];
        named += g->member_process[m] == named;
        assert_int_equal(process[g->member_process[m]], at->process);
    }
    assert_int_equal(g->process_count, named);
    for (uint32_t p = 0; p < named; p++) {
        for (uint32_t q = 0; q < p; q++) {
            assert_int_not_equal(process[p], process[q]);
        }
    }
}

static void check_copies(const world *w, const segue_group *g, const uint32_t *numbers)
{
    size_t copies = 0;
    for (size_t i = 0; i < (size_t)w->tasks * WORLD_NUMBERS; i++) {
        copies += w->role[i] != WORLD_NOBODY;
    }
    assert_int_equal(g->copy_count, copies);
    for (uint32_t m = 0; m < g->member_count; m++) {
        for (uint32_t r = g->copy_start[m]; r < g->copy_start[m + 1]; r++) {
            assert_true(r == g->copy_start[m] || g->copy_task[r - 1] < g->copy_task[r]);
            assert_int_equal(g->copy_role[r], *role_of(w, g->copy_task[r], numbers[m]));
            assert_true(g->copy_lag[r] == *lag_of(w, g->copy_task[r], numbers[m]));
        }
    }
}

static void check_scalars(const world *w, const segue_plan *full)
{
#define WAY_IN(field)
#define WAY_OUT(field)                                                                                            \
    EXPECT(memcmp(&w->plan.field, &full->field, sizeof full->field) == 0, "%s, seed %llu, full run %u: %s is %g, not %g", \
           w->assignor, (unsigned long long)w->seed, (unsigned)w->changes.full_run, #field, (double)w->plan.field,   \
           (double)full->field);
#define CHECK_SCALAR(field, type, way) WAY_##way(field)
    SEGUE_PLAN_SCALARS(CHECK_SCALAR)
#undef CHECK_SCALAR
#undef WAY_OUT
#undef WAY_IN
}

static uint8_t planned_role(const world *w, const segue_plan *p, uint32_t task, uint32_t m, uint32_t number)
{
    uint8_t had = *role_of(w, task, number);
    if (p->active[task] == m) {
        return SEGUE_ACTIVE;
    }
    if (p->learner[task] == m) {
        return SEGUE_LEARNER;
    }
    for (uint32_t i = p->standby_start[task]; i < p->standby_start[task + 1]; i++) {
        if (p->standby_member[i] == m) {
            return SEGUE_STANDBY;
        }
    }
    if (had == WORLD_NOBODY || had == SEGUE_DORMANT) {
        return had;
    }
    return w->start->stateful[task] ? SEGUE_DORMANT : WORLD_NOBODY;
}

/* The rows are exactly the differences between the record and the full run's plan, by task and member. */
static void check_changes(const world *w, const segue_group *g, const uint32_t *numbers, const segue_plan *p)
{
    const segue_copies *c = &w->changes;
    uint32_t row = 0;
    for (uint32_t t = 0; t < w->tasks; t++) {
        for (uint32_t m = 0; m < g->member_count; m++) {
            uint32_t n = numbers[m];
            uint8_t had = *role_of(w, t, n), role = planned_role(w, p, t, m, n);
            if (role == had) {
                continue;
            }
            int64_t lag = had != WORLD_NOBODY ? *lag_of(w, t, n) : (role == SEGUE_ACTIVE ? 0 : SEGUE_LAG_UNKNOWN);
            role = role == WORLD_NOBODY ? SEGUE_COPY_GONE : role;
            EXPECT(row < c->count && c->task[row] == t && c->member[row] == n && c->role[row] == role &&
                       c->lag[row] == lag,
                   "%s, seed %llu, full run %u: row %u of %u is not task %u, member %u, role %u", w->assignor,
                   (unsigned long long)w->seed, (unsigned)c->full_run, (unsigned)row, (unsigned)c->count, (unsigned)t,
                   (unsigned)n, (unsigned)role);
            row++;
        }
    }
    assert_int_equal(c->count, row);
}

/* `assign` on the group that the session gives. */
static void compare_with_assign(world *w, int64_t now_ms)
{
    segue_group g = {.size = sizeof g};
    const uint32_t *numbers = NULL;
    segue_instance *instance = NULL;
    expect_ok(w, w->slots->read_group(w->session, now_ms, &g, &numbers, &w->error));
    check_members(w, &g, numbers);
    check_copies(w, &g, numbers);
    draft frame = {.group = g, .config = w->start->config};
    segue_bound bound = {.size = sizeof bound};
    assert_int_equal(rebalance_slots()->plan_bound(&frame.group, &frame.config, &bound), SEGUE_OK);
    segue_plan p = {.size = sizeof p, .standby_capacity = bound.standby_rows};
    p.active = column(g.task_count, sizeof *p.active);
    p.learner = column(g.task_count, sizeof *p.learner);
    p.standby_start = column((size_t)g.task_count + 1, sizeof *p.standby_start);
    p.standby_member = column(bound.standby_rows, sizeof *p.standby_member);
    assert_int_equal(rebalance_slots()->create(w->assignor, &instance, NULL), SEGUE_OK);
    int32_t status = rebalance_slots()->assign(instance, &g, &frame.config, &p, &w->error);
    rebalance_slots()->destroy(instance);
    expect_ok(w, status);
    check_changes(w, &g, numbers, &p);
    check_scalars(w, &p);
    free(p.active);
    free(p.learner);
    free(p.standby_start);
    free(p.standby_member);
}

void world_decide(world *w, int64_t now_ms)
{
    expect_ok(w, w->slots->decide(w->session, now_ms, &w->changes, &w->plan, &w->error));
    w->parts += !w->changes.full_run;
    w->wholes += w->changes.full_run;
    compare_with_assign(w, now_ms);
}

void world_carry_out(world *w, int drops, int hurries)
{
    segue_copies *c = &w->changes;
    for (uint32_t i = 0; i < c->count; i++) {
        uint8_t role = c->role[i];
        if (role == SEGUE_LEARNER && hurries) {
            for (uint32_t n = 0; n < WORLD_NUMBERS; n++) {
                if (*role_of(w, c->task[i], n) == SEGUE_ACTIVE) {
                    world_put(w, c->task[i], n, drops ? SEGUE_COPY_GONE : SEGUE_DORMANT, 0);
                }
            }
            world_put(w, c->task[i], c->member[i], SEGUE_ACTIVE, 0);
        } else {
            world_put(w, c->task[i], c->member[i], role == SEGUE_DORMANT && drops ? SEGUE_COPY_GONE : role, c->lag[i]);
        }
    }
    c->count = 0;
}
