/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

/* The parser counts its places in an int; and what never ends (a device, a pipe) must not take all memory first. */
#define TOO_LONG ((size_t)INT_MAX)

enum { FIRST_ROOM = 65536 };

static int is_standard_input(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0;
}

const char *cli_source(const char *path)
{
    return is_standard_input(path) ? "standard input" : path;
}

/* Twice the room; returns 0, or -1 with errno. */
static int widen(char **text, size_t *room)
{
    if (*room == TOO_LONG) {
        errno = EFBIG;
        return -1;
    }
    size_t wider = *room == 0 ? FIRST_ROOM : *room > TOO_LONG / 2 ? TOO_LONG : *room * 2;
    char *grown = realloc(*text, wider);
    if (grown == NULL) {
        return -1;
    }
    *text = grown;
    *room = wider;
    return 0;
}

static void complain_of_reading(const char *source)
{
    if (errno == EFBIG) {
        cli_complain("%s: 2 GiB are read and it goes on; what can be read is shorter", source);
    } else {
        cli_complain("%s: %s", source, strerror(errno));
    }
}

/* Reads to the end; returns 0, or -1 with errno. */
static int read_all(FILE *file, char **text, size_t *size)
{
    size_t room = 0;
    size_t used = 0;
    for (;;) {
        if (used == room && widen(text, &room) != 0) {
            return -1;
        }
        size_t got = fread(*text + used, 1, room - used, file);
        used += got;
        if (got == 0) {
            *size = used;
            return ferror(file) ? -1 : 0;
        }
    }
}

FILE *cli_open_file(const char *path)
{
    struct stat about;
    FILE *file = is_standard_input(path) ? stdin : fopen(path, "rbe");
    int is_folder = file != NULL && fstat(fileno(file), &about) == 0 && S_ISDIR(about.st_mode);
    if (file == NULL || is_folder) {
        cli_complain("%s: %s", cli_source(path), strerror(is_folder ? EISDIR : errno));
        cli_close_file(file);
        return NULL;
    }
    return file;
}

void cli_close_file(FILE *file)
{
    if (file != NULL && file != stdin) {
        fclose(file);
    }
}

int cli_read_file(const char *path, char **text, size_t *size)
{
    *text = NULL;
    *size = 0;
    FILE *file = cli_open_file(path);
    if (file != NULL && read_all(file, text, size) != 0) {
        complain_of_reading(cli_source(path));
        free(*text);
        *text = NULL;
    }
    cli_close_file(file);
    return *text != NULL ? CLI_OK : CLI_INPUT;
}

int cli_read_line(FILE *file, const char *source, char **line, size_t *room, size_t *size)
{
    int next = 0;
    *size = 0;
    while (next != '\n' && (next = getc_unlocked(file)) != EOF) {
        if (*size == *room && widen(line, room) != 0) {
            complain_of_reading(source);
            return CLI_INPUT;
        }
        (*line)[(*size)++] = (char)next;
    }
    if (next == EOF && ferror(file)) {
        complain_of_reading(source);
        return CLI_INPUT;
    }
    return next == EOF && *size == 0 ? CLI_OK : CLI_GO_ON;
}

int cli_spare(const char *input, const char *output)
{
    struct stat from, to;
    if (output != NULL && strcmp(output, "-") == 0) {
        cli_complain("- is given; the name of a file to write into is needed");
        return CLI_USAGE;
    }
    if (is_standard_input(input) || output == NULL || stat(input, &from) != 0 || stat(output, &to) != 0 ||
        !S_ISREG(from.st_mode) || from.st_dev != to.st_dev || from.st_ino != to.st_ino) {
        return CLI_OK;
    }
    cli_complain("%s: this file is read and would be overwritten; another one is needed to write into", output);
    return CLI_USAGE;
}

int cli_flush(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return CLI_OK;
    }
    cli_complain("standard output: %s", errno != 0 ? strerror(errno) : "writing failed");
    return CLI_INPUT;
}
