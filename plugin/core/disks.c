/* SPDX-License-Identifier: Apache-2.0 */
#include "core/disks.h"

/* The nearest lag that members of each process tell of one task. */
typedef struct disks {
    uint32_t *task; /* by process: number of the task + 1 that `lag` is about */
    int64_t *lag;
} disks;

static void tell(disks *d, uint32_t process, uint32_t task, int64_t lag)
{
    int known = d->task[process] == task + 1;
    int nearer = known && lag >= 0 && (d->lag[process] < 0 || lag < d->lag[process]);
    if (!known || nearer) {
        d->lag[process] = lag;
    }
    d->task[process] = task + 1;
}

static void share_task(sgp_view *view, disks *d, uint32_t task)
{
    const uint32_t *process = view->group->member_process;
    uint32_t owner = view->owner[task];
    if (owner != SEGUE_NONE) {
        tell(d, process[owner], task, sgp_owner_lag(view, task));
    }
    for (uint32_t i = view->copy_start[task]; i < view->copy_start[task + 1]; i++) {
        tell(d, process[view->copy[i].member], task, view->copy[i].lag);
    }
    for (uint32_t i = view->copy_start[task]; i < view->copy_start[task + 1]; i++) {
        uint32_t disk = process[view->copy[i].member];
        view->copy[i].lag = view->process_place[disk] == SGP_STAYS ? d->lag[disk] : view->copy[i].lag;
    }
    if (owner != SEGUE_NONE && view->owner_lag != NULL && view->process_place[process[owner]] == SGP_STAYS) {
        view->owner_lag[task] = d->lag[process[owner]];
    }
}

int32_t sgp_disks_share(sgp_view *view, sgp_region *region)
{
    if (view->copy_start == NULL || view->processes == view->members || view->nobody_stays) {
        return SEGUE_OK;
    }
    disks d = {SGP_TAKE_ZERO(region, uint32_t, view->processes), SGP_TAKE(region, int64_t, view->processes)};
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t t = 0; t < view->tasks; t++) {
        if (view->copy_start[t + 1] > view->copy_start[t]) {
            share_task(view, &d, t);
        }
    }
    return SEGUE_OK;
}
