/* SPDX-License-Identifier: Apache-2.0 */
/* watch.h - how far one marked instance is, and how its drain ended. Any thread; knows no clock of its own. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_WATCH_H
#define SEGUE_HOSTS_CLI_KAFKA_WATCH_H

#include "clean.h"
#include "fleet.h"

typedef enum cli_end {
    CLI_END_NOT_YET,
    CLI_END_LEFT,      /* drained, and gone */
    CLI_END_EMPTY,     /* drained, and stays as it was told */
    CLI_END_TIMED_OUT, /* the deadline passed while it had tasks */
    CLI_END_CANCELLED, /* its mark was taken away */
    CLI_END_VANISHED   /* it was gone before it was empty */
} cli_end;

/* One instance that is waited for. */
typedef struct cli_watch {
    char id[CLI_INSTANCE_ROOM];
    char name[CLI_NAME_ROOM];
    int64_t begun_ms;
    int64_t deadline_ms; /* CLI_UNKNOWN for none */
    int64_t tasks_left;  /* as it said last, or CLI_UNKNOWN */
    int64_t orphan_ms;   /* since when there is a mark and no instance; 0 for not so */
    int64_t outside_ms;  /* since when the group has lost it; 0 for not so */
    int joined, lost;    /* it was seen in the group; and is not there any more */
    int confirmed;       /* it has said that it drains */
    int late;            /* the deadline has passed while it had tasks */
    cli_end end;
} cli_watch;

/* Begins to wait for an instance that was marked now. */
cli_watch cli_watch_begin(const cli_instance *instance, int64_t deadline_ms, int64_t now_ms);

/* Looks at what is known now; `instance` is NULL, or without documents, when nothing is. Sets `end` when it is over. */
void cli_watch_look(cli_watch *watch, const cli_instance *instance, int64_t now_ms);

/* The same while the brokers do not answer: only the time can end it then. */
void cli_watch_blind(cli_watch *watch, int64_t now_ms);

/* Whether the group has a member of it now: one that was killed is lost there long before its presence is old. Counts
 * at the next look. */
void cli_watch_member(cli_watch *watch, int in_group, int64_t now_ms);

/* Is this client id the instance's own, as a plain consumer has it, or one of its stream threads? */
int cli_watch_owns(const cli_watch *watch, const char *client_id);

/* It was marked long enough ago and has not said that it drains: it does not listen. */
int cli_watch_unheard(const cli_watch *watch, int64_t now_ms);

#endif
