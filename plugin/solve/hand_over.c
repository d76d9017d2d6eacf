/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/hand_over.h"

#include "core/scan.h"

#include <stdlib.h>
#include <string.h>

/* A task that wants a slot for a learner. */
typedef struct wish {
    int64_t lag;
    int64_t deadline; /* of the member that has to give it up; INT64_MAX: none */
    double size;      /* bytes of state for each unit of weight that is brought to its place */
    uint32_t task, member;
    uint8_t evicted, running, learning, ready;
} wish;

typedef struct wishes {
    wish *list;
    uint32_t count;
    uint8_t *learning; /* by member: it runs a learner that its target confirms */
    uint8_t *unready;  /* by member: one of those is not caught up */
} wishes;

/* Is the copy better than (lag, role) for the purposes of its process? */
static int nearer(const sgp_copy *copy, int64_t lag, uint32_t role)
{
    if (role == SEGUE_NONE || (copy->lag >= 0) != (lag >= 0)) {
        return role == SEGUE_NONE || copy->lag >= 0;
    }
    return copy->lag < lag;
}

int64_t sgp_lag_on(const sgp_view *view, uint32_t task, uint32_t member, uint32_t *role)
{
    uint32_t count, process = sgp_process(view, member);
    const sgp_copy *copies = sgp_copies(view, task, &count);
    sgp_copy own = {sgp_owner_lag(view, task), view->owner[task], SEGUE_ACTIVE};
    int64_t lag = SEGUE_LAG_UNKNOWN;
    *role = SEGUE_NONE;
    for (uint32_t i = 0; i <= count; i++) {
        const sgp_copy *copy = i < count ? &copies[i] : &own;
        if (copy->member == SEGUE_NONE || sgp_process(view, copy->member) != process) {
            continue;
        }
        if (nearer(copy, lag, *role)) {
            lag = copy->lag;
        }
        if (*role == SEGUE_NONE || copy->role > *role) {
            *role = copy->role;
        }
    }
    return lag;
}

static void move(sgp_roles *r, uint32_t task, uint32_t to)
{
    r->active[task] = to;
    sgp_note_outcome(r, task, SGP_MOVED);
}

/* Settles the task at once where nothing has to be learned; returns 1 where that is not known yet. */
static int settle(const sgp_view *view, sgp_roles *r, uint32_t task, int cold)
{
    uint32_t server = r->serve[task], target = r->target[task];
    r->learner[task] = SEGUE_NONE;
    r->active[task] = target;
    sgp_note_outcome(r, task, server == target ? SGP_SETTLED : SGP_MOVED);
    if (server == target || server == SEGUE_NONE || cold) {
        return 0;
    }
    return sgp_process(view, server) != sgp_process(view, target);
}

/* Lists those from `from` to `to` that are not settled. */
static uint32_t settle_block(const sgp_view *view, sgp_roles *r, int cold, uint32_t from, uint32_t to, uint32_t *moving)
{
    uint32_t count = 0;
    for (uint32_t t = from; t < to; t++) {
        uint32_t server = r->serve[t], target = r->target[t];
        if (server != target) {
            sgp_note_outcome(r, t, SGP_MOVED);
            r->moves += server != SEGUE_NONE;
            moving[count] = t;
            count += !cold && server != SEGUE_NONE && sgp_process(view, server) != sgp_process(view, target);
        }
    }
    return count;
}

/* The same for all tasks where all have state: those with a target elsewhere alone are looked at. */
static uint32_t settle_blocks(const sgp_view *view, sgp_roles *r, int cold, uint32_t *moving)
{
    const uint32_t tasks = view->tasks;
    uint32_t count = 0;
    if (r->active != r->target) {
        memcpy(r->active, r->target, tasks * sizeof *r->active);
    }
    memset(r->learner, 0xff, tasks * sizeof *r->learner);
    if (r->outcome != NULL) {
        memset(r->outcome, r->nobody_serves ? SGP_MOVED : SGP_SETTLED, tasks * sizeof *r->outcome);
    }
    for (uint32_t from = 0, to; !r->unchanged && !r->nobody_serves && from < tasks; from = to) {
        to = sgp_scan_end(from, tasks);
        int may_be = r->marks == NULL || r->marks[from / SGP_SCAN_BLOCK];
        if (may_be && sgp_scan_differs(r->serve, r->target, from, to)) {
            count += settle_block(view, r, cold, from, to, moving + count);
        }
    }
    return count;
}

/* Lists the tasks that are not settled. */
static uint32_t settle_all(const sgp_view *view, sgp_roles *r, int cold, uint32_t *moving)
{
    const uint32_t tasks = view->tasks;
    uint32_t count = 0;
    if (view->stateful_tasks == tasks) {
        return settle_blocks(view, r, cold, moving);
    }
    for (uint32_t t = 0; t < tasks; t++) {
        if (sgp_stateful(view, t) && settle(view, r, t, cold)) {
            moving[count++] = t;
        }
    }
    return count;
}

static int64_t deadline_of(const sgp_view *view, uint32_t member)
{
    const int64_t *deadline = view->group->member_deadline_ms;
    return deadline == NULL || deadline[member] == SEGUE_TIME_NONE ? INT64_MAX : deadline[member];
}

static int64_t state_bytes(const sgp_view *view, uint32_t task)
{
    const int64_t *bytes = view->group->task_state_bytes;
    return bytes != NULL && bytes[task] > 0 ? bytes[task] : 0;
}

static double weight_of(const sgp_view *view, uint32_t task)
{
    const double *weight = view->group->task_weight;
    return weight != NULL && weight[task] > 0 ? weight[task] : 1;
}

/* Until it is handed over or learned, the server serves it. */
static wish wish_for(const sgp_view *view, sgp_roles *r, wishes *w, uint32_t task)
{
    uint32_t server = r->serve[task], target = r->target[task], role;
    int64_t lag = sgp_lag_on(view, task, target, &role);
    int evicted = view->place[server] != SGP_STAYS;
    wish made = {.lag = lag, .task = task, .member = target, .evicted = (uint8_t)evicted};
    made.running = role == SEGUE_LEARNER;
    made.deadline = evicted ? deadline_of(view, server) : INT64_MAX;
    made.size = (double)state_bytes(view, task) / weight_of(view, task);
    made.ready = (uint8_t)sgp_hot(view, lag);
    w->learning[target] |= made.running;
    w->unready[target] |= made.running && !made.ready;
    r->active[task] = server;
    sgp_note_outcome(r, task, SGP_HELD_BACK);
    return made;
}

/* Caught-up copies change hands, but for those that wait in the stable mode. The others stay in the list. */
static void hand_over_ready(const sgp_view *view, sgp_roles *r, wishes *w)
{
    uint32_t kept = 0;
    int eager = view->config->learner_partial_rebalance != 0;
    for (uint32_t i = 0; i < w->count; i++) {
        wish at = w->list[i];
        if (at.ready && (eager || !at.running || !w->unready[at.member])) {
            move(r, at.task, at.member);
            continue;
        }
        at.learning = w->learning[at.member];
        w->list[kept++] = at;
    }
    w->count = kept;
}

static int compare_flags(const wish *a, const wish *b)
{
    unsigned left = a->evicted * 4u + a->running * 2u + a->learning;
    unsigned right = b->evicted * 4u + b->running * 2u + b->learning;
    return left > right ? -1 : left < right;
}

static int compare_wishes(const void *one, const void *other)
{
    const wish *a = one, *b = other;
    int order = compare_flags(a, b);
    if (order != 0) {
        return order;
    }
    if (a->deadline != b->deadline) {
        return a->deadline < b->deadline ? -1 : 1;
    }
    if (a->member != b->member) {
        return a->member < b->member ? -1 : 1;
    }
    if (a->lag != b->lag) { /* unknown (-1) sorts last */
        return (uint64_t)a->lag < (uint64_t)b->lag ? -1 : 1;
    }
    if (a->size < b->size || a->size > b->size) {
        return a->size < b->size ? -1 : 1;
    }
    return a->task < b->task ? -1 : a->task > b->task;
}

static int has_caps(const segue_config *config)
{
    return config->max_learners != SEGUE_NO_LIMIT || config->max_learners_per_member != SEGUE_NO_LIMIT ||
           config->max_learning_bytes >= 0;
}

/* What is in flight so far. */
typedef struct flight {
    uint32_t *of_member;
    int64_t bytes;
    int full; /* a task did not find the bytes that it needs: what comes behind it must not take them */
} flight;

/* A single learner is let in whatever its size, and nothing overtakes a task that waits for bytes: else one that is large
 * would wait for as long as there are smaller ones, and one larger than the bound for ever. */
static int has_bytes(const sgp_view *view, const sgp_roles *r, flight *f, const wish *at)
{
    const int64_t most = view->config->max_learning_bytes, bytes = state_bytes(view, at->task);
    int fits = most < 0 || bytes == 0 || r->learners == 0 ||
               (!f->full && f->bytes <= most && bytes <= most - f->bytes);
    f->full |= !fits;
    return fits;
}

static int has_slot(const sgp_view *view, const sgp_roles *r, flight *f, const wish *at)
{
    const segue_config *config = view->config;
    return r->learners < config->max_learners && f->of_member[at->member] < config->max_learners_per_member &&
           has_bytes(view, r, f, at);
}

static void start(const sgp_view *view, sgp_roles *r, flight *f, const wish *at)
{
    r->learner[at->task] = at->member;
    sgp_note_outcome(r, at->task, at->ready ? SGP_WAITS : SGP_LEARNS);
    r->learners++;
    f->of_member[at->member]++;
    int64_t bytes = state_bytes(view, at->task);
    f->bytes = bytes > INT64_MAX - f->bytes ? INT64_MAX : f->bytes + bytes;
}

static void grant(const sgp_view *view, sgp_roles *r, wishes *w, flight *f)
{
    if (has_caps(view->config)) {
        qsort(w->list, w->count, sizeof *w->list, compare_wishes);
    }
    for (uint32_t i = 0; i < w->count; i++) {
        const wish *at = &w->list[i];
        if (has_slot(view, r, f, at)) {
            start(view, r, f, at);
        } else if (at->ready) {
            move(r, at->task, at->member); /* a caught-up copy needs no slot */
        } else {
            r->held_back++;
        }
    }
}

/* Of `count` tasks that were not settled those that stay where they are. */
static void note_waiting(sgp_roles *r, uint32_t *moving, uint32_t count)
{
    r->waiting = moving;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t task = moving[i];
        moving[r->waiting_count] = task;
        r->waiting_count += r->active[task] == r->serve[task];
    }
    r->moves -= r->waiting_count;
}

/* Finds targets another place than that of the actives, where no learner tells of them. */
static int32_t part_targets(sgp_roles *r, const wishes *w, uint32_t tasks, sgp_region *region)
{
    if (r->held_back == 0 || r->target != r->active) {
        return SEGUE_OK;
    }
    r->target = SGP_TAKE(region, uint32_t, tasks);
    if (r->target == NULL) {
        return SEGUE_E_MEMORY;
    }
    memcpy(r->target, r->active, tasks * sizeof *r->target);
    for (uint32_t i = 0; i < w->count; i++) {
        r->target[w->list[i].task] = w->list[i].member;
    }
    return SEGUE_OK;
}

int32_t sgp_hand_over(const sgp_view *view, sgp_roles *r, int cold, sgp_region *region)
{
    wishes w = {.count = 0};
    flight f = {.bytes = 0};
    uint32_t *moving = SGP_TAKE(region, uint32_t, view->tasks);
    r->moves = r->waiting_count = 0;
    w.learning = SGP_TAKE_ZERO(region, uint8_t, view->members);
    w.unready = SGP_TAKE_ZERO(region, uint8_t, view->members);
    f.of_member = SGP_TAKE_ZERO(region, uint32_t, view->members);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    uint32_t count = settle_all(view, r, cold, moving);
    w.list = SGP_TAKE(region, wish, count);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        w.list[w.count++] = wish_for(view, r, &w, moving[i]);
    }
    hand_over_ready(view, r, &w);
    grant(view, r, &w, &f);
    note_waiting(r, moving, count);
    return part_targets(r, &w, view->tasks, region);
}
