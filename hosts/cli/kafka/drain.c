/* SPDX-License-Identifier: Apache-2.0 */
/* segue drain: marks instances as leaving, and waits until they are empty. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clean.h"
#include "drain.h"
#include "duration.h"
#include "member.h"

enum { MEMBERS_MOST = 512, LIST_ROOM = 1024 };

typedef struct drain_options {
    cli_session_options session;
    const char *timeout;
    int64_t timeout_ms; /* CLI_UNKNOWN for none */
    int wait, cancel, stay;
} drain_options;

#define AT(field) offsetof(drain_options, field)

static const cli_option options[] = {
    CLI_SESSION_OPTIONS(drain_options),
    {"--timeout", "DURATION",
     "from now on, such as 90s, 10m or 1h30m: what is not drained by then is\n"
     "                         forced away. Without it the application's scale.down.timeout.ms\n"
     "                         counts, and without that there is no deadline",
     CLI_TEXT, AT(timeout), 0, 0},
    {"--wait", NULL,
     "show progress until every MEMBER is empty, and end with how it went;\n"
     "                         whoever stops waiting leaves the marks where they are",
     CLI_FLAG, AT(wait), 0, 0},
    {"--stay", NULL, "a MEMBER that is empty stays in the group instead of closing itself", CLI_FLAG, AT(stay), 0, 0},
    {"--cancel", NULL, "take the marks away again", CLI_FLAG, AT(cancel), 0, 0},
    {NULL, NULL, NULL, CLI_FLAG, 0, 0, 0},
};

/* The instances that are meant, by their place in the fleet; each once. */
typedef struct chosen {
    const cli_instance *rows[MEMBERS_MOST];
    size_t count;
} chosen;

static int check_usage(const cli_command *command, drain_options *wanted, uint32_t members)
{
    wanted->timeout_ms = CLI_UNKNOWN;
    if (members == 0) {
        cli_complain("%s: at least one MEMBER is needed (segue status shows them)", command->name);
        return CLI_USAGE;
    }
    if (wanted->cancel && (wanted->timeout != NULL || wanted->stay)) {
        cli_complain("%s: --cancel goes with neither --timeout nor --stay", command->name);
        return CLI_USAGE;
    }
    return cli_session_timeout(command, wanted->timeout, &wanted->timeout_ms);
}

/* What stands in the way of marking this one, said; or CLI_OK. */
static int check_markable(const cli_instance *row)
{
    char age[CLI_DURATION_ROOM];
    const char *name = cli_instance_name(row);
    if (row->presence.document == NULL) {
        cli_complain("%s: only a mark is left of it; it does not run (--cancel takes the mark away)", name);
        return CLI_NO_MEMBER;
    }
    if (row->stale) {
        cli_complain("%s: last heard of %s ago; it is gone, or cannot reach the brokers", name,
                     cli_duration_write(cli_now_ms() - row->presence.at_ms, age, sizeof age));
        return CLI_NO_MEMBER;
    }
    if (!row->presence.leaving_known) {
        cli_complain("%s: its assignor %s heeds no marks; set segue.assignor to scale-down or balanced", name,
                     row->presence.assignor);
        return CLI_NO_MEMBER;
    }
    return CLI_OK;
}

static int refuse_name(const cli_session *session, cli_found found, const char *name, const char *list)
{
    if (found == CLI_FOUND_SEVERAL) {
        cli_complain("%s: several are called so: %s; name one by its process id", name, list);
    } else if (list[0] != '\0') {
        cli_complain("%s: no such member; there are: %s", name, list);
    } else {
        cli_complain("%s: no such member", name);
        return cli_session_nobody(session);
    }
    return CLI_NO_MEMBER;
}

static void choose(chosen *them, const cli_instance *row)
{
    for (size_t i = 0; i < them->count; i++) {
        if (them->rows[i] == row) {
            return;
        }
    }
    them->rows[them->count++] = row;
}

/* All of them or none: every name is looked up before anything is written. */
static int find_all(const cli_session *session, const drain_options *wanted, const char *const *names, uint32_t count,
                    chosen *them)
{
    int status = CLI_OK;
    for (uint32_t i = 0; i < count; i++) {
        char list[LIST_ROOM];
        const cli_instance *row = NULL;
        cli_found found = cli_member_find(&session->fleet, names[i], &row, list, sizeof list);
        int fault = found != CLI_FOUND_ONE ? refuse_name(session, found, names[i], list)
                    : wanted->cancel       ? CLI_OK
                                           : check_markable(row);
        if (fault == CLI_OK) {
            choose(them, row);
        }
        status = fault != CLI_OK ? fault : status;
    }
    return status;
}

static int is_chosen(const chosen *them, const cli_instance *row)
{
    for (size_t i = 0; i < them->count; i++) {
        if (them->rows[i] == row) {
            return 1;
        }
    }
    return 0;
}

static void warn_if_nobody_stays(const cli_fleet *fleet, const chosen *them)
{
    for (size_t i = 0; i < fleet->count; i++) {
        const cli_instance *row = &fleet->rows[i];
        if (cli_instance_lives(row) && row->mark.document == NULL && !is_chosen(them, row)) {
            return;
        }
    }
    cli_complain("warning: nobody stays: they keep their tasks until another instance joins or the deadline passes");
}

static void say_marked(const cli_instance *row, int again, int64_t since_ms, int64_t deadline_ms, int64_t now)
{
    char span[CLI_DURATION_ROOM];
    char name[CLI_NAME_ROOM];
    printf("%s: ", cli_clean(name, sizeof name, cli_instance_name(row)));
    if (again) {
        printf("has been leaving for %s", cli_duration_write(now - since_ms, span, sizeof span));
    } else {
        printf("marked as leaving");
    }
    if (deadline_ms >= 0) {
        printf(", deadline in %s\n", cli_duration_write(deadline_ms - now, span, sizeof span));
    } else {
        printf(", no deadline of its own\n");
    }
}

/* Marking a marked one changes its deadline and whether it stays, where that is asked for, and nothing else. */
static int mark(const cli_session *session, const drain_options *wanted, const cli_instance *row, int64_t *deadline_ms)
{
    const cli_mark *old = &row->mark;
    int again = old->document != NULL;
    int64_t now = cli_now_ms();
    int64_t since_ms = again ? old->since_ms : now;
    *deadline_ms = wanted->timeout_ms >= 0 ? now + wanted->timeout_ms : again ? old->deadline_ms : CLI_UNKNOWN;
    int stay = wanted->stay || (again && old->stay);
    int same = again && *deadline_ms == old->deadline_ms && stay == old->stay;
    if (!same && cli_fleet_mark(session->connection, &session->fleet, row, since_ms, *deadline_ms, stay) != 0) {
        return cli_session_fault(session);
    }
    say_marked(row, again, since_ms, *deadline_ms, now);
    return CLI_OK;
}

static int cancel(const cli_session *session, const cli_instance *row)
{
    char name[CLI_NAME_ROOM];
    cli_clean(name, sizeof name, cli_instance_name(row));
    if (row->mark.document == NULL) {
        printf("%s: is not marked as leaving\n", name);
        return CLI_OK;
    }
    if (cli_fleet_unmark(session->connection, &session->fleet, row) != 0) {
        return cli_session_fault(session);
    }
    printf("%s: no longer marked as leaving\n", name);
    return CLI_OK;
}

static int act(cli_session *session, const drain_options *wanted, const chosen *them, cli_watch *watches)
{
    if (!wanted->cancel) {
        warn_if_nobody_stays(&session->fleet, them);
    }
    for (size_t i = 0; i < them->count; i++) {
        int64_t deadline_ms = CLI_UNKNOWN;
        const cli_instance *row = them->rows[i];
        int status = wanted->cancel ? cancel(session, row) : mark(session, wanted, row, &deadline_ms);
        if (status != CLI_OK) {
            return status;
        }
        watches[i] = cli_watch_begin(row, deadline_ms, cli_now_ms());
    }
    if (!wanted->wait || cli_flush() != CLI_OK) {
        return CLI_OK;
    }
    return wanted->cancel ? cli_drain_wait_cancelled(session, watches, them->count)
                          : cli_drain_wait(session, watches, them->count);
}

static int drain(const cli_command *command, const drain_options *wanted, const char *const *names, uint32_t count)
{
    chosen them = {.count = 0};
    cli_session session;
    int status = cli_session_open(command, &wanted->session, &session);
    status = status == CLI_OK ? find_all(&session, wanted, names, count, &them) : status;
    if (status == CLI_OK) {
        cli_watch *watches = calloc(them.count, sizeof *watches);
        status = watches == NULL ? CLI_INPUT : act(&session, wanted, &them, watches);
        free(watches);
    }
    cli_session_close(&session);
    return status;
}

int cli_drain(const cli_command *command, int count, char *const *arguments)
{
    drain_options wanted = {0};
    const char *names[MEMBERS_MOST];
    uint32_t members = 0;
    int status = cli_parse(command, options, count, arguments, &wanted, names, MEMBERS_MOST, &members);
    if (status != CLI_GO_ON) {
        return status;
    }
    status = check_usage(command, &wanted, members);
    return status == CLI_OK ? drain(command, &wanted, names, members) : status;
}
