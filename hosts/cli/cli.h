/* SPDX-License-Identifier: Apache-2.0 */
/* cli.h - what the commands of the program share. */
#ifndef SEGUE_HOSTS_CLI_CLI_H
#define SEGUE_HOSTS_CLI_CLI_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "segue/host.h"

/* Exit status of the program. Those from CLI_NO_MEMBER on are of the commands that speak to a cluster. */
enum cli_exit {
    CLI_OK = 0,
    CLI_INPUT = 1,
    CLI_USAGE = 2,
    CLI_NO_PLUGIN = 3,
    CLI_NO_MEMBER = 4,
    CLI_TIMED_OUT = 5,
    CLI_CANCELLED = 6,
    CLI_CLUSTER = 7,
    CLI_VANISHED = 8,
    CLI_CHANGED = 9 /* of plan: it is not what --expect was given for */
};

/* A command; `arguments` begin behind its name. Returns an exit status. */
typedef struct cli_command {
    const char *name;
    const char *usage; /* behind the name: "[--json]" */
    const char *summary;
    int (*run)(const struct cli_command *command, int count, char *const *arguments);
} cli_command;

int cli_assign(const cli_command *command, int count, char *const *arguments);
int cli_list(const cli_command *command, int count, char *const *arguments);
int cli_bench(const cli_command *command, int count, char *const *arguments);
int cli_explain(const cli_command *command, int count, char *const *arguments);
int cli_plan(const cli_command *command, int count, char *const *arguments);
int cli_replay(const cli_command *command, int count, char *const *arguments);
int cli_simulate(const cli_command *command, int count, char *const *arguments);
int cli_compare(const cli_command *command, int count, char *const *arguments);
int cli_report(const cli_command *command, int count, char *const *arguments);

/* Only where the program is built with libffi (SEGUE_CHECK). */
int cli_check(const cli_command *command, int count, char *const *arguments);

/* Only where the program is built with librdkafka (SEGUE_KAFKA). */
int cli_drain(const cli_command *command, int count, char *const *arguments);
int cli_swap(const cli_command *command, int count, char *const *arguments);
int cli_status(const cli_command *command, int count, char *const *arguments);

/* One line "segue: ..." on standard error. */
__attribute__((format(printf, 1, 2))) void cli_complain(const char *format, ...);

/* The exit status for a fault of libsegue. */
int cli_exit_of(int32_t status);

/* What an error record says: its text, or the word for its code where that is empty. */
const char *cli_why(const segue_error *error);

/* Says that; returns the exit status for it. */
int cli_fault(const segue_error *error);

/* An error record over a text buffer of the caller's. */
segue_error cli_error(char *text, size_t size);

enum { CLI_ERROR_TEXT = 1024 };

/* ---- options --------------------------------------------------------------------------------------------------- */

enum cli_kind { CLI_FLAG, CLI_TEXT, CLI_TEXTS, CLI_NUMBER };

enum { CLI_TEXTS_MOST = 32 };

typedef struct cli_texts {
    const char *items[CLI_TEXTS_MOST];
    uint32_t count;
} cli_texts;

/*
 * One option of a command. It is stored at `offset` of the command's own struct: an int for a flag, a const char * for
 * a text, cli_texts for one that may be repeated, int64_t for a number from `least` to `most`.
 */
typedef struct cli_option {
    const char *name;  /* "--assignor"; NULL ends the table */
    const char *value; /* what its value is called; NULL for a flag */
    const char *help;
    enum cli_kind kind;
    size_t offset;
    int64_t least, most;
} cli_option;

enum { CLI_GO_ON = -1 };

/*
 * Fills `target` and up to `operand_room` operands; what is not given is left as it is. Answers --help itself. Returns
 * CLI_GO_ON or the exit status to end with.
 */
int cli_parse(const cli_command *command, const cli_option *options, int count, char *const *arguments, void *target,
              const char **operands, uint32_t operand_room, uint32_t *operand_count);

/* ---- input and output ------------------------------------------------------------------------------------------ */

/* Opens a file to be read, or standard input for "-" and NULL. NULL: it has said what went wrong. For cli_close_file(). */
FILE *cli_open_file(const char *path);
void cli_close_file(FILE *file);

/* A whole file, or standard input for "-" and NULL; *text is for free(). Says itself what went wrong. */
int cli_read_file(const char *path, char **text, size_t *size);

/* The next line, its end included: CLI_GO_ON; CLI_OK when there is none. *line, of *room bytes, is for free() in the end and
 * begins as NULL and 0. Says itself what went wrong. */
int cli_read_line(FILE *file, const char *source, char **line, size_t *room, size_t *size);

/* CLI_OK, or CLI_USAGE with a message where writing `output` would overwrite the file `input`, or is "-"; NULL is neither. */
int cli_spare(const char *input, const char *output);

/* What messages call an input. */
const char *cli_source(const char *path);

/* Writes everything out: a full disk and a closed pipe are faults, not silence. Returns CLI_OK or CLI_INPUT. */
int cli_flush(void);

/* ---- plugins --------------------------------------------------------------------------------------------------- */

/* A host with `plugin` loaded, if it is not NULL, that records nothing: what a tool asks is nobody's rebalance. Says itself
 * what went wrong. */
int cli_open_host(const char *plugin, segue_host **host);

/* The same with an isolation (segue_host_options; NULL for what the environment says), and it records where the environment
 * says so. */
int cli_open_host_apart(const char *plugin, const char *isolation, segue_host **host);

/* The assignor of that name: 1, and *row tells of it; 0 where there is none. Set row->size. */
int cli_find_assignor(segue_host *host, const char *name, segue_assignor_row *row);

#endif
