/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve.h - the other end of isolate.h: a process that answers libsegue's questions (isolate_message.h), for a plugin that
 * it has loaded or for an assignor of its own. One thread.
 *
 * What an assignor does to this process is nobody's concern: it may crash it, hang it, close its files. Time is watched
 * by libsegue; the timer here is for the case that libsegue's process is gone meanwhile.
 */
#ifndef SEGUE_HOSTS_C_SERVE_H
#define SEGUE_HOSTS_C_SERVE_H

#include "isolate_message.h"
#include "segue/abi.h"

/* A place for the texts of a description. */
typedef struct sgi_description {
    char *area;
    size_t used;
    uint32_t abi_version;
} sgi_description;

/* First the plugin, with the version of the border that is spoken to it, then each assignor. */
void sgi_describe_plugin(sgi_description *description, const char *name, const char *version, uint32_t abi_version);
void sgi_describe_assignor(sgi_description *description, const segue_assignor_info *info);

/* What is served. Either is called for a question of its kind; a status below 0 is the answer then, with the error's text. */
typedef struct sgi_served {
    void *context;
    int32_t (*describe)(void *context, sgi_description *description, segue_error *error);
    int32_t (*assign)(void *context, const char *assignor, const segue_group *group, const segue_config *config,
                      segue_plan *plan, segue_error *error);
} sgi_served;

/* Takes the socket from standard input, which becomes /dev/null, and answers until it ends: E_OK then, and the process
 * has five seconds to come to its own end. E_SYSTEM where a limit of the process does not let it; the text says which.
 * E_VERSION: who asks is of another version. */
int32_t sgi_serve(const sgi_served *served, segue_error *error);

#endif
