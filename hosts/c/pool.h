/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.h - the instances of one assignor. `assign` is serial per instance, so each call that runs at the same time has
 * one of its own, made when it is needed and kept for the next. Any thread; the lock is held for a push or a pop only.
 */
#ifndef SEGUE_HOSTS_C_POOL_H
#define SEGUE_HOSTS_C_POOL_H

#include <pthread.h>

#include "segue/slots.h"

/* An instance while somebody uses it or it waits for that. */
typedef struct sgi_lease {
    segue_instance *instance;
    struct sgi_lease *next;
} sgi_lease;

typedef struct sgi_pool {
    pthread_mutex_t lock;
    sgi_lease *idle;
    const segue_slots *slots;
    const char *assignor;
} sgi_pool;

void sgi_pool_init(sgi_pool *pool, const segue_slots *slots, const char *assignor);

/* An instance for the caller alone. A fault is that of the plugin's `create`, with its text. */
int32_t sgi_pool_take(sgi_pool *pool, sgi_lease **lease, segue_error *error);

/* Gives it back. sound 0: its last call failed, and the next caller gets a fresh one. */
void sgi_pool_give(sgi_pool *pool, sgi_lease *lease, int sound);

/* One that waits, or NULL. */
sgi_lease *sgi_pool_pop(sgi_pool *pool);

/* A fresh one that no pool knows, and its end. */
int32_t sgi_lease_make(const segue_slots *slots, const char *assignor, sgi_lease **lease, segue_error *error);
void sgi_lease_end(const segue_slots *slots, sgi_lease *lease);

/* Destroys what is idle. Nothing may be out. */
void sgi_pool_close(sgi_pool *pool);

#endif
