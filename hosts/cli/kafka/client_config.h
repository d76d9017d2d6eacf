/* SPDX-License-Identifier: Apache-2.0 */
/* client_config.h - a Java client's properties in the words of librdkafka. Any thread. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_CLIENT_CONFIG_H
#define SEGUE_HOSTS_CLI_KAFKA_CLIENT_CONFIG_H

#include <stddef.h>

#include "properties.h"

/*
 * Translates `java` into `out`. What has the same name and meaning in both stays as it is, and so does what is not
 * known here: it may be librdkafka's own, such as ssl.ca.location. A security setting that cannot be kept is an error,
 * because a client without it would either fail later or be less safe than it was meant to be. Returns 0; or -1 with
 * one line in `fault`, "line 3: KEY: ...", which never quotes a secret. *out is for cli_properties_free in either case.
 */
int cli_client_config(const cli_properties *java, cli_properties *out, char *fault, size_t fault_size);

#endif
