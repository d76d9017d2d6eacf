/* SPDX-License-Identifier: Apache-2.0 */
/* segue simulate: plays one scenario under one assignor and says what it was like. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "record.h"
#include "report/page.h"
#include "runs.h"

typedef struct simulate_options {
    sim_source source;
    const char *assignor, *events, *report;
    int64_t seed;
    int json;
} simulate_options;

#define AT(field) offsetof(simulate_options, field)

/* What holds where the option is not given. */
#define ASSIGNOR "learner"
#define SEED 1

/* No seed that can be given. */
#define SEED_NONE (-1)

static const cli_option options[] = {
    {"--assignor", "NAME", "who decides (default: learner)", CLI_TEXT, AT(assignor), 0, 0},
    SIM_SOURCE_OPTIONS(simulate_options),
    {"--seed", "N", "decides what the scenario leaves to chance (default: 1)", CLI_NUMBER, AT(seed), 0, INT64_MAX},
    {"--events", "FILE", "write every event into this file, a JSON line each", CLI_TEXT, AT(events), 0, 0},
    {"--report", "FILE", "make a page of the run, to be opened in a browser", CLI_TEXT, AT(report), 0, 0},
    {"--json", NULL, "print the figures as one JSON document", CLI_FLAG, AT(json), 0, 0},
    {NULL, NULL, NULL, CLI_FLAG, 0, 0, 0},
};

static void print_table(const sim_scenario *scenario, const char *assignor, const sim_figures *figures)
{
    const segue_group *group = segue_document_group(scenario->group);
    char *name = sim_plain_name(scenario->name);
    printf("%s under %s: %u tasks, %u members in all\n\n", name == NULL ? "" : name, assignor, group->task_count,
           group->member_count);
    free(name);
    for (int i = 0; i < SIM_FIGURE_COUNT; i++) {
        char room[40];
        printf("  %-18s %14s  %s\n", sim_figure_rows[i].name,
               sim_show(sim_figure_at(figures, i), sim_figure_rows[i].unit, room, sizeof room),
               sim_figure_rows[i].meaning);
    }
}

static int print_json(const sim_scenario *scenario, const char *assignor, int64_t seed, const sim_figures *figures)
{
    json_t *rows = json_object();
#define ADD_int64_t(name, value) json_object_set_new(rows, name, json_integer(value))
#define ADD_double(name, value) json_object_set_new(rows, name, sim_figure_json(value))
#define ADD(field, type, name, unit, meaning) ADD_##type(name, figures->field);
    SIM_FIGURES(ADD)
#undef ADD
    json_t *root = json_pack("{s:s, s:s, s:s, s:I, s:o}", "segue", "simulation/1", "name", scenario->name, "assignor",
                             assignor, "seed", (json_int_t)seed, "figures", rows);
    int failed = root == NULL || json_dumpf(root, stdout, JSON_INDENT(2)) != 0;
    fputc('\n', stdout);
    json_decref(root);
    if (failed) {
        cli_complain("simulate: the figures cannot be written");
    }
    return failed ? CLI_INPUT : CLI_OK;
}

/* Plays with the events on their way into a file. */
static int32_t run_recorded(const sim_player *player, const sim_scenario *scenario, const simulate_options *wanted,
                            FILE *file, sim_figures *figures, segue_error *error)
{
    sim_record record;
    sim_record_about about = {.assignor = player->assignor, .seed = (uint64_t)wanted->seed, .seeds = 1};
    int32_t status = sim_record_open(&record, file, scenario, &about) == 0 ? SEGUE_OK : SEGUE_E_MEMORY;
    status = status == SEGUE_OK ? sim_run(player, scenario, &record.listener, figures, error) : status;
    sim_record_close(&record);
    return status;
}

static int can_be_read_again(FILE *file)
{
    struct stat about;
    return fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode);
}

/* Nothing where nobody wants the events; a file that is read again where a report is made of them. */
static int open_events(const simulate_options *wanted, FILE **file)
{
    if (wanted->events != NULL) {
        *file = fopen(wanted->events, wanted->report == NULL ? "we" : "w+e");
        if (*file == NULL) {
            cli_complain("%s: %s", wanted->events, strerror(errno));
            return CLI_INPUT;
        }
        if (wanted->report != NULL && !can_be_read_again(*file)) {
            cli_complain("%s: the report is made of the events, which have to be in a file for it, not in a device or a pipe",
                         wanted->events);
            return CLI_USAGE;
        }
        return cli_spare(wanted->events, wanted->report);
    } else if (wanted->report != NULL) {
        *file = report_scratch();
        return *file == NULL ? CLI_INPUT : CLI_OK;
    }
    return CLI_OK;
}

static int play(const sim_player *player, const sim_scenario *scenario, const simulate_options *wanted,
                sim_figures *figures)
{
    char text[CLI_ERROR_TEXT] = "";
    segue_error error = cli_error(text, sizeof text);
    FILE *file = NULL;
    int opened = open_events(wanted, &file);
    if (opened != CLI_OK) {
        if (file != NULL) {
            fclose(file);
        }
        return opened;
    }
    int32_t status = file == NULL ? sim_run(player, scenario, NULL, figures, &error)
                                  : run_recorded(player, scenario, wanted, file, figures, &error);
    int reported = status == SEGUE_OK && wanted->report != NULL ? report_write(wanted->report, file) : CLI_OK;
    int failed = file != NULL && ferror(file);
    failed |= file != NULL && fclose(file) != 0;
    if (failed) {
        cli_complain("%s: the events could not be written in full", wanted->events == NULL ? "--report" : wanted->events);
        return CLI_INPUT;
    }
    if (reported != CLI_OK) {
        return reported;
    }
    error.code = status;
    return status == SEGUE_OK ? CLI_OK : cli_fault(&error);
}

static int simulate(const simulate_options *wanted, segue_host *host, const cli_command *command,
                    const sim_scenario *scenario)
{
    sim_player player;
    sim_figures figures = {0};
    int status = sim_find_assignor(command, host, wanted->assignor, &player);
    player.decides = wanted->events != NULL || wanted->report != NULL;
    player.shows_progress = wanted->source.progress;
    status = status == CLI_OK ? play(&player, scenario, wanted, &figures) : status;
    if (status != CLI_OK) {
        return status;
    }
    if (wanted->json) {
        return print_json(scenario, player.assignor, wanted->seed, &figures);
    }
    print_table(scenario, player.assignor, &figures);
    return CLI_OK;
}

static int simulate_text(const simulate_options *wanted, const cli_command *command, const char *text, size_t size)
{
    char message[CLI_ERROR_TEXT];
    segue_error error = cli_error(message, sizeof message);
    sim_scenario scenario;
    segue_host *host = NULL;
    int32_t read = sim_scenario_read(text, size, sim_source_name(&wanted->source), (uint64_t)wanted->seed, &scenario,
                                     &error);
    int status = read == SEGUE_OK ? cli_open_host(wanted->source.plugin, &host) : cli_fault(&error);
    status = status == CLI_OK ? simulate(wanted, host, command, &scenario) : status;
    segue_host_close(host);
    sim_scenario_free(&scenario);
    return status;
}

static const char *of_a_run(const simulate_options *wanted)
{
    return wanted->events != NULL      ? "--events"
           : wanted->report != NULL    ? "--report"
           : wanted->json              ? "--json"
           : wanted->assignor != NULL  ? "--assignor"
           : wanted->seed != SEED_NONE ? "--seed"
                                       : NULL;
}

/* No file is read here and written, nor written twice. */
static int check_files(const simulate_options *wanted)
{
    int status = cli_spare(wanted->source.file, wanted->events);
    status = status == CLI_OK ? cli_spare(wanted->source.file, wanted->report) : status;
    if (status == CLI_OK && wanted->events != NULL && wanted->report != NULL &&
        strcmp(wanted->events, wanted->report) == 0) {
        cli_complain("%s: --events and --report name this file; each needs one of its own", wanted->report);
        return CLI_USAGE;
    }
    return status;
}

int cli_simulate(const cli_command *command, int count, char *const *arguments)
{
    simulate_options wanted = {.seed = SEED_NONE, .source = SIM_SOURCE_UNREAD};
    char *text = NULL;
    size_t size = 0;
    int status =
        cli_parse(command, options, count, arguments, &wanted, &wanted.source.file, 1, &wanted.source.file_count);
    status = status == CLI_GO_ON ? sim_find_text(command, &wanted.source, of_a_run(&wanted), &text, &size) : status;
    if (status != CLI_GO_ON) {
        return status;
    }
    wanted.assignor = wanted.assignor == NULL ? ASSIGNOR : wanted.assignor;
    wanted.seed = wanted.seed == SEED_NONE ? SEED : wanted.seed;
    status = check_files(&wanted);
    status = status == CLI_OK ? simulate_text(&wanted, command, text, size) : status;
    free(text);
    return status;
}
