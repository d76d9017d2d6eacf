/* SPDX-License-Identifier: Apache-2.0 */
/*
 * story.h - a record as events (`events/1`, hosts/SCENARIO.md), so that a report can be made of it.
 *
 * A record knows what a host was asked and what was answered, and nothing in between. So a task runs where the group says
 * that it is active, and from the answer on that gives it to somebody; it stops at the answer that takes it away. Lags are
 * what members said, in records. It ends a little behind the last step. Tasks and members are told apart by name: a story is
 * of one group (kin.h).
 */
#ifndef SEGUE_HOSTS_CLI_REPLAY_STORY_H
#define SEGUE_HOSTS_CLI_REPLAY_STORY_H

#include "frame.h"

typedef struct story story;

/* Writes into `events`, which stays the caller's. NULL without memory. */
story *story_open(const char *name, FILE *events);

/* The next step. 0, or -1 without memory. */
int story_tell(story *it, const frame *step);

/* Writes everything, the head first. 0, or -1 when something could not be written or there was no memory. */
int story_end(story *it);
void story_close(story *it);

#endif
