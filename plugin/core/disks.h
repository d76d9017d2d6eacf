/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a process share a disk: what one of them knows of a copy holds for all, if one of them stays to use it. */
#ifndef SGP_DISKS_H
#define SGP_DISKS_H

#include "core/view.h"

/* Without this a task could be sent to and fro between two that tell different lags of the same files. */
int32_t sgp_disks_share(sgp_view *view, sgp_region *region);

#endif
