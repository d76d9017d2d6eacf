/* SPDX-License-Identifier: Apache-2.0 */
/* segue plan: what the next rebalances would do, with members more or fewer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "forecast.h"
#include "sizes.h"
#include "subject.h"
#include "what_if.h"

enum { ADD_MOST = 10000, THREADS_MOST = 1000000, NOT_GIVEN = -1 };

typedef struct plan_options {
#ifdef SEGUE_KAFKA
    cli_session_options session;
    const char *url, *token_file;
#endif
    const char *assignor, *plugin, *file, *state_bytes, *restore_rate, *expect, *like;
    cli_texts remove;
    int64_t add, threads;
    uint32_t file_count;
    int json;
} plan_options;

#define AT(field) offsetof(plan_options, field)

static const cli_option options[] = {
#ifdef SEGUE_KAFKA
    CLI_SESSION_OPTIONS(plan_options),
    {"--url", "URL", "ask this instance, http://HOST:PORT, in place of looking for the leader", CLI_TEXT, AT(url), 0, 0},
    {"--token-file", "FILE", "segue.http.token of the application (default: SEGUE_HTTP_TOKEN)", CLI_TEXT, AT(token_file), 0,
     0},
#endif
    {"--assignor", "NAME", "who decides (default: who decided the last rebalance; learner for a file)", CLI_TEXT,
     AT(assignor), 0, 0},
    {"--add", "N", "as if N more members were there", CLI_NUMBER, AT(add), 1, ADD_MOST},
    {"--threads", "N", "threads of each of these (default: as many as most members have)", CLI_NUMBER, AT(threads), 0,
     THREADS_MOST},
    {"--like", "MEMBER", "these read what that member reads, and have its threads (default: as everybody)", CLI_TEXT,
     AT(like), 0, 0},
    {"--remove", "MEMBER", "as if it were leaving; may be repeated", CLI_TEXTS, AT(remove), 0, 0},
    {"--state-bytes", "SIZE", "state of a task that does not say its size: 512MiB, 1.5GB", CLI_TEXT, AT(state_bytes), 0, 0},
    {"--restore-rate", "SIZE", "what a member replays in a second: 60MiB", CLI_TEXT, AT(restore_rate), 0, 0},
    {"--expect", "TOKEN", "end with status 9 unless the token is still this one", CLI_TEXT, AT(expect), 0, 0},
    {"--json", NULL, "print one JSON document", CLI_FLAG, AT(json), 0, 0},
    {"--plugin", "PATH", "load this plugin: a path, or a name on the search path", CLI_TEXT, AT(plugin), 0, 0},
    {NULL, NULL, NULL, CLI_FLAG, 0, 0, 0},
};

#ifdef SEGUE_KAFKA
static int is_live(const plan_options *wanted)
{
    return wanted->url != NULL || wanted->session.servers != NULL || wanted->session.application != NULL;
}

static int complain_of_idle(const char *option, const char *where)
{
    cli_complain("plan: %s is not taken beside %s: nothing would come of it", option, where);
    return CLI_USAGE;
}

/* Options of which nothing would come beside the others are refused. */
static int refuse_idle(const plan_options *wanted)
{
    const cli_session_options *cluster = &wanted->session;
    const char *where = wanted->file_count > 0 ? "a group document" : "--url";
    if (wanted->file_count > 0 && wanted->token_file != NULL) {
        return complain_of_idle("--token-file", where);
    }
    if (wanted->file_count == 0 && wanted->url == NULL) {
        return CLI_OK;
    }
    return cluster->servers != NULL       ? complain_of_idle("--bootstrap-server", where)
           : cluster->application != NULL ? complain_of_idle("--application-id", where)
           : cluster->config != NULL      ? complain_of_idle("--command-config", where)
                                          : CLI_OK;
}

static int read_live(const cli_command *command, const plan_options *wanted, subject *it)
{
    cli_live_source source = {&wanted->session, wanted->url, wanted->token_file};
    return subject_read_live(it, command, &source);
}
#else
static int is_live(const plan_options *wanted)
{
    (void)wanted;
    return 0;
}

static int refuse_idle(const plan_options *wanted)
{
    (void)wanted;
    return CLI_OK;
}

static int read_live(const cli_command *command, const plan_options *wanted, subject *it)
{
    (void)command;
    (void)wanted;
    (void)it;
    return CLI_USAGE;
}
#endif

static int suppose(const plan_options *wanted, int heeds_marks, subject *it)
{
    int status = wanted->add > 0 ? subject_add(it, wanted->add, wanted->like, wanted->threads) : CLI_OK;
    for (uint32_t i = 0; status == CLI_OK && i < wanted->remove.count; i++) {
        status = subject_remove(it, wanted->remove.items[i], heeds_marks);
    }
    if (status == CLI_OK && wanted->remove.count > 0 && !heeds_marks) {
        cli_complain("warning: %s heeds no marks: who is removed is taken to have stopped at once", it->assignor);
    }
    if (status == CLI_OK && !heeds_marks && what_if_marks_somebody(it->groups)) {
        cli_complain("warning: %s heeds no marks: who is marked as leaving keeps its tasks", it->assignor);
    }
    return status;
}

/* ---- the answer ---------------------------------------------------------------------------------------------------- */

static int heeds_marks(segue_host *host, const char *assignor)
{
    segue_assignor_row row = {.size = sizeof row};
    return cli_find_assignor(host, assignor, &row) && (row.traits & SEGUE_TRAIT_LEAVING) != 0;
}

static int print(const plan_options *wanted, const subject *it, const course *way)
{
    forecast said = {it->assignor, it->groups, it->labels, way, it->seen_ms, ""};
    forecast_token(it->groups, way->first, said.token);
    if (!wanted->json) {
        forecast_print_text(&said);
    } else if (forecast_print_json(&said) != 0) {
        cli_complain("plan: no memory is left");
        return CLI_INPUT;
    }
    if (wanted->expect != NULL && strcmp(wanted->expect, said.token) != 0) {
        cli_complain("plan: the token was %s and is %s: something has changed since", wanted->expect, said.token);
        return CLI_CHANGED;
    }
    return CLI_OK;
}

static int answer(const plan_options *wanted, const course_guess *guess, segue_host *host, subject *it)
{
    char message[CLI_ERROR_TEXT] = "";
    segue_error error = cli_error(message, sizeof message);
    course way;
    int status = suppose(wanted, heeds_marks(host, it->assignor), it);
    if (status != CLI_OK) {
        return status;
    }
    status = course_run(host, it->assignor, it->groups, guess, &way, &error) == SEGUE_OK ? print(wanted, it, &way)
                                                                                             : cli_fault(&error);
    course_free(&way);
    return status;
}

static int read_size(const char *option, const char *text, int64_t *bytes)
{
    if (text != NULL && size_read(text, bytes) != 0) {
        cli_complain("plan: %s: \"%s\" is given; a size is needed, " SIZE_WANTED, option, text);
        return CLI_USAGE;
    }
    return CLI_OK;
}

static int is_token(const char *text)
{
    return strlen(text) == FORECAST_TOKEN_ROOM - 1 && strspn(text, "0123456789abcdef") == FORECAST_TOKEN_ROOM - 1;
}

static int check(const plan_options *wanted, course_guess *guess)
{
    if (is_live(wanted) == (wanted->file_count > 0)) {
        cli_complain("plan: a group document, or a cluster by --bootstrap-server and --application-id (or --url), is needed%s",
                     wanted->file_count > 0 ? ": both are given" : "");
        return CLI_USAGE;
    }
    if ((wanted->threads >= 0 || wanted->like != NULL) && wanted->add == 0) {
        cli_complain("plan: %s needs --add N", wanted->like != NULL ? "--like" : "--threads");
        return CLI_USAGE;
    }
    if (wanted->expect != NULL && !is_token(wanted->expect)) {
        cli_complain("plan: --expect: \"%s\" is given; a token as plan prints it is needed: %d digits from 0 to f",
                     wanted->expect, FORECAST_TOKEN_ROOM - 1);
        return CLI_USAGE;
    }
    int status = refuse_idle(wanted);
    status = status == CLI_OK ? read_size("--state-bytes", wanted->state_bytes, &guess->state_bytes) : status;
    return status == CLI_OK ? read_size("--restore-rate", wanted->restore_rate, &guess->restore_rate) : status;
}

static int open_subject(const cli_command *command, const plan_options *wanted, subject *it)
{
    int status = is_live(wanted) ? read_live(command, wanted, it) : subject_read_document(it, wanted->file);
    if (status == CLI_OK && wanted->assignor != NULL) {
        free(it->assignor);
        it->assignor = strdup(wanted->assignor);
    }
    return status;
}

int cli_plan(const cli_command *command, int count, char *const *arguments)
{
    plan_options wanted = {.threads = NOT_GIVEN};
    course_guess guess = {COURSE_UNKNOWN, COURSE_UNKNOWN};
    segue_host *host = NULL;
    subject it = {0};
    int status = cli_parse(command, options, count, arguments, &wanted, &wanted.file, 1, &wanted.file_count);
    if (status != CLI_GO_ON) {
        return status;
    }
    status = check(&wanted, &guess);
    if (status != CLI_OK) {
        return status;
    }
    status = cli_open_host(wanted.plugin, &host);
    status = status == CLI_OK ? open_subject(command, &wanted, &it) : status;
    status = status == CLI_OK ? answer(&wanted, &guess, host, &it) : status;
    segue_host_close(host);
    subject_close(&it);
    return status;
}
