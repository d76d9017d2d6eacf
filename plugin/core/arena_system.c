/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_JEMALLOC

#include "core/arena.h"

#include <stdint.h>
#include <stdlib.h>

#define ALIGNMENT 64

/* The system's allocator knows no arenas, so each piece carries links to its neighbours. */
typedef struct piece {
    struct piece *previous, *next;
    size_t bytes;
} piece;

struct sgp_arena {
    piece ring;
    size_t held;
};

sgp_arena *sgp_arena_new(void)
{
    sgp_arena *arena = malloc(sizeof *arena);
    if (arena != NULL) {
        arena->ring.previous = arena->ring.next = &arena->ring;
        arena->held = sizeof *arena;
    }
    return arena;
}

void *sgp_arena_take(sgp_arena *arena, size_t bytes)
{
    if (bytes > PTRDIFF_MAX - 2 * (size_t)ALIGNMENT) {
        return NULL;
    }
    size_t whole = ALIGNMENT + (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    piece *made = aligned_alloc(ALIGNMENT, whole);
    if (made == NULL) {
        return NULL;
    }
    made->bytes = whole;
    made->previous = &arena->ring;
    made->next = arena->ring.next;
    made->next->previous = made;
    arena->ring.next = made;
    arena->held += whole;
    return (char *)made + ALIGNMENT;
}

void sgp_arena_give(sgp_arena *arena, void *memory, size_t bytes)
{
    (void)bytes;
    if (memory == NULL) {
        return;
    }
    piece *gone = (piece *)(void *)((char *)memory - ALIGNMENT);
    gone->previous->next = gone->next;
    gone->next->previous = gone->previous;
    arena->held -= gone->bytes;
    free(gone);
}

void sgp_arena_free(sgp_arena *arena)
{
    if (arena == NULL) {
        return;
    }
    for (piece *at = arena->ring.next; at != &arena->ring;) {
        piece *next = at->next;
        free(at);
        at = next;
    }
    free(arena);
}

size_t sgp_arena_held(const sgp_arena *arena)
{
    return arena->held;
}

#else
typedef int sgp_translation_unit_is_not_empty;
#endif
