/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "nearest.h"

#define COMMANDS 3

static const cli_command commands[COMMANDS] = {
    {"assign", "--assignor NAME [--plugin PATH] [--compact] [--batch] [FILE|-]",
     "print the plan for a group: what each member should hold after a rebalance", cli_assign},
    {"list", "[--plugin PATH] [--json]", "show the plugins and assignors that there are", cli_list},
    {"bench", "[--assignor NAME]... [--tasks N --members M | --file GROUP] [--event EVENT]",
     "time assignors against a copy of their input and output", cli_bench},
};

static void print_help(FILE *out)
{
    fprintf(out, "segue decides which member of a group holds which task, and moves state without an outage.\n\n");
    for (int i = 0; i < COMMANDS; i++) {
        fprintf(out, "  segue %s %s\n      %s\n", commands[i].name, commands[i].usage, commands[i].summary);
    }
    fprintf(out, "  segue --version\n  segue COMMAND --help\n\n"
                 "Exit status: 0 done, 1 the input is at fault or output failed, 2 wrong usage,\n"
                 "3 no such plugin or assignor.\n");
}

static int refuse(const char *word)
{
    const char *known[] = {"assign", "list", "bench", "--help", "--version", NULL};
    const char *nearest = sgi_nearest(word, known);
    if (nearest != NULL) {
        cli_complain("%s is no command; the nearest is %s (segue --help shows all)", word, nearest);
    } else {
        cli_complain("%s is no command (segue --help shows all)", word);
    }
    return CLI_USAGE;
}

static int run(int count, char *const *arguments)
{
    if (count == 0) {
        print_help(stderr);
        return CLI_USAGE;
    }
    const char *word = arguments[0];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        print_help(stdout);
        return CLI_OK;
    }
    if (strcmp(word, "--version") == 0) {
        printf("segue %s (plugin interface %u)\n", segue_version(), SEGUE_ABI_VERSION);
        return CLI_OK;
    }
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(word, commands[i].name) == 0) {
            return commands[i].run(&commands[i], count - 1, arguments + 1);
        }
    }
    return refuse(word);
}

int main(int argc, char **argv)
{
    /* A reader that has gone away is then an error of the write, with its message and exit status. */
    signal(SIGPIPE, SIG_IGN);
    int status = run(argc > 0 ? argc - 1 : 0, argv + 1);
    int flushed = cli_flush();
    return status != CLI_OK ? status : flushed;
}
