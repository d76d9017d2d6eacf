/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What has to leave, whoever gets it. A member that carries too much gives up at least as many of its heaviest tasks as
 * bring it into its range. A boulder that fits into nobody's range needs a host, which gives up everything else: the hosts
 * are those members, with room for all boulders, to whom that is the least beyond what has to leave them anyway.
 */
#ifndef SGP_WEIGH_SHED_H
#define SGP_WEIGH_SHED_H

#include "solve/weigh_scale.h"

/* Takes away what has to leave from the targets as they are weighed. E_MEMORY is the only fault. */
int32_t sgp_shed(sgp_scale *scale);

/* Takes everything away from members that do not fit, and from the lightest others, so that there are `times` as many as do
 * not fit. *some_rest 0: that would be all, and nothing was done. E_MEMORY is the only fault. */
int32_t sgp_shed_stuck(sgp_scale *scale, uint32_t times, int *some_rest);

/* Proven: without so many moves not all fit. What is on members that do not stay, and either what has to leave the others
 * or what has to come to them. owner[t] by task. Leaves the scale weighed by them. E_MEMORY is the only fault. */
int32_t sgp_shed_least(sgp_scale *scale, const uint32_t *owner, uint32_t *least);

#endif
