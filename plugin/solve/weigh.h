/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Targets by weight, where tasks of a group do not weigh the same and the strategy lets everybody receive.
 *
 * A member fits when its weight is within stream.imbalance.percentage of its share of all weight by threads, and it has a
 * task where there are enough. Tasks too heavy for any sharing are left out of the shares, and lie alone where there are
 * threads for them (weigh_boulder.h). Where not even the packing (weigh_pack.h) keeps all that, its own largest distance takes
 * the place of the percentage: the packing is the same whatever was before, and its heaviest load is within a third of the
 * least possible one for equal threads (Graham 1969), and below twice that for others (Gonzalez, Ibarra and Sahni 1977).
 *
 * Where the weights of a kind differ, a bought spread of subtopologies does not count for it, and racks only choose between
 * tasks of the same weight (sgp_rack_choose): both might ask for what the weights refuse. Other strategies count tasks and do
 * not weigh them. The targets:
 *
 *   1. Where every staying member fits as it is, with its learners as they will be once they own, nothing else moves,
 *      whatever the counts are. What is on its way to its targets has therefore the same ones until it has arrived. Where
 *      not all fit with all learners, because a cap has stopped some, those that have caught up are still kept.
 *   2. Else, where a member serves nothing yet, it gets its quota, as in every other strategy, if then all fit.
 *   3. Else weights take the place of the quota: as little as possible moves until all fit. What has to leave is taken away
 *      (weigh_shed.h) and dealt to whoever carries least, the rest is mended by gifts and exchanges (weigh_mend.h). Who does
 *      not fit then is dealt anew together with as many of the lightest, with twice as many, and so on. Where nothing of
 *      that helps, the packing itself is the target, with its bins named so that most stays where it is. Small groups are
 *      searched for fewer moves (weigh_search.h). Nothing of that costs a learner that has caught up, if it can be helped.
 */
#ifndef SGP_WEIGH_H
#define SGP_WEIGH_H

#include "solve/weigh_scale.h"

/* Finds the tolerance. 1 in *kept where nothing but what is in flight has to move: targets and balance->want are set. */
int32_t sgp_weigh_keep(sgp_scale *scale, int *kept);

/* 1 where some staying member serves nothing of the kind. */
int sgp_weigh_asks_quota(const sgp_scale *scale);

/* balance->target are those of the quota: do all fit with them? */
int sgp_weigh_quota_fits(sgp_scale *scale);

/* Targets by weight alone, after sgp_weigh_keep; sets balance->want. */
int32_t sgp_weigh(sgp_scale *scale);

#endif
