/* SPDX-License-Identifier: Apache-2.0 */
/* crowd.h - who of a group can be given what: the words of R4-R9 as bits of members and processes. Any thread. */
#ifndef SEGUE_HOSTS_C_CROWD_H
#define SEGUE_HOSTS_C_CROWD_H

#include "segue/group.h"

enum {
    SGI_LEAVING = 1, /* marked as leaving */
    SGI_EXPIRED = 2, /* its deadline has passed */
    SGI_PRESENT = 4, /* has threads and is not expired; a process: one of its members is */
    SGI_STAYING = 8, /* has threads and is not leaving; a process: one of its members is */
    SGI_THREADS = 16 /* has threads */
};

typedef struct sgi_crowd {
    uint8_t *member;  /* bits of each member */
    uint8_t *process; /* SGI_PRESENT and SGI_STAYING of each process */
    uint32_t present_members;
    uint32_t staying_members;
    uint32_t staying_processes;
    uint32_t threaded_members;
} sgi_crowd;

/* Fills the two columns, which the caller provides. knows_leaving 0: as if nobody were marked. all_can_work 1: threads
 * of 0 count as 1 (the caller has seen that nobody has any). */
void sgi_crowd_fill(sgi_crowd *crowd, const segue_group *g, int knows_leaving, int all_can_work);

#endif
