/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_expand.h"

#include "core/buckets.h"
#include "core/sort.h"
#include "solve/nearness.h"
#include "solve/rack_share.h"

#include <string.h>

typedef struct expansion {
    sgp_rack_graph *g;
    const sgp_view *view;
    uint32_t *target;
    int32_t *left;     /* by arc: tasks still to go */
    uint32_t *leaving; /* by class: tasks still to go to its lot's hubs */
    uint32_t *taken;   /* by row of the graph's cells: tasks that come from their hub */
    uint32_t *need;    /* by member * parts + subtopology: tasks still to come from its hub */
} expansion;

static uint32_t hub_of(const expansion *e, uint32_t member)
{
    return e->g->groups->list[e->g->groups->of_member[member]].hub;
}

static uint32_t *need_of(const expansion *e, uint32_t member, const sgp_rack_class *c)
{
    return &e->need[(size_t)member * e->g->parts + c->part];
}

/* Tasks still to go from the class's lot to each hub that is open to it. */
static int32_t *ways(const expansion *e, uint32_t class)
{
    return e->left + e->g->lot_arc[e->g->lots->of_class[class]];
}

/* Tasks of the class that wait where they are. */
static int waits(const expansion *e, const sgp_rack_class *c, uint32_t task)
{
    return e->target[task] == c->server;
}

/* ---- what is given ---- */

static void keep_all(const expansion *e)
{
    const sgp_rack_classes *classes = e->g->classes;
    for (uint32_t i = 0; i < classes->count; i++) {
        const sgp_rack_class *c = &classes->list[i];
        for (uint32_t k = c->first; k < c->first + c->count; k++) {
            e->target[classes->task[k]] = c->server;
        }
    }
}

/* Members of a group take turns, and the next subtopology goes on where the last one ended: so each of them and the total
 * are even. */
static void share_needs(const expansion *e)
{
    for (uint32_t i = 0; i < e->g->groups->count; i++) {
        const sgp_rack_group *group = &e->g->groups->list[i];
        uint32_t turn = 0;
        for (uint32_t s = 0; s < e->g->parts; s++) {
            uint32_t tasks = e->taken[(size_t)s * e->g->groups->count + i];
            uint32_t each = tasks / group->count, more = tasks % group->count;
            for (uint32_t k = 0; k < group->count; k++) {
                uint32_t member = e->g->groups->member[group->first + (turn + k) % group->count];
                e->need[(size_t)member * e->g->parts + s] = each + (k < more);
            }
            turn = (turn + more) % group->count;
        }
    }
}

/* ---- running learners ---- */

static void confirm_learners(const expansion *e, uint32_t class)
{
    const sgp_rack_class *c = &e->g->classes->list[class];
    int32_t tasks = c->learner == SEGUE_NONE ? 0 : e->left[e->g->learner_arc[class]];
    for (uint32_t k = c->first; tasks > 0; k++, tasks--) {
        e->target[e->g->classes->task[k]] = c->learner;
    }
}

/* ---- copies ---- */

typedef struct edges {
    uint32_t *task, *member;
    uint64_t *order, *spare;
    uint32_t *cursor; /* by process: its members before it need nothing more */
    uint32_t count;
} edges;

static void add_edge(edges *l, uint64_t class, uint64_t magnitude, uint32_t task, uint32_t member)
{
    l->order[l->count] = class << 56 | magnitude << 48 | l->count;
    l->task[l->count] = task;
    l->member[l->count++] = member;
}

static void collect_task(const expansion *e, const sgp_rack_class *c, edges *l, uint32_t task)
{
    uint32_t count, server = e->g->balance->serve[task];
    const sgp_copy *copies = sgp_copies(e->view, task, &count);
    if (server == SEGUE_NONE || !waits(e, c, task)) {
        return;
    }
    uint32_t home = sgp_process(e->view, server);
    if (e->view->process_start[home + 1] - e->view->process_start[home] > 1) {
        add_edge(l, SGP_OWN_DISK, 0, task, server);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (sgp_process(e->view, copies[i].member) != home) {
            uint64_t class = sgp_nearness_of(e->view, &copies[i], c->server == SEGUE_NONE);
            add_edge(l, class, class <= SGP_HOT ? 0 : sgp_magnitude(copies[i].lag), task, copies[i].member);
        }
    }
}

static int32_t collect(const expansion *e, edges *l)
{
    const sgp_rack_classes *classes = e->g->classes;
    sgp_region *region = e->g->balance->region;
    size_t most = e->view->tasks + (e->view->copy_start == NULL ? 0 : (size_t)e->view->copy_start[e->view->tasks]);
    *l = (edges){.task = SGP_TAKE(region, uint32_t, most)};
    l->member = SGP_TAKE(region, uint32_t, most);
    l->order = SGP_TAKE(region, uint64_t, most);
    l->spare = SGP_TAKE(region, uint64_t, most);
    l->cursor = SGP_TAKE(region, uint32_t, e->view->processes);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    memcpy(l->cursor, e->view->process_start, e->view->processes * sizeof *l->cursor);
    for (uint32_t i = 0; i < classes->count; i++) {
        const sgp_rack_class *c = &classes->list[i];
        for (uint32_t k = c->first; e->leaving[i] > 0 && k < c->first + c->count; k++) {
            collect_task(e, c, l, classes->task[k]);
        }
    }
    sgp_sort(l->order, l->spare, l->count);
    return SEGUE_OK;
}

/* The arc of the class's lot to the member's hub, if something is still to go there and to come to the member. */
static int32_t *way_to(const expansion *e, uint32_t class, uint32_t member)
{
    const sgp_rack_class *c = &e->g->classes->list[class];
    if (e->view->place[member] != SGP_STAYS || e->leaving[class] == 0 || *need_of(e, member, c) == 0) {
        return NULL;
    }
    uint32_t slot = e->g->hub_slot[c->server != SEGUE_NONE][hub_of(e, member)];
    int32_t *left = slot == SEGUE_NONE ? NULL : ways(e, class) + slot;
    return left != NULL && *left > 0 ? left : NULL;
}

static int needs_anything(const expansion *e, uint32_t member)
{
    for (uint32_t s = 0; s < e->g->parts; s++) {
        if (e->need[(size_t)member * e->g->parts + s] > 0) {
            return 1;
        }
    }
    return 0;
}

/* The holder of a copy, else the first on its disk that still needs something: looking on from there for one that fits
 * better could take a whole process for each task. */
static uint32_t taker(const expansion *e, edges *l, uint32_t class, uint32_t holder)
{
    uint32_t process = sgp_process(e->view, holder), end = e->view->process_start[process + 1];
    uint32_t *cursor = &l->cursor[process];
    if (way_to(e, class, holder) != NULL) {
        return holder;
    }
    while (*cursor < end && !needs_anything(e, e->view->process_member[*cursor])) {
        ++*cursor;
    }
    return *cursor < end && way_to(e, class, e->view->process_member[*cursor]) != NULL
               ? e->view->process_member[*cursor]
               : SEGUE_NONE;
}

static int32_t match_copies(const expansion *e)
{
    edges l;
    int useful = e->g->balance->stateful && (e->view->copy_start != NULL || e->view->processes < e->view->members);
    if (!useful) {
        return SEGUE_OK;
    }
    if (collect(e, &l) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t i = 0; i < l.count; i++) {
        uint32_t edge = (uint32_t)(l.order[i] & 0xffffffff), task = l.task[edge];
        uint32_t class = e->g->classes->of_task[task];
        const sgp_rack_class *c = &e->g->classes->list[class];
        uint32_t member = waits(e, c, task) ? taker(e, &l, class, l.member[edge]) : SEGUE_NONE;
        if (member != SEGUE_NONE) {
            --*way_to(e, class, member);
            --e->leaving[class];
            --*need_of(e, member, c);
            e->target[task] = member;
        }
    }
    return SEGUE_OK;
}

/* ---- the rest ---- */

/* The hub to which most of the class's lot is still to go; the arcs' order is the hubs'. */
static uint32_t fullest_slot(const expansion *e, uint32_t class)
{
    const int32_t *left = ways(e, class);
    uint32_t best = 0, slots = e->g->hub_arcs[e->g->classes->list[class].server != SEGUE_NONE];
    for (uint32_t i = 1; i < slots; i++) {
        best = left[i] > left[best] ? i : best;
    }
    return best;
}

/* Those that leave are taken from all over the class, since its order is that of the subtopologies; the last of each
 * stretch, so that owners keep their lowest. */
static void send_rest(const expansion *e, uint32_t class, uint32_t *pool)
{
    const sgp_rack_class *c = &e->g->classes->list[class];
    const uint64_t leaving = e->leaving[class];
    uint64_t waiting = 0, seen = 0, gone = 0;
    for (uint32_t k = c->first; leaving > 0 && k < c->first + c->count; k++) {
        waiting += (uint64_t)waits(e, c, e->g->classes->task[k]);
    }
    for (uint32_t k = c->first; gone < leaving && k < c->first + c->count; k++) {
        uint32_t task = e->g->classes->task[k];
        if (waits(e, c, task) && ++seen * leaving / waiting > gone) {
            uint32_t slot = fullest_slot(e, class);
            pool[task] = e->g->flow.to[e->g->lot_arc[e->g->lots->of_class[class]] + slot] - e->g->first_hub;
            ways(e, class)[slot]--;
            gone++;
        }
    }
}

/* Members of one hub that need tasks of one subtopology, as a ring that shrinks. */
typedef struct ring {
    uint32_t *member, *next;
    uint32_t last;
} ring;

static void make_ring(const expansion *e, ring *r, uint32_t from, uint32_t to, uint32_t part)
{
    uint32_t size = 0;
    r->last = 0;
    for (uint32_t i = from; i < to; i++) {
        uint32_t member = e->g->groups->member[i];
        if (e->need[(size_t)member * e->g->parts + part] > 0) {
            r->member[size] = member;
            r->next[size] = size + 1;
            r->last = size++;
        }
    }
    r->next[r->last] = 0;
}

static uint32_t take_turn(const expansion *e, ring *r, uint32_t part)
{
    uint32_t at = r->next[r->last], member = r->member[at];
    if (--e->need[(size_t)member * e->g->parts + part] == 0) {
        r->next[r->last] = r->next[at];
    } else {
        r->last = at;
    }
    return member;
}

/* They need as many as there are: what the flow brings to a hub it takes from there. */
static void deal_pool(const expansion *e, ring *r, const uint32_t *task, uint32_t count, uint32_t part)
{
    for (uint32_t i = 0; i < count; i++) {
        e->target[task[i]] = take_turn(e, r, part);
    }
}

/* Rows in groups->member of each hub; groups come by hub. */
static uint32_t behind_hub(const sgp_rack_groups *groups, uint32_t *group, uint32_t hub)
{
    while (*group < groups->count && groups->list[*group].hub == hub) {
        ++*group;
    }
    const sgp_rack_group *last = *group > 0 ? &groups->list[*group - 1] : NULL;
    return last == NULL ? 0 : last->first + last->count;
}

static int32_t deal(const expansion *e, const uint32_t *pool)
{
    const sgp_rack_graph *g = e->g;
    sgp_region *region = g->balance->region;
    const uint32_t pools = g->groups->hubs * g->parts;
    uint32_t *start = SGP_TAKE_ZERO(region, uint32_t, (size_t)pools + 1);
    uint32_t *task = SGP_TAKE(region, uint32_t, g->balance->count);
    ring r = {SGP_TAKE(region, uint32_t, e->view->members), SGP_TAKE(region, uint32_t, e->view->members), 0};
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t t = 0; t < e->view->tasks; t++) {
        start[pool[t] == SEGUE_NONE ? 0 : pool[t] + 1] += pool[t] != SEGUE_NONE;
    }
    uint32_t rows = sgp_buckets_open(start, pools);
    for (uint32_t t = e->view->tasks; t-- > 0;) {
        if (pool[t] != SEGUE_NONE) {
            task[--start[pool[t] + 1]] = t;
        }
    }
    sgp_buckets_close(start, pools, rows);
    for (uint32_t hub = 0, group = 0, from = 0; hub < g->groups->hubs; hub++) {
        uint32_t to = behind_hub(g->groups, &group, hub);
        for (uint32_t s = 0; s < g->parts; s++) {
            uint32_t at = hub * g->parts + s;
            if (start[at + 1] > start[at]) {
                make_ring(e, &r, from, to, s);
                deal_pool(e, &r, task + start[at], start[at + 1] - start[at], s);
            }
        }
        from = to;
    }
    return SEGUE_OK;
}

int32_t sgp_rack_expand(sgp_rack_graph *g, uint32_t *target)
{
    sgp_region *region = g->balance->region;
    expansion e = {.g = g, .view = g->balance->view, .target = target, .left = g->flow.amount};
    e.need = SGP_TAKE_ZERO(region, uint32_t, (size_t)e.view->members * g->parts);
    e.taken = SGP_TAKE(region, uint32_t, (size_t)g->groups->count * g->parts);
    e.leaving = SGP_TAKE(region, uint32_t, g->classes->count);
    uint32_t *pool = SGP_TAKE(region, uint32_t, e.view->tasks);
    if (region->failed || sgp_rack_share_out(g, e.leaving) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    memset(pool, 0xff, e.view->tasks * sizeof *pool);
    sgp_rack_share_taken(g, e.taken);
    keep_all(&e);
    share_needs(&e);
    for (uint32_t i = 0; i < g->classes->count; i++) {
        confirm_learners(&e, i);
    }
    if (match_copies(&e) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t i = 0; i < g->classes->count; i++) {
        send_rest(&e, i, pool);
    }
    return deal(&e, pool);
}
