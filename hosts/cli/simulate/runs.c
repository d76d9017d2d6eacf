/* SPDX-License-Identifier: Apache-2.0 */
#include "runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "nearest.h"
#include "preset.h"
#include "progress.h"
#include "sizes.h"

enum { PRESETS_MOST = 32, MIB = 1048576 };

/* ---- where a scenario comes from ----------------------------------------------------------------------------------- */

static int list_presets(void)
{
    for (const sim_preset *one = sim_presets; one->name != NULL; one++) {
        printf("%-16s %s\n", one->name, one->summary);
    }
    return CLI_OK;
}

static int refuse_preset(const cli_command *command, const char *name)
{
    const char *known[PRESETS_MOST] = {0};
    for (int i = 0; sim_presets[i].name != NULL; i++) {
        known[i] = sim_presets[i].name;
    }
    const char *nearest = sgi_nearest(name, known);
    cli_complain("%s: no preset %s%s%s (--preset list shows all)", command->name, name,
                 nearest == NULL ? "" : "; the nearest is ", nearest == NULL ? "" : nearest);
    return CLI_USAGE;
}

static int shape_of(const cli_command *command, const sim_source *source, sim_preset_shape *shape)
{
    const char *size = source->size == NULL ? "S" : source->size;
    if (!sim_size(size, shape)) {
        cli_complain("%s: --size: \"%s\" is given; S, M, L or XL is needed", command->name, size);
        return CLI_USAGE;
    }
    shape->tasks = source->tasks > 0 ? source->tasks : shape->tasks;
    shape->members = source->members > 0 ? source->members : shape->members;
    shape->standbys = source->standbys > 0 ? source->standbys : 0;
    shape->state_bytes = source->state_mb >= 0 ? source->state_mb * MIB : shape->state_bytes;
    shape->restore_bytes_per_s = source->restore_mb > 0 ? source->restore_mb * MIB : shape->restore_bytes_per_s;
    return CLI_GO_ON;
}

static int preset_text(const cli_command *command, const sim_source *source, char **text, size_t *size)
{
    sim_preset_shape shape;
    if (strcmp(source->preset, "list") == 0) {
        return list_presets();
    }
    int status = shape_of(command, source, &shape);
    if (status != CLI_GO_ON) {
        return status;
    }
    *text = sim_preset_write(source->preset, &shape, size);
    return *text == NULL ? refuse_preset(command, source->preset) : CLI_GO_ON;
}

/* The option that only a preset heeds, if one is given; NULL: none. */
static const char *preset_option(const sim_source *source)
{
    const struct {
        const char *name;
        int is_given;
    } options[] = {{"--size", source->size != NULL},       {"--tasks", source->tasks > 0},
                   {"--members", source->members > 0},     {"--standbys", source->standbys >= 0},
                   {"--state-mb", source->state_mb >= 0}, {"--restore-mb", source->restore_mb > 0},
                   {"--print", source->print}};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (options[i].is_given) {
            return options[i].name;
        }
    }
    return NULL;
}

/* What is asked for and would be done for nothing, or not at all. */
static int check_source(const cli_command *command, const sim_source *source, const char *of_a_run)
{
    int is_list = source->preset != NULL && strcmp(source->preset, "list") == 0;
    if (source->preset != NULL && source->file_count > 0) {
        cli_complain("%s: --preset and a file are given; one of them is needed", command->name);
        return CLI_USAGE;
    }
    if (source->preset == NULL && source->file_count == 0) {
        cli_complain("%s: a scenario is needed: a file, - for standard input, or --preset NAME", command->name);
        return CLI_USAGE;
    }
    if (source->preset == NULL && preset_option(source) != NULL) {
        cli_complain("%s: %s is of presets alone; a document says it itself", command->name, preset_option(source));
        return CLI_USAGE;
    }
    if (is_list && preset_option(source) != NULL) {
        cli_complain("%s: %s is of one preset, and --preset list only names them", command->name, preset_option(source));
        return CLI_USAGE;
    }
    if (of_a_run == NULL) {
        of_a_run = source->progress ? "--progress" : source->plugin != NULL ? "--plugin" : NULL;
    }
    if (of_a_run != NULL && (source->print || is_list)) {
        cli_complain("%s: %s is of a run, and with %s nothing is played", command->name, of_a_run,
                     is_list ? "--preset list" : "--print");
        return CLI_USAGE;
    }
    return CLI_GO_ON;
}

int sim_find_text(const cli_command *command, const sim_source *source, const char *of_a_run, char **text, size_t *size)
{
    int status = check_source(command, source, of_a_run);
    if (status != CLI_GO_ON) {
        return status;
    }
    if (source->preset != NULL) {
        status = preset_text(command, source, text, size);
    } else if (cli_read_file(source->file, text, size) != CLI_OK) {
        status = CLI_INPUT;
    }
    if (status == CLI_GO_ON && source->print) {
        fwrite(*text, 1, *size, stdout);
        fputc('\n', stdout);
        free(*text);
        *text = NULL;
        return CLI_OK;
    }
    return status;
}

const char *sim_source_name(const sim_source *source)
{
    return source->preset != NULL ? source->preset : cli_source(source->file);
}

char *sim_plain_name(const char *name)
{
    char *plain = strdup(name);
    if (plain != NULL) {
        sgi_clean_line(plain);
    }
    return plain;
}

int sim_find_assignor(const cli_command *command, segue_host *host, const char *name, sim_player *player)
{
    segue_assignor_row row = {.size = sizeof row};
    if (cli_find_assignor(host, name, &row)) {
        *player = (sim_player){.host = host, .assignor = row.name, .traits = row.traits};
        return CLI_OK;
    }
    cli_complain("%s: no assignor %s (segue list shows all)", command->name, name);
    return CLI_NO_PLUGIN;
}

/* ---- one run ------------------------------------------------------------------------------------------------------- */

int32_t sim_run(const sim_player *player, const sim_scenario *scenario, sim_listener *also, sim_figures *figures,
                segue_error *error)
{
    sim_measure *measure = sim_measure_open(scenario);
    if (measure == NULL) {
        return SEGUE_E_MEMORY;
    }
    sim_listener *listener = sim_measure_listener(measure);
    sim_progress_line line;
    sim_progress_open(&line, player->assignor, scenario->until_us, player->shows_progress);
    listener->next = &line.listener;
    line.listener.next = also;
    int32_t status = sim_play(player, scenario, listener, error);
    sim_progress_close(&line);
    int is_measured = sim_measure_end(measure, figures) == 0;
    sim_measure_close(measure);
    return status == SEGUE_OK && !is_measured ? SEGUE_E_MEMORY : status;
}

/* ---- figures ------------------------------------------------------------------------------------------------------- */

const sim_figure_row sim_figure_rows[] = {
#define ROW(field, type, name, unit, meaning) {name, unit, meaning},
    SIM_FIGURES(ROW)
#undef ROW
};

double sim_figure_at(const sim_figures *figures, int index)
{
    const double all[] = {
#define VALUE(field, type, name, unit, meaning) (double)figures->field,
        SIM_FIGURES(VALUE)
#undef VALUE
    };
    return all[index];
}

json_t *sim_figure_json(double value)
{
    return isinf(value) ? json_null() : json_real(value);
}

static const char *show_seconds(double s, char *room, size_t size)
{
    if (s < 59.95) {
        snprintf(room, size, s < 10 ? "%.3g s" : "%.1f s", s);
        return room;
    }
    s = s < 60 ? 60 : s;
    if (s < 3600) {
        snprintf(room, size, "%.0f min %02.0f s", floor(s / 60), floor(fmod(s, 60)));
    } else {
        snprintf(room, size, "%.0f h %02.0f min", floor(s / 3600), floor(fmod(s / 60, 60)));
    }
    return room;
}

const char *sim_show(double number, const char *unit, char *room, size_t size)
{
    if (isinf(number)) {
        snprintf(room, size, "not reached");
        return room;
    }
    if (strcmp(unit, "B") == 0) {
        return size_write(number, room, size);
    }
    if (strcmp(unit, "s") == 0) {
        return show_seconds(number, room, size);
    }
    /* Less than this is what rounding left over. */
    number = number < 1e-4 ? 0 : number;
    snprintf(room, size, number == floor(number) ? "%.0f" : number >= 100 ? "%.1f" : "%.3g", number);
    return room;
}
