/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin.h - which steps of a record are of one group. A record does not name the group: several applications may have
 * written one file.
 *
 * Two steps are of one group where they share a member and a task, whatever lies between them. A group whose members are
 * all others than before, since it was ended and started anew, goes on where exactly one group with a task of its had
 * ended before it begins; where there are several of these nobody can tell, and it is a group of its own.
 */
#ifndef SEGUE_HOSTS_CLI_REPLAY_KIN_H
#define SEGUE_HOSTS_CLI_REPLAY_KIN_H

#include "segue/group.h"

typedef struct kin kin;

/* NULL without memory. */
kin *kin_open(void);
void kin_close(kin *it);

/* The next step. 0, or -1 without memory. */
int kin_take(kin *it, const segue_group *group);

/* Behind the last step: numbers the groups in the order in which they appear. How many there are. */
uint32_t kin_settle(kin *it);

/* The group of a step, and the name of its first member, which is the kin's; steps and groups count from 0. */
uint32_t kin_of(const kin *it, uint32_t step);
const char *kin_member(const kin *it, uint32_t group);

#endif
