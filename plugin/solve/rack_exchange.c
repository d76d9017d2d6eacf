/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_exchange.h"

#include "core/buckets.h"
#include "core/sort.h"

#include <string.h>

/* So that sums of what two tasks gain fit into a word, and lists into memory; beyond that everything stays. */
enum { MOST_TRAFFIC = 1 << 29, MOST_LISTS = 1 << 22 };

/* The key of a task that gains nothing: those that gain something come before it. Small gains and losses then differ in
 * their last byte alone, which is all that there is to sort by. */
enum { GAIN_NOTHING = (1 << 30) + (1 << 7) };

enum { SWAPPED = 2 }; /* a bit of open[] */

typedef struct exchange {
    sgp_balance *b;
    const sgp_rack_cost *cost;
    const sgp_rack_classes *classes;
    uint32_t parts, hubs;
    uint32_t *list, tasks; /* that are in a class, ascending */
    uint8_t *open;   /* by task: it moves, and starts from nothing; or, SWAPPED, that has to be looked at again */
    uint32_t *swapped, swaps; /* those */
    uint32_t *start; /* by part * hubs + hub: rows in `task` */
    uint32_t *task;  /* open ones, by part and by the hub of their target */
    uint64_t *order, *spare;
    uint64_t looked;
    uint32_t done;   /* exchanges */
} exchange;

static int32_t traffic(const exchange *e, uint32_t task, uint32_t place)
{
    return (int32_t)sgp_rack_cost_of(e->cost, e->cost->vector[task], place);
}

/* What the traffic of a task changes by when it goes to one place and not to another. */
static int32_t change(const exchange *e, uint32_t task, uint32_t from, uint32_t to)
{
    return traffic(e, task, to) - traffic(e, task, from);
}

static void note(exchange *e, uint32_t task)
{
    e->swapped[e->swaps] = task;
    e->swaps += !(e->open[task] & SWAPPED);
    e->open[task] |= SWAPPED;
}

static void swap(exchange *e, uint32_t a, uint32_t b)
{
    uint32_t target = e->b->target[a];
    e->b->target[a] = e->b->target[b];
    e->b->target[b] = target;
    e->done++;
    note(e, a);
    note(e, b);
}

/* ---- which tasks are open ---- */

static int is_of(const sgp_balance *b, uint32_t member, uint32_t process)
{
    return member != SEGUE_NONE && sgp_process(b->view, member) == process;
}

/* The member owns the task, or something of it is on its disk. */
static int is_there(const sgp_balance *b, uint32_t task, uint32_t member)
{
    const sgp_view *view = b->view;
    uint32_t count, process = sgp_process(view, member);
    const sgp_copy *copies = sgp_copies(view, task, &count);
    if (!b->stateful) {
        return view->owner[task] == member;
    }
    int found = is_of(b, b->serve[task], process) || is_of(b, view->owner[task], process);
    for (uint32_t i = 0; i < count && !found; i++) {
        found = is_of(b, copies[i].member, process);
    }
    return found;
}

int sgp_rack_is_open(const sgp_balance *b, uint32_t task)
{
    uint32_t target = b->target[task];
    return sgp_is_kind(b, task) && target != SEGUE_NONE && target != sgp_staying_server(b, task) &&
           b->view->place[target] == SGP_STAYS && !is_there(b, task, target);
}

static int was_open(const exchange *e, uint32_t task)
{
    return e->open[task] & 1;
}

static void look_again(exchange *e)
{
    while (e->swaps > 0) {
        uint32_t task = e->swapped[--e->swaps];
        e->open[task] = (uint8_t)sgp_rack_is_open(e->b, task);
    }
}

/* ---- another task of the same server ---- */

/* The last task of a class that stays; SEGUE_NONE: none does, or somebody learns them. */
static uint32_t last_that_stays(exchange *e, const sgp_rack_class *c)
{
    for (uint32_t k = c->first + c->count; c->learner == SEGUE_NONE && k-- > c->first;) {
        e->looked++;
        if (e->b->target[e->classes->task[k]] == c->server) {
            return e->classes->task[k];
        }
    }
    return SEGUE_NONE;
}

/* Of the server's classes from `first` on, the task that had better go in place of this one. */
static void offer_another(exchange *e, uint32_t first, uint32_t task)
{
    const sgp_rack_class *list = e->classes->list, *own = &list[e->classes->of_task[task]];
    const uint32_t here = e->cost->place[own->server], there = e->cost->place[e->b->target[task]];
    uint32_t other = SEGUE_NONE;
    int32_t back = change(e, task, there, here), best = 0;
    for (uint32_t i = first; i < e->classes->count && list[i].server == own->server; i++, e->looked++) {
        uint32_t model = e->classes->task[list[i].first];
        int32_t all = back + change(e, model, here, there);
        uint32_t stays = list[i].part == own->part && all < best ? last_that_stays(e, &list[i]) : SEGUE_NONE;
        best = stays == SEGUE_NONE ? best : all;
        other = stays == SEGUE_NONE ? other : stays;
    }
    if (other != SEGUE_NONE) {
        swap(e, task, other);
    }
}

/* The task goes away from its owner: keeping it saves the move that another one takes. */
static int leaves(const exchange *e, uint32_t task, uint32_t server)
{
    return was_open(e, task) && e->b->target[task] != server && e->b->view->owner[task] == server;
}

/* Classes come by server. */
static void offer_others(exchange *e)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < e->classes->count; i++) {
        const sgp_rack_class *c = &e->classes->list[i];
        first = i > 0 && c[-1].server == c->server ? first : i;
        const uint32_t behind = c->server == SEGUE_NONE ? c->first : c->first + c->count;
        for (uint32_t k = c->first; k < behind && e->looked < SGP_RACK_MOST_EXCHANGE; k++) {
            if (leaves(e, e->classes->task[k], c->server)) {
                offer_another(e, first, e->classes->task[k]);
            }
        }
    }
}

/* ---- each other's targets ---- */

static uint32_t hub_of(const exchange *e, uint32_t task)
{
    uint32_t target = e->b->target[task];
    return e->cost->place[target] * 2 + e->b->receives[target];
}

static uint32_t list_of(const exchange *e, uint32_t task)
{
    return e->classes->list[e->classes->of_task[task]].part * e->hubs + hub_of(e, task);
}

static void index_open(const exchange *e)
{
    const uint32_t lists = e->parts * e->hubs;
    memset(e->start, 0, ((size_t)lists + 1) * sizeof *e->start);
    for (uint32_t i = 0; i < e->tasks; i++) {
        if (was_open(e, e->list[i])) {
            e->start[list_of(e, e->list[i]) + 1]++;
        }
    }
    uint32_t rows = sgp_buckets_open(e->start, lists);
    for (uint32_t i = e->tasks; i-- > 0;) {
        if (was_open(e, e->list[i])) {
            e->task[--e->start[list_of(e, e->list[i]) + 1]] = e->list[i];
        }
    }
    sgp_buckets_close(e->start, lists, rows);
}

/* Tasks of one list in the order of what they would gain in the other hub; those that may not go there are left out. */
static uint32_t sort_by_gain(exchange *e, uint32_t list, uint32_t hub, uint64_t *order)
{
    const uint32_t from = list % e->hubs / 2, to = hub / 2;
    uint32_t count = 0;
    for (uint32_t row = e->start[list]; row < e->start[list + 1]; row++) {
        uint32_t task = e->task[row];
        if ((hub & 1) != 0 || sgp_staying_server(e->b, task) == SEGUE_NONE) {
            uint32_t gain = (uint32_t)(change(e, task, from, to) + GAIN_NOTHING);
            order[count++] = (uint64_t)gain << 32 | row;
        }
    }
    sgp_sort_above(32, order, e->spare, count);
    e->looked += e->start[list + 1] - e->start[list];
    return count;
}

/* Who gains most there goes there, and gets the place of who gains most here, or loses least. */
static void exchange_lists(exchange *e, uint32_t one, uint32_t other)
{
    uint64_t *here = e->order, *there = e->order + (e->start[one + 1] - e->start[one]);
    uint32_t a = sort_by_gain(e, one, other % e->hubs, here), b = sort_by_gain(e, other, one % e->hubs, there);
    for (uint32_t i = 0; i < a && i < b && (here[i] >> 32) + (there[i] >> 32) < 2 * (uint64_t)GAIN_NOTHING; i++) {
        uint32_t *row = &e->task[here[i] & 0xffffffff], *with = &e->task[there[i] & 0xffffffff], task = *row;
        swap(e, task, *with);
        *row = *with;
        *with = task;
    }
}

static void exchange_targets(exchange *e)
{
    for (uint32_t first = 0; first < e->parts * e->hubs; first += e->hubs) {
        for (uint32_t one = first; one < first + e->hubs; one++) {
            int any = e->start[one + 1] > e->start[one];
            for (uint32_t other = one + 1; any && other < first + e->hubs; other++, e->looked++) {
                if (e->start[other + 1] > e->start[other] && e->looked < SGP_RACK_MOST_EXCHANGE) {
                    exchange_lists(e, one, other);
                }
            }
        }
    }
}

int32_t sgp_rack_exchange(sgp_balance *b, const sgp_rack_cost *cost, const sgp_rack_classes *classes, uint32_t parts,
                          uint8_t *open)
{
    const uint32_t tasks = b->view->tasks;
    exchange e = {.b = b, .cost = cost, .classes = classes, .parts = parts, .hubs = cost->places * 2};
    e.open = open;
    if (cost->most == 0 || cost->most > MOST_TRAFFIC || (uint64_t)e.parts * e.hubs > MOST_LISTS) {
        return SEGUE_OK;
    }
    e.list = SGP_TAKE(b->region, uint32_t, tasks);
    e.swapped = SGP_TAKE(b->region, uint32_t, (size_t)tasks + 1);
    e.start = SGP_TAKE(b->region, uint32_t, (size_t)e.parts * e.hubs + 1);
    e.task = SGP_TAKE(b->region, uint32_t, tasks);
    e.order = SGP_TAKE(b->region, uint64_t, tasks);
    e.spare = SGP_TAKE(b->region, uint64_t, tasks);
    if (b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t t = 0; t < tasks; t++) {
        e.list[e.tasks] = t;
        e.tasks += classes->of_task[t] != SEGUE_NONE;
    }
    do {
        e.done = 0;
        offer_others(&e);
        look_again(&e);
        index_open(&e);
        exchange_targets(&e);
        look_again(&e);
        e.looked += tasks;
        b->unchanged &= e.done == 0;
    } while (e.done > 0 && e.looked < SGP_RACK_MOST_EXCHANGE);
    return SEGUE_OK;
}
