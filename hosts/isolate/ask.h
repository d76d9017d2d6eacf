/* SPDX-License-Identifier: Apache-2.0 */
/* ask.h - one question of libsegue, put to the plugin. One thread. */
#ifndef SEGUE_HOSTS_ISOLATE_ASK_H
#define SEGUE_HOSTS_ISOLATE_ASK_H

#include "isolate_message.h"

typedef struct sgi_plugin sgi_plugin;

/* Answers into `answer`, whose status, rule, row and text are "ok" before, and into the area. */
void ask_plugin(sgi_plugin *plugin, const sgi_question *question, char *area, sgi_answer *answer);

#endif
