/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/rack_class.h"

#include "core/buckets.h"

#include <string.h>

/* Who learns the task and may go on, as a key in which a member that is caught up comes before itself that is not: of several
 * the first that is, else the first. */
static uint32_t running_learner(const sgp_balance *b, uint32_t task)
{
    uint32_t count, found = SEGUE_NONE, server = sgp_staying_server(b, task);
    const sgp_copy *copies = sgp_copies(b->view, task, &count);
    for (uint32_t i = 0; i < count && b->stateful && b->serve[task] != SEGUE_NONE; i++) {
        uint32_t member = copies[i].member;
        int may = b->view->place[member] == SGP_STAYS && member != server &&
                  (server == SEGUE_NONE || b->receives[member]);
        if (copies[i].role != SEGUE_LEARNER || !may) {
            continue;
        }
        if (sgp_hot(b->view, copies[i].lag)) {
            return 2 * member;
        }
        found = found == SEGUE_NONE ? 2 * member + 1 : found;
    }
    return found;
}

/* Keys and, behind them, SEGUE_NONE. */
static uint32_t bucket_of(uint32_t key, uint32_t keys)
{
    return key == SEGUE_NONE ? keys : key;
}

/* Rows of `from` grouped by key[row], stable. */
static void group_by(const uint32_t *key, uint32_t keys, const uint32_t *from, uint32_t *to, uint32_t count,
                     uint32_t *start)
{
    memset(start, 0, ((size_t)keys + 2) * sizeof *start);
    for (uint32_t i = 0; i < count; i++) {
        start[bucket_of(key[from[i]], keys) + 1]++;
    }
    sgp_buckets_open(start, keys + 1);
    for (uint32_t i = count; i-- > 0;) {
        to[--start[bucket_of(key[from[i]], keys) + 1]] = from[i];
    }
}

typedef struct maker {
    const sgp_balance *b;
    const sgp_rack_cost *cost;
    uint32_t *server, *learner; /* by task; learners as running_learner has them */
    uint32_t *newest;           /* by vector: its newest class */
    uint32_t run;               /* the first class of this server, learner and part */
    const uint32_t *part;       /* by task, or NULL */
} maker;

static uint32_t part_of(const maker *k, uint32_t task)
{
    return k->part == NULL ? 0 : k->part[task];
}

static int same_run(const maker *k, uint32_t a, uint32_t b)
{
    return k->server[a] == k->server[b] && k->learner[a] == k->learner[b] &&
           part_of(k, a) == part_of(k, b);
}

static sgp_rack_class class_of(const maker *k, uint32_t task)
{
    const uint32_t learner = k->learner[task];
    return (sgp_rack_class){.server = k->server[task],
                            .learner = learner == SEGUE_NONE ? SEGUE_NONE : learner / 2,
                            .vector = k->cost->vector[task],
                            .part = part_of(k, task),
                            .ready = learner != SEGUE_NONE && learner % 2 == 0};
}

/* Tasks come grouped by server and learner, by part inside. */
static void classify(sgp_rack_classes *c, maker *k, const uint32_t *order, uint32_t count)
{
    memset(k->newest, 0xff, k->cost->vectors * sizeof *k->newest);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t task = order[i], vector = k->cost->vector[task];
        if (i == 0 || !same_run(k, order[i - 1], task)) {
            k->run = c->count;
        }
        if (k->newest[vector] == SEGUE_NONE || k->newest[vector] < k->run) {
            k->newest[vector] = c->count;
            c->list[c->count++] = class_of(k, task);
        }
        c->of_task[task] = k->newest[vector];
        c->list[k->newest[vector]].count++;
    }
}

static void index_classes(sgp_rack_classes *c, uint32_t tasks)
{
    uint32_t row = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        c->list[i].first = row;
        row += c->list[i].count;
        c->list[i].count = 0;
    }
    for (uint32_t t = 0; t < tasks; t++) {
        if (c->of_task[t] != SEGUE_NONE) {
            sgp_rack_class *of = &c->list[c->of_task[t]];
            c->task[of->first + of->count++] = t;
        }
    }
}

int32_t sgp_rack_classes_build(sgp_rack_classes *c, const sgp_balance *b, const sgp_rack_cost *cost,
                               const uint32_t *part, uint32_t parts, const uint8_t *among)
{
    const sgp_view *view = b->view;
    maker k = {.b = b, .cost = cost, .part = part};
    const uint32_t learners = 2 * view->members;
    uint32_t count = 0, learned = 0, back = 0;
    *c = (sgp_rack_classes){.list = SGP_TAKE(b->region, sgp_rack_class, b->count)};
    c->task = SGP_TAKE(b->region, uint32_t, b->count);
    c->of_task = SGP_TAKE(b->region, uint32_t, view->tasks);
    k.server = SGP_TAKE(b->region, uint32_t, view->tasks);
    k.learner = SGP_TAKE(b->region, uint32_t, view->tasks);
    k.newest = SGP_TAKE(b->region, uint32_t, cost->vectors);
    uint32_t *order = SGP_TAKE(b->region, uint32_t, b->count), *spare = SGP_TAKE(b->region, uint32_t, b->count);
    uint32_t *start = SGP_TAKE(b->region, uint32_t, (size_t)(parts > learners ? parts : learners) + 2);
    if (b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t t = 0; t < view->tasks; t++) {
        c->of_task[t] = SEGUE_NONE;
        if (sgp_is_kind(b, t) && (among == NULL || among[t])) {
            k.server[t] = sgp_staying_server(b, t);
            k.learner[t] = running_learner(b, t);
            c->loose += k.server[t] == SEGUE_NONE;
            learned += k.learner[t] != SEGUE_NONE;
            back += count > 0 && part_of(&k, t) < part_of(&k, order[count - 1]);
            order[count++] = t;
        }
    }
    if (back > 0) { /* subtopologies come one after the other */
        group_by(part, parts, order, spare, count, start);
        memcpy(order, spare, count * sizeof *order);
    }
    if (learned > 0) {
        group_by(k.learner, learners, order, spare, count, start);
        memcpy(order, spare, count * sizeof *order);
    }
    if (c->loose < count) {
        group_by(k.server, view->members, order, spare, count, start);
        order = spare;
    }
    classify(c, &k, order, count);
    index_classes(c, view->tasks);
    return SEGUE_OK;
}
