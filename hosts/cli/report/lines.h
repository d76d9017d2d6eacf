/* SPDX-License-Identifier: Apache-2.0 */
/* lines.h - what a line of `events/1` (hosts/SCENARIO.md) has to be for the page to understand it. One thread. */
#ifndef SEGUE_HOSTS_CLI_REPORT_LINES_H
#define SEGUE_HOSTS_CLI_REPORT_LINES_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

enum { LINES_WORD_ROOM = 256 };

/* The run that the lines are of: who and what its head names, and how far it is. Begins with zeros. */
typedef struct lines_run {
    json_t *tasks, *members; /* by id; NULL before the first head */
    int64_t at_us;
} lines_run;

/* Looks at one line, a head or an event of the run. NULL: it is understood; otherwise what is wrong, written into `why`. */
const char *lines_judge(lines_run *run, const char *line, size_t size, char why[LINES_WORD_ROOM]);

void lines_close(lines_run *run);

#endif
