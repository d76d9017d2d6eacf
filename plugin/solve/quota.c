/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/quota.h"

/* Most members have as many threads as the one before, and so the same share. */
typedef struct sharer {
    uint64_t count, capacity;
    uint32_t threads, low, high; /* of the last member; threads 0: there was none */
} sharer;

static void share(sharer *s, uint32_t threads, uint32_t *low, uint32_t *high)
{
    if (threads != s->threads) {
        uint64_t product = s->count * threads;
        s->threads = threads;
        /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): who shares has a thread */
        s->low = (uint32_t)(product / s->capacity);
        s->high = s->low + (product % s->capacity != 0);
    }
    *low = s->low;
    *high = s->high;
}

/* Where everybody has the same number of threads. */
static void share_evenly(const sgp_view *view, uint32_t count, sgp_quota *quota)
{
    sharer s = {.count = count, .capacity = view->capacity};
    const uint32_t members = view->members;
    const uint8_t *place = view->place;
    uint32_t *restrict floor = quota->floor, *restrict ceiling = quota->ceiling, low, high;
    share(&s, view->threads_each, &low, &high);
    for (uint32_t m = 0; m < members; m++) {
        floor[m] = low;
        ceiling[m] = high;
    }
    for (uint32_t m = 0; view->staying < members && m < members; m++) {
        floor[m] = place[m] == SGP_STAYS ? low : 0;
        ceiling[m] = place[m] == SGP_STAYS ? high : 0;
    }
    quota->roundings = count - low * view->staying;
}

void sgp_quota_share(const sgp_view *view, uint32_t count, sgp_quota *quota)
{
    if (view->threads_each > 0) {
        share_evenly(view, count, quota);
        return;
    }
    sharer s = {.count = count, .capacity = view->capacity};
    const uint32_t members = view->members, *threads = view->threads;
    uint32_t *restrict floor = quota->floor, *restrict ceiling = quota->ceiling;
    uint64_t given = 0;
    for (uint32_t m = 0; m < members; m++) {
        uint32_t low = 0, high = 0;
        if (view->place[m] == SGP_STAYS) {
            share(&s, threads[m], &low, &high);
        }
        floor[m] = low;
        ceiling[m] = high;
        given += low;
    }
    quota->roundings = view->staying == 0 ? 0 : count - (uint32_t)given;
}

/* Who takes part in a fill, and what they have to share. */
typedef struct party {
    const sgp_view *view;
    const uint32_t *load;
    uint8_t *shares; /* by member: takes part */
    uint64_t total, capacity;
} party;

static int32_t gather(party *p, uint32_t count, sgp_region *region)
{
    p->shares = SGP_TAKE(region, uint8_t, p->view->members);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    p->total = count;
    p->capacity = p->view->capacity;
    for (uint32_t m = 0; m < p->view->members; m++) {
        p->shares[m] = p->view->place[m] == SGP_STAYS;
        p->total += p->shares[m] ? p->load[m] : 0;
    }
    return SEGUE_OK;
}

/* Takes members whose load is above their share rounded up (strictly: above their share) out of the sharing, until none
 * is. Each pass lowers the others' share, so that a few passes end it; every pass takes out at least one member. */
static void exclude_overloaded(party *p, int strictly)
{
    int again = 1;
    while (again && p->capacity > 0) {
        sharer s = {.count = p->total, .capacity = p->capacity};
        uint64_t less_total = 0, less_capacity = 0;
        for (uint32_t m = 0; m < p->view->members; m++) {
            uint32_t low, high;
            if (!p->shares[m]) {
                continue;
            }
            share(&s, p->view->threads[m], &low, &high);
            if (p->load[m] > (strictly ? low : high)) {
                p->shares[m] = 0;
                less_total += p->load[m];
                less_capacity += p->view->threads[m];
            }
        }
        p->total -= less_total;
        p->capacity -= less_capacity;
        again = less_capacity > 0;
    }
}

/* Returns the sum of the floors. */
static uint64_t set_fill(const party *p, sgp_quota *quota)
{
    sharer s = {.count = p->total, .capacity = p->capacity};
    uint64_t given = 0;
    for (uint32_t m = 0; m < p->view->members; m++) {
        uint32_t low = 0, high = 0, load = p->load[m];
        if (p->shares[m]) {
            share(&s, p->view->threads[m], &low, &high);
        }
        quota->floor[m] = low > load ? low - load : 0;
        quota->ceiling[m] = high > load ? high - load : 0;
        given += quota->floor[m];
    }
    return given;
}

/* Loads between a share and its ceiling are tolerated, so that totals stay within floor and ceiling of the whole,
 * unless there are so many of them that the floors of the others cannot be reached. */
int32_t sgp_quota_fill(const sgp_view *view, const uint32_t *load, uint32_t count, sgp_quota *quota,
                       sgp_region *region)
{
    party p = {.view = view, .load = load};
    uint64_t given = UINT64_MAX;
    if (gather(&p, count, region) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    for (int strictly = 0; strictly <= 1 && given > count; strictly++) {
        exclude_overloaded(&p, strictly);
        given = set_fill(&p, quota);
    }
    quota->roundings = given < count ? count - (uint32_t)given : 0;
    return SEGUE_OK;
}
