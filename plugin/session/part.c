/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decisions by what moves. In a plain group (segue/session.h) everybody who holds what it should keeps it, so that the
 * solver's own steps from wants to targets (solve/balance.h) are run on a small view: the members that hold more or less
 * than they should, what they hold, and the tasks that nobody has. Who should hold how much is the closed form of
 * solve/quota.h and solve/rounding.h for members of equal threads, found with passes over one count for each member.
 */
#include "session/session.h"

#include "core/fault.h"
#include "core/scan.h"
#include "core/sort.h"
#include "solve/balance.h"

#include <string.h>

/* The tasks that are looked at are at most this part of all of them; else a full run is as good. */
#define PART 2

/* What is known of the members by passing over their counts. */
typedef struct census {
    uint32_t floor, roundings; /* of tasks by members */
    uint32_t keepers;          /* members that hold more than the floor */
    uint32_t idlers;           /* members that hold nothing */
    uint64_t within;           /* what members hold up to the floor */
} census;

/* The small view. */
typedef struct stage {
    segue_session *session;
    census census;
    uint32_t *rank, *want; /* by member of the view */
    uint32_t members, tasks;
    uint32_t *task;        /* by task of the view: the handle in the group */
    uint32_t *kind_tasks;  /* by subtopology of the view: how many the group has */
    segue_group group;
    sgp_view view;
    sgp_balance balance;
} stage;

static uint32_t count_unlike(const uint32_t *column, uint32_t count, uint32_t value)
{
    uint32_t unlike = 0;
    for (uint32_t i = 0; i < count; i++) {
        unlike += column[i] != value;
    }
    return unlike;
}

static int is_plain(const segue_session *s)
{
    return s->may_be_plain && s->odd == 0 && s->marked == 0 && s->members > 0 && s->processes == s->members &&
           s->threads[0] > 0 && count_unlike(s->threads, s->members, s->threads[0]) == 0;
}

static census count_members(const segue_session *s)
{
    const uint32_t *held = s->held, members = s->members, tasks = s->base.task_count;
    census c = {.floor = tasks / members, .roundings = tasks % members};
    const uint32_t floor = c.floor;
    uint32_t keepers = 0, idlers = 0;
    uint64_t within = 0;
    for (uint32_t i = 0; i < members; i++) {
        keepers += held[i] > floor;
        idlers += held[i] == 0;
        within += held[i] < floor ? held[i] : floor;
    }
    c.keepers = keepers;
    c.idlers = idlers;
    c.within = within;
    return c;
}

/* Does the strategy let whoever holds something take from others? */
static int everyone_receives(const segue_session *s)
{
    return s->strategy->everyone_receives || !s->stateful;
}

/* Roundings that are still to be given, to each class of members in its turn. */
typedef struct spares {
    uint32_t keepers, idlers, others;
} spares;

static spares share_roundings(const segue_session *s, const census *c)
{
    spares left = {.keepers = c->roundings < c->keepers ? c->roundings : c->keepers};
    uint32_t rest = c->roundings - left.keepers;
    if (!everyone_receives(s)) {
        left.idlers = rest < c->idlers ? rest : c->idlers;
    }
    left.others = rest - left.idlers;
    return left;
}

static uint32_t round_up(uint32_t *left)
{
    uint32_t up = *left > 0;
    *left -= up;
    return up;
}

/* Does everybody in a block hold what it should, as nearly everybody does? Then nobody in it has to be looked at. */
static int block_is_settled(const uint32_t *held, uint32_t floor, spares *left)
{
    uint32_t even = 0, up = 0;
    for (uint32_t i = 0; i < SGP_SCAN_BLOCK; i++) {
        even += held[i] == floor;
        up += held[i] == floor + 1;
    }
    if (even + up < SGP_SCAN_BLOCK || up > left->keepers || left->idlers + left->others > 0) {
        return 0;
    }
    left->keepers -= up;
    return 1;
}

/* Lists whoever holds more or less than it should. Returns how many tasks these hold, and those that nobody has: 0 where
 * nothing can move. */
static uint64_t cast_members(stage *st)
{
    const segue_session *s = st->session;
    const uint32_t floor = st->census.floor;
    const int everyone = everyone_receives(s);
    spares left = share_roundings(s, &st->census);
    uint64_t tasks = s->orphans;
    int gives = 0, takes = 0;
    for (uint32_t i = 0; i < s->members; i++) {
        while (i % SGP_SCAN_BLOCK == 0 && s->members - i >= SGP_SCAN_BLOCK &&
               block_is_settled(s->held + i, floor, &left)) {
            i += SGP_SCAN_BLOCK;
        }
        if (i == s->members) {
            break;
        }
        uint32_t held = s->held[i], want = floor;
        if (held > floor) {
            want += round_up(&left.keepers);
        } else {
            want += round_up(held == 0 && !everyone ? &left.idlers : &left.others);
        }
        if (held != want) {
            st->rank[st->members] = i;
            st->want[st->members++] = want;
            tasks += held;
            gives |= held > want;
            takes |= held < want && (everyone || held == 0);
        }
    }
    if (s->orphans == 0 && !(gives && takes)) {
        st->members = 0;
        return 0;
    }
    return tasks;
}

static int32_t cast(stage *st, uint64_t *tasks)
{
    *tasks = 0;
    st->rank = SGP_TAKE(&st->session->region, uint32_t, st->session->members);
    st->want = SGP_TAKE(&st->session->region, uint32_t, st->session->members);
    if (st->session->region.failed) {
        return SEGUE_E_MEMORY;
    }
    *tasks = cast_members(st);
    return SEGUE_OK;
}

/* ---- the view's columns ---- */

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
static void list_tasks(const stage *st, uint64_t *keys, uint64_t *spare)
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
static void number_subtopologies(stage *st, uint32_t *subtopology, uint32_t *start)
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
static void write_rows(const stage *st, const uint32_t *serve, uint32_t *start, uint32_t *task)
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

static void write_members(stage *st, uint32_t *load, uint8_t *receives)
{
    const segue_session *s = st->session;
    memset(st->view.place, SGP_STAYS, st->members);
    for (uint32_t m = 0; m < st->members; m++) {
        load[m] = s->held[st->rank[m]];
        st->view.threads[m] = s->threads[st->rank[m]];
        receives[m] = (uint8_t)(everyone_receives(s) || load[m] == 0);
    }
}

static int32_t build(stage *st)
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

static int32_t find_targets(stage *st)
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

/* ---- what comes of it ---- */

/* Two rows of one task, in the members' order. */
static void want_both(const stage *st, segue_copies *changes, uint32_t task, uint32_t from, uint32_t to)
{
    const segue_session *s = st->session;
    uint8_t rest = s->stateful ? (uint8_t)SEGUE_DORMANT : SEGUE_COPY_GONE;
    for (int second = 0; second <= 1; second++) {
        if ((from < to) == !second) {
            sgp_session_want(changes, task, s->order[st->rank[from]], rest, 0);
        } else {
            sgp_session_want(changes, task, s->order[st->rank[to]], SEGUE_ACTIVE, 0);
        }
    }
}

static void hand_over(stage *st, segue_copies *changes, segue_plan *plan, uint32_t row)
{
    segue_session *s = st->session;
    uint32_t from = st->balance.serve[row], to = st->balance.target[row], task = st->task[row];
    int learns = from != SEGUE_NONE && s->stateful && !s->strategy->cold;
    if (from == to) {
        return;
    }
    if (learns) {
        sgp_session_want(changes, task, s->order[st->rank[to]], SEGUE_LEARNER, SEGUE_LAG_UNKNOWN);
        plan->learners++;
        return;
    }
    if (from == SEGUE_NONE) {
        sgp_session_want(changes, task, s->order[st->rank[to]], SEGUE_ACTIVE, 0);
    } else {
        want_both(st, changes, task, from, to);
        plan->moves++;
        s->held[st->rank[from]]--;
    }
    s->held[st->rank[to]]++;
}

static void put_back(stage *st)
{
    for (uint32_t m = 0; m < st->members; m++) {
        st->session->held[st->rank[m]] = st->balance.load[m];
    }
}

/* Largest minus smallest count for each thread. */
static double spread_of(const segue_session *s)
{
    const uint32_t *held = s->held, members = s->members;
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < members; i++) {
        least = held[i] < least ? held[i] : least;
        most = held[i] > most ? held[i] : most;
    }
    return (double)most / s->threads[0] - (double)least / s->threads[0];
}

static void clear_figures(segue_plan *plan)
{
#define WAY_IN(field)
#define WAY_OUT(field) plan->field = 0;
#define CLEAR_SCALAR(field, type, way) WAY_##way(field)
    SEGUE_PLAN_SCALARS(CLEAR_SCALAR)
#undef CLEAR_SCALAR
#undef WAY_OUT
#undef WAY_IN
}

static uint32_t least_moves(const segue_session *s, const census *c)
{
    uint32_t kept = c->keepers < c->roundings ? c->keepers : c->roundings;
    return s->base.task_count - s->orphans - (uint32_t)c->within - kept;
}

static void write_figures(const stage *st, int64_t now_ms, segue_plan *plan)
{
    const segue_session *s = st->session;
    int64_t wait = s->config.probing_rebalance_interval_ms;
    plan->task_count = s->base.task_count;
    plan->min_moves = least_moves(s, &st->census);
    plan->optimal = 1;
    plan->spread = spread_of(s);
    plan->followup_needed = plan->learners > 0;
    plan->followup_reason = plan->learners > 0 ? SEGUE_FOLLOWUP_LEARNERS_RESTORING : SEGUE_FOLLOWUP_NONE;
    plan->followup_at_ms = SEGUE_TIME_NONE;
    if (plan->learners > 0) {
        plan->followup_at_ms = now_ms > INT64_MAX - wait ? INT64_MAX : now_ms + wait;
    }
}

int32_t sgp_part(segue_session *s, int64_t now_ms, segue_copies *changes, segue_plan *plan, int *done,
                 segue_error *error)
{
    stage st = {.session = s};
    uint64_t tasks;
    *done = 0;
    if (!is_plain(s)) {
        return SEGUE_OK;
    }
    st.census = count_members(s);
    int32_t status = cast(&st, &tasks);
    if (status == SEGUE_OK && tasks * PART > s->base.task_count) {
        sgp_region_reset(&s->region);
        return SEGUE_OK;
    }
    st.tasks = (uint32_t)tasks;
    status = status == SEGUE_OK ? find_targets(&st) : status;
    if (status != SEGUE_OK) {
        return sgp_fault(error, status, SEGUE_NONE, "no memory for a decision on %u tasks", (unsigned)tasks);
    }
    clear_figures(plan);
    for (uint32_t t = 0; t < st.tasks; t++) {
        hand_over(&st, changes, plan, t);
    }
    write_figures(&st, now_ms, plan);
    put_back(&st);
    *done = 1;
    return SEGUE_OK;
}
