/* SPDX-License-Identifier: Apache-2.0 */
/* child.h - one rule in a process of its own, ended when it takes too long. What it does to itself is a finding. */
#ifndef SEGUE_HOSTS_CLI_CHECK_CHILD_H
#define SEGUE_HOSTS_CLI_CHECK_CHILD_H

#include "probe.h"

/* Memory that this process shares with its children, cleared; NULL: the system gives none. */
void *child_share(size_t bytes);

/*
 * Runs `run` on the probe in a child and waits for it, for so many seconds at the most. A child that crashes or hangs leaves
 * a finding with what the plugin was asked last. 0: no child could be made.
 */
int child_run(probe *p, void (*run)(probe *p), uint32_t timeout_s);

#endif
