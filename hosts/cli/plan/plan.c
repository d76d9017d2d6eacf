/* SPDX-License-Identifier: Apache-2.0 */
/* segue plan: what the next rebalances would do, with members more or fewer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "forecast.h"
#include "sizes.h"
#include "what_if.h"
#ifdef SEGUE_KAFKA
#include "kafka/live.h"
#include "kafka/member.h"
#endif

enum { ADD_MOST = 10000, THREADS_MOST = 1000000, LIST_ROOM = 1024, NOT_GIVEN = -1 };

typedef struct plan_options {
#ifdef SEGUE_KAFKA
    cli_session_options session;
    const char *url, *token_file;
#endif
    const char *assignor, *plugin, *file, *state_bytes, *restore_rate, *expect;
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
    {"--remove", "MEMBER", "as if it were leaving; may be repeated", CLI_TEXTS, AT(remove), 0, 0},
    {"--state-bytes", "SIZE", "state of a task that does not say its size: 512MiB", CLI_TEXT, AT(state_bytes), 0, 0},
    {"--restore-rate", "SIZE", "what a member replays in a second: 60MiB", CLI_TEXT, AT(restore_rate), 0, 0},
    {"--expect", "TOKEN", "end with status 9 unless the token is still this one", CLI_TEXT, AT(expect), 0, 0},
    {"--json", NULL, "print one JSON document", CLI_FLAG, AT(json), 0, 0},
    {"--plugin", "PATH", "load this plugin: a path, or a name on the search path", CLI_TEXT, AT(plugin), 0, 0},
    {NULL, NULL, NULL, CLI_FLAG, 0, 0, 0},
};

/* What the question is about. */
typedef struct subject {
    json_t *group, *labels;
    char *assignor;
    int64_t seen_ms;
#ifdef SEGUE_KAFKA
    cli_session session;
#endif
} subject;

/* ---- where the group comes from ------------------------------------------------------------------------------------ */

static int read_document(const plan_options *wanted, subject *it)
{
    char message[CLI_ERROR_TEXT] = "";
    segue_error error = cli_error(message, sizeof message);
    segue_document *document = NULL;
    char *text = NULL;
    size_t size = 0;
    int status = cli_read_file(wanted->file, &text, &size);
    if (status == CLI_OK && segue_document_read(text, size, cli_source(wanted->file), &document, &error) != SEGUE_OK) {
        status = cli_fault(&error);
    }
    if (status == CLI_OK) {
        it->group = what_if_group(segue_document_group(document), segue_document_config(document), &error);
        status = it->group == NULL ? cli_fault(&error) : CLI_OK;
        it->assignor = strdup("learner");
        it->seen_ms = COURSE_UNKNOWN;
    }
    segue_document_free(document);
    free(text);
    return status;
}

#ifdef SEGUE_KAFKA
static int is_live(const plan_options *wanted)
{
    return wanted->url != NULL || wanted->session.servers != NULL || wanted->session.application != NULL;
}

static void label(subject *it)
{
    for (size_t i = 0; i < it->session.fleet.count; i++) {
        const cli_instance *instance = &it->session.fleet.rows[i];
        if (cli_instance_lives(instance)) {
            json_object_set_new(it->labels, instance->id, json_string(cli_instance_name(instance)));
        }
    }
}

static int read_live(const cli_command *command, const plan_options *wanted, subject *it)
{
    char message[CLI_ERROR_TEXT] = "";
    segue_error error = cli_error(message, sizeof message);
    frame last;
    cli_live_source source = {&wanted->session, wanted->url, wanted->token_file};
    int status = cli_live_read(command, &source, &it->session, &last);
    if (status == CLI_OK) {
        it->group = what_if_group(&last.group, &last.config, &error);
        status = it->group == NULL ? cli_fault(&error) : CLI_OK;
        it->assignor = strdup(last.assignor);
        it->seen_ms = last.head.wall_ms;
        label(it);
        if (it->group != NULL && what_if_planned(it->group, &last.group, &last.plan) != 0) {
            json_decref(it->group);
            it->group = NULL;
        }
    }
    frame_free(&last);
    return status;
}
#else
static int is_live(const plan_options *wanted)
{
    (void)wanted;
    return 0;
}

static int read_live(const cli_command *command, const plan_options *wanted, subject *it)
{
    (void)command;
    (void)wanted;
    (void)it;
    return CLI_USAGE;
}
#endif

/* ---- what is supposed ---------------------------------------------------------------------------------------------- */

/* The id of the member that is meant: its own name, or what the fleet calls it. */
static int find_member(const subject *it, const char *name, const char **id)
{
    *id = name;
#ifdef SEGUE_KAFKA
    const cli_instance *found = NULL;
    char list[LIST_ROOM];
    cli_found how = it->session.fleet.count == 0 ? CLI_FOUND_NONE
                                                 : cli_member_find(&it->session.fleet, name, &found, list, sizeof list);
    if (how == CLI_FOUND_SEVERAL) {
        cli_complain("plan: --remove: \"%s\" may mean %s", name, list);
        return CLI_NO_MEMBER;
    }
    *id = how == CLI_FOUND_ONE ? found->id : name;
#else
    (void)it;
#endif
    return CLI_OK;
}

static void complain_of(const subject *it, const char *name)
{
    char list[LIST_ROOM] = "";
    size_t used = 0;
    size_t at = 0;
    json_t *member = NULL;
    json_array_foreach(json_object_get(it->group, "members"), at, member)
    {
        const char *id = json_string_value(json_object_get(member, "id"));
        const char *text = json_string_value(json_object_get(it->labels, id));
        int wrote = snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", text != NULL ? text : id);
        used = wrote < 0 || (size_t)wrote >= sizeof list - used ? sizeof list - 1 : used + (size_t)wrote;
    }
    int is_last = json_array_size(json_object_get(it->group, "members")) < 2;
    if (is_last) {
        cli_complain("plan: --remove: without \"%s\" nobody would be left; there is %s", name, list);
    } else {
        cli_complain("plan: --remove: the group has no member \"%s\"; there are %s", name, list);
    }
}

static int suppose(const plan_options *wanted, int heeds_marks, subject *it)
{
    int status = CLI_OK;
    for (uint32_t i = 0; status == CLI_OK && i < wanted->remove.count; i++) {
        const char *id = NULL;
        status = find_member(it, wanted->remove.items[i], &id);
        if (status == CLI_OK && !what_if_remove(it->group, id, heeds_marks)) {
            complain_of(it, wanted->remove.items[i]);
            status = CLI_NO_MEMBER;
        }
    }
    if (status == CLI_OK && wanted->remove.count > 0 && !heeds_marks) {
        cli_complain("warning: %s heeds no marks: who is removed is taken to have stopped at once", it->assignor);
    }
    what_if_add(it->group, wanted->add, wanted->threads);
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
    forecast said = {it->assignor, it->group, it->labels, way, it->seen_ms, ""};
    forecast_token(it->group, way->first, said.token);
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
    status = course_run(host, it->assignor, it->group, guess, &way, &error) == SEGUE_OK ? print(wanted, it, &way)
                                                                                             : cli_fault(&error);
    course_free(&way);
    return status;
}

static int read_size(const char *option, const char *text, int64_t *bytes)
{
    if (text != NULL && size_read(text, bytes) != 0) {
        cli_complain("plan: %s: \"%s\" is given; a size such as 512MiB or 1.5GiB is needed", option, text);
        return CLI_USAGE;
    }
    return CLI_OK;
}

static int check(const plan_options *wanted, course_guess *guess)
{
    if (is_live(wanted) == (wanted->file_count > 0)) {
        cli_complain("plan: a group document, or a cluster by --bootstrap-server and --application-id (or --url), is needed%s",
                     wanted->file_count > 0 ? ": both are given" : "");
        return CLI_USAGE;
    }
    if (wanted->threads >= 0 && wanted->add == 0) {
        cli_complain("plan: --threads needs --add N");
        return CLI_USAGE;
    }
    int status = read_size("--state-bytes", wanted->state_bytes, &guess->state_bytes);
    return status == CLI_OK ? read_size("--restore-rate", wanted->restore_rate, &guess->restore_rate) : status;
}

static int open_subject(const cli_command *command, const plan_options *wanted, subject *it)
{
    it->labels = json_object();
    int status = is_live(wanted) ? read_live(command, wanted, it) : read_document(wanted, it);
    if (status == CLI_OK && wanted->assignor != NULL) {
        free(it->assignor);
        it->assignor = strdup(wanted->assignor);
    }
    if (status == CLI_OK && (it->group == NULL || it->assignor == NULL)) {
        cli_complain("plan: no memory is left");
        return CLI_INPUT;
    }
    return status;
}

static void close_subject(subject *it)
{
    json_decref(it->group);
    json_decref(it->labels);
    free(it->assignor);
#ifdef SEGUE_KAFKA
    cli_session_close(&it->session);
#endif
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
    close_subject(&it);
    return status;
}
