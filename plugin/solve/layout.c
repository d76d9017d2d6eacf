/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/layout.h"

#include <string.h>

int32_t sgp_layout_clear(sgp_layout *l, uint32_t tasks, uint32_t ranks, sgp_region *region)
{
    size_t rows = (size_t)tasks * ranks;
    *l = (sgp_layout){.tasks = tasks, .ranks = ranks};
    if (rows >= UINT32_MAX) {
        return SEGUE_E_MEMORY;
    }
    l->active = SGP_TAKE(region, uint32_t, tasks);
    l->learner = SGP_TAKE(region, uint32_t, tasks);
    l->standby = SGP_TAKE(region, uint32_t, rows);
    if (region->failed) {
        return SEGUE_E_MEMORY;
    }
    memset(l->active, 0xff, tasks * sizeof *l->active);
    memset(l->learner, 0xff, tasks * sizeof *l->learner);
    memset(l->standby, 0xff, rows * sizeof *l->standby);
    return SEGUE_OK;
}
