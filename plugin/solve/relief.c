/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/relief.h"

#include "solve/quota.h"
#include "solve/serve.h"

#include <string.h>

/* Looks at copies, for each open task and member; what is not relieved by then stays as it is. Paths are short: this is
 * a bound against groups that are made to have none. */
#define LOOKS 64

typedef struct relief {
    const sgp_view *view;
    uint32_t *serve, *load;
    sgp_quota quota;
    uint32_t rounded;   /* members that use up a rounding */
    uint32_t *first;   /* by member: where to begin in the ring of open tasks that it serves, SEGUE_NONE for none */
    uint32_t *next, *last; /* by task: its neighbours in the ring */
    uint32_t *queue, *from, *along; /* a search: members in its order, by member where it came from and by which task */
    uint8_t *reached;
    uint64_t looks; /* left */
} relief;

/* What a path looks for, and what it may use. */
typedef struct errand {
    int rounding; /* ends at a member on its floor that can still be rounded up, else at one below its floor */
    int anything; /* may take a learner's task to a weaker copy */
    int stuck;    /* starts at members that are rounded up as well, not only at those above their ceiling */
} errand;

static int gives(const relief *r, const errand *e, uint32_t member)
{
    uint32_t least = e->stuck && !e->rounding ? r->quota.floor[member] : r->quota.ceiling[member];
    return r->view->place[member] == SGP_STAYS && r->load[member] > least;
}

static int takes(const relief *r, const errand *e, uint32_t member)
{
    if (r->load[member] < r->quota.floor[member]) {
        return 1;
    }
    return e->rounding && r->load[member] < r->quota.ceiling[member] && r->rounded < r->quota.roundings;
}

static int is_rounded(const relief *r, uint32_t member)
{
    return r->quota.ceiling[member] > r->quota.floor[member] && r->load[member] > r->quota.floor[member];
}

static void add_load(relief *r, uint32_t member, int change)
{
    r->rounded -= (uint32_t)is_rounded(r, member);
    r->load[member] += (uint32_t)change;
    r->rounded += (uint32_t)is_rounded(r, member);
}

static void link_task(relief *r, uint32_t task)
{
    uint32_t *first = &r->first[r->serve[task]];
    *first = *first == SEGUE_NONE ? task : *first;
    r->next[task] = *first;
    r->last[task] = *first == task ? task : r->last[*first];
    r->next[r->last[task]] = task;
    r->last[*first] = task;
}

/* The next search begins behind it: what came before was of no use. */
static void unlink_task(relief *r, uint32_t task)
{
    uint32_t next = r->next[task];
    r->next[r->last[task]] = next;
    r->last[next] = r->last[task];
    r->first[r->serve[task]] = next == task ? SEGUE_NONE : next;
}

/* Back along the path, each of its tasks goes one member on. */
static void walk(relief *r, uint32_t source, uint32_t sink)
{
    for (uint32_t member = sink; member != source; member = r->from[member]) {
        uint32_t task = r->along[member];
        unlink_task(r, task);
        r->serve[task] = member;
        link_task(r, task);
    }
    add_load(r, source, -1);
    add_load(r, sink, 1);
}

static uint32_t role_on(const relief *r, uint32_t task, uint32_t member)
{
    uint32_t count, role = SEGUE_DORMANT;
    const sgp_copy *copies = sgp_copies(r->view, task, &count);
    for (uint32_t i = 0; i < count; i++) {
        role = copies[i].member == member && copies[i].role > role ? copies[i].role : role;
    }
    return role;
}

/* Members that could serve the task as well, not yet reached, join the queue; returns its new end. */
static uint32_t spread(relief *r, const errand *e, uint32_t task, uint32_t end)
{
    const sgp_view *view = r->view;
    uint32_t count, server = r->serve[task];
    const sgp_copy *copies = sgp_copies(view, task, &count);
    int bound = !e->anything && role_on(r, task, server) >= SEGUE_LEARNER;
    for (uint32_t i = 0; i < count && r->looks > 0; i++) {
        const sgp_copy *copy = &copies[i];
        r->looks--;
        if (!sgp_hot(view, copy->lag) || view->process_place[sgp_process(view, copy->member)] != SGP_STAYS ||
            (bound && copy->role < SEGUE_LEARNER)) {
            continue;
        }
        uint32_t member = sgp_serve_on(view, copy->member, r->load);
        if (!r->reached[member]) {
            r->reached[member] = 1;
            r->from[member] = server;
            r->along[member] = task;
            r->queue[end++] = member;
        }
    }
    return end;
}

/* The first of the members that have joined the queue since `from` that takes one. */
static uint32_t taker(const relief *r, const errand *e, uint32_t from, uint32_t end)
{
    while (from < end && !takes(r, e, r->queue[from])) {
        from++;
    }
    return from < end ? r->queue[from] : SEGUE_NONE;
}

/* From the source to a member that takes one: SEGUE_NONE where there is none. What was reached in vain leads nowhere later
 * either, and stays marked until another errand. */
static uint32_t find(relief *r, const errand *e, uint32_t source)
{
    uint32_t end = 1, sink = SEGUE_NONE;
    r->queue[0] = source;
    r->reached[source] = 1;
    for (uint32_t at = 0; at < end && sink == SEGUE_NONE; at++) {
        uint32_t first = r->first[r->queue[at]], task = first;
        while (task != SEGUE_NONE && sink == SEGUE_NONE) {
            uint32_t seen = end;
            end = spread(r, e, task, end);
            sink = taker(r, e, seen, end);
            task = r->next[task] == first ? SEGUE_NONE : r->next[task];
        }
    }
    while (sink != SEGUE_NONE && end > 0) {
        r->reached[r->queue[--end]] = 0;
    }
    return sink;
}

static int too_many(const relief *r)
{
    int many = r->rounded > r->quota.roundings;
    for (uint32_t m = 0; m < r->view->members && !many; m++) {
        many = r->view->place[m] == SGP_STAYS && r->load[m] > r->quota.ceiling[m];
    }
    return many;
}

static void run(relief *r, errand e)
{
    memset(r->reached, 0, r->view->members);
    for (uint32_t m = 0; m < r->view->members; m++) {
        uint32_t sink = SEGUE_NONE;
        while (gives(r, &e, m) && !r->reached[m] && (sink = find(r, &e, m)) != SEGUE_NONE) {
            walk(r, m, sink);
        }
    }
}

/* Floors first, then roundings. Where that is not enough those that are rounded up give as well: their roundings are
 * worth more elsewhere. */
static void relieve(relief *r)
{
    for (int stuck = 0; stuck <= 1 && too_many(r); stuck++) {
        for (int rounding = 0; rounding <= 1; rounding++) {
            for (int anything = 0; anything <= 1; anything++) {
                run(r, (errand){rounding, anything, stuck});
            }
        }
    }
}

static int32_t open_relief(relief *r, sgp_region *region)
{
    const uint32_t members = r->view->members;
    r->quota.floor = SGP_TAKE(region, uint32_t, members);
    r->quota.ceiling = SGP_TAKE(region, uint32_t, members);
    r->first = SGP_TAKE(region, uint32_t, members);
    r->next = SGP_TAKE(region, uint32_t, r->view->tasks);
    r->last = SGP_TAKE(region, uint32_t, r->view->tasks);
    r->queue = SGP_TAKE(region, uint32_t, members);
    r->from = SGP_TAKE(region, uint32_t, members);
    r->along = SGP_TAKE(region, uint32_t, members);
    r->reached = SGP_TAKE(region, uint8_t, members);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    memset(r->first, 0xff, members * sizeof *r->first);
    sgp_quota_share(r->view, r->view->stateful_tasks, &r->quota);
    for (uint32_t m = 0; m < members; m++) {
        r->rounded += (uint32_t)is_rounded(r, m);
    }
    return SEGUE_OK;
}

int32_t sgp_relieve(const sgp_view *view, const uint32_t *open, uint32_t opens, uint32_t *serve, uint32_t *load,
                    sgp_region *region)
{
    relief r = {.view = view, .serve = serve, .load = load};
    if (opens == 0 || view->nobody_stays || view->copy_start == NULL) {
        return SEGUE_OK;
    }
    if (open_relief(&r, region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    r.looks = ((uint64_t)opens + view->members) * LOOKS;
    for (uint32_t i = opens; i-- > 0;) {
        if (serve[open[i]] != SEGUE_NONE && view->place[serve[open[i]]] == SGP_STAYS) {
            link_task(&r, open[i]);
        }
    }
    relieve(&r);
    return SEGUE_OK;
}
