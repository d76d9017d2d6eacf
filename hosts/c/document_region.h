/* SPDX-License-Identifier: Apache-2.0 */
/* document_region.h - memory that is taken piece by piece and given back whole. One thread at a time. */
#ifndef SEGUE_HOSTS_C_DOCUMENT_REGION_H
#define SEGUE_HOSTS_C_DOCUMENT_REGION_H

#include <stddef.h>

struct sgi_block;

typedef struct sgi_region {
    struct sgi_block *last;
} sgi_region;

/* `count` elements of `bytes` each, zeroed and aligned for anything; never NULL for a count of 0. NULL: no memory. */
void *sgi_region_take(sgi_region *region, size_t count, size_t bytes);

/* Gives everything back; the region is empty then. */
void sgi_region_free(sgi_region *region);

#endif
