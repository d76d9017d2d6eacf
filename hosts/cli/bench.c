/* SPDX-License-Identifier: Apache-2.0 */
/* segue bench: one JSON line for each assignor and group, or with --grid one row of a table. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nearest.h"

enum { REPEATS_MOST = 1000, SUBTOPOLOGIES_MOST = 65536, STANDBYS_MOST = 16, RACKS_MOST = 64, HUNDREDTH = 100 };

typedef struct bench_options {
    cli_texts assignors;
    cli_texts events;
    cli_texts grids;
    const char *plugin;
    const char *file;
    int64_t tasks, members, subtopologies, standbys, racks, leaving, repeats;
    int weights, heavy;
    int decisions;
} bench_options;

#define AT(field) offsetof(bench_options, field)

static const cli_option options[] = {
    {"--assignor", "NAME", "may be repeated (default: learner and sticky)", CLI_TEXTS, AT(assignors), 0, 0},
    {"--tasks", "N", "tasks of a made-up group (default: four, from 1,000 to 1,000,000)", CLI_NUMBER, AT(tasks), 1,
     SEGUE_MAX_TASKS},
    {"--members", "M", "its members after the event (default: a tenth of the tasks, at least 2)", CLI_NUMBER,
     AT(members), 1, SEGUE_MAX_MEMBERS - 1},
    {"--event", "EVENT", "fresh, stable, join1, joinmany, leave1 or partitions; may be repeated", CLI_TEXTS,
     AT(events), 0, 0},
    {"--subtopologies", "N", "its subtopologies (default: 1)", CLI_NUMBER, AT(subtopologies), 1, SUBTOPOLOGIES_MOST},
    {"--standbys", "N", "standbys of each task (default: 0)", CLI_NUMBER, AT(standbys), 0, STANDBYS_MOST},
    {"--racks", "N", "its racks (default: 0, nobody knows of any)", CLI_NUMBER, AT(racks), 0, RACKS_MOST},
    {"--weights", NULL, "tasks of different weight: 1 to 8", CLI_FLAG, AT(weights), 0, 0},
    {"--heavy-weights", NULL, "the same with a heavy tail: a few tasks weigh as much as thousands", CLI_FLAG, AT(heavy),
     0, 0},
    {"--leaving", "N", "members that are marked as leaving, every second with a deadline (default: 0)", CLI_NUMBER,
     AT(leaving), 0, SEGUE_MAX_MEMBERS - 1},
    {"--grid", "SIZE",
     "a table over all events; may be repeated: S (50 tasks, 5 members), M (500, 25),\n"
     "                         L (5000, 200), 10000x1000, 100000x10000 or 1000000x10000.\n"
     "                         ratio: median / copy of the same columns; moves: tasks that move now;\n"
     "                         at least: the fewest moves, now or later, that lead to balance;\n"
     "                         learners: copies that learn first, so that the tasks move later",
     CLI_TEXTS, AT(grids), 0, 0},
    {"--file", "GROUP", "a group document instead of a made-up one", CLI_TEXT, AT(file), 0, 0},
    {"--decisions", NULL, "ask for the decisions as well", CLI_FLAG, AT(decisions), 0, 0},
    {"--repeats", "N", "runs of each case (default: about one second, at least 5)", CLI_NUMBER, AT(repeats), 1,
     REPEATS_MOST},
    {"--plugin", "PATH", "load this plugin: a path, or a name on the search path", CLI_TEXT, AT(plugin), 0, 0},
    {NULL, NULL, NULL, CLI_FLAG, 0, 0, 0},
};

static const int64_t default_sizes[] = {1000, 10000, 100000, 1000000};

#define DEFAULT_SIZES (sizeof default_sizes / sizeof default_sizes[0])

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
    for (uint32_t i = 0; segue_host_assignor(host, i, &row, &error) == SEGUE_OK; i++) {
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

/* Times one assignor, and sees once that what it was timed at is a plan. */
static int bench_assignor_on(const bench *it, const bench_assignor *assignor, const bench_shape *shape,
                             const segue_document *document)
{
    char text[CLI_ERROR_TEXT];
    segue_error error = cli_error(text, sizeof text);
    const segue_group *group = segue_document_group(document);
    const segue_config *config = segue_document_config(document);
    segue_bound bound = {.size = sizeof bound};
    segue_plan *plan = NULL;
    bench_result result = {0};
    const char *event = shape == NULL ? "file" : shape->event;
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
        bench_case found = {assignor->row.name, event, shape, group, config, plan, &result, it->wanted->decisions};
        it->wanted->grids.count > 0 ? bench_print_row(&found) : bench_print_line(&found);
    } else {
        error.code = status;
        cli_complain("bench: %s, %s, %u tasks, %u members: %s", assignor->row.name, event, group->task_count,
                     group->member_count, cli_why(&error));
    }
    segue_plan_free(plan);
    return cli_flush() == CLI_OK && status == SEGUE_OK ? CLI_OK : CLI_INPUT;
}

/* shape NULL: the text is a file's. */
static int bench_text(const bench *it, const bench_shape *shape, const char *text, size_t size, const char *source)
{
    char message[CLI_ERROR_TEXT];
    segue_error error = cli_error(message, sizeof message);
    segue_document *document = NULL;
    int status = CLI_OK;
    if (segue_document_read(text, size, source, &document, &error) != SEGUE_OK) {
        return cli_fault(&error);
    }
    for (uint32_t i = 0; i < it->count && !ferror(stdout); i++) {
        int worse = bench_assignor_on(it, &it->assignors[i], shape, document);
        status = worse != CLI_OK ? worse : status;
    }
    segue_document_free(document);
    return status;
}

static int bench_made(const bench *it, const bench_shape *shape)
{
    size_t size = 0;
    char *text = bench_make_group(shape, &size);
    if (text == NULL) {
        cli_complain("bench: no memory for a group of %lld tasks", (long long)shape->tasks);
        return CLI_INPUT;
    }
    int status = bench_text(it, shape, text, size, "made-up group");
    free(text);
    return status;
}

static int64_t members_for(const bench_options *wanted, int64_t tasks)
{
    int64_t tenth = tasks < 20 ? 2 : tasks / 10;
    return wanted->members > 0 ? wanted->members : tenth;
}

static int bench_wanted(const bench *it, int64_t tasks, const char *event)
{
    const bench_options *wanted = it->wanted;
    bench_shape shape = {.tasks = tasks, .members = members_for(wanted, tasks), .event = event};
    shape.subtopologies = wanted->subtopologies;
    shape.standbys = wanted->standbys;
    shape.racks = wanted->racks;
    shape.leaving = wanted->leaving;
    shape.weights = wanted->heavy ? BENCH_HEAVY : wanted->weights ? BENCH_LIGHT : BENCH_EQUAL;
    if (shape.subtopologies > tasks) {
        shape.subtopologies = tasks;
    }
    if (strncmp(event, "join", 4) == 0 && shape.members < 2) {
        cli_complain("bench: %s needs at least 2 members: one that joins and one that was there", event);
        return CLI_USAGE;
    }
    return bench_made(it, &shape);
}

static int bench_sizes_wanted(const bench *it)
{
    static const cli_texts first_three = {{"fresh", "stable", "join1"}, 3};
    static const cli_texts first_two = {{"fresh", "stable"}, 2};
    const cli_texts *usual = it->wanted->members == 1 ? &first_two : &first_three;
    const cli_texts *events = it->wanted->events.count > 0 ? &it->wanted->events : usual;
    size_t sizes = it->wanted->tasks > 0 ? 1 : DEFAULT_SIZES;
    int status = CLI_OK;
    for (size_t i = 0; i < sizes; i++) {
        for (uint32_t event = 0; event < events->count && !ferror(stdout); event++) {
            int64_t tasks = it->wanted->tasks > 0 ? it->wanted->tasks : default_sizes[i];
            int worse = bench_wanted(it, tasks, events->items[event]);
            status = worse != CLI_OK ? worse : status;
        }
    }
    return status;
}

static int bench_grid_of(const bench *it, const bench_size *size)
{
    const cli_texts *wanted = &it->wanted->events;
    int status = CLI_OK;
    for (uint32_t v = 0; v < BENCH_VARIANTS; v++) {
        const bench_variant *variant = &bench_variants[v];
        const char *const *events = wanted->count > 0 ? wanted->items : bench_events;
        for (uint32_t i = 0; (wanted->count > 0 ? i < wanted->count : events[i] != NULL) && !ferror(stdout); i++) {
            bench_shape shape = {.tasks = size->tasks, .members = size->members, .event = events[i]};
            shape.subtopologies = size->subtopologies;
            shape.standbys = variant->standbys;
            shape.racks = variant->racks;
            shape.leaving = variant->leaving ? (size->members + HUNDREDTH - 1) / HUNDREDTH : 0;
            shape.weights = variant->weights;
            int worse = bench_made(it, &shape);
            status = worse != CLI_OK ? worse : status;
        }
    }
    return status;
}

static int bench_grids(const bench *it)
{
    const cli_texts *names = &it->wanted->grids;
    int status = CLI_OK;
    bench_print_head();
    for (uint32_t i = 0; i < names->count && !ferror(stdout); i++) {
        for (const bench_size *size = bench_sizes; size->name != NULL; size++) {
            int worse = strcmp(size->name, names->items[i]) == 0 ? bench_grid_of(it, size) : CLI_OK;
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
        status = bench_text(it, NULL, text, size, cli_source(it->wanted->file));
    }
    free(text);
    return status;
}

/* Are all of them among the words, in capitals or small letters? They are spelt as the words are from then on. */
static int check_words(const char *option, cli_texts *given, const char *const *words, const char *needed)
{
    for (uint32_t i = 0; i < given->count; i++) {
        const char *const *word = words;
        while (*word != NULL && strcasecmp(given->items[i], *word) != 0) {
            word++;
        }
        if (*word == NULL) {
            const char *nearest = sgi_nearest(given->items[i], words);
            cli_complain("bench: %s: \"%s\" is given; %s is needed%s%s", option, given->items[i], needed,
                         nearest == NULL ? "" : "; the nearest is ", nearest == NULL ? "" : nearest);
            return CLI_USAGE;
        }
        given->items[i] = *word;
    }
    return CLI_OK;
}

static int check_options(bench_options *wanted)
{
    if (check_words("--event", &wanted->events, bench_events, "fresh, stable, join1, joinmany, leave1 or partitions") !=
            CLI_OK ||
        check_words("--grid", &wanted->grids, bench_size_names,
                    "S, M, L, 10000x1000, 100000x10000 or 1000000x10000") != CLI_OK) {
        return CLI_USAGE;
    }
    if (wanted->grids.count > 0 && (wanted->file != NULL || wanted->tasks > 0 || wanted->members > 0)) {
        cli_complain("bench: --grid has its own sizes; leave --tasks, --members and --file out");
        return CLI_USAGE;
    }
    if (wanted->file != NULL && (wanted->tasks > 0 || wanted->members > 0 || wanted->events.count > 0)) {
        cli_complain("bench: --file has its own tasks, members and event; leave the other options out");
        return CLI_USAGE;
    }
    if (wanted->members > 0 && wanted->tasks == 0) {
        cli_complain("bench: --members needs --tasks");
        return CLI_USAGE;
    }
    int64_t members = members_for(wanted, wanted->tasks > 0 ? wanted->tasks : default_sizes[0]);
    if (wanted->leaving >= members) {
        cli_complain("bench: --leaving: %lld of %lld members are to leave; one at least has to stay",
                     (long long)wanted->leaving, (long long)members);
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
        int (*run)(const bench *) = wanted.grids.count > 0 ? bench_grids : bench_sizes_wanted;
        status = wanted.file != NULL ? bench_file(&it) : run(&it);
    }
    segue_host_close(host);
    return status;
}
