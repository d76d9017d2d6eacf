/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What instances and strangers have written in a Kafka cluster, as status, drain, swap and plan read it. The first line of the
 * input is "MEMBER ASSIGNOR", as a person gives them; stage.h has the others. Whatever stands there, a command ends, says why
 * where it fails, steers no terminal, and writes only what can be read again; and the document of status tells of nothing that
 * does not count.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "fuzz.h"
#include "live.h"
#include "side_group.h"
#include "stage.h"
#include "test/steers.h"

enum { ARGUMENTS_MOST = 12 };

/* What a command printed, for free(). */
typedef struct printed {
    char *text, *complaints;
    size_t size, complained;
} printed;

static FILE *terminal, *errors;

static void catch_both(printed *out)
{
    *out = (printed){0};
    terminal = stdout;
    errors = stderr;
    stdout = open_memstream(&out->text, &out->size);
    stderr = open_memstream(&out->complaints, &out->complained);
    HOLD(stdout != NULL && stderr != NULL, "no memory");
}

static void let_go(void)
{
    fclose(stdout);
    fclose(stderr);
    stdout = terminal;
    stderr = errors;
}

static void hold_printed(const printed *it, int status, int json)
{
    HOLD(status >= CLI_OK && status <= CLI_CHANGED, "the exit status is %d", status);
    HOLD(status == CLI_OK || it->complained > 0, "it ends with %d and does not say why", status);
    HOLD(!steers(it->text, it->size, json), "a terminal is steered: %s", it->text);
    HOLD(!steers(it->complaints, it->complained, 0), "a terminal is steered: %s", it->complaints);
}

static void hold_time(const json_t *document, const char *key)
{
    json_int_t at = json_integer_value(json_object_get(document, key));
    HOLD(json_is_integer(json_object_get(document, key)) && at >= 0 && at <= (json_int_t)1 << 53, "%s is no time", key);
}

/* A presence or a mark, or null. Returns 1 when there is one. */
static int hold_document(const json_t *row, const char *key, const char *time)
{
    const json_t *document = json_object_get(row, key);
    if (json_is_null(document)) {
        return 0;
    }
    hold_time(document, time);
    return 1;
}

/* Whose a mark is says its group's name, and not what stands in it (hosts/MARKS.md). */
static void hold_owner(const json_t *row)
{
    const char *of = json_string_value(json_object_get(json_object_get(row, "presence"), "instance"));
    HOLD(of != NULL && strcmp(of, json_string_value(json_object_get(row, "instance"))) == 0, "a presence of another");
}

static void hold_status(const char *text)
{
    json_error_t error;
    size_t i = 0;
    const json_t *row = NULL;
    json_t *document = json_loads(text, 0, &error);
    HOLD(document != NULL, "%s in %s", error.text, text);
    json_array_foreach(json_object_get(document, "instances"), i, row) {
        HOLD(cli_instance_valid(json_string_value(json_object_get(row, "instance"))), "an instance is no UUID");
        int present = hold_document(row, "presence", "at_ms");
        int marked = hold_document(row, "mark", "since_ms");
        if (present) {
            hold_owner(row);
        }
        HOLD(present || marked, "an instance of which nobody tells");
        HOLD(marked == json_is_true(json_object_get(row, "leaving")), "leaving and not marked");
    }
    const json_t *swap = json_object_get(document, "swap");
    HOLD(json_is_null(swap) || json_string_length(json_object_get(swap, "name")) > 0, "a wish for nothing");
    json_decref(document);
}

static void run(const cli_command *command, const char *text, size_t size, const char *const *more)
{
    char *arguments[ARGUMENTS_MOST];
    const char *const first[] = {"--bootstrap-server", "b:1", "--application-id", STAGE_APPLICATION};
    int count = 0;
    int json = more[0] != NULL && strcmp(more[0], "--json") == 0;
    printed out;
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
        arguments[count++] = strdup(first[i]);
    }
    for (size_t i = 0; more[i] != NULL; i++) {
        arguments[count++] = strdup(more[i]);
    }
    stage_set(text, size);
    catch_both(&out);
    int status = command->run(command, count, arguments);
    let_go();
    hold_printed(&out, status, json);
    if (json && status == CLI_OK) {
        hold_status(out.text);
    }
    free(out.text);
    free(out.complaints);
    while (count > 0) {
        free(arguments[--count]);
    }
}

/* As plan does it. */
static void ask_leader(const char *text, size_t size)
{
    static const cli_command plan = {.name = "plan"};
    static const cli_session_options cluster = {"b:1", STAGE_APPLICATION, NULL};
    cli_live_source source = {.cluster = &cluster};
    cli_session session;
    cli_rebalance last;
    printed out;
    stage_set(text, size);
    catch_both(&out);
    int status = cli_live_read(&plan, &source, &session, &last);
    HOLD((status == CLI_OK) == (last.count > 0), "status %d and %zu frames", status, last.count);
    cli_rebalance_free(&last);
    cli_session_close(&session);
    let_go();
    hold_printed(&out, status, 0);
    free(out.text);
    free(out.complaints);
}

static void run_all(const char *member, const char *assignor, const char *text, size_t size)
{
    static const cli_command status = {.name = "status", .run = cli_status};
    static const cli_command drain = {.name = "drain", .run = cli_drain};
    static const cli_command swap = {.name = "swap", .run = cli_swap};
    run(&status, text, size, (const char *const[]){NULL});
    run(&status, text, size, (const char *const[]){"--json", NULL});
    run(&drain, text, size, (const char *const[]){member, NULL});
    run(&drain, text, size, (const char *const[]){member, "--stay", "--timeout", "5s", "--wait", NULL});
    run(&drain, text, size, (const char *const[]){member, "--cancel", "--wait", NULL});
    run(&swap, text, size, (const char *const[]){"--assignor", assignor, "--wait", "--timeout", "5s", NULL});
    run(&swap, text, size, (const char *const[]){"--configured", "--wait", "--timeout", "5s", NULL});
    ask_leader(text, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = fuzz_copy(data, size);
    const char *end = size == 0 ? NULL : memchr(bytes, '\n', size);
    size_t used = end == NULL ? size : (size_t)(end - bytes);
    char *member = strndup(bytes, used);
    HOLD(member != NULL, "no memory");
    char *assignor = strchr(member, ' ');
    if (assignor != NULL) {
        *assignor++ = '\0';
    }
    /* No option: it would only change what is asked. */
    if (end != NULL && assignor != NULL && member[0] != '-') {
        run_all(member, assignor, end + 1, size - used - 1);
    }
    stage_set("", 0);
    free(member);
    free(bytes);
    return 0;
}
