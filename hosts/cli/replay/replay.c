/* SPDX-License-Identifier: Apache-2.0 */
/* segue replay: asks again what a host was asked, and says what the answer differs in. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli.h"
#include "error.h"
#include "frame.h"
#include "report/page.h"
#include "retell.h"

static const char nothing_recorded[] = "nothing is recorded in it";

enum { DIFFERENCES_SHOWN = 5, NAME_ROOM = 96, TIME_ROOM = 40 };

typedef struct replay_options {
    const char *assignor, *plugin, *report, *file;
    int64_t step;
    uint32_t file_count;
    int group, json;
} replay_options;

#define AT(field) offsetof(replay_options, field)

static const cli_option options[] = {
    {"--assignor", "NAME", "ask this one instead of the one that was asked", CLI_TEXT, AT(assignor), 0, 0},
    {"--step", "N", "this step alone; the first is 1", CLI_NUMBER, AT(step), 1, INT64_MAX},
    {"--group", NULL, "print the step's group document, for assign and explain; needs --step", CLI_FLAG, AT(group), 0, 0},
    {"--report", "FILE", "make a page of all that was recorded, group by group, to be opened in a browser", CLI_TEXT, AT(report), 0, 0},
    {"--json", NULL, "one JSON line for each step", CLI_FLAG, AT(json), 0, 0},
    {"--plugin", "PATH", "load this plugin: a path, or a name on the search path", CLI_TEXT, AT(plugin), 0, 0},
    {NULL, NULL, NULL, CLI_FLAG, 0, 0, 0},
};

/* A step, asked again. */
typedef struct replay {
    const frame *was;
    const segue_plan *is;
    const char *assignor;
    int64_t step;
    uint32_t active, learner, standby; /* tasks that differ in it */
} replay;

/* ---- differences --------------------------------------------------------------------------------------------------- */

static int standbys_differ(const segue_plan *a, const segue_plan *b, uint32_t task)
{
    uint32_t count = a->standby_start[task + 1] - a->standby_start[task];
    return count != b->standby_start[task + 1] - b->standby_start[task] ||
           (count > 0 && memcmp(a->standby_member + a->standby_start[task], b->standby_member + b->standby_start[task],
                                count * sizeof(uint32_t)) != 0);
}

static void compare(replay *it)
{
    const segue_plan *was = &it->was->plan;
    for (uint32_t task = 0; task < it->was->group.task_count; task++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there is a plan where a step was answered */
        it->active += was->active[task] != it->is->active[task];
        it->learner += was->learner[task] != it->is->learner[task];
        it->standby += (uint32_t)standbys_differ(was, it->is, task);
    }
}

static int is_same(const replay *it)
{
    return it->active + it->learner + it->standby == 0;
}

static const char *name_of(const segue_group *group, const uint32_t *names, uint32_t row, char *room)
{
    if (row == SEGUE_NONE) {
        return "nobody";
    }
    uint32_t from = group->string_offset[names[row]];
    snprintf(room, NAME_ROOM, "%.*s", (int)(group->string_offset[names[row] + 1] - from), group->string_bytes + from);
    sgi_clean_line(room);
    return room;
}

static const char *time_of(int64_t wall_ms, char *room)
{
    struct tm parts;
    time_t seconds = (time_t)(wall_ms / 1000);
    if (gmtime_r(&seconds, &parts) == NULL || strftime(room, TIME_ROOM, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) {
        snprintf(room, TIME_ROOM, "%" PRId64 " ms", wall_ms);
    }
    return room;
}

static void print_changes(const replay *it)
{
    const segue_group *group = &it->was->group;
    uint32_t shown = 0;
    for (uint32_t task = 0; task < group->task_count && shown < DIFFERENCES_SHOWN; task++) {
        char name[NAME_ROOM], before[NAME_ROOM], after[NAME_ROOM];
        if (it->was->plan.active[task] != it->is->active[task] || it->was->plan.learner[task] != it->is->learner[task]) {
            printf("        %s: active %s, now %s", name_of(group, group->task_name, task, name),
                   name_of(group, group->member_name, it->was->plan.active[task], before),
                   name_of(group, group->member_name, it->is->active[task], after));
            printf("; learner %s, now %s\n", name_of(group, group->member_name, it->was->plan.learner[task], before),
                   name_of(group, group->member_name, it->is->learner[task], after));
            shown++;
        }
    }
}

static void print_line(const replay *it)
{
    char room[TIME_ROOM];
    const segue_record_head *head = &it->was->head;
    printf("%5" PRId64 "  %s  %s%s  %u tasks, %u members, %u moves, %u learners  ", it->step,
           time_of(head->wall_ms, room), it->was->assignor, head->fallback ? " (fallback)" : "", it->was->group.task_count,
           it->was->group.member_count, it->was->plan.moves, it->was->plan.learners);
    if (is_same(it)) {
        printf("%s: the same\n", it->assignor);
        return;
    }
    printf("%s differs in %u owners, %u learners, the standbys of %u tasks\n", it->assignor, it->active, it->learner,
           it->standby);
    print_changes(it);
}

static int print_json(const replay *it)
{
    const segue_record_head *head = &it->was->head;
    json_t *line = json_pack(
        "{s:I, s:I, s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:s, s:b, s:I, s:I, s:I, s:I}", "step", (json_int_t)it->step,
        "wall_ms", (json_int_t)head->wall_ms, "recorded", it->was->assignor, "fallback", (int)head->fallback, "elapsed_ns",
        (json_int_t)head->elapsed_ns, "tasks", (json_int_t)it->was->group.task_count, "members",
        (json_int_t)it->was->group.member_count, "moves", (json_int_t)it->was->plan.moves, "min_moves",
        (json_int_t)it->was->plan.min_moves, "assignor", it->assignor, "same", is_same(it), "active_differ",
        (json_int_t)it->active, "learner_differ", (json_int_t)it->learner, "standby_differ", (json_int_t)it->standby,
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the same */
        "moves_now", (json_int_t)it->is->moves);
    int failed = line == NULL || json_dumpf(line, stdout, JSON_COMPACT) != 0;
    fputc('\n', stdout);
    json_decref(line);
    return failed ? CLI_INPUT : CLI_OK;
}

/* ---- steps --------------------------------------------------------------------------------------------------------- */

static int print_group(const frame *it)
{
    char message[CLI_ERROR_TEXT];
    segue_error error = cli_error(message, sizeof message);
    char *text = NULL;
    size_t size = 0;
    if (segue_document_write_group(&it->group, &it->config, 1, &text, &size, &error) != SEGUE_OK) {
        return cli_fault(&error);
    }
    fwrite(text, 1, size, stdout);
    fputc('\n', stdout);
    segue_free(text);
    return CLI_OK;
}

static int ask_again(segue_host *host, const replay_options *wanted, const frame *was, int64_t step)
{
    char message[CLI_ERROR_TEXT];
    segue_error error = cli_error(message, sizeof message);
    segue_bound bound = {.size = sizeof bound};
    segue_plan *plan = NULL;
    const char *assignor = wanted->assignor != NULL ? wanted->assignor : was->assignor;
    int32_t status = segue_host_bound(&was->group, &was->config, &bound);
    status = status == SEGUE_OK ? segue_plan_new(was->group.task_count, &bound, 0, &plan) : status;
    error.code = status;
    status = status == SEGUE_OK ? segue_host_assign(host, assignor, &was->group, &was->config, plan, NULL, &error) : status;
    int exit_status = status == SEGUE_OK ? CLI_OK : cli_exit_of(error.code);
    if (exit_status != CLI_OK) {
        cli_complain("%s: step %" PRId64 ": %s", cli_source(wanted->file), step, cli_why(&error));
    } else {
        replay it = {.was = was, .is = plan, .assignor = assignor, .step = step};
        compare(&it);
        if (wanted->json) {
            exit_status = print_json(&it);
        } else {
            print_line(&it);
        }
    }
    segue_plan_free(plan);
    return exit_status;
}

static int no_memory(void)
{
    cli_complain("replay: no memory is left, or no room for temporary files");
    return CLI_INPUT;
}

/* One step: asked again, printed as a group, and told in the report, as is wanted. */
static int take_step(segue_host *host, const replay_options *wanted, const frame *it, int64_t step, retelling *told)
{
    if ((told != NULL || (wanted->group && wanted->step == step)) && frame_untold(it) != NULL) {
        cli_complain("%s: step %" PRId64 ": %s", wanted->file, step, frame_untold(it));
        return CLI_INPUT;
    }
    if (told != NULL && retell_step(told, it) != 0) {
        return no_memory();
    }
    if (wanted->step != 0 && wanted->step != step) {
        return CLI_OK;
    }
    return wanted->group ? print_group(it) : ask_again(host, wanted, it, step);
}

/* That a step's assignor is not here is said, and is no reason to pass over the others. */
static int is_elsewhere(const replay_options *wanted, int status)
{
    return status == CLI_NO_PLUGIN && wanted->assignor == NULL;
}

static int replay_file(segue_host *host, const replay_options *wanted, FILE *file, retelling *told)
{
    char why[CLI_ERROR_TEXT];
    frame it;
    int64_t step = 0;
    int status = CLI_OK, elsewhere = CLI_OK;
    enum frame_status found = FRAME_READ;
    while (status == CLI_OK && (found = frame_read(file, &it, why, sizeof why)) == FRAME_READ) {
        step++;
        status = take_step(host, wanted, &it, step, told);
        frame_free(&it);
        if (wanted->step == step && told == NULL) {
            return status;
        }
        if (is_elsewhere(wanted, status)) {
            elsewhere = status;
            status = CLI_OK;
        }
    }
    if (found == FRAME_FAULT) {
        cli_complain("%s: step %" PRId64 ": %s", cli_source(wanted->file), step + 1, why);
        return CLI_INPUT;
    }
    if (status == CLI_OK && step == 0) {
        cli_complain("%s: %s", cli_source(wanted->file), nothing_recorded);
        return CLI_INPUT;
    }
    if (status == CLI_OK && wanted->step > step) {
        cli_complain("%s: step %" PRId64 " is wanted, and there are %" PRId64, cli_source(wanted->file), wanted->step, step);
        return CLI_INPUT;
    }
    return status == CLI_OK ? elsewhere : status;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* Why no page can be made of the file, or NULL. */
static const char *unfit(FILE *file)
{
    struct stat about;
    if (fstat(fileno(file), &about) != 0 || !S_ISREG(about.st_mode)) {
        return "a report is made of a record in a file, not in a device or a pipe";
    }
    return about.st_size == 0 ? nothing_recorded : NULL;
}

/* The steps, and a page of them. */
static int replay_reported(segue_host *host, const replay_options *wanted, FILE *file)
{
    if (unfit(file) != NULL) {
        cli_complain("%s: %s", cli_source(wanted->file), unfit(file));
        return CLI_INPUT;
    }
    FILE *events = report_scratch();
    retelling *told = events == NULL ? NULL : retell_open(base_name(wanted->file), file, events);
    int asked = told == NULL ? no_memory() : replay_file(host, wanted, file, told);
    int status = is_elsewhere(wanted, asked) ? CLI_OK : asked;
    if (status == CLI_OK && retell_end(told) != 0) {
        status = no_memory();
    }
    status = status == CLI_OK ? report_write(wanted->report, events) : status;
    retell_close(told);
    if (events != NULL) {
        fclose(events);
    }
    return status == CLI_OK ? asked : status;
}

/* What is wrong with the options together, or NULL. */
static const char *misfit(const replay_options *wanted)
{
    if (wanted->file_count == 0) {
        return "a record is needed: the file that SEGUE_RECORD_PATH named";
    }
    if (wanted->group && wanted->step == 0) {
        return "--group needs --step N";
    }
    if (wanted->group && (wanted->assignor != NULL || wanted->json)) {
        return "--group prints what was recorded, and asks nobody; --assignor and --json have no place beside it";
    }
    return wanted->report != NULL && wanted->step != 0 ? "--report tells all steps, and --step takes one of them" : NULL;
}

int cli_replay(const cli_command *command, int count, char *const *arguments)
{
    replay_options wanted = {0};
    segue_host *host = NULL;
    int status = cli_parse(command, options, count, arguments, &wanted, &wanted.file, 1, &wanted.file_count);
    if (status != CLI_GO_ON) {
        return status;
    }
    const char *amiss = misfit(&wanted);
    if (amiss != NULL) {
        cli_complain("replay: %s", amiss);
        return CLI_USAGE;
    }
    status = cli_spare(wanted.file, wanted.report);
    if (status != CLI_OK) {
        return status;
    }
    FILE *file = cli_open_file(wanted.file);
    if (file == NULL) {
        return CLI_INPUT;
    }
    status = cli_open_host(wanted.plugin, &host);
    if (status == CLI_OK) {
        status = wanted.report == NULL ? replay_file(host, &wanted, file, NULL) : replay_reported(host, &wanted, file);
    }
    segue_host_close(host);
    cli_close_file(file);
    return status;
}
