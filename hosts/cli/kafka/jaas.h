/* SPDX-License-Identifier: Apache-2.0 */
/* jaas.h - the value of sasl.jaas.config: who logs in, and by which login module. Any thread. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_JAAS_H
#define SEGUE_HOSTS_CLI_KAFKA_JAAS_H

#include <stddef.h>

#include "properties.h"

enum { CLI_JAAS_NAME = 64 };

/* A login: the module's class name without its package, and its options. */
typedef struct cli_jaas {
    char module[CLI_JAAS_NAME];
    cli_properties options;
} cli_jaas;

/*
 * Reads "package.Module required key=\"value\" ... ;": values in double or single quotes with the escapes of Java, or
 * bare. Returns 0; or -1 with one sentence in `fault`, which never quotes a value. *out is for cli_jaas_free in either
 * case.
 */
int cli_jaas_read(const char *text, cli_jaas *out, char *fault, size_t fault_size);

void cli_jaas_free(cli_jaas *login);

#endif
