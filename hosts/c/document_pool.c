/* SPDX-License-Identifier: Apache-2.0 */
#include "document_pool.h"

#include <stdint.h>
#include <stdlib.h>

struct sgi_block {
    struct sgi_block *before;
    max_align_t memory[];
};

void *sgi_pool_take(sgi_pool *pool, size_t count, size_t bytes)
{
    if (count > (SIZE_MAX / 2) / bytes) {
        return NULL;
    }
    struct sgi_block *block = calloc(1, sizeof *block + count * bytes);
    if (block == NULL) {
        return NULL;
    }
    block->before = pool->last;
    pool->last = block;
    return block->memory;
}

void sgi_pool_free(sgi_pool *pool)
{
    while (pool->last != NULL) {
        struct sgi_block *block = pool->last;
        pool->last = block->before;
        free(block);
    }
}
