/* SPDX-License-Identifier: Apache-2.0 */
#include "live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "fetch.h"

enum { FAULT = 512, OK = 200, REFUSED = 401, NOT_THERE = 404, TOKEN_MOST = 2048, LOOKS = 5 };

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

/* ---- one instance -------------------------------------------------------------------------------------------------- */

/* What came back: `status` 0 where nothing did, and `fault` says why. */
typedef struct answer {
    long status;
    char *body;
    size_t size;
    char fault[FAULT];
} answer;

static void ask(const char *url, const char *token, answer *out)
{
    char *whole = NULL;
    size_t length = strlen(url);
    while (length > 0 && url[length - 1] == '/') {
        length--;
    }
    *out = (answer){.fault = "no memory is left"};
    if (asprintf(&whole, "%.*s" PATH, (int)length, url) >= 0) {
        out->status = cli_fetch(whole, token, &out->body, &out->size, out->fault, sizeof out->fault);
        free(whole);
    }
}

/* What the instance says is wrong, or the body as it is. */
static void print_refusal(const char *url, const answer *it)
{
    json_t *document = json_loadb(it->body, it->size, 0, NULL);
    const char *text = json_string_value(json_object_get(document, "error"));
    char line[FAULT];
    snprintf(line, sizeof line, "%.300s", text != NULL ? text : it->body);
    sgi_clean_line(line);
    cli_complain("%s" PATH ": status %ld: %s%s", url, it->status,
                 line[0] != '\0' ? line : "it tells of no rebalance, and not why; is it an instance with segue?",
                 it->status == REFUSED ? " (--token-file FILE, or " CLI_TOKEN_VARIABLE ")" : "");
    json_decref(document);
}

static int add(cli_rebalance *rebalance, const frame *one)
{
    frame *grown = realloc(rebalance->frames, (rebalance->count + 1) * sizeof *grown);
    if (grown == NULL) {
        return -1;
    }
    rebalance->frames = grown;
    rebalance->frames[rebalance->count++] = *one;
    return 0;
}

static int decode(const char *url, const answer *it, cli_rebalance *rebalance)
{
    char why[FAULT] = "it is empty";
    FILE *file = it->size == 0 ? NULL : fmemopen(it->body, it->size, "rb");
    enum frame_status found = file == NULL ? FRAME_FAULT : FRAME_READ;
    while (found == FRAME_READ) {
        frame one;
        found = frame_read(file, &one, why, sizeof why);
        if (found == FRAME_READ && frame_untold(&one) != NULL) {
            snprintf(why, sizeof why, "%s", frame_untold(&one));
            frame_free(&one);
            found = FRAME_FAULT;
        }
        if (found == FRAME_READ && add(rebalance, &one) != 0) {
            frame_free(&one);
            snprintf(why, sizeof why, "no memory is left for it");
            found = FRAME_FAULT;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    if (found == FRAME_FAULT) {
        cli_complain("%s" PATH ": no rebalance as segue writes it: %s", url, why);
        return CLI_CLUSTER;
    }
    return CLI_OK;
}

static int judge(const char *url, const answer *it, cli_rebalance *rebalance)
{
    if (it->status == OK) {
        return decode(url, it, rebalance);
    }
    if (it->status == 0) {
        cli_complain("%s", it->fault);
    } else {
        print_refusal(url, it);
    }
    return CLI_CLUSTER;
}

static int ask_url(const char *url, const char *token, cli_rebalance *rebalance)
{
    answer it;
    ask(url, token, &it);
    int status = judge(url, &it, rebalance);
    free(it.body);
    return status;
}

/* ---- the leader ---------------------------------------------------------------------------------------------------- */

static int complain_of(const cli_session *session, const cli_instance *leader)
{
    if (session->fleet.count == 0) {
        return cli_session_nobody(session);
    }
    if (leader == NULL) {
        cli_complain("no instance of %s says that it led the last rebalance: ask again in a few seconds",
                     session->fleet.application);
    } else {
        cli_complain("%s, which led the last rebalance, tells no address to ask it at: segue.http.port is needed there, "
                     "and a segue that serves " PATH " (an ASGI application can be asked by --url)",
                     cli_instance_name(leader));
    }
    return CLI_NO_MEMBER;
}

/* Between a rebalance and what its leader tells of itself seconds pass, in which nobody has led, or who did has nothing to
 * tell any more. */
static int ask_leader(cli_session *session, const char *token, cli_rebalance *rebalance)
{
    for (int left = LOOKS - 1;; left--) {
        const cli_instance *leader = cli_fleet_leader(&session->fleet);
        answer it = {0};
        int serves = leader != NULL && leader->presence.http[0] != '\0';
        if (serves) {
            ask(leader->presence.http, token, &it);
        }
        int moves = session->fleet.count > 0 && (leader == NULL || it.status == NOT_THERE);
        if (!moves || left == 0) {
            int status = serves ? judge(leader->presence.http, &it, rebalance) : complain_of(session, leader);
            free(it.body);
            return status;
        }
        free(it.body);
        cli_pause();
        if (cli_fleet_read(session->connection, &session->fleet) != 0) {
            return cli_session_fault(session);
        }
    }
}

int cli_live_read(const cli_command *command, const cli_live_source *source, cli_session *session,
                  cli_rebalance *rebalance)
{
    char *token = NULL;
    *session = (cli_session){0};
    *rebalance = (cli_rebalance){0};
    int status = read_token(source->token_file, &token);
    if (status == CLI_OK && source->url != NULL) {
        status = ask_url(source->url, token, rebalance);
    } else if (status == CLI_OK) {
        status = cli_session_open(command, source->cluster, session);
        status = status == CLI_OK ? ask_leader(session, token, rebalance) : status;
    }
    if (token != NULL) {
        explicit_bzero(token, strlen(token));
    }
    free(token);
    return status;
}

void cli_rebalance_free(cli_rebalance *rebalance)
{
    for (size_t at = 0; at < rebalance->count; at++) {
        frame_free(&rebalance->frames[at]);
    }
    free(rebalance->frames);
    *rebalance = (cli_rebalance){0};
}
