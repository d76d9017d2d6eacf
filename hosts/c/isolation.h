/* SPDX-License-Identifier: Apache-2.0 */
/* isolation.h - how far a host keeps its plugins from itself: settings, and the limits of a call. Any thread. */
#ifndef SEGUE_HOSTS_C_ISOLATION_H
#define SEGUE_HOSTS_C_ISOLATION_H

#include <sys/types.h>

#include "segue/config.h"
#include "segue/host.h"
#include "tally.h"

enum sgi_isolation_kind {
    SGI_ISOLATION_NONE = 0,   /* plugins are called on the caller's thread */
    SGI_ISOLATION_THREAD = 1, /* calls that have a budget run on a thread of their own, which is given up when it ends */
    SGI_ISOLATION_PROCESS = 2 /* plugins are loaded and called in processes of their own */
};

typedef struct sgi_isolation {
    enum sgi_isolation_kind kind;
    uint32_t max_faults;
    char *program; /* of the processes; NULL for the other kinds */
    sgi_tally *tally;
} sgi_isolation;

/* E_CONFIG for an unknown word, E_SYSTEM where there is no program for the processes. */
int32_t sgi_isolation_open(sgi_isolation *isolation, const segue_host_options *options, segue_error *error);
void sgi_isolation_close(sgi_isolation *isolation);

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t sgi_now_ns(void);

/* How long an assignor may take in all: its budget and the grace. Without a budget `otherwise_ns`. */
uint64_t sgi_limit_ns(const segue_config *config, uint64_t otherwise_ns);

/*
 * Behind each call of foreign code, with the getpid() from before it. An assignor that has forked comes back twice: its
 * copy of this process would go on as a second host, with the first one's sockets. It ends here, and says so.
 */
void sgi_end_copy(pid_t before, const char *assignor);

enum { SGI_COPY_ENDED = 71 };

#define SGI_MILLISECOND 1000000ull
/* What a call may take beyond its budget: a plugin looks at the clock now and then, and machines are busy. */
#define SGI_GRACE_NS (500 * SGI_MILLISECOND)
/* For a process: without a budget; and for loading and describing a plugin, whose lateness would be for good: an interpreter
 * that starts beside many others on a busy machine has taken more than ten seconds. */
#define SGI_PATIENCE_NS (10000 * SGI_MILLISECOND)
#define SGI_LOADING_NS (30000 * SGI_MILLISECOND)

#endif
