/* SPDX-License-Identifier: Apache-2.0 */
/* document_pool.h - memory that is taken piece by piece and given back whole. One thread at a time. */
#ifndef SEGUE_HOSTS_C_DOCUMENT_POOL_H
#define SEGUE_HOSTS_C_DOCUMENT_POOL_H

#include <stddef.h>

struct sgi_block;

typedef struct sgi_pool {
    struct sgi_block *last;
} sgi_pool;

/* `count` elements of `bytes` each, zeroed and aligned for anything; never NULL for a count of 0. NULL: no memory. */
void *sgi_pool_take(sgi_pool *pool, size_t count, size_t bytes);

/* Gives everything back; the pool is empty then. */
void sgi_pool_free(sgi_pool *pool);

#endif
