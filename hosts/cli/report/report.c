/* SPDX-License-Identifier: Apache-2.0 */
/* segue report: makes a page of files of events, whoever wrote them. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "lines.h"
#include "page.h"

enum { FILES_MOST = 32 };

typedef struct report_options {
    const char *out;
    const char *files[FILES_MOST];
    uint32_t file_count;
} report_options;

#define AT(field) offsetof(report_options, field)

static const cli_option options[] = {
    {"--out", "FILE", "where the page is written (default: report.html)", CLI_TEXT, AT(out), 0, 0},
    {NULL, NULL, NULL, CLI_FLAG, 0, 0, 0},
};

/* Copies a file of events line by line, and looks at each: what the page would not understand is refused. */
static int take(const char *path, const char *text, size_t size, FILE *events)
{
    char why[LINES_WORD_ROOM];
    lines_run run = {0};
    int number = 0;
    const char *wrong = NULL;
    for (const char *line = text; wrong == NULL && line < text + size;) {
        const char *end = memchr(line, '\n', (size_t)(text + size - line));
        size_t length = (size_t)((end == NULL ? text + size : end) - line);
        number++;
        if (length > 0) {
            wrong = lines_judge(&run, line, length, why);
            fwrite(line, 1, length, events);
            fputc('\n', events);
        }
        line += length + 1;
    }
    int is_empty = run.tasks == NULL && wrong == NULL;
    lines_close(&run);
    if (wrong != NULL) {
        cli_complain("%s: line %d: %s", cli_source(path), number, wrong);
    } else if (is_empty) {
        cli_complain("%s: there are no events in it", cli_source(path));
    }
    return wrong != NULL || is_empty ? CLI_INPUT : CLI_OK;
}

static int take_file(const char *path, FILE *events)
{
    char *text = NULL;
    size_t size = 0;
    if (cli_read_file(path, &text, &size) != CLI_OK) {
        return CLI_INPUT;
    }
    int status = take(path, text, size, events);
    free(text);
    return status;
}

int cli_report(const cli_command *command, int count, char *const *arguments)
{
    report_options wanted = {.out = "report.html"};
    int status = cli_parse(command, options, count, arguments, &wanted, wanted.files, FILES_MOST, &wanted.file_count);
    if (status != CLI_GO_ON) {
        return status;
    }
    if (wanted.file_count == 0) {
        cli_complain("report: a file of events is needed: what --events of segue simulate or of the demo has written");
        return CLI_USAGE;
    }
    status = CLI_OK;
    for (uint32_t i = 0; status == CLI_OK && i < wanted.file_count; i++) {
        status = cli_spare(wanted.files[i], wanted.out);
    }
    if (status != CLI_OK) {
        return status;
    }
    FILE *events = report_scratch();
    status = events == NULL ? CLI_INPUT : CLI_OK;
    for (uint32_t i = 0; status == CLI_OK && i < wanted.file_count; i++) {
        status = take_file(wanted.files[i], events);
    }
    status = status == CLI_OK ? report_write(wanted.out, events) : status;
    if (events != NULL) {
        fclose(events);
    }
    return status;
}
