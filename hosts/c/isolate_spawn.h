/* SPDX-License-Identifier: Apache-2.0 */
/* isolate_spawn.h - starting a process of segue-isolate. Any thread. */
#ifndef SEGUE_HOSTS_C_ISOLATE_SPAWN_H
#define SEGUE_HOSTS_C_ISOLATE_SPAWN_H

#include <sys/types.h>

/* The program gets `socket` as its descriptor 0. An errno, or 0 and *pid. */
int sgi_spawn(const char *program, const char *plugin, int socket, pid_t *pid);

#endif
