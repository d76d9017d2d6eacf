/* SPDX-License-Identifier: Apache-2.0 */
/* subject.h - what a question of plan is about: an application's groups, from a document or from who led last. One thread. */
#ifndef SEGUE_HOSTS_CLI_PLAN_SUBJECT_H
#define SEGUE_HOSTS_CLI_PLAN_SUBJECT_H

#include <jansson.h>
#include <stdint.h>

#include "cli.h"
#ifdef SEGUE_KAFKA
#include "kafka/live.h"
#endif

typedef struct subject {
    json_t *groups; /* group documents; several where members of a running application read different topics */
    json_t *labels; /* what people call a member, by what tools know it by: its client_id, and a name that only it has */
    json_t *removed; /* the ids of those who are supposed to leave, and the names that they were given by */
    char *assignor;
    int64_t seen_ms; /* when the leader saw the groups; COURSE_UNKNOWN for a document */
#ifdef SEGUE_KAFKA
    cli_session session;
#endif
} subject;

/* All of them say themselves what went wrong, and return an exit status. The subject is for subject_close in any case. */
int subject_read_document(subject *it, const char *file);
#ifdef SEGUE_KAFKA
int subject_read_live(subject *it, const cli_command *command, const cli_live_source *source);
#endif

/* Supposes that `count` newcomers are there. `like`: the member that they resemble, by name, in what they read and in threads;
 * NULL: everybody. `threads` negative: not said. */
int subject_add(subject *it, int64_t count, const char *like, int64_t threads);

/* Supposes that a member leaves. Whoever does so already is no longer there to be told so. */
int subject_remove(subject *it, const char *name, int heeds_marks);

void subject_close(subject *it);

#endif
