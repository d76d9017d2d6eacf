/* SPDX-License-Identifier: Apache-2.0 */
/* page.h - the page of hosts/report with a file of events inside: one file that needs nothing else. */
#ifndef SEGUE_HOSTS_CLI_REPORT_PAGE_H
#define SEGUE_HOSTS_CLI_REPORT_PAGE_H

#include <stdio.h>

/*
 * Writes the page to `path`, with what is in `events` from its beginning, which the caller has opened for reading and keeps.
 * CLI_OK, or CLI_INPUT with a message. A file that could not be written in full is taken away again.
 */
int report_write(const char *path, FILE *events);

/* A file for events that nobody wants but the page; gone when it is closed. NULL with a message. */
FILE *report_scratch(void);

#endif
