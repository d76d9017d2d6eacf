/* SPDX-License-Identifier: Apache-2.0 */
/* segue report: makes a page of files of events, whoever wrote them. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "page.h"

enum { FILES_MOST = 32, WORD_ROOM = 160 };

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

static int is_head(const json_t *row)
{
    const char *version = json_string_value(json_object_get(row, "segue"));
    return version != NULL && strcmp(version, "events/1") == 0 && json_is_array(json_object_get(row, "tasks")) &&
           json_is_array(json_object_get(row, "members")) && json_is_string(json_object_get(row, "assignor"));
}

/* What is wrong with a line, into `why`; NULL when nothing is. */
static const char *wrong_line(const char *line, size_t size, int is_first, char *why)
{
    json_error_t error;
    json_t *row = json_loadb(line, size, 0, &error);
    const char *wrong = NULL;
    if (row == NULL) {
        snprintf(why, WORD_ROOM, "this is no JSON: %.100s", error.text);
        wrong = why;
    } else if (is_first && !is_head(row)) {
        wrong = "no head of a file of events (\"segue\": \"events/1\", with tasks, members and assignor)";
    } else if (!is_head(row) && (!json_is_string(json_object_get(row, "event")) ||
                                 !json_is_integer(json_object_get(row, "at_us")))) {
        wrong = "an event needs \"event\" and \"at_us\"";
    }
    json_decref(row);
    return wrong;
}

/* Copies a file of events line by line, and looks at each. */
static int take(const char *path, const char *text, size_t size, FILE *events)
{
    char why[WORD_ROOM];
    int number = 0;
    int is_first = 1;
    for (const char *line = text; line < text + size;) {
        const char *end = memchr(line, '\n', (size_t)(text + size - line));
        size_t length = (size_t)((end == NULL ? text + size : end) - line);
        number++;
        if (length > 0) {
            const char *wrong = wrong_line(line, length, is_first, why);
            if (wrong != NULL) {
                cli_complain("%s: line %d: %s", cli_source(path), number, wrong);
                return CLI_INPUT;
            }
            fwrite(line, 1, length, events);
            fputc('\n', events);
            is_first = 0;
        }
        line += length + 1;
    }
    if (is_first) {
        cli_complain("%s: there are no events in it", cli_source(path));
    }
    return is_first ? CLI_INPUT : CLI_OK;
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
