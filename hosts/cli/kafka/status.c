/* SPDX-License-Identifier: Apache-2.0 */
/* segue status: the instances of an application, and who of them is leaving. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"

#include "duration.h"

typedef struct status_options {
    cli_session_options session;
    int json;
} status_options;

static const cli_option options[] = {
    CLI_SESSION_OPTIONS(status_options),
    {"--json", NULL, "print one JSON document", CLI_FLAG, offsetof(status_options, json), 0, 0},
    {NULL, NULL, NULL, CLI_FLAG, 0, 0, 0},
};

static int belongs_to(const cli_fleet *fleet, const char *client_id)
{
    for (size_t i = 0; i < fleet->count; i++) {
        const cli_presence *presence = &fleet->rows[i].presence;
        size_t length = presence->document == NULL ? 0 : strlen(presence->client_id);
        if (length > 0 && strncmp(client_id, presence->client_id, length) == 0 &&
            (client_id[length] == '\0' || client_id[length] == '-')) {
            return 1;
        }
    }
    return 0;
}

static void on_member(void *context, const cli_group_member *member)
{
    cli_group_view *group = context;
    const char *client_id = member->client_id == NULL ? "" : member->client_id;
    const char *host = member->host == NULL ? "" : member->host;
    json_array_append_new(group->members,
                          json_pack("{s:s, s:s, s:b}", "client_id", client_id, "host", host, "known",
                                    belongs_to(group->fleet, client_id)));
    group->count++;
    group->strangers += !belongs_to(group->fleet, client_id);
}

/* The group is a help, not a need: without the right to see it the rest is still shown. */
static void describe(cli_session *session, cli_group_view *group)
{
    group->fleet = &session->fleet;
    group->members = json_array();
    const char *name = session->fleet.application;
    if (cli_connection_describe(session->connection, name, &group->state, on_member, group) != 0) {
        cli_complain("warning: %s", cli_connection_fault(session->connection));
        group->state = "unknown";
    }
}

int cli_status(const cli_command *command, int count, char *const *arguments)
{
    status_options wanted = {0};
    uint32_t operands = 0;
    int status = cli_parse(command, options, count, arguments, &wanted, NULL, 0, &operands);
    if (status != CLI_GO_ON) {
        return status;
    }
    cli_session session;
    status = cli_session_open(command, &wanted.session, &session);
    if (status == CLI_OK) {
        cli_group_view group = {0};
        describe(&session, &group);
        if (wanted.json) {
            cli_status_json(&session.fleet, &group);
        } else {
            cli_status_text(&session.fleet, &group);
        }
        json_decref(group.members);
    }
    cli_session_close(&session);
    return status;
}
