/* SPDX-License-Identifier: Apache-2.0 */
/* what_if.h - changes to a group document that nobody has made yet. Any thread. */
#ifndef SEGUE_HOSTS_CLI_PLAN_WHAT_IF_H
#define SEGUE_HOSTS_CLI_PLAN_WHAT_IF_H

#include <jansson.h>
#include <stdint.h>

#include "segue/host.h"

/* A group as a document with its tasks one by one; or NULL, and `error` says why: a name that no JSON can have, no memory. */
json_t *what_if_group(const segue_group *group, const segue_config *config, segue_error *error);

/* The group that holds what a plan wants it to hold; copies keep the lag that they said, new ones say none. Returns 0; or
 * -1 where no memory is left. */
int what_if_planned(json_t *group, const segue_group *columns, const segue_plan *plan);

/* Threads of a member; a document may leave them out. */
int64_t what_if_threads(const json_t *member);

/* Adds `count` members without tasks, called new-1 and so on; with as many threads each as most of the others have where
 * `threads` is negative. */
void what_if_add(json_t *group, int64_t count, int64_t threads);

/* Marks a member as leaving, without a deadline; or takes it out where marks are not heeded. Returns 1; or 0 where the
 * group has no such member, or no other one would be left. */
int what_if_remove(json_t *group, const char *id, int heeds_marks);

#endif
