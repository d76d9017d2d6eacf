/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/known.h - records of a host that was built with older headers, as this version of the plugin knows them.
 *
 * Each function gives back what it got when that has all that this version knows; else `room`, filled with what the
 * host has, and behind it as if the host had not set it: columns are not there, configuration has its defaults. NULL
 * when the record is none, or smaller than in version 1. Everything behind the plugin's door sees whole records.
 */
#ifndef SGP_CORE_KNOWN_H
#define SGP_CORE_KNOWN_H

#include "segue/config.h"
#include "segue/group.h"
#include "segue/plan.h"

const segue_group *sgp_known_group(const segue_group *group, segue_group *room);
const segue_config *sgp_known_config(const segue_config *config, segue_config *room);
segue_plan *sgp_known_plan(segue_plan *plan, segue_plan *room);

/* Puts what was written into `known` into the host's record, as far as that goes; nothing when they are one. */
void sgp_known_return(void *record, const void *known);

/* What a later version has in its record of `size` bytes, and this one, with `known` bytes, does not know. */
void sgp_clear_tail(void *record, size_t size, size_t known);

#endif
