/* SPDX-License-Identifier: Apache-2.0 */
/* segue compare: one scenario under several assignors and seeds; medians, and the span from least to most. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record.h"
#include "report/page.h"
#include "runs.h"

enum { COLUMNS_MOST = 16, SEEDS_MOST = 1000, NAME_ROOM = 64 };

/* Bytes of events in a report. */
#define REPORT_MOST INT64_C(33554432)

typedef struct compare_options {
    sim_source source;
    const char *assignors, *modes, *report;
    int64_t seeds;
    int json;
} compare_options;

#define AT(field) offsetof(compare_options, field)

/* Who decides where nobody is named. */
#define ASSIGNORS "learner,high-availability,sticky"

static const cli_option options[] = {
    {"--assignors", "A,B,C", "who decides (default: " ASSIGNORS ")", CLI_TEXT, AT(assignors), 0, 0},
    {"--modes", "A,B", "eager (learner.partial.rebalance=true), stable (false), or both; default: the\n"
                       "                         scenario's own",
     CLI_TEXT, AT(modes), 0, 0},
    {"--seeds", "N", "runs each, with the seeds from 1 to N (default: 1)", CLI_NUMBER, AT(seeds), 1, SEEDS_MOST},
    {"--report", "FILE", "make a page of all runs, to be opened in a browser", CLI_TEXT, AT(report), 0, 0},
    {"--json", NULL, "print the figures of every run as one JSON document", CLI_FLAG, AT(json), 0, 0},
    SIM_SOURCE_OPTIONS(compare_options),
    {NULL, NULL, NULL, CLI_FLAG, 0, 0, 0},
};

/* One assignor in one mode. */
typedef struct column {
    sim_player player;
    segue_config config;
    char title[NAME_ROOM * 2];
    int mode;           /* learner.partial.rebalance, or -1 for the scenario's own */
    sim_figures *runs;  /* by seed */
} column;

typedef struct comparison {
    const cli_command *command;
    const compare_options *wanted;
    const char *text;
    size_t size;
    segue_host *host;
    column columns[COLUMNS_MOST];
    uint32_t count;
    FILE *events; /* for the report; NULL: nobody wants one */
    int64_t told; /* seeds whose runs are in it */
    char *name; /* the scenario's own */
} comparison;

/* ---- columns ------------------------------------------------------------------------------------------------------- */

/* The next word of a list with commas; NULL behind the last. */
static const char *next_word(const char *list, char *word, size_t size)
{
    size_t length = strcspn(list, ",");
    snprintf(word, size, "%.*s", (int)length, list);
    return list[length] == '\0' ? NULL : list + length + 1;
}

static int add_column(comparison *it, const sim_player *player, const char *mode)
{
    if (it->count == COLUMNS_MOST) {
        cli_complain("%s: more than %d columns", it->command->name, COLUMNS_MOST);
        return CLI_USAGE;
    }
    column *one = &it->columns[it->count];
    one->player = *player;
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): compare() frees the runs of all columns */
    one->mode = mode == NULL ? -1 : strcmp(mode, "eager") == 0;
    snprintf(one->title, sizeof one->title, "%s%s%s", player->assignor, mode == NULL ? "" : " ",
             mode == NULL ? "" : mode);
    for (uint32_t i = 0; i < it->count; i++) {
        if (strcmp(it->columns[i].title, one->title) == 0) {
            cli_complain("%s: the column %s is asked for twice", it->command->name, one->title);
            return CLI_USAGE;
        }
    }
    one->runs = calloc((size_t)it->wanted->seeds, sizeof *one->runs);
    it->count++;
    return one->runs == NULL ? CLI_INPUT : CLI_OK;
}

static int add_modes(comparison *it, const sim_player *player)
{
    char mode[NAME_ROOM];
    int status = CLI_OK;
    if (it->wanted->modes == NULL) {
        return add_column(it, player, NULL);
    }
    for (const char *rest = it->wanted->modes; status == CLI_OK && rest != NULL;) {
        rest = next_word(rest, mode, sizeof mode);
        if (strcmp(mode, "eager") != 0 && strcmp(mode, "stable") != 0) {
            cli_complain("%s: --modes: \"%s\" is given; eager or stable is needed", it->command->name, mode);
            return CLI_USAGE;
        }
        status = add_column(it, player, mode);
    }
    return status;
}

static int add_columns(comparison *it)
{
    char name[NAME_ROOM];
    int status = CLI_OK;
    for (const char *rest = it->wanted->assignors; status == CLI_OK && rest != NULL;) {
        sim_player player;
        rest = next_word(rest, name, sizeof name);
        status = sim_find_assignor(it->command, it->host, name, &player);
        player.shows_progress = it->wanted->source.progress;
        status = status == CLI_OK ? add_modes(it, &player) : status;
    }
    return status;
}

/* ---- runs ---------------------------------------------------------------------------------------------------------- */

static const char *mode_of(const column *one)
{
    return one->mode < 0 ? NULL : one->mode ? "eager" : "stable";
}

static json_t *run_json(const column *one, int64_t seed)
{
    json_t *run = json_pack("{s:I}", "seed", (json_int_t)seed);
    for (int figure = 0; figure < SIM_FIGURE_COUNT; figure++) {
        json_object_set_new(run, sim_figure_rows[figure].name, sim_figure_json(sim_figure_at(&one->runs[seed - 1], figure)));
    }
    return run;
}

static int32_t run_told(comparison *it, column *one, const sim_scenario *scenario, int64_t seed, segue_error *error)
{
    sim_record record;
    sim_record_about about = {.assignor = one->player.assignor, .mode = mode_of(one), .seed = (uint64_t)seed,
                              .seeds = it->wanted->seeds};
    int32_t status = SEGUE_E_MEMORY;
    if (sim_record_open(&record, it->events, scenario, &about) == 0) {
        one->player.decides = 1;
        status = sim_run(&one->player, scenario, &record.listener, &one->runs[seed - 1], error);
    }
    sim_record_close(&record);
    one->player.decides = 0;
    return status;
}

/* A run whose events are too much for the page stands in it with its figures alone. */
static void tell_figures(comparison *it, const column *one, int64_t seed)
{
    json_t *line = json_pack("{s:s, s:s, s:o}", "segue", "figures/1", "assignor", one->player.assignor, "figures",
                             run_json(one, seed));
    if (one->mode >= 0) {
        json_object_set_new(line, "mode", json_string(mode_of(one)));
    }
    json_dumpf(line, it->events, JSON_COMPACT);
    fputc('\n', it->events);
    json_decref(line);
}

static int run_column(comparison *it, column *one, const sim_scenario *scenario, int64_t seed, int is_told)
{
    char text[CLI_ERROR_TEXT] = "";
    segue_error error = cli_error(text, sizeof text);
    one->config = *segue_document_config(scenario->group);
    if (one->mode >= 0) {
        one->config.learner_partial_rebalance = (uint32_t)one->mode;
    }
    one->player.config = &one->config;
    error.code = is_told ? run_told(it, one, scenario, seed, &error)
                         : sim_run(&one->player, scenario, NULL, &one->runs[seed - 1], &error);
    return error.code == SEGUE_OK ? CLI_OK : cli_fault(&error);
}

/* A page has what a browser can hold: the events of the first seed, and of those behind it until they are too many. */
static int settle_seed(comparison *it, int64_t seed, int is_told, off_t began)
{
    if (is_told && (it->told == 0 || ftello(it->events) <= REPORT_MOST)) {
        it->told++;
        return CLI_OK;
    }
    int is_back = !is_told || (fseeko(it->events, began, SEEK_SET) == 0 && ftruncate(fileno(it->events), began) == 0);
    if (!is_back) {
        cli_complain("%s: the events for the report cannot be kept in a temporary file", it->command->name);
        return CLI_INPUT;
    }
    for (uint32_t i = 0; i < it->count; i++) {
        tell_figures(it, &it->columns[i], seed);
    }
    return CLI_OK;
}

/* What is left to chance is the same for all columns of a seed. */
static int run_seed(comparison *it, int64_t seed)
{
    char text[CLI_ERROR_TEXT] = "";
    segue_error error = cli_error(text, sizeof text);
    sim_scenario scenario;
    int32_t read = sim_scenario_read(it->text, it->size, sim_source_name(&it->wanted->source), (uint64_t)seed, &scenario,
                                     &error);
    int status = read == SEGUE_OK ? CLI_OK : cli_fault(&error);
    if (status == CLI_OK && it->name == NULL) {
        it->name = strdup(scenario.name);
        status = it->name == NULL ? CLI_INPUT : CLI_OK;
    }
    int is_told = it->events != NULL && it->told == seed - 1;
    off_t began = is_told ? ftello(it->events) : 0;
    for (uint32_t i = 0; status == CLI_OK && i < it->count; i++) {
        status = run_column(it, &it->columns[i], &scenario, seed, is_told);
    }
    sim_scenario_free(&scenario);
    return status == CLI_OK && it->events != NULL ? settle_seed(it, seed, is_told, began) : status;
}

/* ---- what is printed ----------------------------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

/* "median (least to most)", or one number where all runs agree. */
static void show_cell(const comparison *it, const column *one, int figure, char *cell, size_t size)
{
    double all[SEEDS_MOST];
    char middle[40], least[40], most[40];
    int64_t seeds = it->wanted->seeds;
    const char *unit = sim_figure_rows[figure].unit;
    for (int64_t i = 0; i < seeds; i++) {
        all[i] = sim_figure_at(&one->runs[i], figure);
    }
    qsort(all, (size_t)seeds, sizeof all[0], compare_numbers);
    sim_show((all[(seeds - 1) / 2] + all[seeds / 2]) / 2, unit, middle, sizeof middle);
    if (all[0] == all[seeds - 1]) {
        snprintf(cell, size, "%s", middle);
    } else {
        snprintf(cell, size, "%s (%s to %s)", middle, sim_show(all[0], unit, least, sizeof least),
                 sim_show(all[seeds - 1], unit, most, sizeof most));
    }
}

static void print_table(const comparison *it)
{
    char *name = sim_plain_name(it->name);
    printf("%s, %lld run%s each%s\n\n| |", name == NULL ? "" : name, (long long)it->wanted->seeds, it->wanted->seeds > 1 ? "s" : "",
           it->wanted->seeds > 1 ? "; medians (from least to most)" : "");
    free(name);
    for (uint32_t i = 0; i < it->count; i++) {
        printf(" %s |", it->columns[i].title);
    }
    printf("\n|---|");
    for (uint32_t i = 0; i < it->count; i++) {
        printf("---|");
    }
    for (int figure = 0; figure < SIM_FIGURE_COUNT; figure++) {
        printf("\n| %s |", sim_figure_rows[figure].name);
        for (uint32_t i = 0; i < it->count; i++) {
            char cell[128];
            show_cell(it, &it->columns[i], figure, cell, sizeof cell);
            printf(" %s |", cell);
        }
    }
    printf("\n");
}

static json_t *column_json(const comparison *it, const column *one)
{
    json_t *runs = json_array();
    for (int64_t seed = 1; seed <= it->wanted->seeds; seed++) {
        json_array_append_new(runs, run_json(one, seed));
    }
    json_t *row = json_pack("{s:s, s:o}", "assignor", one->player.assignor, "runs", runs);
    if (one->mode >= 0) {
        json_object_set_new(row, "mode", json_string(mode_of(one)));
    }
    return row;
}

static int print_json(const comparison *it)
{
    json_t *columns = json_array();
    for (uint32_t i = 0; i < it->count; i++) {
        json_array_append_new(columns, column_json(it, &it->columns[i]));
    }
    json_t *root = json_pack("{s:s, s:s, s:o}", "segue", "comparison/1", "name", it->name, "columns", columns);
    int failed = root == NULL || json_dumpf(root, stdout, JSON_INDENT(2)) != 0;
    fputc('\n', stdout);
    json_decref(root);
    return failed ? CLI_INPUT : CLI_OK;
}

static int write_report(const comparison *it)
{
    if (it->told < it->wanted->seeds) {
        cli_complain("%s: %s has the figures of all %lld seeds and the events of %lld: more are too much for a browser",
                     it->command->name, it->wanted->report, (long long)it->wanted->seeds, (long long)it->told);
    }
    return report_write(it->wanted->report, it->events);
}

static int compare(comparison *it)
{
    int status = cli_open_host(it->wanted->source.plugin, &it->host);
    status = status == CLI_OK ? add_columns(it) : status;
    if (status == CLI_OK && it->wanted->report != NULL) {
        it->events = report_scratch();
        status = it->events == NULL ? CLI_INPUT : CLI_OK;
    }
    for (int64_t seed = 1; status == CLI_OK && seed <= it->wanted->seeds; seed++) {
        status = run_seed(it, seed);
    }
    status = status == CLI_OK && it->events != NULL ? write_report(it) : status;
    if (status == CLI_OK && it->wanted->json) {
        status = print_json(it);
    } else if (status == CLI_OK) {
        print_table(it);
    }
    for (uint32_t i = 0; i < it->count; i++) {
        free(it->columns[i].runs);
    }
    if (it->events != NULL) {
        fclose(it->events);
    }
    free(it->name);
    segue_host_close(it->host);
    return status;
}

static const char *of_a_run(const compare_options *wanted)
{
    return wanted->report != NULL      ? "--report"
           : wanted->json              ? "--json"
           : wanted->assignors != NULL ? "--assignors"
           : wanted->modes != NULL     ? "--modes"
           : wanted->seeds > 0         ? "--seeds"
                                       : NULL;
}

int cli_compare(const cli_command *command, int count, char *const *arguments)
{
    compare_options wanted = {.source = SIM_SOURCE_UNREAD};
    comparison it = {.command = command, .wanted = &wanted};
    char *text = NULL;
    int status =
        cli_parse(command, options, count, arguments, &wanted, &wanted.source.file, 1, &wanted.source.file_count);
    status = status == CLI_GO_ON ? sim_find_text(command, &wanted.source, of_a_run(&wanted), &text, &it.size) : status;
    if (status != CLI_GO_ON) {
        return status;
    }
    it.text = text;
    wanted.assignors = wanted.assignors == NULL ? ASSIGNORS : wanted.assignors;
    wanted.seeds = wanted.seeds == 0 ? 1 : wanted.seeds;
    status = cli_spare(wanted.source.file, wanted.report);
    status = status == CLI_OK ? compare(&it) : status;
    free(text);
    return status;
}
