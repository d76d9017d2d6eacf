/* SPDX-License-Identifier: Apache-2.0 */
#include "test/random_group.h"

#include "test/chance.h"

static void add_tasks(draft *d, chance *c, random_size most, unsigned traits)
{
    uint32_t subtopologies = 1 + chance_below(c, most.subtopologies), left = most.tasks;
    for (uint32_t s = 0; s < subtopologies && left > 0; s++) {
        uint32_t count = 1 + chance_below(c, left);
        draft_tasks(d, count, !((traits & RANDOM_STATELESS) && chance_once_in(c, 3)));
        left -= count;
    }
    for (uint32_t t = 0; (traits & RANDOM_STATELESS) && t < d->group.task_count; t++) {
        d->stateful[t] ^= (uint8_t)chance_once_in(c, 16);
    }
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        d->state_bytes[t] = (int64_t)chance_below(c, 1000) - 1;
    }
}

static void add_members(draft *d, chance *c, random_size most, unsigned traits)
{
    uint32_t members = 1 + chance_below(c, most.members);
    for (uint32_t m = 0; m < members; m++) {
        uint32_t disks = d->group.process_count;
        uint32_t disk =
            (traits & RANDOM_SHARED_DISKS) && disks > 0 && chance_once_in(c, 2) ? chance_below(c, disks) : disks;
        uint32_t threads = (traits & RANDOM_NO_THREADS) && chance_once_in(c, 6) ? 0 : 1 + chance_below(c, most.threads);
        draft_member(d, disk, threads);
        if ((traits & RANDOM_LEAVING) && chance_once_in(c, 4)) {
            draft_leaves(d, m, chance_once_in(c, 3) ? SEGUE_TIME_NONE : (int64_t)chance_below(c, 2000));
        }
    }
}

static int64_t some_lag(chance *c)
{
    switch (chance_below(c, 6)) {
    case 0:
        return SEGUE_LAG_UNKNOWN;
    case 1:
        return 0;
    case 2:
        return chance_below(c, 10000);
    case 3:
        return 10000;
    case 4:
        return 10001 + (int64_t)chance_below(c, 3);
    default:
        return 10001 + (int64_t)chance_below(c, 1000000);
    }
}

static void add_owner(draft *d, chance *c, uint32_t task, unsigned traits)
{
    uint32_t claims = 1;
    if ((traits & RANDOM_NO_OWNER) && chance_once_in(c, 4)) {
        claims = 0;
    } else if ((traits & RANDOM_CONTESTED) && chance_once_in(c, 8)) {
        claims = 2 + chance_below(c, 2);
    }
    for (uint32_t i = 0; i < claims; i++) {
        int64_t lag = (traits & RANDOM_RESTORING) && d->stateful[task] && chance_once_in(c, 5) ? some_lag(c) : 0;
        draft_copy(d, chance_below(c, d->group.member_count), task, SEGUE_ACTIVE, lag);
    }
}

static void add_copies(draft *d, chance *c, unsigned traits)
{
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        /* First, so that an owner on the same member has the last word. */
        for (uint32_t i = (traits & RANDOM_COPIES) ? chance_below(c, 4) : 0; i > 0; i--) {
            draft_copy(d, chance_below(c, d->group.member_count), t, chance_below(c, SEGUE_ACTIVE), some_lag(c));
        }
        add_owner(d, c, t, traits);
    }
}

/* Members of one process share a disk, and a disk has one state of a task: what its strongest holder says, and of equal
 * ones the first. */
static void agree_on_disks(draft *d)
{
    for (uint32_t i = 0; i < d->holding_count; i++) {
        holding *h = &d->holdings[i];
        const holding *says = h;
        for (uint32_t j = 0; j < d->holding_count; j++) {
            const holding *other = &d->holdings[j];
            if (other->task == h->task && d->process[other->member] == d->process[h->member] &&
                (other->role > says->role || (other->role == says->role && other < says))) {
                says = other;
            }
        }
        h->lag = says->lag;
    }
}

static void configure(draft *d, chance *c, unsigned traits)
{
    d->group.now_ms = 1000;
    d->config.num_standby_replicas = (traits & RANDOM_STANDBYS) ? chance_below(c, 4) : 0;
    if (traits & RANDOM_CAPS) {
        d->config.max_learners = chance_once_in(c, 2) ? chance_below(c, 5) : SEGUE_NO_LIMIT;
        d->config.max_learners_per_member = chance_once_in(c, 2) ? chance_below(c, 3) : SEGUE_NO_LIMIT;
        d->config.max_learning_bytes = chance_once_in(c, 3) ? (int64_t)chance_below(c, 2000) : -1;
        d->config.learner_partial_rebalance = chance_below(c, 2);
    }
}

/* Replicas of one partition: some racks, rarely none that is known. */
static uint64_t some_racks(chance *c, uint32_t racks)
{
    uint64_t mask = chance_once_in(c, 12) ? 0 : (uint64_t)1 << chance_below(c, racks);
    return mask | (chance_once_in(c, 2) ? (uint64_t)1 << chance_below(c, racks) : 0);
}

static void add_racks(draft *d, chance *c)
{
    uint32_t racks = 1 + chance_below(c, 4), most = 1 + chance_below(c, 3);
    d->config.rack_strategy = 1 + chance_below(c, 2);
    draft_racks(d, racks);
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        for (uint32_t i = 1 + chance_below(c, most); i > 0; i--) {
            draft_input(d, t, some_racks(c, racks));
        }
    }
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        d->member_rack[m] = chance_once_in(c, 8) ? SEGUE_NONE : chance_below(c, racks);
    }
}

/* Each subtopology its own weight, or each task: all of one size, or a few that are far heavier. */
static void add_weights(draft *d, chance *c)
{
    int by_subtopology = chance_once_in(c, 2), few = chance_once_in(c, 2);
    double weight = 1;
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        int same = by_subtopology && t > 0 && d->subtopology[t] == d->subtopology[t - 1];
        if (!same) {
            weight = 1 + chance_below(c, 20);
            weight = few && chance_once_in(c, 5) ? weight * 10 : weight;
        }
        d->weight[t] = weight;
    }
}

draft *random_group(uint64_t seed, random_size most, unsigned traits)
{
    chance c = chance_of(seed);
    draft *d = draft_new();
    d->seed = seed;
    configure(d, &c, traits);
    add_tasks(d, &c, most, traits);
    add_members(d, &c, most, traits);
    add_copies(d, &c, traits);
    if ((traits & RANDOM_RACKS) && chance_once_in(&c, 2)) {
        add_racks(d, &c);
    }
    if ((traits & RANDOM_WEIGHTS) && chance_once_in(&c, 2)) {
        add_weights(d, &c);
    }
    draft_group(d);
    agree_on_disks(d);
    draft_group(d);
    return d;
}
