/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "nearest.h"

static const cli_command commands[] = {
    {"assign", "--assignor NAME [--plugin PATH] [--isolation HOW] [--compact] [--batch] [FILE|-]",
     "print the plan for a group: what each member should hold after a rebalance", cli_assign},
    {"explain", "[--assignor NAME] [--task ID | --member ID] [--plugin PATH] [--json] [FILE|-]",
     "say why a plan is as it is: what moves, what waits, why no other member, what is missing", cli_explain},
    {"list", "[--plugin PATH] [--json]", "show the plugins and assignors that there are", cli_list},
    {"bench",
     "[--assignor NAME]... [--tasks N --members M | --grid SIZE | --file GROUP]\n"
     "              [--event EVENT]",
     "time assignors against a copy of their input and output: one JSON line for each case,\n"
     "      or with --grid a table for people",
     cli_bench},
    {"plan",
     "[--add N [--threads N]] [--remove MEMBER]... [--state-bytes SIZE] [--restore-rate SIZE]\n"
     "             [--assignor NAME] [--expect TOKEN] [--json] (GROUP | --bootstrap-server ... | --url URL)",
     "what the next rebalances would do, with members more or fewer, before anybody scales: moves,\n"
     "      copies, bytes, time, balance; of a group document or of a running application",
     cli_plan},
    {"replay", "[--assignor NAME] [--step N [--group]] [--json] [--report FILE] RECORD",
     "ask again what a host has recorded (SEGUE_RECORD_PATH), and say what the answers differ in;\n"
     "      or turn a step into a group document",
     cli_replay},
    {"simulate", "[--assignor NAME] [--seed N] [--events FILE] [--report FILE] [--json]\n"
                 "                 (--preset NAME | FILE|-)",
     "play a scenario (members that come, go, die and are drained) under an assignor, and say\n"
     "      what it was like: moves, gaps, bytes restored, time to balance",
     cli_simulate},
    {"compare", "[--assignors A,B,C] [--modes eager,stable] [--seeds N] [--report FILE] [--json]\n"
                "                (--preset NAME | FILE|-)",
     "the same scenario under several assignors, side by side", cli_compare},
    {"report", "[--out FILE] EVENTS...",
     "make one page of files of events, as simulate and the demo write them with --events: who held what\n"
     "      and why, gaps, lags, loads, the figures; it needs no network",
     cli_report},
#ifdef SEGUE_CHECK
    {"check", "PLUGIN [--only RULE]... [--seed N] [--groups N] [--timeout SECONDS] [--json] | --rules",
     "look at a plugin, rule by rule, in processes of their own: does it hold what the border asks?\n"
     "      Status 0: it does; 1: a rule is broken, or the plugin cannot be asked; 3: the file is no plugin",
     cli_check},
#endif
#ifdef SEGUE_KAFKA
    {"drain",
     "--bootstrap-server HOST:PORT --application-id ID [--timeout DURATION] [--wait] [--stay]\n"
     "              [--cancel] [--command-config FILE] MEMBER...",
     "mark instances as leaving: their tasks move to those that stay, then they close.\n"
     "      MEMBER is a client.id, an application.server, a host name or a process id",
     cli_drain},
    {"swap",
     "--bootstrap-server HOST:PORT --application-id ID (--assignor NAME | --configured) [--wait]\n"
     "             [--timeout DURATION] [--command-config FILE]",
     "ask all instances for another assignor, or for what they have configured; the next\n"
     "      rebalance uses it, without a restart",
     cli_swap},
    {"status", "--bootstrap-server HOST:PORT --application-id ID [--json] [--command-config FILE]",
     "show the instances of an application: who leads, by which assignor, and who is leaving", cli_status},
#endif
};

enum { COMMANDS = sizeof commands / sizeof commands[0], FURTHER_WORDS = 2 };

static void print_help(FILE *out)
{
    fprintf(out, "segue decides which member of a group holds which task, and moves state without an outage.\n\n");
    for (int i = 0; i < COMMANDS; i++) {
        fprintf(out, "  segue %s %s\n      %s\n", commands[i].name, commands[i].usage, commands[i].summary);
    }
    fprintf(out, "  segue --version\n  segue COMMAND --help\n\n"
                 "Exit status: 0 done, 1 the input is at fault or output failed, 2 wrong usage,\n"
                 "3 no such plugin or assignor.\n");
#ifndef SEGUE_CHECK
    fprintf(out, "This program was built without libffi: the command check is missing.\n");
#endif
#ifdef SEGUE_KAFKA
    fprintf(out, "Of drain, swap, status and plan: 4 no such member, a name that several have, or one that cannot be\n"
                 "marked, 5 timed out, 6 cancelled by somebody else, 7 the cluster did not answer or refused,\n"
                 "8 the member was gone before it was empty, 9 the plan is not the one that was expected.\n");
#else
    fprintf(out, "This program was built without librdkafka: the commands drain, swap and status are missing.\n");
#endif
}

static int refuse(const char *word)
{
    const char *known[COMMANDS + FURTHER_WORDS + 1] = {"--help", "--version"};
    for (int i = 0; i < COMMANDS; i++) {
        known[FURTHER_WORDS + i] = commands[i].name;
    }
    const char *nearest = sgi_nearest(word, known);
    if (nearest != NULL) {
        cli_complain("%s is no command; the nearest is %s (segue --help shows all)", word, nearest);
    } else {
        cli_complain("%s is no command (segue --help shows all)", word);
    }
    return CLI_USAGE;
}

static const cli_command *find_command(const char *word)
{
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(word, commands[i].name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static int run_command(const char *word, int count, char *const *arguments)
{
    const cli_command *command = find_command(word);
    return command == NULL ? refuse(word) : command->run(command, count, arguments);
}

/* help alone is about all commands, "help drain" about one. */
static int help(const char *about)
{
    char *const ask[] = {"--help"};
    if (about != NULL) {
        return run_command(about, 1, ask);
    }
    print_help(stdout);
    return CLI_OK;
}

static int run(int count, char *const *arguments)
{
    if (count == 0) {
        print_help(stderr);
        return CLI_USAGE;
    }
    const char *word = arguments[0];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        return help(count > 1 ? arguments[1] : NULL);
    }
    if (strcmp(word, "--version") == 0) {
        printf("segue %s (plugin interface %u)\n", segue_version(), SEGUE_ABI_VERSION);
        return CLI_OK;
    }
    return run_command(word, count - 1, arguments + 1);
}

int main(int argc, char **argv)
{
    /* A reader that has gone away is then an error of the write, with its message and exit status. */
    signal(SIGPIPE, SIG_IGN);
    int status = run(argc > 0 ? argc - 1 : 0, argv + 1);
    return status != CLI_OK ? status : cli_flush();
}
