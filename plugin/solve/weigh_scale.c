/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/weigh_scale.h"

#include "solve/weigh_boulder.h"

#include <string.h>

static uint64_t rounded_up(double value)
{
    uint64_t whole = (uint64_t)value;
    return whole + ((double)whole < value);
}

static int32_t take_columns(sgp_scale *s)
{
    sgp_region *region = s->b->region;
    const uint32_t members = s->b->view->members;
    s->bin = SGP_TAKE(region, uint32_t, s->b->view->tasks);
    s->carried = SGP_TAKE_ZERO(region, uint64_t, members);
    s->load = SGP_TAKE(region, uint64_t, members);
    s->share = SGP_TAKE(region, double, members);
    s->rest = SGP_TAKE(region, double, members);
    s->low = SGP_TAKE(region, uint64_t, members);
    s->high = SGP_TAKE(region, uint64_t, members);
    s->held = SGP_TAKE(region, uint32_t, members);
    return region->failed ? SEGUE_E_MEMORY : SEGUE_OK;
}

static int32_t order_tasks(sgp_scale *s, const uint32_t *all)
{
    uint32_t count = 0;
    s->order = all;
    if (sgp_is_only_kind(s->b)) {
        return SEGUE_OK;
    }
    uint32_t *order = SGP_TAKE(s->b->region, uint32_t, s->b->count);
    for (uint32_t i = 0; order != NULL && i < s->b->view->tasks; i++) {
        if (sgp_is_kind(s->b, all[i])) {
            order[count++] = all[i];
        }
    }
    s->order = order;
    return order == NULL ? SEGUE_E_MEMORY : SEGUE_OK;
}

/* Members that carry more than their share of what is left take part no longer, which lowers it for the others. Returns
 * the threads of these, and in *left what is theirs: as long as they get fewer, the next pass finds more to leave out. */
static double share_the_rest(sgp_scale *s, double total, double *left)
{
    const sgp_view *view = s->b->view;
    double capacity = (double)view->capacity;
    *left = total;
    for (uint32_t m = 0; m < view->members; m++) {
        if (view->place[m] == SGP_STAYS && (double)s->carried[m] > s->rest[m]) {
            capacity -= view->threads[m];
            *left -= (double)s->carried[m];
        }
    }
    for (uint32_t m = 0; m < view->members && capacity > 0; m++) {
        double rest = *left * view->threads[m] / capacity;
        s->rest[m] = view->place[m] == SGP_STAYS && rest < s->rest[m] ? rest : s->rest[m];
    }
    return capacity;
}

static int32_t find_shares(sgp_scale *s)
{
    const sgp_view *view = s->b->view;
    double total = 0, left = 0, capacity = (double)view->capacity;
    for (uint32_t i = 0; i < s->b->count; i++) {
        total += s->weight[s->order[i]];
    }
    for (uint32_t m = 0; m < view->members; m++) {
        total += view->place[m] == SGP_STAYS ? (double)s->carried[m] : 0;
    }
    for (uint32_t m = 0; m < view->members; m++) {
        s->share[m] = s->rest[m] = view->place[m] == SGP_STAYS ? total * view->threads[m] / capacity : 0;
    }
    for (double before = 2 * capacity; capacity < before;) {
        before = capacity;
        capacity = share_the_rest(s, total, &left);
    }
    return capacity > 0 ? sgp_boulders_leave(s, left, capacity) : SEGUE_OK;
}

/* The copy of the staying member that learns the task; of several one that has caught up. */
static const sgp_copy *learner_of(const sgp_view *view, uint32_t task)
{
    uint32_t count;
    const sgp_copy *copies = sgp_copies(view, task, &count), *found = NULL;
    for (uint32_t i = 0; i < count; i++) {
        int learns = copies[i].role == SEGUE_LEARNER && view->place[copies[i].member] == SGP_STAYS;
        int better = learns && (found == NULL || (sgp_hot(view, copies[i].lag) && !sgp_hot(view, found->lag)));
        found = better ? &copies[i] : found;
    }
    return found;
}

static int32_t find_flying(sgp_scale *s)
{
    if (!s->b->stateful || s->b->view->copy_start == NULL) {
        return SEGUE_OK;
    }
    const sgp_view *view = s->b->view;
    uint8_t *ready = SGP_TAKE(s->b->region, uint8_t, view->tasks), any = 0;
    s->flying = SGP_TAKE(s->b->region, uint32_t, view->tasks);
    if (s->b->region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t t = 0; t < view->tasks; t++) {
        int may_fly = sgp_is_kind(s->b, t) && s->b->serve[t] != SEGUE_NONE;
        const sgp_copy *learner = may_fly ? learner_of(view, t) : NULL;
        s->flying[t] = learner == NULL ? SEGUE_NONE : learner->member;
        ready[t] = learner != NULL && sgp_hot(view, learner->lag);
        any |= ready[t];
    }
    s->ready = any ? ready : NULL;
    return SEGUE_OK;
}

int32_t sgp_scale_open(sgp_scale *s, sgp_balance *b, const sgp_weights *weights, const uint64_t *carried)
{
    *s = (sgp_scale){.b = b, .weight = weights->of, .boulder = UINT64_MAX};
    if (take_columns(s) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    if (order_tasks(s, weights->order) != SEGUE_OK || find_flying(s) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    if (carried != NULL) {
        memcpy(s->carried, carried, b->view->members * sizeof *carried);
    }
    return find_shares(s);
}

void sgp_scale_tolerate(sgp_scale *s, double tolerance)
{
    const sgp_view *view = s->b->view;
    uint32_t empty = 0;
    for (uint32_t m = 0; m < view->members; m++) {
        empty += view->place[m] == SGP_STAYS && s->carried[m] == 0;
    }
    for (uint32_t m = 0; m < view->members; m++) {
        if (view->place[m] != SGP_STAYS) {
            s->low[m] = s->high[m] = 0;
            continue;
        }
        double low = s->rest[m] * (1 - tolerance) - SGP_DUST, high = s->share[m] * (1 + tolerance) + SGP_DUST;
        s->low[m] = low > 0 ? rounded_up(low) : 0;
        s->high[m] = high > (double)s->carried[m] ? (uint64_t)high : s->carried[m];
        s->low[m] = s->low[m] < s->carried[m] ? s->carried[m] : s->low[m];
        if (s->low[m] == 0 && s->b->count >= empty) {
            s->low[m] = 1;
        }
    }
}

void sgp_scale_weigh(sgp_scale *s, const uint32_t *holder)
{
    const uint32_t members = s->b->view->members;
    memcpy(s->load, s->carried, members * sizeof *s->load);
    memset(s->held, 0, members * sizeof *s->held);
    for (uint32_t t = 0; t < s->b->view->tasks; t++) {
        if (sgp_is_kind(s->b, t) && holder[t] != SEGUE_NONE) {
            s->load[holder[t]] += s->weight[t];
            s->held[holder[t]]++;
        }
    }
}

double sgp_scale_distance(const sgp_scale *s)
{
    double largest = 0;
    for (uint32_t m = 0; m < s->b->view->members; m++) {
        if (s->b->view->place[m] != SGP_STAYS) {
            continue;
        }
        double load = (double)s->load[m];
        double over = s->held[m] > 0 && !sgp_scale_alone(s, m) ? (load - s->share[m]) / s->share[m] : 0;
        double under = s->rest[m] > 0 ? (s->rest[m] - load) / s->rest[m] : 0;
        largest = over > largest ? over : largest;
        largest = under > largest ? under : largest;
    }
    return largest;
}

int sgp_scale_fits_all(const sgp_scale *s)
{
    for (uint32_t m = 0; m < s->b->view->members; m++) {
        if (s->b->view->place[m] == SGP_STAYS && !sgp_scale_fits(s, m)) {
            return 0;
        }
    }
    return 1;
}

uint32_t sgp_scale_moves(const sgp_scale *s, const uint32_t *target)
{
    uint32_t moves = 0;
    for (uint32_t i = 0; i < s->b->count; i++) {
        uint32_t task = s->order[i];
        uint32_t to = target[task];
        int goes = sgp_scale_keeps(s, task) ? to != s->b->serve[task] && !sgp_scale_is_done(s, task, to)
                                            : to != SEGUE_NONE && sgp_scale_wastes(s, task, to);
        moves += (uint32_t)goes;
    }
    return moves;
}
