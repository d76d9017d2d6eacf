/* SPDX-License-Identifier: Apache-2.0 */
/* runs.h - what `segue simulate` and `segue compare` share: where a scenario comes from, one run of it, its figures. */
#ifndef SEGUE_HOSTS_CLI_SIMULATE_RUNS_H
#define SEGUE_HOSTS_CLI_SIMULATE_RUNS_H

#include <jansson.h>

#include "cli.h"
#include "measure.h"
#include "play.h"
#include "scenario.h"

/* The options that say what is played. Embedded first in each command's own struct. */
typedef struct sim_source {
    const char *preset, *size, *plugin;
    int64_t tasks, members, standbys, state_mb, restore_mb;
    const char *file;
    uint32_t file_count;
    int print, progress;
} sim_source;

#define SIM_SOURCE_OPTIONS(type)                                                                                      \
    {"--preset", "NAME", "a scenario that comes along; --preset list shows them", CLI_TEXT, offsetof(type, source.preset), \
     0, 0},                                                                                                           \
        {"--size", "SIZE", "of a preset: S (50 tasks, 5 members; default), M (500, 25), L (5000, 200),\n"             \
                           "                         XL (10000, 1000)", CLI_TEXT, offsetof(type, source.size), 0, 0}, \
        {"--tasks", "N", "of a preset, instead of the size's", CLI_NUMBER, offsetof(type, source.tasks), 1,           \
         SEGUE_MAX_TASKS},                                                                                            \
        {"--members", "N", "the same", CLI_NUMBER, offsetof(type, source.members), 1, SEGUE_MAX_MEMBERS / 2},         \
        {"--standbys", "N", "standbys of each task of a preset (default: 0)", CLI_NUMBER,                             \
         offsetof(type, source.standbys), 0, 16},                                                                     \
        {"--state-mb", "N", "MiB of each task's state in a preset (default: 1024)", CLI_NUMBER,                       \
         offsetof(type, source.state_mb), 0, 1048576},                                                                \
        {"--restore-mb", "N", "MiB a second that a member of a preset restores (default: 100)", CLI_NUMBER,           \
         offsetof(type, source.restore_mb), 1, 1048576},                                                              \
        {"--print", NULL, "print the scenario's document instead of playing it", CLI_FLAG,                            \
         offsetof(type, source.print), 0, 0},                                                                         \
        {"--progress", NULL, "say how far a long run is, also where standard error is no terminal", CLI_FLAG,           \
         offsetof(type, source.progress), 0, 0},                                                                      \
        {"--plugin", "PATH", "load this plugin: a path, or a name on the search path", CLI_TEXT,                      \
         offsetof(type, source.plugin), 0, 0}

/* What a source is before its options are read. */
#define SIM_SOURCE_UNREAD {.state_mb = -1, .standbys = -1}

/*
 * The document's text, for free(). CLI_GO_ON, or the exit status to end with; says itself what is wrong. `of_a_run` is an
 * option that was given and is heeded only where something is played, or NULL.
 */
int sim_find_text(const cli_command *command, const sim_source *source, const char *of_a_run, char **text, size_t *size);

/* A scenario's name in one line that steers no terminal, for free(); NULL without memory. */
char *sim_plain_name(const char *name);

/* What messages call it. */
const char *sim_source_name(const sim_source *source);

/* Finds an assignor's traits and name as its plugin has it. CLI_OK, or an exit status with its message. */
int sim_find_assignor(const cli_command *command, segue_host *host, const char *name, sim_player *player);

/* Plays it once and measures. `also` hears everything too; NULL: nobody. */
int32_t sim_run(const sim_player *player, const sim_scenario *scenario, sim_listener *also, sim_figures *figures,
                segue_error *error);

/* One figure by its place in SIM_FIGURES. */
enum { SIM_FIGURE_COUNT = 0
#define SIM_FIGURE_ONE(field, type, name, unit, meaning) +1
       SIM_FIGURES(SIM_FIGURE_ONE)
#undef SIM_FIGURE_ONE
};
typedef struct sim_figure_row {
    const char *name, *unit, *meaning;
} sim_figure_row;
extern const sim_figure_row sim_figure_rows[];

/* What was not reached is null. */
json_t *sim_figure_json(double value);
double sim_figure_at(const sim_figures *figures, int index);

/* A number with its unit as people read it: "1.5 GiB", "2 h 5 min", "12". */
const char *sim_show(double number, const char *unit, char *room, size_t size);

#endif
