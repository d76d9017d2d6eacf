/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/quota.h"

#include <string.h>

static void share(uint64_t count, uint32_t threads, uint64_t capacity, uint32_t *low, uint32_t *high)
{
    uint64_t product = count * threads;
    *low = (uint32_t)(product / capacity);
    *high = *low + (product % capacity != 0);
}

void sgp_quota_share(const sgp_view *view, uint32_t count, sgp_quota *quota)
{
    uint64_t given = 0;
    memset(quota->floor, 0, view->members * sizeof *quota->floor);
    memset(quota->ceiling, 0, view->members * sizeof *quota->ceiling);
    for (uint32_t m = 0; m < view->members; m++) {
        if (view->place[m] == SGP_STAYS) {
            share(count, view->threads[m], view->capacity, &quota->floor[m], &quota->ceiling[m]);
            given += quota->floor[m];
        }
    }
    quota->roundings = view->staying == 0 ? 0 : count - (uint32_t)given;
}

/* Takes members whose load is above the ceiling of their share out of the sharing, until none is. Each pass lowers the
 * others' share, so that a few passes end it; every pass takes out at least one member. */
static void exclude_overloaded(const sgp_view *view, const uint32_t *load, uint8_t *shares, uint64_t *total,
                               uint64_t *capacity)
{
    int again = 1;
    while (again && *capacity > 0) {
        uint64_t less_total = 0, less_capacity = 0;
        for (uint32_t m = 0; m < view->members; m++) {
            uint32_t low, high;
            if (!shares[m]) {
                continue;
            }
            share(*total, view->threads[m], *capacity, &low, &high);
            if (load[m] > high) {
                shares[m] = 0;
                less_total += load[m];
                less_capacity += view->threads[m];
            }
        }
        *total -= less_total;
        *capacity -= less_capacity;
        again = less_capacity > 0;
    }
}

int32_t sgp_quota_fill(const sgp_view *view, const uint32_t *load, uint32_t count, sgp_quota *quota,
                       sgp_region *region)
{
    uint8_t *shares = SGP_TAKE(region, uint8_t, view->members);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    uint64_t total = count, capacity = view->capacity, given = 0;
    for (uint32_t m = 0; m < view->members; m++) {
        shares[m] = view->place[m] == SGP_STAYS;
        total += shares[m] ? load[m] : 0;
    }
    exclude_overloaded(view, load, shares, &total, &capacity);
    for (uint32_t m = 0; m < view->members; m++) {
        uint32_t low = 0, high = 0;
        if (shares[m]) {
            share(total, view->threads[m], capacity, &low, &high);
        }
        quota->floor[m] = low > load[m] ? low - load[m] : 0;
        quota->ceiling[m] = high > load[m] ? high - load[m] : 0;
        given += quota->floor[m];
    }
    quota->roundings = given < count ? count - (uint32_t)given : 0;
    return SEGUE_OK;
}

