/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/carriers.h"

#include <stdlib.h>

/* Down to the end and up again: who has got a task goes far down. */
static void sink(sgp_carriers *c, uint32_t top)
{
    sgp_carrier *heap = c->list, moved = heap[top];
    uint32_t at = top, child = 2 * at + 1;
    for (; child + 1 < c->size; child = 2 * at + 1) {
        child += sgp_carrier_before(&heap[child + 1], &heap[child]);
        heap[at] = heap[child];
        at = child;
    }
    if (child < c->size) {
        heap[at] = heap[child];
        at = child;
    }
    for (; at > top && sgp_carrier_before(&moved, &heap[(at - 1) / 2]); at = (at - 1) / 2) {
        heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = moved;
}

static int is_sorted(const sgp_carriers *c)
{
    uint32_t back = 0;
    for (uint32_t i = 1; i < c->size; i++) {
        back |= sgp_carrier_before(&c->list[i], &c->list[i - 1]);
    }
    return back == 0;
}

void sgp_carriers_open(sgp_carriers *c)
{
    c->runs = 0;
    c->first = c->ring_first = c->ring_count = 0;
    c->is_sorted = is_sorted(c);
    for (uint32_t at = c->is_sorted ? 0 : c->size / 2; at-- > 0;) {
        sink(c, at);
    }
}

static int compare(const void *one, const void *other)
{
    return sgp_carrier_before(one, other) ? -1 : 1; /* no two are equal */
}

void sgp_carriers_begin_run(sgp_carriers *c)
{
    if (!c->is_sorted) {
        qsort(c->list, c->size, sizeof *c->list, compare);
    }
    c->runs = 1;
}

static sgp_carrier take_first(sgp_carriers *c)
{
    if (!sgp_carriers_turn(c)) {
        return c->list[c->first++];
    }
    sgp_carrier taken = c->spare[c->ring_first];
    c->ring_first = c->ring_first + 1 < c->size ? c->ring_first + 1 : 0;
    c->ring_count--;
    return taken;
}

void sgp_carriers_load(sgp_carriers *c, uint32_t weight)
{
    if (!c->runs) {
        c->list[0].load += weight;
        c->is_sorted = 0;
        sink(c, 0);
        return;
    }
    sgp_carrier taken = take_first(c);
    uint32_t end = c->ring_first + c->ring_count++;
    taken.load += weight;
    c->spare[end < c->size ? end : end - c->size] = taken;
}

/* Both queues become one. There is room for it: as many have left the list as are in the ring. */
void sgp_carriers_end_run(sgp_carriers *c)
{
    for (uint32_t at = 0; c->ring_count > 0; at++) {
        c->list[at] = take_first(c);
    }
    c->runs = 0;
    c->first = c->ring_first = 0;
    c->is_sorted = 1;
}
