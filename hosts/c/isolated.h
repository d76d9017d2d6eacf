/* SPDX-License-Identifier: Apache-2.0 */
/* isolated.h - a plugin that lives in processes of its own, or is a program: what it offers, and its plans. Any thread, but
 * for load. */
#ifndef SEGUE_HOSTS_C_ISOLATED_H
#define SEGUE_HOSTS_C_ISOLATED_H

#include "plugin.h"

/* Starts a process, which loads the plugin, and takes over its assignors by their description. For sgi_plugin_load. */
int32_t sgi_isolated_load(sgi_plugin *plugin, const sgi_isolation *isolation, segue_error *error);

/*
 * A plan from a process: the columns of `plan` have room for segue_host_bound. Its scalars and columns are a copy of
 * what the process wrote, unjudged but for the room they take.
 */
sgi_end sgi_isolated_assign(sgi_assignor *assignor, const segue_group *group, const segue_config *config,
                            segue_plan *plan, uint64_t *elapsed_ns, segue_error *fault);

#endif
