/* SPDX-License-Identifier: Apache-2.0 */
/* A binary heap of handles by load for each thread of capacity: the lightest on top, then the lowest handle. */
#ifndef SGP_HEAP_H
#define SGP_HEAP_H

#include <stdint.h>

typedef struct sgp_heap {
    uint32_t *item; /* heap order */
    uint32_t size;
    const uint32_t *load;    /* by handle */
    const uint32_t *threads; /* by handle, > 0 */
} sgp_heap;

void sgp_heap_push(sgp_heap *heap, uint32_t handle);
/* The lightest, taken out; the heap must not be empty. */
uint32_t sgp_heap_pop(sgp_heap *heap);

#endif
