/* SPDX-License-Identifier: Apache-2.0 */
/* Groups that nobody thought of. */
#ifndef SGP_TEST_RANDOM_GROUP_H
#define SGP_TEST_RANDOM_GROUP_H

#include "test/draft.h"

/* What may occur, as bits. */
enum random_trait {
    RANDOM_COPIES = 1,       /* standbys, learners, dormant copies, with lags of all sizes and unknown ones */
    RANDOM_LEAVING = 2,      /* marked members, with and without deadlines, some passed */
    RANDOM_SHARED_DISKS = 4, /* several members on one process */
    RANDOM_STATELESS = 8,    /* some subtopologies, and some single tasks, without state */
    RANDOM_CAPS = 16,        /* limits of learners */
    RANDOM_STANDBYS = 32,    /* standbys wanted */
    RANDOM_NO_THREADS = 64,  /* members with 0 threads */
    RANDOM_NO_OWNER = 128,   /* tasks that nobody serves */
    RANDOM_CONTESTED = 256,  /* tasks that several claim */
    RANDOM_RESTORING = 512,  /* owners that are behind */
    RANDOM_RACKS = 1024,     /* inputs and members in racks, some unknown; a rack strategy is asked for */
    RANDOM_WEIGHTS = 2048,   /* tasks that do not weigh the same, in half of the groups */
    RANDOM_ANYTHING = 4095
};

typedef struct random_size {
    uint32_t tasks, members, threads, subtopologies; /* the most of each, at least 1 */
} random_size;

/* The same group for the same arguments, always. */
draft *random_group(uint64_t seed, random_size most, unsigned traits);

#endif
