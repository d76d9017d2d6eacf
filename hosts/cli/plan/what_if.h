/* SPDX-License-Identifier: Apache-2.0 */
/* what_if.h - changes to the group documents of an application that nobody has made yet. Any thread. */
#ifndef SEGUE_HOSTS_CLI_PLAN_WHAT_IF_H
#define SEGUE_HOSTS_CLI_PLAN_WHAT_IF_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/host.h"

/* A group as a document with its tasks one by one; or NULL, and `error` says why: a name that no JSON can have, no memory. */
json_t *what_if_group(const segue_group *group, const segue_config *config, segue_error *error);

/* The group that holds what a plan wants it to hold; copies keep the lag that they said, new ones say none. Returns 0; or
 * -1 where no memory is left. */
int what_if_planned(json_t *group, const segue_group *columns, const segue_plan *plan);

/* Threads of a member; a document may leave them out. */
int64_t what_if_threads(const json_t *member);

/* By what tools know a member: its process, or its id where it has none of its own. */
const char *what_if_known_as(const json_t *member);

/* The member called so, by its id or by what tools know it by, in the first group that has it; NULL: there is none. */
const json_t *what_if_find(const json_t *groups, const char *name);

/* The ids of all who are called so, in any group; for json_decref. */
json_t *what_if_called(const json_t *groups, const char *name);

/* The members, each once: borrowed from the first group that has them; for json_decref. */
json_t *what_if_members(const json_t *groups);

/*
 * The groups in which a newcomer is: rows, for json_decref. `like`: those of that member. NULL: those of everybody; where
 * members are in different ones that is NULL, since nobody knows. A group that only one member is in is its own (such as
 * Faust's reply topics), and counts only where it has no other.
 */
json_t *what_if_rows(const json_t *groups, const json_t *like);

/* Adds `count` members without tasks to the groups of these rows, called new-1 and so on; with as many threads each as most
 * of the others there have where `threads` is negative. */
void what_if_add(json_t *groups, const json_t *rows, int64_t count, int64_t threads);

/* Whether anybody is marked as leaving. */
int what_if_marks_somebody(const json_t *groups);

/* Marks the members called so as leaving, without a deadline; or takes them out where marks are not heeded: what
 * they held then lies on the disk of who shares it. Groups that nobody else is in end with them. Returns 1; or 0 where there is no such member, or no other one would be left. */
int what_if_remove(json_t *groups, const char *name, int heeds_marks);

#endif
