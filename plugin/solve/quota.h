/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quotas: how many tasks each staying member should hold.
 *
 * A member's share of N tasks is N * threads / capacity; its quota is that share rounded down or up, and the members
 * that are rounded up make the sum come out. Which ones is free, and decides how many tasks move: the least number
 * of moves is reached exactly when as many roundings as possible go to members that hold more than their floor
 * already, since a rounding given to such a member saves one move and one given to any other saves none.
 */
#ifndef SGP_QUOTA_H
#define SGP_QUOTA_H

#include "core/view.h"

typedef struct sgp_quota {
    uint32_t *floor; /* 0 for members that do not stay */
    uint32_t *ceiling;
    uint32_t roundings; /* members to be rounded up: the tasks that the floors leave */
} sgp_quota;

/* floor(count * threads / capacity) and the ceiling for every staying member. Both columns have `members` rows. */
void sgp_quota_share(const sgp_view *view, uint32_t count, sgp_quota *quota);

/*
 * The same when each member carries `load` already that cannot change, and `count` further tasks fill up: floor and
 * ceiling of what is added, so that totals come as near to their shares as they can. A member whose load is above its
 * share adds nothing, and the others share what is left.
 */
int32_t sgp_quota_fill(const sgp_view *view, const uint32_t *load, uint32_t count, sgp_quota *quota,
                       sgp_region *region);

#endif
