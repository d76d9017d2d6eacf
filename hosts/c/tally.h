/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tally.h - what a host counts (segue_metrics). It outlives the host while a thread that was given up still runs: such a
 * thread counts itself off when it comes back after all. Any thread.
 */
#ifndef SEGUE_HOSTS_C_TALLY_H
#define SEGUE_HOSTS_C_TALLY_H

#include <stdatomic.h>
#include <stdint.h>

/* How asking an assignor ended. */
typedef enum sgi_end {
    SGI_ANSWERED = 0,
    SGI_FAULT,       /* it answered with a fault of its own */
    SGI_BAD_PLAN,    /* its plan broke a rule */
    SGI_LATE,        /* it did not come back in time */
    SGI_DIED,        /* its process ended, or talked nonsense */
    SGI_UNSTARTED,   /* no process, thread or judge was to be had: no fault of the plugin's */
    SGI_PASSED_OVER, /* it was put aside before */
    SGI_ENDS
} sgi_end;

typedef struct sgi_tally {
    atomic_uint holders;
    atomic_ullong ends[SGI_ENDS];
    atomic_ullong started;
    atomic_uint processes;
    atomic_uint threads;
} sgi_tally;

/* With one holder; NULL without memory. */
sgi_tally *sgi_tally_new(void);

void sgi_tally_hold(sgi_tally *tally);

/* NULL is allowed. The last holder frees it. */
void sgi_tally_release(sgi_tally *tally);

#endif
