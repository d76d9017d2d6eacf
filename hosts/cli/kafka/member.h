/* SPDX-License-Identifier: Apache-2.0 */
/* member.h - finds the instance that a person means. Any thread. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_MEMBER_H
#define SEGUE_HOSTS_CLI_KAFKA_MEMBER_H

#include <stddef.h>

#include "fleet.h"

/* How many instances a name may mean. */
typedef enum cli_found { CLI_FOUND_NONE, CLI_FOUND_ONE, CLI_FOUND_SEVERAL } cli_found;

/*
 * The instance called `name`: by client id, application.server, host name, process id of Kafka Streams (or its first
 * eight digits and more), or process id of the operating system. Instances that live come before stale ones and before
 * those of which only a mark is left: a name that was given again means the new bearer. `text` becomes a list of those
 * that it may mean, or, for CLI_FOUND_NONE, of all that there are; it is cut where it is too long.
 */
cli_found cli_member_find(const cli_fleet *fleet, const char *name, const cli_instance **found, char *text,
                          size_t size);

#endif
