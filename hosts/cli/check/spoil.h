/* SPDX-License-Identifier: Apache-2.0 */
/* spoil.h - ways in which a group or a configuration can be wrong: one at a time, of a well-formed group. */
#ifndef SEGUE_HOSTS_CLI_CHECK_SPOIL_H
#define SEGUE_HOSTS_CLI_CHECK_SPOIL_H

#include "made.h"

/*
 * Spoils the group in the way with that number and says how, in `what`. 0: there is no such number. 1: spoilt. 2: the way
 * does nothing to this group. Counts and columns, never a count that the columns' rows do not have: nobody could notice
 * that. The outcome may still be well-formed.
 */
int spoil_group(made_group *made, uint32_t way, char *what, size_t size);

/* The same for a value of the configuration. */
int spoil_config(made_group *made, uint32_t way, char *what, size_t size);

#endif
