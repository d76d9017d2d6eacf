/* SPDX-License-Identifier: Apache-2.0 */
/* properties.h - Java properties files, as java.util.Properties.load reads them. Any thread. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_PROPERTIES_H
#define SEGUE_HOSTS_CLI_KAFKA_PROPERTIES_H

#include <stddef.h>
#include <stdint.h>

/* One setting; both texts are UTF-8. `line` is where it began, from 1. */
typedef struct cli_property {
    char *key;
    char *value;
    uint32_t line;
} cli_property;

/* Settings in the order of the file. A key that is given twice is there once, with its last value, as in Java. */
typedef struct cli_properties {
    cli_property *rows;
    size_t count;
    size_t room;
} cli_properties;

/*
 * Adds what `text` holds: comments, the three separators, continued lines, and the escapes \t \n \r \f \uXXXX. Bytes
 * beyond ASCII are Latin-1, as Java takes them. Returns 0; or -1 with one line in `fault` ("line 3: ..."), which never
 * quotes a value, because values are secrets. *out is for cli_properties_free in either case.
 */
int cli_properties_read(const char *text, size_t size, cli_properties *out, char *fault, size_t fault_size);

/* Sets one key to a copy of `value`. Returns 0, or -1 when there is no memory. */
int cli_properties_set(cli_properties *out, const char *key, const char *value, uint32_t line);

/* The row of a key, or NULL. */
const cli_property *cli_properties_find(const cli_properties *properties, const char *key);

/* The value of a key, or NULL. */
const char *cli_properties_get(const cli_properties *properties, const char *key);

/* Wipes the values before it gives them back: among them are passwords. */
void cli_properties_free(cli_properties *properties);

#endif
