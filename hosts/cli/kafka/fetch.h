/* SPDX-License-Identifier: Apache-2.0 */
/* fetch.h - one GET over HTTP. One thread at a time. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_FETCH_H
#define SEGUE_HOSTS_CLI_KAFKA_FETCH_H

#include <stddef.h>

/*
 * Reads `url`, which may be http or https, with `token` as "Authorization: Bearer …" unless it is NULL. 15 s and 1 GiB at the
 * most, redirects are not followed: the token goes to nobody else. Returns the HTTP status, with
 * the body in *body (NUL-terminated, for free()); or 0, and `fault` says what failed.
 */
long cli_fetch(const char *url, const char *token, char **body, size_t *size, char *fault, size_t fault_size);

#endif
