/* SPDX-License-Identifier: Apache-2.0 */
/*
 * callback.h - assignors that the host brings by itself. Any thread; the lock is never held while foreign code runs.
 * Texts are kept once each, and as long as the list: a row that was listed outlives its assignor.
 */
#ifndef SEGUE_HOSTS_C_CALLBACK_H
#define SEGUE_HOSTS_C_CALLBACK_H

#include <pthread.h>

#include "plugin.h"

typedef struct sgi_callback {
    sgi_assignor assignor; /* as of a plugin that is none, without a pool */
    segue_callback given;
    uint32_t users; /* calls that run, and 1 while it is registered */
} sgi_callback;

typedef struct sgi_callbacks {
    pthread_mutex_t lock;
    sgi_callback **rows;
    uint32_t count;
    char **texts;
    uint32_t text_count;
} sgi_callbacks;

void sgi_callbacks_init(sgi_callbacks *callbacks);
void sgi_callbacks_close(sgi_callbacks *callbacks);

/* See segue_host_register, segue_host_unregister. */
int32_t sgi_callbacks_add(sgi_callbacks *callbacks, const segue_callback *given, segue_error *error);
int32_t sgi_callbacks_remove(sgi_callbacks *callbacks, const char *name, segue_error *error);

/* The one of that name for a call, or NULL. What is taken is given back. */
sgi_callback *sgi_callbacks_take(sgi_callbacks *callbacks, const char *name);
void sgi_callbacks_give(sgi_callbacks *callbacks, sgi_callback *callback);

/* 0 behind the last. */
int sgi_callbacks_row(sgi_callbacks *callbacks, uint32_t index, segue_assignor_row *row);

/* Those of that name, or all, are asked again; how many that are. And how many are put aside. */
uint32_t sgi_callbacks_reinstate(sgi_callbacks *callbacks, const char *name);
uint32_t sgi_callbacks_aside(sgi_callbacks *callbacks);

/* Is one of that name registered? */
int sgi_callbacks_have(sgi_callbacks *callbacks, const char *name);

#endif
