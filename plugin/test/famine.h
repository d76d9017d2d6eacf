/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that runs out when a test says so. The linker puts these in front of sgp_arena_new, sgp_arena_take,
 * sgp_take and sgp_take_zero (see plugin/CMakeLists.txt); they pass everything on until their turn has come.
 */
#ifndef SGP_TEST_FAMINE_H
#define SGP_TEST_FAMINE_H

#include <stdint.h>

/* The nth request from now on gets nothing, once; 0: all get what they ask for. Resets the counts. */
void famine_of_arena(uint32_t nth);
void famine_of_region(uint32_t nth);

/* 1 when it has struck. */
int famine_struck(void);

#endif
