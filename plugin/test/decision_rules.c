/* SPDX-License-Identifier: Apache-2.0 */
#include "test/decision_rules.h"

#include "solve/rack_cost.h"
#include "test/claim.h"
#include "test/testing.h"

/* ---- how many tasks ---- */

static const char *quota_is_so(const claim *c, enum claim_tasks kind)
{
    if (c->number[0] != claim_holds(c, c->to, kind)) {
        return "it does not hold as many";
    }
    return claim_is_quota(c, c->to, c->number[1], kind) ? NULL : "that is not its quota";
}

static const char *goes_from_above_to_below(const claim *c, enum claim_tasks kind)
{
    const char *wrong = quota_is_so(c, kind);
    if (wrong != NULL) {
        return wrong;
    }
    if (c->number[2] != claim_holds(c, c->from, kind) || !claim_is_quota(c, c->from, c->number[3], kind)) {
        return "who gives it up does not hold so many, or has another quota";
    }
    return c->number[0] < c->number[1] && c->number[2] > c->number[3] ? NULL : "it is not below, or the other one not above";
}

static const char *below_quota(const claim *c)
{
    return goes_from_above_to_below(c, CLAIM_ALL_TASKS);
}

static const char *quota_with_state(const claim *c)
{
    return c->d->stateful[c->task] ? goes_from_above_to_below(c, CLAIM_WITH_STATE) : "the task has no state";
}

static const char *stateless(const claim *c)
{
    return c->d->stateful[c->task] ? "it has state" : quota_is_so(c, CLAIM_ALL_TASKS);
}

static const char *leaving(const claim *c)
{
    return claim_is_leaving(c, c->from) ? quota_is_so(c, CLAIM_ALL_TASKS) : "nobody leaves";
}

static const char *has_room(const claim *c)
{
    return c->number[0] <= c->number[1] ? quota_is_so(c, CLAIM_ALL_TASKS) : "it has no room";
}

static const char *has_room_with_state(const claim *c)
{
    return c->number[0] <= c->number[1] && c->d->stateful[c->task] ? quota_is_so(c, CLAIM_WITH_STATE) : "it has no room";
}

static const char *has_room_later(const claim *c)
{
    int64_t will = claim_count(c, c->target, c->to, CLAIM_ALL_TASKS);
    return c->number[0] == will && claim_is_quota(c, c->to, c->number[1], CLAIM_ALL_TASKS) ? NULL : "it will hold another number";
}

/* ---- copies ---- */

static const char *lag_is_so(const claim *c)
{
    return c->number[0] == claim_lag_on(c, c->to) ? NULL : "it is not so far behind";
}

static const char *lags_are_so(const claim *c)
{
    return c->number[1] == c->d->config.acceptable_recovery_lag ? lag_is_so(c) : "another lag is acceptable";
}

static const char *caught_up(const claim *c)
{
    return claim_is_ready(c, claim_lag_on(c, c->to)) ? lags_are_so(c) : "it is not caught up";
}

static const char *same_process(const claim *c)
{
    return c->d->process[c->from] == c->d->process[c->to] ? NULL : "their disks are two";
}

static const char *cold_move(const claim *c)
{
    return !claim_is_ready(c, claim_lag_on(c, c->to)) ? NULL : "its state is there";
}

static const char *best_copy(const claim *c)
{
    for (uint32_t m = 0; m < c->d->group.member_count; m++) {
        int64_t lag = claim_lag_on(c, m);
        if (lag >= 0 && lag < c->number[0]) {
            return "somebody has a nearer copy";
        }
    }
    return lag_is_so(c);
}

static const char *owner_restoring(const claim *c)
{
    const holding *own = draft_find(c->d, c->from, c->task);
    int so = own != NULL && own->lag == c->number[0] && own->lag > c->d->config.acceptable_recovery_lag;
    return so && claim_is_ready(c, claim_lag_on(c, c->to)) ? NULL : "the owner is caught up, or the other one is not";
}

static const char *deadline_passed(const claim *c)
{
    if (!claim_has_passed(c, c->from)) {
        return "it has not passed";
    }
    return c->d->stateful[c->task] ? lag_is_so(c) : c->number[0] == 0 ? NULL : "there is nothing to be behind on";
}

static const char *contested(const claim *c)
{
    int64_t claims;
    claim_owner_of(c, c->task, &claims);
    return claims == c->number[0] && claims > 1 && claim_role_of(c, c->to, c->task) == SEGUE_ACTIVE ? NULL : "it does not claim it";
}

static const char *contested_elsewhere(const claim *c)
{
    int64_t claims;
    claim_owner_of(c, c->task, &claims);
    return claims == c->number[0] && claims > 1 && claim_role_of(c, c->to, c->task) != SEGUE_ACTIVE ? NULL : "it claims it";
}

static const char *known_copy(const claim *c)
{
    return c->number[0] >= 0 ? lag_is_so(c) : "nothing is known of it";
}

/* ---- learners ---- */

static const char *restoring(const claim *c)
{
    if (!claim_goes_on_learning(c) || claim_is_ready(c, claim_lag_on(c, c->to))) {
        return "it has not learned it, or is ready";
    }
    return lags_are_so(c);
}

static const char *unknown_lag(const claim *c)
{
    return claim_goes_on_learning(c) && claim_lag_on(c, c->to) < 0 ? NULL : "it has not learned it, or could say";
}

static const char *no_slot(const claim *c)
{
    const segue_config *config = &c->d->config;
    int kafkas = claim_is(c, "high-availability") && config->max_learners == SEGUE_NO_LIMIT;
    int all = c->number[0] == (kafkas ? 2 : config->max_learners) && claim_learners(c, SEGUE_NONE) >= c->number[0];
    int here = c->number[0] == config->max_learners_per_member && claim_learners(c, c->to) >= c->number[0];
    return all || here ? NULL : "that limit is not used up";
}

static const char *no_bytes(const claim *c)
{
    int64_t most = c->d->config.max_learning_bytes;
    return most >= 0 && c->number[0] == most && claim_learners(c, SEGUE_NONE) > 0 ? NULL : "there is room, or no such limit";
}

static const char *waits_for_all(const claim *c)
{
    int ready = claim_is_ready(c, claim_lag_on(c, c->to)) && c->r->plan.learner[c->task] == c->to;
    return ready && c->number[0] == claim_learners(c, c->to) - 1 && c->number[0] > 0 ? NULL : "it is not ready, or waits for nobody";
}

/* ---- standbys ---- */

static const char *standby_wanted(const claim *c)
{
    int64_t others = (int64_t)rebalance_standbys(c->r, c->task) - 1;
    int so = c->number[0] == others && c->number[1] == c->d->config.num_standby_replicas;
    return so && others < c->number[1] ? NULL : "it has another number of standbys";
}

static const char *former_owner(const claim *c)
{
    return claim_role_of(c, c->to, c->task) == SEGUE_ACTIVE ? NULL : "it was not the owner";
}

static int has_role(const claim *c, uint32_t member)
{
    const segue_plan *p = &c->r->plan;
    return p->active[c->task] == member || p->learner[c->task] == member || rebalance_stands_by(c->r, c->task, member);
}

static const char *not_wanted(const claim *c)
{
    uint32_t role = claim_role_of(c, c->from, c->task);
    int ran = role == SEGUE_STANDBY || role == SEGUE_LEARNER;
    return ran && !has_role(c, c->from) ? NULL : "it had none, or has one";
}

/* ---- members ---- */

static const char *nobody_stays(const claim *c)
{
    if (claim_sharers(c) == CLAIM_STAYS) {
        return "somebody stays";
    }
    return claim_is_leaving(c, c->from) ? NULL : "it does not leave";
}

static const char *no_threads(const claim *c)
{
    return c->d->threads[c->from] == 0 ? NULL : "it has threads";
}

/* ---- beyond counts ---- */

static const char *less_traffic(const claim *c)
{
    const segue_group *g = &c->d->group;
    int so = c->d->inputs != NULL && c->number[0] == sgp_rack_traffic(g, c->task, c->to) &&
             c->number[1] == sgp_rack_traffic(g, c->task, c->from);
    return so && c->number[0] < c->number[1] ? NULL : "it does not read less";
}

static const char *exchange(const claim *c)
{
    return claim_changes(c, c->to, c->r->plan.active, c->target) ? NULL : "it gives no other task";
}

static const char *replaced(const claim *c)
{
    return claim_changes(c, c->from, c->target, c->r->plan.active) ? NULL : "no other task comes";
}

static const char *spread(const claim *c)
{
    const segue_plan *p = &c->r->plan;
    int64_t before = claim_unevenness(c, p->active);
    p->active[c->task] = c->to;
    int64_t behind = claim_unevenness(c, p->active);
    p->active[c->task] = c->from;
    int so = behind < before && claim_unevenness(c, c->target) < before;
    return so ? NULL : "it does not become more even";
}

static const char *weight(const claim *c)
{
    int so = claim_weights_differ(c) && claim_distance(c, 1) <= claim_distance(c, 0) + 1e-9;
    return so ? NULL : "the weights do not decide, or somebody will be further from its share";
}

/* All of it is what the kind says. */
static const char *warms_up(const claim *c)
{
    (void)c;
    return NULL;
}

/* ---- all of them ---- */

typedef struct rule {
    uint32_t kinds; /* bits: of which kind a decision for that reason is */
    const char *(*wrong)(const claim *claim); /* NULL where all is so */
} rule;

#define KIND(name) (1u << SEGUE_KIND_##name)

static const rule rules[DECISION_REASONS] = {
    [SEGUE_REASON_BELOW_QUOTA] = {KIND(LEARN), below_quota},
    [SEGUE_REASON_CAUGHT_UP] = {KIND(HAND_OVER) | KIND(PLACE), caught_up},
    [SEGUE_REASON_SAME_PROCESS] = {KIND(HAND_OVER), same_process},
    [SEGUE_REASON_STATELESS] = {KIND(HAND_OVER), stateless},
    [SEGUE_REASON_NO_OWNER] = {KIND(PLACE), has_room},
    [SEGUE_REASON_BEST_COPY] = {KIND(PLACE), best_copy},
    [SEGUE_REASON_OWNER_RESTORING] = {KIND(HAND_OVER), owner_restoring},
    [SEGUE_REASON_LEAVING] = {KIND(LEARN), leaving},
    [SEGUE_REASON_DEADLINE_PASSED] = {KIND(FORCE), deadline_passed},
    [SEGUE_REASON_NO_SLOT] = {KIND(KEEP_BACK), no_slot},
    [SEGUE_REASON_WAITS_FOR_ALL] = {KIND(KEEP_BACK), waits_for_all},
    [SEGUE_REASON_RESTORING] = {KIND(LEARN), restoring},
    [SEGUE_REASON_STANDBY_WANTED] = {KIND(STANDBY), standby_wanted},
    [SEGUE_REASON_FORMER_OWNER] = {KIND(STANDBY), former_owner},
    [SEGUE_REASON_NOT_WANTED] = {KIND(DROP), not_wanted},
    [SEGUE_REASON_NOBODY_STAYS] = {KIND(KEEP_BACK), nobody_stays},
    [SEGUE_REASON_COLD_MOVE] = {KIND(HAND_OVER), cold_move},
    [SEGUE_REASON_NO_THREADS] = {KIND(HAND_OVER), no_threads},
    [SEGUE_REASON_CONTESTED] = {KIND(PLACE), contested},
    [SEGUE_REASON_UNKNOWN_LAG] = {KIND(LEARN), unknown_lag},
    [SEGUE_REASON_LESS_TRAFFIC] = {KIND(LEARN), less_traffic},
    [SEGUE_REASON_EXCHANGE] = {KIND(LEARN), exchange},
    [SEGUE_REASON_SPREAD] = {KIND(LEARN), spread},
    [SEGUE_REASON_WEIGHT] = {KIND(LEARN), weight},
    [SEGUE_REASON_NO_BYTES] = {KIND(KEEP_BACK), no_bytes},
    [SEGUE_REASON_QUOTA_WITH_STATE] = {KIND(LEARN), quota_with_state},
    [SEGUE_REASON_ROOM_WITH_STATE] = {KIND(PLACE), has_room_with_state},
    [SEGUE_REASON_ROOM_LATER] = {KIND(PLACE), has_room_later},
    [SEGUE_REASON_REPLACED] = {KIND(LEARN), replaced},
    [SEGUE_REASON_CONTESTED_ELSEWHERE] = {KIND(PLACE), contested_elsewhere},
    [SEGUE_REASON_KNOWN_COPY] = {KIND(PLACE), known_copy},
    [SEGUE_REASON_WARMS_UP] = {KIND(LEARN), warms_up},
};

/* Who serves it now and who served it, by kind. */
static const char *kind_is_so(const claim *c)
{
    const segue_plan *p = &c->r->plan;
    int64_t claims;
    uint32_t owner = claim_owner_of(c, c->task, &claims);
    switch (c->kind) {
    case SEGUE_KIND_KEEP_BACK:
        return p->active[c->task] == c->from ? NULL : "kept back by somebody else";
    case SEGUE_KIND_LEARN:
        return p->active[c->task] == c->from && p->learner[c->task] == c->to ? NULL : "learned by or from somebody else";
    case SEGUE_KIND_HAND_OVER:
    case SEGUE_KIND_FORCE:
        return owner == c->from && p->active[c->task] == c->to ? NULL : "handed over by or to somebody else";
    case SEGUE_KIND_PLACE:
        return claims != 1 && c->from == SEGUE_NONE && p->active[c->task] == c->to ? NULL : "somebody has served it";
    case SEGUE_KIND_STANDBY:
        return rebalance_stands_by(c->r, c->task, c->to) ? NULL : "it does not stand by";
    default:
        return NULL;
    }
}

static void find_targets(const rebalance *r, uint32_t *target)
{
    const segue_plan *p = &r->plan;
    for (uint32_t t = 0; t < p->task_count; t++) {
        target[t] = p->learner[t] != SEGUE_NONE ? p->learner[t] : p->active[t];
    }
    for (uint32_t i = 0; i < p->decision_count; i++) {
        if (p->decision_kind[i] == SEGUE_KIND_KEEP_BACK && p->decision_to[i] != SEGUE_NONE) {
            target[p->decision_task[i]] = p->decision_to[i];
        }
    }
}

static int has_decision(const rebalance *r, uint32_t task, uint32_t kinds)
{
    for (uint32_t i = 0; i < r->plan.decision_count; i++) {
        if (r->plan.decision_task[i] == task && (kinds >> r->plan.decision_kind[i] & 1) != 0) {
            return 1;
        }
    }
    return 0;
}

static void changes_are_told(const char *assignor, const draft *d, const rebalance *r)
{
    claim c = {.assignor = assignor, .d = d, .r = r};
    for (uint32_t t = 0; t < r->plan.task_count; t++) {
        int64_t claims;
        int moves = claim_owner_of(&c, t, &claims) != r->plan.active[t], learns = r->plan.learner[t] != SEGUE_NONE;
        EXPECT(moves == has_decision(r, t, KIND(HAND_OVER) | KIND(PLACE) | KIND(FORCE)), "%s, seed %llu, task %u: its move",
               assignor, (unsigned long long)d->seed, t);
        EXPECT(!learns || has_decision(r, t, KIND(LEARN) | KIND(KEEP_BACK)), "%s, seed %llu, task %u: nothing of its learner",
               assignor, (unsigned long long)d->seed, t);
    }
}

void decisions_are_so(const char *assignor, const draft *d, const rebalance *r, uint32_t *said)
{
    const segue_plan *p = &r->plan;
    uint32_t *target = calloc((size_t)p->task_count + 1, sizeof *target);
    assert_non_null(target);
    find_targets(r, target);
    for (uint32_t i = 0; i < p->decision_count; i++) {
        const claim c = {assignor, d, r, target, p->decision_task[i], p->decision_kind[i], p->decision_from[i],
                         p->decision_to[i], p->decision_number + (size_t)i * SEGUE_DECISION_NUMBERS};
        const rule *of = p->decision_reason[i] < DECISION_REASONS ? &rules[p->decision_reason[i]] : &rules[0];
        const char *wrong = of->wrong == NULL || (of->kinds >> c.kind & 1) == 0 ? "not of that kind" : kind_is_so(&c);
        wrong = wrong == NULL ? of->wrong(&c) : wrong;
        EXPECT(wrong == NULL, "%s, seed %llu, task %u, kind %u, reason %u, from %d to %d, %lld of %lld, %lld of %lld: %s",
               assignor, (unsigned long long)d->seed, c.task, c.kind, p->decision_reason[i], (int)c.from, (int)c.to,
               (long long)c.number[0], (long long)c.number[1], (long long)c.number[2], (long long)c.number[3], wrong);
        said[p->decision_reason[i]]++;
    }
    changes_are_told(assignor, d, r);
    free(target);
}
