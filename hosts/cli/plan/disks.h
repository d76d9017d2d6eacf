/* SPDX-License-Identifier: Apache-2.0 */
/* disks.h - what lies on the disks of a group. Members of one process share theirs, so what one of them holds none of the others
 * has to build. One thread. */
#ifndef SEGUE_HOSTS_CLI_PLAN_DISKS_H
#define SEGUE_HOSTS_CLI_PLAN_DISKS_H

#include <stdint.h>

#include "segue/host.h"

/* The members of each process; none of it where each has a process of its own. */
typedef struct disks {
    uint32_t *start, *member;
} disks;

/* Returns 0; or -1 where no memory is left. `group` keeps its members as long as this is asked. */
int disks_open(disks *it, const segue_group *group);

/* Whether a member of the same process holds a copy of the task, in whatever role. */
int disks_have(const disks *it, const segue_group *group, uint32_t member, uint32_t task);

void disks_close(disks *it);

#endif
