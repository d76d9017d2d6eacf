/* SPDX-License-Identifier: Apache-2.0 */
/*
 * isolate.h - one process of segue-isolate with one plugin in it, or of a program that is an assignor: started, asked,
 * ended. One user at a time. Program and plugin as in isolate_spawn.h.
 *
 * It is started by posix_spawn, which asks nothing of the host's threads and locks, in a process group of its own, with
 * no descriptor but its end of the socket, and without the host's environment. It ends when the socket or the host does,
 * so none is left behind; while its plugin is busy a timer of its own kills it. Only its own pid is waited for, and no
 * signal of the host's is touched; that a child of the host ends sends SIGCHLD, which is ignored unless somebody asks for it.
 */
#ifndef SEGUE_HOSTS_C_ISOLATE_H
#define SEGUE_HOSTS_C_ISOLATE_H

#include <stddef.h>
#include <sys/types.h>

#include "isolate_message.h"
#include "isolation.h"

typedef struct sgi_isolate {
    pid_t pid;
    int is_program; /* of an assignor by itself, whose exit statuses are its own */
    pid_t parent; /* a copy in a forked child of the host is not its own */
    int alive;    /* descriptor that says when it ends, or -1 where the kernel has none */
    int socket;
    int area; /* of shared memory, or -1 */
    char *shared;
    size_t shared_bytes;
    int area_is_new; /* it has not been handed over yet */
    uint64_t number;
    struct sgi_isolate *next;
} sgi_isolate;

/* E_SYSTEM or E_MEMORY; E_PLUGIN for an assignor's program that can never be started. Returns as soon as the process is there:
 * the first question finds out how it gets on. */
int32_t sgi_isolate_start(const char *program, const char *plugin, sgi_isolate **isolate, segue_error *error);

/* At least so many bytes of shared memory. What it held before is gone. */
int32_t sgi_isolate_room(sgi_isolate *isolate, size_t bytes, segue_error *error);

/*
 * Asks and waits, until `until_ns` of sgi_now_ns. Fills in magic, number, area and limit of the question. SGI_ANSWERED:
 * *answer is one to this question, whatever its status. SGI_LATE, SGI_DIED: `fault` has a sentence, and nothing but
 * sgi_isolate_end may follow.
 */
sgi_end sgi_isolate_ask(sgi_isolate *isolate, sgi_question *question, uint64_t until_ns, sgi_answer *answer,
                        segue_error *fault);

/* Is it there, silent, and ours? One that waited for long may have been ended by somebody else. */
int sgi_isolate_is_sound(const sgi_isolate *isolate);

/* Kills it, with what its plugin may have started. 0: it takes its time to go, call again. 1: freed. */
int sgi_isolate_end(sgi_isolate *isolate);

/* The same for the last time: freed in any case. A process that the system does not let go within seconds stays the host's
 * child, and is nobody's concern any more. */
void sgi_isolate_leave(sgi_isolate *isolate);

#endif
