/* SPDX-License-Identifier: Apache-2.0 */
/* segue bench: one JSON line for each assignor and group. */
#include "bench.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nearest.h"

enum { REPEATS_MOST = 1000, DIGITS = 6, SUBTOPOLOGIES_MOST = 65536, STANDBYS_MOST = 16 };

typedef struct bench_options {
    cli_texts assignors;
    cli_texts events;
    const char *plugin;
    const char *file;
    int64_t tasks, members, subtopologies, standbys, repeats;
    int decisions;
} bench_options;

#define AT(field) offsetof(bench_options, field)

static const cli_option options[] = {
    {"--assignor", "NAME", "may be repeated (default: learner and sticky)", CLI_TEXTS, AT(assignors), 0, 0},
    {"--tasks", "N", "tasks of a made-up group (default: a grid from 1,000 to 1,000,000)", CLI_NUMBER, AT(tasks), 1,
     SEGUE_MAX_TASKS},
    {"--members", "M", "its members after the event (default: a tenth of the tasks, at least 2)", CLI_NUMBER,
     AT(members), 1, SEGUE_MAX_MEMBERS - 1},
    {"--event", "EVENT", "fresh, stable, join1 or leave1; may be repeated (default: the first three)", CLI_TEXTS,
     AT(events), 0, 0},
    {"--subtopologies", "N", "its subtopologies (default: 1)", CLI_NUMBER, AT(subtopologies), 1, SUBTOPOLOGIES_MOST},
    {"--standbys", "N", "standbys of each task (default: 0)", CLI_NUMBER, AT(standbys), 0, STANDBYS_MOST},
    {"--file", "GROUP", "a group document instead of a made-up one", CLI_TEXT, AT(file), 0, 0},
    {"--decisions", NULL, "ask for the decisions as well", CLI_FLAG, AT(decisions), 0, 0},
    {"--repeats", "N", "runs of each case (default: about one second, at least 5)", CLI_NUMBER, AT(repeats), 1,
     REPEATS_MOST},
    {"--plugin", "PATH", "load this plugin: a path, or a name on the search path", CLI_TEXT, AT(plugin), 0, 0},
    {NULL, NULL, NULL, CLI_FLAG, 0, 0, 0},
};

static const int64_t grid[] = {1000, 10000, 100000, 1000000};

#define GRID (sizeof grid / sizeof grid[0])

/* An assignor with the slots that run it. */
typedef struct bench_assignor {
    const segue_slots *slots;
    segue_assignor_row row;
} bench_assignor;

typedef struct bench {
    const bench_options *wanted;
    bench_assignor assignors[CLI_TEXTS_MOST];
    uint32_t count;
} bench;

static int find_assignor(segue_host *host, const char *name, bench_assignor *found)
{
    char text[CLI_ERROR_TEXT];
    segue_error error = cli_error(text, sizeof text);
    segue_assignor_row row = {.size = sizeof row};
    int32_t status = SEGUE_OK;
    for (uint32_t i = 0; (status = segue_host_assignor(host, i, &row, &error)) == SEGUE_OK; i++) {
        if (strcmp(row.name, name) == 0) {
            found->row = row;
            found->slots = bench_slots(row.plugin);
            return found->slots == NULL ? CLI_NO_PLUGIN : CLI_OK;
        }
    }
    cli_complain("bench: no assignor %s (segue list shows all)", name);
    return CLI_NO_PLUGIN;
}

static int find_assignors(segue_host *host, bench *it)
{
    static const cli_texts both = {{"learner", "sticky"}, 2};
    const cli_texts *names = it->wanted->assignors.count > 0 ? &it->wanted->assignors : &both;
    int status = CLI_OK;
    for (; status == CLI_OK && it->count < names->count; it->count++) {
        status = find_assignor(host, names->items[it->count], &it->assignors[it->count]);
    }
    return status;
}

static void print_line(const bench *it, const bench_assignor *assignor, const char *event, const segue_group *group,
                       const segue_config *config, const segue_plan *plan, const bench_result *result)
{
    json_t *line = json_pack("{s:s, s:I, s:I, s:s, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:f, s:I, s:I, s:b}",
                             "assignor", assignor->row.name, "tasks", (json_int_t)group->task_count, "members",
                             (json_int_t)group->member_count, "event", event, "median_us", result->median_us, "min_us",
                             result->min_us, "memcpy_us", result->memcpy_us, "ratio",
                             result->memcpy_us > 0 ? result->median_us / result->memcpy_us : 0.0, "copied_bytes",
                             (json_int_t)result->copied_bytes, "repeats", (json_int_t)result->repeats, "moves",
                             (json_int_t)plan->moves, "min_moves", (json_int_t)plan->min_moves, "spread", plan->spread,
                             "subtopologies", (json_int_t)group->subtopology_count, "standbys",
                             (json_int_t)config->num_standby_replicas, "decisions", it->wanted->decisions);
    if (line == NULL) {
        cli_complain("bench: %s: no memory for the line, or a spread that is no number", assignor->row.name);
        return;
    }
    json_dumpf(line, stdout, JSON_REAL_PRECISION(DIGITS));
    fputc('\n', stdout);
    json_decref(line);
}

/* Times one assignor, and sees once that what it was timed at is a plan. */
static int bench_assignor_on(const bench *it, const bench_assignor *assignor, const char *event,
                             const segue_document *document)
{
    char text[CLI_ERROR_TEXT];
    segue_error error = cli_error(text, sizeof text);
    const segue_group *group = segue_document_group(document);
    const segue_config *config = segue_document_config(document);
    segue_bound bound = {.size = sizeof bound};
    segue_plan *plan = NULL;
    bench_result result = {0};
    int32_t status = assignor->slots->plan_bound(group, config, &bound);
    status =
        status == SEGUE_OK ? segue_plan_new(group->task_count, &bound, (uint32_t)it->wanted->decisions, &plan) : status;
    error.code = status;
    if (status == SEGUE_OK) {
        status =
            bench_run(assignor->slots, assignor->row.name, group, config, plan, it->wanted->repeats, &result, &error);
    }
    if (status == SEGUE_OK) {
        status = segue_plan_check(group, config, plan, assignor->row.traits, &error);
    }
    if (status == SEGUE_OK) {
        print_line(it, assignor, event, group, config, plan, &result);
    } else {
        cli_complain("bench: %s, %s, %u tasks, %u members: %s", assignor->row.name, event, group->task_count,
                     group->member_count, text[0] != '\0' ? text : segue_status_word(status));
    }
    segue_plan_free(plan);
    return cli_flush() == CLI_OK && status == SEGUE_OK ? CLI_OK : CLI_INPUT;
}

static int bench_text(const bench *it, const char *event, const char *text, size_t size, const char *source)
{
    char message[CLI_ERROR_TEXT];
    segue_error error = cli_error(message, sizeof message);
    segue_document *document = NULL;
    int status = CLI_OK;
    if (segue_document_read(text, size, source, &document, &error) != SEGUE_OK) {
        return cli_fault(&error);
    }
    for (uint32_t i = 0; i < it->count && !ferror(stdout); i++) {
        int worse = bench_assignor_on(it, &it->assignors[i], event, document);
        status = worse != CLI_OK ? worse : status;
    }
    segue_document_free(document);
    return status;
}

static int bench_made(const bench *it, int64_t tasks, const char *event)
{
    const bench_options *wanted = it->wanted;
    int64_t tenth = tasks < 20 ? 2 : tasks / 10;
    bench_shape shape = {tasks, wanted->members > 0 ? wanted->members : tenth, wanted->subtopologies, wanted->standbys,
                         event};
    if (shape.subtopologies > tasks) {
        shape.subtopologies = tasks;
    }
    if (strcmp(event, "join1") == 0 && shape.members < 2) {
        cli_complain("bench: join1 needs at least 2 members: the one that joins and one that was there");
        return CLI_USAGE;
    }
    size_t size = 0;
    char *text = bench_make_group(&shape, &size);
    if (text == NULL) {
        cli_complain("bench: no memory for a group of %lld tasks", (long long)tasks);
        return CLI_INPUT;
    }
    int status = bench_text(it, event, text, size, "made-up group");
    free(text);
    return status;
}

static int bench_grid(const bench *it)
{
    static const cli_texts first_three = {{"fresh", "stable", "join1"}, 3};
    static const cli_texts first_two = {{"fresh", "stable"}, 2};
    const cli_texts *usual = it->wanted->members == 1 ? &first_two : &first_three;
    const cli_texts *events = it->wanted->events.count > 0 ? &it->wanted->events : usual;
    size_t sizes = it->wanted->tasks > 0 ? 1 : GRID;
    int status = CLI_OK;
    for (size_t i = 0; i < sizes; i++) {
        for (uint32_t event = 0; event < events->count && !ferror(stdout); event++) {
            int64_t tasks = it->wanted->tasks > 0 ? it->wanted->tasks : grid[i];
            int worse = bench_made(it, tasks, events->items[event]);
            status = worse != CLI_OK ? worse : status;
        }
    }
    return status;
}

static int bench_file(const bench *it)
{
    char *text = NULL;
    size_t size = 0;
    int status = cli_read_file(it->wanted->file, &text, &size);
    if (status == CLI_OK) {
        status = bench_text(it, "file", text, size, cli_source(it->wanted->file));
    }
    free(text);
    return status;
}

static int is_event(const char *word)
{
    for (const char *const *event = bench_events; *event != NULL; event++) {
        if (strcmp(word, *event) == 0) {
            return 1;
        }
    }
    return 0;
}

static int check_options(const bench_options *wanted)
{
    for (uint32_t i = 0; i < wanted->events.count; i++) {
        if (!is_event(wanted->events.items[i])) {
            const char *nearest = sgi_nearest(wanted->events.items[i], bench_events);
            cli_complain("bench: --event: \"%s\" is given; fresh, stable, join1 or leave1 is needed%s%s",
                         wanted->events.items[i], nearest == NULL ? "" : "; the nearest is ",
                         nearest == NULL ? "" : nearest);
            return CLI_USAGE;
        }
    }
    if (wanted->file != NULL && (wanted->tasks > 0 || wanted->members > 0 || wanted->events.count > 0)) {
        cli_complain("bench: --file has its own tasks, members and event; leave the other options out");
        return CLI_USAGE;
    }
    if (wanted->members > 0 && wanted->tasks == 0) {
        cli_complain("bench: --members needs --tasks");
        return CLI_USAGE;
    }
    return CLI_OK;
}

int cli_bench(const cli_command *command, int count, char *const *arguments)
{
    bench_options wanted = {.subtopologies = 1};
    bench it = {.wanted = &wanted};
    uint32_t operands = 0;
    int status = cli_parse(command, options, count, arguments, &wanted, NULL, 0, &operands);
    if (status != CLI_GO_ON) {
        return status;
    }
    segue_host *host = NULL;
    status = check_options(&wanted);
    status = status == CLI_OK ? cli_open_host(wanted.plugin, &host) : status;
    status = status == CLI_OK ? find_assignors(host, &it) : status;
    if (status == CLI_OK) {
        status = wanted.file != NULL ? bench_file(&it) : bench_grid(&it);
    }
    segue_host_close(host);
    return status;
}
