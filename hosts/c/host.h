/* SPDX-License-Identifier: Apache-2.0 */
/* host.h - what a segue_host is inside, and `assign` for callers that have checked the group already. */
#ifndef SEGUE_HOSTS_C_HOST_H
#define SEGUE_HOSTS_C_HOST_H

#include "isolation.h"
#include "record.h"
#include "registry.h"
#include "segue/host.h"

struct segue_host {
    sgi_isolation isolation;
    sgi_registry registry;
    sgi_record record;
};

/* segue_host_assign without the check of the group. */
int32_t sgi_assign_checked(segue_host *host, const char *assignor, const segue_group *group,
                           const segue_config *config, segue_plan *plan, segue_report *report, segue_error *error);

/* Memory for any plan that answers a checked group. */
int32_t sgi_plan_for(const segue_group *group, const segue_config *config, uint32_t with_decisions, segue_plan **plan,
                     segue_error *error);

#endif
