/* SPDX-License-Identifier: Apache-2.0 */
/* isolate_spawn.h - starting the process of a plugin, or of a program that is one. Any thread. */
#ifndef SEGUE_HOSTS_C_ISOLATE_SPAWN_H
#define SEGUE_HOSTS_C_ISOLATE_SPAWN_H

#include <sys/types.h>

/*
 * `program` is segue-isolate, and `plugin` what it is to load; or `plugin` is NULL, and the program is an assignor by itself:
 * what it prints goes to standard error, and SGI_SERVE_VARIABLE tells it libsegue's version. It gets `socket` as its
 * descriptor 0. An errno, or 0 and *pid.
 */
int sgi_spawn(const char *program, const char *plugin, int socket, pid_t *pid);

#define SGI_SERVE_VARIABLE "SEGUE_SERVE"

#endif
