/* SPDX-License-Identifier: Apache-2.0 */
#include "document_region.h"

#include <stdint.h>
#include <stdlib.h>

struct sgi_block {
    struct sgi_block *before;
    max_align_t memory[];
};

void *sgi_region_take(sgi_region *region, size_t count, size_t bytes)
{
    if (count > (SIZE_MAX / 2) / bytes) {
        return NULL;
    }
    struct sgi_block *block = calloc(1, sizeof *block + count * bytes);
    if (block == NULL) {
        return NULL;
    }
    block->before = region->last;
    region->last = block;
    return block->memory;
}

void sgi_region_free(sgi_region *region)
{
    while (region->last != NULL) {
        struct sgi_block *block = region->last;
        region->last = block->before;
        free(block);
    }
}
