/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/weigh_pack.h"

#include "core/sort.h"
#include "solve/carriers.h"

#include <float.h>
#include <string.h>

/* Numbers of threads that are told apart; where there are more, all members are in one class by what they carry a thread. */
#define MOST_CLASSES 32u

typedef struct classes {
    sgp_carriers list[MOST_CLASSES]; /* members with the same number of threads */
    uint32_t count;
    int has_mixed;        /* there are too many numbers for that */
    uint32_t empty, open; /* members without a task, and tasks without a holder */
} classes;

static double level(const sgp_scale *s, uint32_t member, uint32_t more)
{
    return ((double)s->load[member] + more) / s->b->view->threads[member];
}

/* Staying members by threads: the keys end in their handles. */
static uint32_t sort_by_threads(const sgp_scale *s, uint64_t *keys, uint64_t *spare)
{
    uint32_t count = 0;
    for (uint32_t m = 0; m < s->b->view->members; m++) {
        if (s->b->view->place[m] == SGP_STAYS) {
            keys[count++] = (uint64_t)s->b->view->threads[m] << 32 | m;
        }
    }
    sgp_sort_above(32, keys, spare, count);
    return count;
}

static int32_t make_classes(const sgp_scale *s, classes *c)
{
    const uint32_t members = s->b->view->members;
    uint64_t *keys = SGP_TAKE(s->b->region, uint64_t, members), *spare = SGP_TAKE(s->b->region, uint64_t, members);
    sgp_carrier *list = SGP_TAKE(s->b->region, sgp_carrier, members);
    sgp_carrier *room = SGP_TAKE(s->b->region, sgp_carrier, members);
    uint32_t kinds = 0;
    if (s->b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    uint32_t count = sort_by_threads(s, keys, spare);
    for (uint32_t i = 0; i < count; i++) {
        kinds += i == 0 || keys[i] >> 32 != keys[i - 1] >> 32;
    }
    *c = (classes){.has_mixed = kinds > MOST_CLASSES};
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || (!c->has_mixed && keys[i] >> 32 != keys[i - 1] >> 32)) {
            c->list[c->count++] = (sgp_carriers){.list = list + i, .spare = room + i};
        }
        uint32_t member = (uint32_t)keys[i];
        list[i] = (sgp_carrier){s->load[member], member, (uint32_t)(keys[i] >> 32)};
        c->list[c->count - 1].size++;
        c->empty += s->load[member] == 0;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        sgp_carriers_open(&c->list[i]);
    }
    return SEGUE_OK;
}

/* Whose lightest member carries least for each thread once it has the task. The last tasks are for those that have none. */
static sgp_carriers *lightest_class(const sgp_scale *s, classes *c, uint32_t weight)
{
    sgp_carriers *best = NULL;
    uint32_t lightest = SEGUE_NONE;
    for (uint32_t i = 0; i < c->count; i++) {
        const sgp_carrier *first = sgp_carriers_first(&c->list[i]);
        if (c->empty >= c->open && c->empty > 0 && first->load > 0) {
            continue;
        }
        if (best == NULL || level(s, first->member, weight) < level(s, lightest, weight)) {
            best = &c->list[i];
            lightest = first->member;
        }
    }
    return best;
}

static void give(sgp_scale *s, classes *c, uint32_t task, uint32_t *holder)
{
    sgp_carriers *best = lightest_class(s, c, s->weight[task]);
    uint32_t member = sgp_carriers_first(best)->member;
    c->empty -= s->load[member] == 0;
    c->open--;
    holder[task] = member;
    s->load[member] += s->weight[task];
    s->held[member]++;
    sgp_carriers_load(best, s->weight[task]);
}

/* How many tasks from the i-th on weigh as much as it does, and of these, how many have no holder yet. */
static uint32_t find_run(const sgp_scale *s, const uint32_t *holder, uint32_t from, uint32_t count, uint32_t *pending)
{
    uint32_t end = from;
    for (*pending = 0; end < count && s->weight[s->order[end]] == s->weight[s->order[from]]; end++) {
        *pending += holder[s->order[end]] == SEGUE_NONE;
    }
    return end;
}

/* A run pays once half of the members take a task in it. */
static void deal_run(sgp_scale *s, classes *c, uint32_t *holder, uint32_t from, uint32_t end, uint32_t pending)
{
    int runs = !c->has_mixed && pending > s->b->view->staying / 2;
    for (uint32_t i = 0; runs && i < c->count; i++) {
        sgp_carriers_begin_run(&c->list[i]);
    }
    for (uint32_t i = from; pending > 0 && i < end; i++) {
        if (holder[s->order[i]] == SEGUE_NONE) {
            give(s, c, s->order[i], holder);
        }
    }
    for (uint32_t i = 0; runs && i < c->count; i++) {
        sgp_carriers_end_run(&c->list[i]);
    }
}

/* Deals those of the `count` heaviest tasks that have no holder yet. */
static int32_t deal(sgp_scale *s, uint32_t *holder, uint32_t count)
{
    classes c;
    if (make_classes(s, &c) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t i = 0; i < s->b->count; i++) {
        c.open += holder[s->order[i]] == SEGUE_NONE;
    }
    for (uint32_t from = 0, end, pending; c.open > 0 && from < count; from = end) {
        end = find_run(s, holder, from, count, &pending);
        deal_run(s, &c, holder, from, end, pending);
    }
    return SEGUE_OK;
}

static int32_t pack_heaviest(sgp_scale *s, uint32_t *bin, uint32_t count)
{
    memcpy(s->load, s->carried, s->b->view->members * sizeof *s->load);
    memset(s->held, 0, s->b->view->members * sizeof *s->held);
    memset(bin, 0xff, s->b->view->tasks * sizeof *bin);
    return deal(s, bin, count);
}

int32_t sgp_pack(sgp_scale *s, uint32_t *bin)
{
    return pack_heaviest(s, bin, s->b->count);
}

int32_t sgp_pack_pending(sgp_scale *s)
{
    return deal(s, s->b->target, s->b->count);
}

/* The most that a light task weighs, for each of the threads of whoever has fewest; 0: there are none. An eighth of what
 * would do is left to those that the heavy tasks take above the level, which lowers it. */
static double light_level(const sgp_scale *s, uint32_t *narrowest)
{
    const sgp_view *view = s->b->view;
    double most = DBL_MAX;
    *narrowest = UINT32_MAX;
    for (uint32_t m = 0; m < view->members; m++) {
        if (view->place[m] == SGP_STAYS) {
            double inside = (s->rest[m] - (double)s->low[m]) / view->threads[m];
            most = s->carried[m] > 0 || inside < 0 ? 0 : inside < most ? inside : most;
            *narrowest = view->threads[m] < *narrowest ? view->threads[m] : *narrowest;
        }
    }
    return most * 7 / 8;
}

/* The level of weight for each thread up to which `weight` fills everybody who is below it. */
static double fill_level(const sgp_scale *s, double weight)
{
    const sgp_view *view = s->b->view;
    double filled = DBL_MAX, before;
    do {
        double all = weight, threads = 0;
        before = filled;
        for (uint32_t m = 0; m < view->members; m++) {
            int below = view->place[m] == SGP_STAYS && level(s, m, 0) <= before;
            all += below ? (double)s->load[m] : 0;
            threads += below ? view->threads[m] : 0;
        }
        filled = threads > 0 ? all / threads : before;
    } while (filled < before);
    return filled;
}

/* Nobody is above its range but for those that are alone with a boulder, and the others are filled to well inside theirs. */
static int is_certain(const sgp_scale *s, double filled, double light)
{
    const sgp_view *view = s->b->view;
    int certain = 1;
    for (uint32_t m = 0; m < view->members; m++) {
        double least = (filled - light) * view->threads[m], most = (filled + light) * view->threads[m];
        int inside = least >= (double)s->low[m] && most <= (double)s->high[m];
        certain &= view->place[m] != SGP_STAYS || (inside && sgp_scale_over(s, m) == 0);
    }
    return certain;
}

int32_t sgp_pack_surely_fits(sgp_scale *s, uint32_t *bin, int *certain)
{
    uint32_t heavy = 0, narrowest;
    double light = light_level(s, &narrowest), rest = 0;
    *certain = 0;
    while (heavy < s->b->count && s->weight[s->order[heavy]] > light * narrowest) {
        heavy++;
    }
    if (light <= 0 || pack_heaviest(s, bin, heavy) != SEGUE_OK) {
        return s->b->region->failed ? SEGUE_E_MEMORY : SEGUE_OK;
    }
    for (uint32_t i = heavy; i < s->b->count; i++) {
        rest += s->weight[s->order[i]];
    }
    *certain = is_certain(s, fill_level(s, rest), light);
    return SEGUE_OK;
}

/* Who gets which bin. */
typedef struct labels {
    uint32_t *of_bin, *of_member; /* SEGUE_NONE while open */
    uint64_t *pair, *run, *spare;
} labels;

/* On top of what members carry already, no two of them are interchangeable. */
static int carry_anything(const sgp_scale *s)
{
    uint64_t any = 0;
    for (uint32_t m = 0; m < s->b->view->members; m++) {
        any |= s->carried[m];
    }
    return any != 0;
}

static void name(labels *l, uint32_t bin, uint32_t member)
{
    l->of_bin[bin] = member;
    l->of_member[member] = bin;
}

/* Pairs of bin and member by how many tasks the member would keep, most first, in `run`; returns how many pairs. */
static uint32_t count_overlaps(const sgp_scale *s, const uint32_t *bin, labels *l)
{
    uint32_t pairs = 0, runs = 0;
    for (uint32_t i = 0; i < s->b->count; i++) {
        uint32_t task = s->order[i];
        if (sgp_scale_keeps(s, task) && s->b->view->threads[bin[task]] == s->b->view->threads[s->b->serve[task]]) {
            l->pair[pairs++] = (uint64_t)bin[task] << 32 | s->b->serve[task];
        }
    }
    sgp_sort(l->pair, l->spare, pairs);
    for (uint32_t from = 0, to; from < pairs; from = to) {
        for (to = from; to < pairs && l->pair[to] == l->pair[from]; to++) {
        }
        l->run[runs++] = (uint64_t)(UINT32_MAX - (to - from)) << 32 | from;
    }
    sgp_sort(l->run, l->spare, runs);
    return runs;
}

/* What is left open is named in order, by threads: of each number as many bins are open as members. */
static void name_rest(const sgp_scale *s, labels *l)
{
    const sgp_view *view = s->b->view;
    uint64_t *open_bin = l->pair, *open_member = l->run;
    uint32_t bins = 0, members = 0;
    for (uint32_t m = 0; m < view->members; m++) {
        if (view->place[m] != SGP_STAYS) {
            continue;
        }
        uint64_t key = (uint64_t)view->threads[m] << 32 | m;
        if (l->of_bin[m] == SEGUE_NONE) {
            open_bin[bins++] = key;
        }
        if (l->of_member[m] == SEGUE_NONE) {
            open_member[members++] = key;
        }
    }
    sgp_sort(open_bin, l->spare, bins);
    sgp_sort(open_member, l->spare, members);
    for (uint32_t i = 0; i < bins; i++) {
        name(l, (uint32_t)open_bin[i], (uint32_t)open_member[i]);
    }
}

static int32_t take_labels(const sgp_scale *s, labels *l)
{
    const uint32_t members = s->b->view->members, most = s->b->count > members ? s->b->count : members;
    l->of_bin = SGP_TAKE(s->b->region, uint32_t, members);
    l->of_member = SGP_TAKE(s->b->region, uint32_t, members);
    l->pair = SGP_TAKE(s->b->region, uint64_t, most);
    l->run = SGP_TAKE(s->b->region, uint64_t, most);
    l->spare = SGP_TAKE(s->b->region, uint64_t, most);
    if (s->b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    memset(l->of_bin, 0xff, members * sizeof *l->of_bin);
    memset(l->of_member, 0xff, members * sizeof *l->of_member);
    return SEGUE_OK;
}

int32_t sgp_pack_label(sgp_scale *s, const uint32_t *bin)
{
    labels l;
    if (take_labels(s, &l) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    uint32_t runs = carry_anything(s) ? 0 : count_overlaps(s, bin, &l);
    for (uint32_t i = 0; i < runs; i++) {
        uint64_t pair = l.pair[(uint32_t)l.run[i]];
        uint32_t of = (uint32_t)(pair >> 32), member = (uint32_t)pair;
        if (l.of_bin[of] == SEGUE_NONE && l.of_member[member] == SEGUE_NONE) {
            name(&l, of, member);
        }
    }
    name_rest(s, &l);
    for (uint32_t i = 0; i < s->b->count; i++) {
        uint32_t task = s->order[i];
        s->b->target[task] = l.of_bin[bin[task]];
    }
    sgp_scale_weigh(s, s->b->target);
    return SEGUE_OK;
}
