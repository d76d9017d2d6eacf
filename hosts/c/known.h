/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known.h - records of a caller that was built with older headers, as this version knows them.
 *
 * Each function gives back what it got when that has all that this version knows; else `room`, filled with what the
 * caller has, and behind it as if the caller had not set it: columns are not there, configuration has its defaults.
 * NULL when the record is none, or smaller than in version 1. Any thread.
 */
#ifndef SEGUE_HOSTS_C_KNOWN_H
#define SEGUE_HOSTS_C_KNOWN_H

#include "segue/abi.h"

const segue_group *sgi_known_group(const segue_group *group, segue_group *room);
const segue_config *sgi_known_config(const segue_config *config, segue_config *room);
segue_plan *sgi_known_plan(const segue_plan *plan, segue_plan *room);

/* Puts what was written into `known` into the caller's record, as far as that goes; nothing when they are one. */
void sgi_known_return(void *record, const void *known);

#endif
