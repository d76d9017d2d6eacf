/* SPDX-License-Identifier: Apache-2.0 */
/* retell.h - a record as the events of a report: a run for each group that it has (kin.h), with all of its steps. */
#ifndef SEGUE_HOSTS_CLI_REPLAY_RETELL_H
#define SEGUE_HOSTS_CLI_REPLAY_RETELL_H

#include "frame.h"

typedef struct retelling retelling;

/*
 * Reads the file, which can be read twice, through to see which groups there are, and puts it back to its beginning. A fault in the file is left for
 * whoever reads it next. `events` stays the caller's. NULL without memory.
 */
retelling *retell_open(const char *name, FILE *file, FILE *events);

/* The next step, which is the first at the beginning of the file. 0, or -1 without memory. */
int retell_step(retelling *it, const frame *step);

/* Writes the runs. 0, or -1 when something could not be written or there was no memory. */
int retell_end(retelling *it);
void retell_close(retelling *it);

#endif
