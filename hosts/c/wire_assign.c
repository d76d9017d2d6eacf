/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "error.h"
#include "host.h"

/* The columns of the answer lie in memory of their own, so that a message is written only once there is a plan. */
int32_t segue_host_assign_wire(segue_host *host, const char *assignor, uint32_t with_decisions, const void *group,
                               size_t group_size, void *plan, size_t plan_capacity, size_t *plan_size,
                               segue_report *report, segue_error *error)
{
    segue_group g = {.size = sizeof g};
    segue_config config = {.size = sizeof config};
    segue_plan *answer = NULL;
    if (host == NULL || assignor == NULL || plan_size == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "a plan needs a host, the name of an assignor, a place for its size");
    }
    *plan_size = 0;
    int32_t status = segue_wire_decode_group(group, group_size, &g, &config, error);
    if (status == SEGUE_OK) {
        status = sgi_config_check(&config, error);
    }
    if (status == SEGUE_OK) {
        status = segue_group_check(&g, error);
    }
    if (status == SEGUE_OK) {
        status = sgi_plan_for(&g, &config, with_decisions, &answer, error);
    }
    if (status == SEGUE_OK) {
        status = sgi_assign_checked(host, assignor, &g, &config, answer, report, error);
    }
    if (status == SEGUE_OK) {
        status = segue_wire_encode_plan(answer, plan, plan_capacity, plan_size, error);
    }
    segue_plan_free(answer);
    return status;
}
