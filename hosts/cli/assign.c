/* SPDX-License-Identifier: Apache-2.0 */
/* segue assign: a group document in, a plan document out. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"

enum { INDENT = 1, SOURCE_ROOM = 256 };

typedef struct assign_options {
    const char *assignor;
    const char *plugin;
    const char *isolation;
    int compact;
    int batch;
    const char *file;
    uint32_t file_count;
} assign_options;

#define AT(field) offsetof(assign_options, field)

static const cli_option options[] = {
    {"--assignor", "NAME", "who decides: learner, sticky, ... (segue list shows all)", CLI_TEXT, AT(assignor), 0, 0},
    {"--plugin", "PATH", "load this plugin: a path, or a name on the search path", CLI_TEXT, AT(plugin), 0, 0},
    {"--isolation", "HOW", "keep plugins away from this process: none, thread or process", CLI_TEXT, AT(isolation), 0, 0},
    {"--compact", NULL, "print the plan on one line", CLI_FLAG, AT(compact), 0, 0},
    {"--batch", NULL,
     "one group a line in, one line out for each: its plan, or\n"
     "                         {\"segue\": \"error/1\", \"line\": N, \"error\": TEXT}; goes on behind a\n"
     "                         line at fault, and then ends with status 1",
     CLI_FLAG, AT(batch), 0, 0},
    {NULL, NULL, NULL, CLI_FLAG, 0, 0, 0},
};

/* What one group needs on its way. */
typedef struct job {
    segue_document *document;
    segue_plan *plan;
    char *text;
    size_t size;
} job;

static void finish(job *work)
{
    segue_document_free(work->document);
    segue_plan_free(work->plan);
    segue_free(work->text);
}

static int32_t make_room(job *work, segue_error *error)
{
    const segue_group *group = segue_document_group(work->document);
    segue_bound bound = {.size = sizeof bound};
    int32_t status = segue_host_bound(group, segue_document_config(work->document), &bound);
    status = status == SEGUE_OK ? segue_plan_new(group->task_count, &bound, 1, &work->plan) : status;
    if (status != SEGUE_OK) {
        error->code = status;
        snprintf(error->text, error->text_size, "no room for the plan: %s", segue_status_word(status));
    }
    return status;
}

static int32_t decide(segue_host *host, const assign_options *wanted, const char *source, job *work, segue_error *error)
{
    char why[CLI_ERROR_TEXT] = "";
    segue_report report = {.size = sizeof report, .text = why, .text_size = sizeof why};
    int32_t status = segue_host_assign(host, wanted->assignor, segue_document_group(work->document),
                                       segue_document_config(work->document), work->plan, &report, error);
    if (status == SEGUE_OK && report.fallback) {
        cli_complain("warning: %s: the fallback answered instead of %s: %s", source, wanted->assignor, why);
    }
    if (status == SEGUE_OK) {
        uint32_t indent = wanted->compact || wanted->batch ? 0 : INDENT;
        status = segue_document_write_plan(work->document, wanted->assignor, work->plan, report.elapsed_ns, indent,
                                           &work->text, &work->size, error);
    }
    return status;
}

/* From one text to one printed plan. */
static int32_t assign_text(segue_host *host, const assign_options *wanted, const char *text, size_t size,
                           const char *source, segue_error *error)
{
    job work = {0};
    int32_t status = segue_document_read(text, size, source, &work.document, error);
    status = status == SEGUE_OK ? make_room(&work, error) : status;
    status = status == SEGUE_OK ? decide(host, wanted, source, &work, error) : status;
    if (status == SEGUE_OK) {
        fwrite(work.text, 1, work.size, stdout);
        fputc('\n', stdout);
    }
    finish(&work);
    return status;
}

static int assign_file(segue_host *host, const assign_options *wanted)
{
    char text[CLI_ERROR_TEXT];
    segue_error error = cli_error(text, sizeof text);
    char *input = NULL;
    size_t size = 0;
    int status = cli_read_file(wanted->file, &input, &size);
    if (status == CLI_OK && assign_text(host, wanted, input, size, cli_source(wanted->file), &error) != SEGUE_OK) {
        status = cli_fault(&error);
    }
    free(input);
    return status;
}

/* A line of output for a line of input that has no plan, so that the two can be read side by side. */
static void print_error_line(size_t line, const char *text)
{
    json_t *row = json_pack("{s:s, s:I, s:s}", "segue", "error/1", "line", (json_int_t)line, "error", text);
    if (row == NULL || json_dumpf(row, stdout, 0) != 0) {
        fprintf(stdout, "{\"segue\": \"error/1\", \"line\": %zu, \"error\": \"bad-document\"}", line);
    }
    fputc('\n', stdout);
    json_decref(row);
}

/* CLI_GO_ON, or the exit status when no later line can do better. */
static int assign_line(segue_host *host, const assign_options *wanted, const char *input, size_t size, size_t line,
                       int *faults)
{
    char text[CLI_ERROR_TEXT];
    char source[SOURCE_ROOM];
    segue_error error = cli_error(text, sizeof text);
    snprintf(source, sizeof source, "%s line %zu", cli_source(wanted->file), line);
    if (assign_text(host, wanted, input, size, source, &error) != SEGUE_OK) {
        int status = cli_fault(&error);
        if (status == CLI_NO_PLUGIN) {
            return status;
        }
        print_error_line(line, text);
        *faults = 1;
    }
    return cli_flush() == CLI_OK ? CLI_GO_ON : CLI_INPUT;
}

static int assign_lines(segue_host *host, const assign_options *wanted, FILE *file)
{
    const char *source = cli_source(wanted->file);
    char *input = NULL;
    size_t room = 0, size = 0;
    int faults = 0;
    int status = cli_read_line(file, source, &input, &room, &size);
    for (size_t line = 1; status == CLI_GO_ON; line++) {
        size_t end = size - (input[size - 1] == '\n');
        status = assign_line(host, wanted, input, end, line, &faults);
        status = status == CLI_GO_ON ? cli_read_line(file, source, &input, &room, &size) : status;
    }
    free(input);
    return status != CLI_OK ? status : faults ? CLI_INPUT : CLI_OK;
}

static int assign_batch(segue_host *host, const assign_options *wanted)
{
    FILE *file = cli_open_file(wanted->file);
    int status = file == NULL ? CLI_INPUT : assign_lines(host, wanted, file);
    cli_close_file(file);
    return status;
}

int cli_assign(const cli_command *command, int count, char *const *arguments)
{
    assign_options wanted = {0};
    int status = cli_parse(command, options, count, arguments, &wanted, &wanted.file, 1, &wanted.file_count);
    if (status != CLI_GO_ON) {
        return status;
    }
    if (wanted.assignor == NULL) {
        cli_complain("assign: --assignor NAME is needed (segue list shows all)");
        return CLI_USAGE;
    }
    segue_host *host = NULL;
    status = cli_open_host_apart(wanted.plugin, wanted.isolation, &host);
    if (status == CLI_OK) {
        status = wanted.batch ? assign_batch(host, &wanted) : assign_file(host, &wanted);
    }
    segue_host_close(host);
    return status;
}
