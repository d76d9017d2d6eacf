/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seam to the allocator: four functions and a count. An arena belongs to one instance; whatever it gave is gone
 * when it is freed. With SEGUE_JEMALLOC it is a private jemalloc arena, else (sanitizers, other systems) the system's
 * allocator.
 */
#ifndef SGP_ARENA_H
#define SGP_ARENA_H

#include <stddef.h>

typedef struct sgp_arena sgp_arena;

/* NULL when the system gives nothing. */
sgp_arena *sgp_arena_new(void);

/* `bytes` > 0, aligned to 64 bytes, not cleared. NULL when there are none. */
void *sgp_arena_take(sgp_arena *arena, size_t bytes);

/* Gives back what sgp_arena_take gave for the same `bytes`. NULL is allowed. */
void sgp_arena_give(sgp_arena *arena, void *memory, size_t bytes);

/* Frees the arena and all that it gave. */
void sgp_arena_free(sgp_arena *arena);

/* What the arena holds from the system for its owner, itself included, bytes. */
size_t sgp_arena_held(const sgp_arena *arena);

#endif
