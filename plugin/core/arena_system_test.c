/* SPDX-License-Identifier: Apache-2.0 */
/* The system's allocator behind the seam, under names of its own, so that every build tests it. */
#define sgp_arena system_arena
#define sgp_arena_new system_arena_new
#define sgp_arena_take system_arena_take
#define sgp_arena_give system_arena_give
#define sgp_arena_free system_arena_free
#define sgp_arena_held system_arena_held

#undef SEGUE_JEMALLOC
#include "core/arena_system.c"
#include "core/arena_test.c"
