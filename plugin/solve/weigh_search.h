/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks for targets with fewer moves by trying all: for small groups, where one move more or less is a large part of all.
 * It begins with what must move and adds one move after the other to members that do not fit, so that the first targets it
 * meets have the fewest. What it tries is limited by a count, not by a clock, so that a group always has the same targets.
 */
#ifndef SGP_WEIGH_SEARCH_H
#define SGP_WEIGH_SEARCH_H

#include "solve/weigh_scale.h"

/* The scale holds targets that fit. Replaces them where fewer moves (sgp_scale_moves) reach others, or as many others that
 * keep more of what is learned already. */
int32_t sgp_search(sgp_scale *scale);

#endif
