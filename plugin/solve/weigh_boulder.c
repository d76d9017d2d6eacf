/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/weigh_boulder.h"

#include "core/sort.h"

typedef struct field {
    sgp_scale *s;
    uint64_t *member; /* in the lower half: those that take part, who has most room first */
    uint32_t members;
    uint32_t *upon;   /* ranks of boulders: on members with equal threads the lightest */
    uint32_t upons;
    double tolerance; /* 1 is none */
} field;

static uint32_t threads_at(const field *f, uint32_t rank)
{
    return f->s->b->view->threads[(uint32_t)f->member[rank]];
}

static double carried_at(const field *f, uint32_t rank)
{
    return (double)f->s->carried[(uint32_t)f->member[rank]];
}

static uint32_t weight_at(const field *f, uint32_t rank)
{
    return f->s->weight[f->s->order[rank]];
}

/* Of the rank's member with the rank's task. */
static double load_at(const field *f, uint32_t rank)
{
    return carried_at(f, rank) + weight_at(f, rank);
}

static int takes_part(const sgp_scale *s, uint32_t member)
{
    return s->b->view->place[member] == SGP_STAYS && (double)s->carried[member] <= s->rest[member];
}

static uint32_t widest_of(const sgp_scale *s)
{
    uint32_t widest = 0;
    for (uint32_t m = 0; m < s->b->view->members; m++) {
        uint32_t threads = s->b->view->threads[m];
        widest = takes_part(s, m) && threads > widest ? threads : widest;
    }
    return widest;
}

/* Threads for each weight with the heaviest task. */
static double room_at(const field *f, uint32_t rank)
{
    return threads_at(f, rank) / (carried_at(f, rank) + weight_at(f, 0));
}

/* By room, in 2^32ths of the most that anybody has. */
static void order_members(field *f, uint64_t *spare)
{
    double most = 0;
    for (uint32_t i = 0; i < f->members; i++) {
        most = room_at(f, i) > most ? room_at(f, i) : most;
    }
    for (uint32_t i = 0; i < f->members; i++) {
        f->member[i] |= (uint64_t)(UINT32_MAX - (uint32_t)(room_at(f, i) / most * UINT32_MAX)) << 32;
    }
    sgp_sort_above(32, f->member, spare, f->members);
}

static int32_t open_field(field *f)
{
    const sgp_view *view = f->s->b->view;
    uint64_t *spare = SGP_TAKE(f->s->b->region, uint64_t, view->members);
    f->member = SGP_TAKE(f->s->b->region, uint64_t, view->members);
    f->upon = SGP_TAKE(f->s->b->region, uint32_t, view->members);
    if (f->s->b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t m = 0; m < view->members; m++) {
        if (takes_part(f->s, m)) {
            f->member[f->members++] = m;
        }
    }
    order_members(f, spare);
    return SEGUE_OK;
}

/* Of those on equally wide members the lightest is the one to lie on. */
static int lies_better_on_another(const field *f, uint32_t rank)
{
    const double weight = weight_at(f, rank), level = load_at(f, rank) / threads_at(f, rank);
    for (uint32_t i = 0; i < f->upons; i++) {
        if (level > (load_at(f, f->upon[i]) + weight) / threads_at(f, f->upon[i])) {
            return 1;
        }
    }
    return 0;
}

static void note(field *f, uint32_t rank)
{
    sgp_scale *s = f->s;
    double level = load_at(f, rank) / threads_at(f, rank);
    uint32_t at = 0;
    while (at < f->upons && threads_at(f, f->upon[at]) != threads_at(f, rank)) {
        at++;
    }
    if (at == f->upons || load_at(f, rank) < load_at(f, f->upon[at])) {
        f->upons += at == f->upons;
        f->upon[at] = rank;
    }
    s->boulder = weight_at(f, rank);
    s->alone = level > s->alone ? level : s->alone;
}

/* The fewest threads that can hold so many boulders: those with least room first, each as long as one that it may hold is
 * left. Where something is carried these may be more than the fewest. */
static double narrowest_hosts(const field *f, uint32_t boulders)
{
    double threads = 0;
    uint32_t hosts = 0, heaviest = boulders; /* the rank of the heaviest one that the member may hold */
    for (uint32_t rank = f->members; rank-- > 0 && hosts < boulders;) {
        double most = f->s->alone * threads_at(f, rank) - carried_at(f, rank);
        while (heaviest > 0 && weight_at(f, heaviest - 1) <= most + SGP_DUST) {
            heaviest--;
        }
        if (hosts < boulders - heaviest) {
            threads += threads_at(f, rank);
            hosts++;
        }
    }
    return threads;
}

static void lower_shares(sgp_scale *s, double most, double least)
{
    for (uint32_t m = 0; m < s->b->view->members; m++) {
        double high = most * s->b->view->threads[m], low = least * s->b->view->threads[m];
        s->share[m] = high < s->share[m] ? high : s->share[m];
        s->rest[m] = low < s->rest[m] ? low : s->rest[m];
    }
}

int32_t sgp_boulders_leave(sgp_scale *s, double left, double capacity)
{
    field f = {.s = s, .tolerance = 1 + s->b->view->config->imbalance_percentage / 100};
    double most = left / capacity, threads = capacity, others = left;
    if (s->weight[s->order[0]] <= f.tolerance * most * widest_of(s)) {
        return SEGUE_OK;
    }
    if (open_field(&f) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    uint32_t count = 0;
    for (; count < s->b->count && count < f.members && threads > threads_at(&f, count) &&
           weight_at(&f, count) > f.tolerance * most * threads_at(&f, count) && !lies_better_on_another(&f, count);
         count++) {
        note(&f, count);
        others -= (double)s->boulder;
        left -= load_at(&f, count);
        threads -= threads_at(&f, count);
        most = left / threads < most ? left / threads : most;
    }
    if (count > 0) {
        double least = others / (capacity - narrowest_hosts(&f, count));
        lower_shares(s, most, least < most ? least : most);
    }
    return SEGUE_OK;
}
