/* SPDX-License-Identifier: Apache-2.0 */
#include "core/heap.h"

#include "core/lighter.h"

static int before(const sgp_heap *heap, uint32_t a, uint32_t b)
{
    return sgp_lighter(heap->load, heap->threads, a, b);
}

void sgp_heap_push(sgp_heap *heap, uint32_t handle)
{
    uint32_t at = heap->size++;
    while (at > 0 && before(heap, handle, heap->item[(at - 1) / 2])) {
        heap->item[at] = heap->item[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->item[at] = handle;
}

uint32_t sgp_heap_pop(sgp_heap *heap)
{
    uint32_t top = heap->item[0], moved = heap->item[--heap->size], at = 0;
    for (uint32_t child = 1; child < heap->size; child = 2 * at + 1) {
        if (child + 1 < heap->size && before(heap, heap->item[child + 1], heap->item[child])) {
            child++;
        }
        if (!before(heap, heap->item[child], moved)) {
            break;
        }
        heap->item[at] = heap->item[child];
        at = child;
    }
    heap->item[at] = moved;
    return top;
}
