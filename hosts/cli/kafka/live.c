/* SPDX-License-Identifier: Apache-2.0 */
#include "live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "fetch.h"

enum { FAULT = 512, OK = 200, REFUSED = 401, TOKEN_MOST = 2048 };

#define PATH "/rebalance"

/* The first line of the file, or the environment's; NULL for none, for free(). */
static int read_token(const char *file, char **token)
{
    size_t size = 0;
    const char *given = getenv(CLI_TOKEN_VARIABLE);
    *token = file == NULL && given != NULL && given[0] != '\0' ? strdup(given) : NULL;
    if (file == NULL) {
        return CLI_OK;
    }
    char *text = NULL;
    if (cli_read_file(file, &text, &size) != CLI_OK) {
        return CLI_INPUT;
    }
    size_t length = 0;
    while (length < size && text[length] != '\n' && text[length] != '\r' && text[length] != '\0') {
        length++;
    }
    *token = length > 0 && length <= TOKEN_MOST ? strndup(text, length) : NULL;
    explicit_bzero(text, size);
    free(text);
    if (*token == NULL) {
        cli_complain("%s: the token, one line of %d bytes at the most, is needed", cli_source(file), (int)TOKEN_MOST);
        return CLI_INPUT;
    }
    return CLI_OK;
}

/* What the instance says is wrong, or the body as it is. */
static void print_refusal(const char *url, long status, const char *body, size_t size)
{
    json_t *document = json_loadb(body, size, 0, NULL);
    const char *text = json_string_value(json_object_get(document, "error"));
    char line[FAULT];
    snprintf(line, sizeof line, "%.300s", text != NULL ? text : body);
    sgi_clean_line(line);
    cli_complain("%s" PATH ": status %ld: %s%s", url, status, line,
                 status == REFUSED ? " (--token-file FILE, or " CLI_TOKEN_VARIABLE ")" : "");
    json_decref(document);
}

static int decode(const char *url, char *body, size_t size, frame *rebalance)
{
    char why[FAULT] = "the answer is empty";
    FILE *file = size == 0 ? NULL : fmemopen(body, size, "rb");
    enum frame_status found = file == NULL ? FRAME_FAULT : frame_read(file, rebalance, why, sizeof why);
    if (file != NULL) {
        fclose(file);
    }
    if (found != FRAME_READ) {
        cli_complain("%s" PATH ": no rebalance as segue writes it: %s", url, found == FRAME_END ? "it is empty" : why);
        return CLI_CLUSTER;
    }
    return CLI_OK;
}

static int ask(const char *url, const char *token, frame *rebalance)
{
    char fault[FAULT];
    char *whole = NULL;
    char *body = NULL;
    size_t size = 0;
    size_t length = strlen(url);
    while (length > 0 && url[length - 1] == '/') {
        length--;
    }
    if (asprintf(&whole, "%.*s" PATH, (int)length, url) < 0) {
        cli_complain("no memory is left");
        return CLI_CLUSTER;
    }
    long status = cli_fetch(whole, token, &body, &size, fault, sizeof fault);
    free(whole);
    if (status == 0) {
        cli_complain("%s", fault);
        return CLI_CLUSTER;
    }
    if (status != OK) {
        print_refusal(url, status, body, size);
    }
    int result = status == OK ? decode(url, body, size, rebalance) : CLI_CLUSTER;
    free(body);
    return result;
}

/* Where the leader serves HTTP, or NULL and what is wrong has been said. */
static const char *leaders_url(const cli_session *session, int *status)
{
    const cli_instance *leader = cli_fleet_leader(&session->fleet);
    *status = CLI_NO_MEMBER;
    if (session->fleet.count == 0) {
        *status = cli_session_nobody(session);
    } else if (leader == NULL) {
        cli_complain("no instance of %s says that it led the last rebalance: ask again in a few seconds",
                     session->fleet.application);
    } else if (leader->presence.http[0] == '\0') {
        cli_complain("%s, which led the last rebalance, serves no HTTP: segue.http.port is needed there",
                     cli_instance_name(leader));
    } else {
        *status = CLI_OK;
        return leader->presence.http;
    }
    return NULL;
}

int cli_live_read(const cli_command *command, const cli_live_source *source, cli_session *session, frame *rebalance)
{
    char *token = NULL;
    const char *url = source->url;
    *session = (cli_session){0};
    *rebalance = (frame){0};
    int status = read_token(source->token_file, &token);
    if (status == CLI_OK && url == NULL) {
        status = cli_session_open(command, source->cluster, session);
        url = status == CLI_OK ? leaders_url(session, &status) : NULL;
    }
    status = status == CLI_OK ? ask(url, token, rebalance) : status;
    if (token != NULL) {
        explicit_bzero(token, strlen(token));
    }
    free(token);
    return status;
}
