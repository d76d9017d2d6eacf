/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client_config.h"
#include "duration.h"

enum { FAULT = 512, TIMEOUT_MS = 15000, TIMEOUT_LEAST_MS = 1000, TIMEOUT_MOST_MS = 3600000 };

/* Kafka's own name for how long a call may take. */
static int64_t timeout_of(const cli_properties *java)
{
    const char *text = cli_properties_get(java, "default.api.timeout.ms");
    long long given = text == NULL ? TIMEOUT_MS : strtoll(text, NULL, 10);
    return given < TIMEOUT_LEAST_MS ? TIMEOUT_LEAST_MS : given > TIMEOUT_MOST_MS ? TIMEOUT_MOST_MS : given;
}

static int read_config(const char *path, cli_properties *java, cli_properties *settings)
{
    char fault[FAULT];
    char *text = NULL;
    size_t size = 0;
    if (cli_read_file(path, &text, &size) != CLI_OK) {
        return CLI_INPUT;
    }
    int bad = cli_properties_read(text, size, java, fault, sizeof fault) != 0 ||
              cli_client_config(java, settings, fault, sizeof fault) != 0;
    if (bad) {
        cli_complain("%s: %s", cli_source(path), fault);
    }
    explicit_bzero(text, size);
    free(text);
    return bad ? CLI_INPUT : CLI_OK;
}

int cli_session_timeout(const cli_command *command, const char *text, int64_t *ms)
{
    if (text != NULL && cli_duration_read(text, ms) != 0) {
        cli_complain("%s: --timeout: \"%s\" is given; a duration such as 90s, 10m or 1h30m is needed, 365d at the "
                     "most",
                     command->name, text);
        return CLI_USAGE;
    }
    return CLI_OK;
}

static int open_connection(const cli_session_options *options, cli_session *out)
{
    cli_properties java = {0};
    cli_properties settings = {0};
    int status = options->config == NULL ? CLI_OK : read_config(options->config, &java, &settings);
    if (status == CLI_OK) {
        const char *source = options->config == NULL ? "the client's settings" : cli_source(options->config);
        status = cli_connection_open(options->servers, &settings, source, timeout_of(&java), &out->connection);
    }
    cli_properties_free(&java);
    cli_properties_free(&settings);
    return status;
}

static int need(const cli_command *command, const char *value, const char *option)
{
    if (value == NULL || value[0] == '\0') {
        cli_complain("%s: %s is needed", command->name, option);
        return CLI_USAGE;
    }
    return CLI_OK;
}

int cli_session_open(const cli_command *command, const cli_session_options *options, cli_session *out)
{
    *out = (cli_session){.fleet = {.application = options->application}};
    int status = need(command, options->servers, "--bootstrap-server HOST:PORT");
    status = status == CLI_OK ? need(command, options->application, "--application-id ID") : status;
    status = status == CLI_OK ? open_connection(options, out) : status;
    if (status == CLI_OK && cli_fleet_read(out->connection, &out->fleet) != 0) {
        status = cli_session_fault(out);
    }
    return status;
}

void cli_session_close(cli_session *session)
{
    cli_fleet_free(&session->fleet);
    cli_connection_close(session->connection);
}

int cli_session_nobody(const cli_session *session)
{
    const char *application = session->fleet.application;
    cli_complain("no instance of %s tells of itself: none runs with segue, or this user may not see the groups that "
                 "begin with %s.segue.",
                 application, application);
    return CLI_NO_MEMBER;
}

int cli_session_look(cli_session *session)
{
    int seen = cli_fleet_refresh(session->connection, &session->fleet) == 0;
    if (!seen && !session->away) {
        cli_complain("warning: %s; still waiting", cli_connection_fault(session->connection));
    } else if (seen && session->away) {
        printf("the brokers answer again\n");
    }
    session->away = !seen;
    return seen;
}

int cli_session_fault(const cli_session *session)
{
    const char *fault = cli_connection_fault(session->connection);
    cli_complain("%s", fault[0] != '\0' ? fault : "no memory");
    return CLI_CLUSTER;
}
