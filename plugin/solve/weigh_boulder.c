/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/weigh_boulder.h"

#include "core/sort.h"

typedef struct field {
    sgp_scale *s;
    uint64_t *member; /* that takes part, the widest first: UINT32_MAX minus its threads in the upper half */
    uint32_t members;
    uint32_t *last;   /* of boulders on members with equal threads the lightest */
    uint32_t lasts;
    double tolerance; /* 1 is none */
} field;

static uint32_t threads_at(const field *f, uint32_t rank)
{
    return UINT32_MAX - (uint32_t)(f->member[rank] >> 32);
}

static uint32_t weight_at(const field *f, uint32_t rank)
{
    return f->s->weight[f->s->order[rank]];
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

static int32_t open_field(field *f)
{
    const sgp_view *view = f->s->b->view;
    uint64_t *spare = SGP_TAKE(f->s->b->region, uint64_t, view->members);
    f->member = SGP_TAKE(f->s->b->region, uint64_t, view->members);
    f->last = SGP_TAKE(f->s->b->region, uint32_t, view->members);
    if (f->s->b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t m = 0; m < view->members; m++) {
        if (takes_part(f->s, m)) {
            f->member[f->members++] = (uint64_t)(UINT32_MAX - view->threads[m]) << 32 | m;
        }
    }
    if (view->threads_each == 0) {
        sgp_sort_above(32, f->member, spare, f->members);
    }
    return SEGUE_OK;
}

/* Of those on equally wide members the lightest is the one to lie on. */
static int lies_better_on_another(const field *f, uint32_t rank)
{
    const double weight = weight_at(f, rank), threads = threads_at(f, rank);
    for (uint32_t i = 0; i < f->lasts; i++) {
        if (weight / threads > (weight_at(f, f->last[i]) + weight) / threads_at(f, f->last[i])) {
            return 1;
        }
    }
    return 0;
}

static void note(field *f, uint32_t rank)
{
    sgp_scale *s = f->s;
    double level = (double)weight_at(f, rank) / threads_at(f, rank);
    f->lasts -= f->lasts > 0 && threads_at(f, f->last[f->lasts - 1]) == threads_at(f, rank);
    f->last[f->lasts++] = rank;
    s->boulder = weight_at(f, rank);
    s->alone = level > s->alone ? level : s->alone;
}

/* The fewest threads that can hold so many boulders: narrow members first, each as long as one that it may hold is left. */
static double narrowest_hosts(const field *f, uint32_t boulders)
{
    double threads = 0;
    uint32_t hosts = 0, heaviest = boulders; /* the rank of the heaviest one that the member may hold */
    for (uint32_t rank = f->members; rank-- > 0 && hosts < boulders;) {
        double most = f->s->alone * threads_at(f, rank);
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
    double most = left / capacity, threads = capacity;
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
        left -= (double)s->boulder;
        threads -= threads_at(&f, count);
        most = left / threads < most ? left / threads : most;
    }
    if (count > 0) {
        lower_shares(s, most, left / (capacity - narrowest_hosts(&f, count)));
    }
    return SEGUE_OK;
}
