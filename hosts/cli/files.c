/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

enum { FIRST_ROOM = 65536 };

static int is_standard_input(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0;
}

const char *cli_source(const char *path)
{
    return is_standard_input(path) ? "standard input" : path;
}

/* Reads to the end; returns 0, or -1 with errno. */
static int read_all(FILE *file, char **text, size_t *size)
{
    size_t room = 0;
    size_t used = 0;
    for (;;) {
        if (used == room) {
            room = room == 0 ? FIRST_ROOM : room * 2;
            char *grown = realloc(*text, room);
            if (grown == NULL) {
                return -1;
            }
            *text = grown;
        }
        size_t got = fread(*text + used, 1, room - used, file);
        used += got;
        if (got == 0) {
            *size = used;
            return ferror(file) ? -1 : 0;
        }
    }
}

int cli_read_file(const char *path, char **text, size_t *size)
{
    *text = NULL;
    *size = 0;
    FILE *file = is_standard_input(path) ? stdin : fopen(path, "rbe");
    if (file == NULL || read_all(file, text, size) != 0) {
        cli_complain("%s: %s", cli_source(path), strerror(errno));
        free(*text);
        *text = NULL;
    }
    if (file != NULL && file != stdin) {
        fclose(file);
    }
    return *text != NULL ? CLI_OK : CLI_INPUT;
}

int cli_spare(const char *input, const char *output)
{
    struct stat from, to;
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
