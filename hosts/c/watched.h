/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watched.h - a plan from a thread of its own, for a plugin that might not come back. A thread cannot be ended from
 * outside, so one that is late is given up: it goes on with copies of everything, and cleans up behind itself should it
 * ever return. Any thread.
 */
#ifndef SEGUE_HOSTS_C_WATCHED_H
#define SEGUE_HOSTS_C_WATCHED_H

#include "plugin.h"

/* As sgi_isolated_assign; `limit_ns` is for everything together. */
sgi_end sgi_watched_assign(sgi_assignor *assignor, const segue_group *group, const segue_config *config,
                           segue_plan *plan, sgi_tally *tally, uint64_t limit_ns, uint64_t *elapsed_ns,
                           segue_error *fault);

#endif
