/* SPDX-License-Identifier: Apache-2.0 */
/* side_group.h - names of the groups that hold presence, marks and the wish (hosts/MARKS.md). Any thread. */
#ifndef SEGUE_HOSTS_CLI_KAFKA_SIDE_GROUP_H
#define SEGUE_HOSTS_CLI_KAFKA_SIDE_GROUP_H

#include <stddef.h>

enum { CLI_INSTANCE_ROOM = 37 };

typedef enum cli_side { CLI_SIDE_NONE, CLI_SIDE_PRESENCE, CLI_SIDE_MARK, CLI_SIDE_ASSIGNOR } cli_side;

/* What a group is to the application; `instance` is filled with the one it is of, where it is of one. */
cli_side cli_side_read(const char *application, const char *group, char instance[CLI_INSTANCE_ROOM]);

/* The group's name, for free(); NULL when there is no memory. The wish is of all, so its instance is "". */
char *cli_side_write(const char *application, cli_side side, const char *instance);

/* Is it a UUID in lower case with hyphens? */
int cli_instance_valid(const char *text);

#endif
