/* SPDX-License-Identifier: Apache-2.0 */
/* isolate_pool.h - the processes of one plugin, or of a program that is one: each call has one alone, which then waits for
 * the next. Any thread. */
#ifndef SEGUE_HOSTS_C_ISOLATE_POOL_H
#define SEGUE_HOSTS_C_ISOLATE_POOL_H

#include <pthread.h>

#include "isolate.h"

typedef struct sgi_isolate_pool {
    pthread_mutex_t lock;
    sgi_isolate *idle;
    uint32_t idle_count;
    sgi_isolate *dying; /* killed, and not gone yet */
    sgi_tally *tally;
    const char *program, *plugin; /* as in isolate_spawn.h; they live longer */
} sgi_isolate_pool;

void sgi_isolate_pool_init(sgi_isolate_pool *pool, sgi_tally *tally, const char *program, const char *plugin);

/* A process for the caller alone; one is started where none waits. */
int32_t sgi_isolate_pool_take(sgi_isolate_pool *pool, sgi_isolate **isolate, segue_error *error);

/* Gives it back. sound 0: it is killed. */
void sgi_isolate_pool_give(sgi_isolate_pool *pool, sgi_isolate *isolate, int sound);

/* Starts one that waits for the next call, where none does: an interpreter takes its time to begin, and nobody is waiting
 * for it now. */
void sgi_isolate_pool_warm(sgi_isolate_pool *pool);

/* Kills what waits. Nothing may be out. */
void sgi_isolate_pool_close(sgi_isolate_pool *pool);

#endif
