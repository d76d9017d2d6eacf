/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Carriers: members with what they carry, of which again and again the lightest for each thread takes a task (of equal ones
 * the one with more threads, then the one with the lower handle).
 *
 * Tasks of different weight go through a heap. While all weigh the same, whoever has taken one comes behind all that took
 * one before: then two queues will do, those that have not taken any yet and those that have, each in order.
 */
#ifndef SGP_CARRIERS_H
#define SGP_CARRIERS_H

#include <stdint.h>

typedef struct sgp_carrier {
    uint64_t load;
    uint32_t member, threads;
} sgp_carrier;

typedef struct sgp_carriers {
    sgp_carrier *list;  /* a heap, the lightest first; in a run those from `first` on, in order */
    sgp_carrier *spare; /* in a run a ring of those that have taken a task, in order */
    uint32_t size;
    uint32_t first, ring_first, ring_count; /* 0 but in a run */
    int runs;
    int is_sorted; /* the heap is in order from the first to the last */
} sgp_carriers;

/* Divisions are slow, and nearly always the threads are the same. Which one is lighter no processor foresees. */
static inline uint32_t sgp_carrier_before(const sgp_carrier *a, const sgp_carrier *b)
{
    if (a->threads == b->threads) {
        return (uint32_t)(a->load < b->load) | ((uint32_t)(a->load == b->load) & (a->member < b->member));
    }
    double left = (double)a->load / a->threads, right = (double)b->load / b->threads;
    return left < right || (left <= right && a->threads > b->threads);
}

/* list[] is in any order; both columns have `size` rows, at least one. */
void sgp_carriers_open(sgp_carriers *carriers);

/* A run: until its end all tasks weigh the same. All carriers have the same number of threads. */
void sgp_carriers_begin_run(sgp_carriers *carriers);
void sgp_carriers_end_run(sgp_carriers *carriers);

/* 1: the lightest one has taken a task in the run. */
static inline int sgp_carriers_turn(const sgp_carriers *c)
{
    return c->ring_count > 0 &&
           (c->first == c->size || sgp_carrier_before(&c->spare[c->ring_first], &c->list[c->first]));
}

/* Nobody is lighter. */
static inline const sgp_carrier *sgp_carriers_first(const sgp_carriers *c)
{
    return sgp_carriers_turn(c) ? &c->spare[c->ring_first] : &c->list[c->first];
}

/* The lightest one carries so much more. */
void sgp_carriers_load(sgp_carriers *carriers, uint32_t weight);

#endif
