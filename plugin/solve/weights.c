/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/weights.h"

#include "core/sort.h"

#include <float.h>

/* Bits of the heaviest weight: 2^32 tasks of it still fit into 62. */
#define BITS 30

static double given(const sgp_view *view, uint32_t task)
{
    double weight = view->group->task_weight[task];
    return weight > 0 && weight <= DBL_MAX ? weight : 1;
}

/* The smallest weights are brought up in two steps: no double holds the power of two that would do it in one. */
static double lift_for(double heaviest)
{
    return heaviest < 1 ? 0x1p200 : 1;
}

/* The power of two that brings `heaviest` to BITS bits. */
static double scale_for(double heaviest)
{
    const double most = (double)(1u << BITS);
    double scale = 1;
    while (heaviest * scale < most / 2) {
        scale *= 2;
    }
    while (heaviest * scale >= most) {
        scale /= 2;
    }
    return scale;
}

static int32_t sort_tasks(sgp_weights *w, const sgp_view *view, sgp_region *region)
{
    uint64_t *keys = SGP_TAKE(region, uint64_t, view->tasks);
    uint64_t *spare = SGP_TAKE(region, uint64_t, view->tasks);
    w->order = SGP_TAKE(region, uint32_t, view->tasks);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t t = 0; t < view->tasks; t++) {
        keys[t] = (uint64_t)(UINT32_MAX - w->of[t]) << 32 | t;
    }
    sgp_sort_above(32, keys, spare, view->tasks);
    for (uint32_t i = 0; i < view->tasks; i++) {
        w->order[i] = (uint32_t)keys[i];
    }
    return SEGUE_OK;
}

int32_t sgp_weights_build(sgp_weights *w, const sgp_view *view, sgp_region *region)
{
    int differ = 0;
    double heaviest = 0;
    *w = (sgp_weights){NULL, NULL};
    for (uint32_t t = 0; view->group->task_weight != NULL && t < view->tasks; t++) {
        double weight = given(view, t);
        differ |= weight < given(view, 0) || weight > given(view, 0);
        heaviest = weight > heaviest ? weight : heaviest;
    }
    if (!differ) {
        return SEGUE_OK;
    }
    w->of = SGP_TAKE(region, uint32_t, view->tasks);
    if (w->of == NULL) {
        return SEGUE_E_MEMORY;
    }
    const double lift = lift_for(heaviest), scale = scale_for(heaviest * lift);
    for (uint32_t t = 0; t < view->tasks; t++) {
        uint32_t scaled = (uint32_t)(given(view, t) * lift * scale + 0.5);
        w->of[t] = scaled < 1 ? 1 : scaled;
    }
    return sort_tasks(w, view, region);
}

int sgp_weights_differ(const sgp_view *view, const sgp_weights *w, int stateful)
{
    uint32_t first = 0;
    for (uint32_t t = 0; t < view->tasks; t++) {
        if (sgp_stateful(view, t) == stateful) {
            first = first == 0 ? w->of[t] : first;
            if (w->of[t] != first) {
                return 1;
            }
        }
    }
    return 0;
}

static double distance(double carried, double share)
{
    return (carried > share ? carried - share : share - carried) / share;
}

static double largest_distance(const sgp_view *view, const uint64_t *load, uint64_t total)
{
    double largest = 0;
    for (uint32_t m = 0; m < view->members; m++) {
        if (view->place[m] == SGP_STAYS) {
            double share = (double)total * view->threads[m] / (double)view->capacity;
            double here = distance((double)load[m], share);
            largest = here > largest ? here : largest;
        }
    }
    return largest;
}

/* Somebody holds the heaviest task, and the others have to do with the rest: the best choice of who. Where there are no others
 * it is not more than its share, which is all. */
static double bound_of_heaviest(const sgp_view *view, uint32_t heaviest, uint64_t total)
{
    double least = DBL_MAX;
    for (uint32_t m = 0; m < view->members; m++) {
        if (view->place[m] != SGP_STAYS) {
            continue;
        }
        double share = (double)total * view->threads[m] / (double)view->capacity;
        double over = heaviest > share ? heaviest - share : 0, bound = over / share;
        double others = (double)total - share;
        bound = over > 0 && over / others > bound ? over / others : bound;
        least = bound < least ? bound : least;
    }
    return least;
}

/* Of the k * members + 1 heaviest tasks somebody holds k + 1. */
static double bound_of_crowd(const sgp_view *view, const sgp_weights *w, uint64_t total)
{
    uint32_t widest = 0;
    double most = 0;
    for (uint32_t m = 0; m < view->members; m++) {
        widest = view->place[m] == SGP_STAYS && view->threads[m] > widest ? view->threads[m] : widest;
    }
    double share = (double)total * widest / (double)view->capacity;
    for (uint64_t k = 0; k * view->staying < view->tasks; k++) {
        double crowd = (double)(k + 1) * (double)w->of[w->order[k * view->staying]];
        most = crowd > share && (crowd - share) / share > most ? (crowd - share) / share : most;
    }
    return most;
}

int32_t sgp_weights_measure(const sgp_view *view, const sgp_weights *w, const uint32_t *holder, double *imbalance,
                            double *least, sgp_region *region)
{
    uint64_t *load = SGP_TAKE_ZERO(region, uint64_t, view->members), total = 0;
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t t = 0; t < view->tasks; t++) {
        load[holder[t]] += w->of[t];
        total += w->of[t];
    }
    double heaviest = bound_of_heaviest(view, w->of[w->order[0]], total), crowd = bound_of_crowd(view, w, total);
    double bound = view->tasks < view->staying ? 1 : 0;
    bound = heaviest > bound ? heaviest : bound;
    *imbalance = 100 * largest_distance(view, load, total);
    *least = 100 * (crowd > bound ? crowd : bound);
    return SEGUE_OK;
}
