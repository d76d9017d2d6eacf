/* SPDX-License-Identifier: Apache-2.0 */
#ifdef SEGUE_JEMALLOC

#include "core/arena.h"

#include <jemalloc/jemalloc.h>
#include <stdint.h>
#include <stdio.h>

#define ALIGNMENT 64

/* retain:false, since a destroyed arena would otherwise leave its address space behind (2 MiB each time). */
extern const char *je_malloc_conf;
const char *je_malloc_conf = "retain:false,narenas:1,background_thread:false";

struct sgp_arena {
    unsigned index;
    size_t held;
};

/* No tcache: an instance moves between threads, and one bump region per call needs no small allocations. */
static int flags_of(unsigned index)
{
    return (int)(MALLOCX_ARENA(index) | MALLOCX_TCACHE_NONE | MALLOCX_ALIGN(ALIGNMENT));
}

static void destroy(unsigned index)
{
    char name[48];
    snprintf(name, sizeof name, "arena.%u.destroy", index);
    je_mallctl(name, NULL, NULL, NULL, 0);
}

sgp_arena *sgp_arena_new(void)
{
    unsigned index = 0;
    size_t size = sizeof index;
    if (je_mallctl("arenas.create", &index, &size, NULL, 0) != 0) {
        return NULL;
    }
    sgp_arena *arena = je_mallocx(sizeof *arena, flags_of(index));
    if (arena == NULL) {
        destroy(index);
        return NULL;
    }
    arena->index = index;
    arena->held = je_sallocx(arena, flags_of(index));
    return arena;
}

void *sgp_arena_take(sgp_arena *arena, size_t bytes)
{
    if (bytes > PTRDIFF_MAX - ALIGNMENT) {
        return NULL;
    }
    void *memory = je_mallocx(bytes, flags_of(arena->index));
    if (memory != NULL) {
        arena->held += je_sallocx(memory, flags_of(arena->index));
    }
    return memory;
}

void sgp_arena_give(sgp_arena *arena, void *memory, size_t bytes)
{
    (void)bytes;
    if (memory != NULL) {
        arena->held -= je_sallocx(memory, flags_of(arena->index));
        je_dallocx(memory, flags_of(arena->index));
    }
}

void sgp_arena_free(sgp_arena *arena)
{
    if (arena != NULL) {
        destroy(arena->index);
    }
}

size_t sgp_arena_held(const sgp_arena *arena)
{
    return arena->held;
}

#else
typedef int sgp_translation_unit_is_not_empty;
#endif
