/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "crowd.h"
#include "error.h"
#include "group.h"
#include "known.h"
#include "plan.h"
#include "plan_shape.h"
#include "segue/host.h"

#define NO_LAG UINT64_MAX /* greater than every known lag */

/* What the copies of one stateful task say about its place in the plan ("home": the process of its new owner). */
typedef struct facts {
    uint64_t home_lag;    /* least known lag in the home process */
    uint64_t present_lag; /* the same over all processes with a present member */
    uint64_t staying_lag; /* the same over all processes with a staying member */
    int64_t owner_lag;
    uint32_t owner; /* the last member that claims it */
    uint8_t owners; /* how many do, 2 standing for more */
    uint8_t ready;  /* a caught-up copy can be served from somewhere */
    uint8_t home_ready;
} facts;

typedef struct judge {
    const segue_group *g;
    const segue_config *c;
    const segue_plan *p;
    segue_error *error;
    sgi_crowd crowd;
    facts *facts;       /* NULL: a cold assignor, R4-R6 and R9 are not judged */
    int loose;          /* a baseline that promises neither R6 nor R9 */
    uint32_t *stamp;    /* of each process: the last task seen there, plus 1 */
    uint32_t *learning; /* of each member */
    uint32_t in_flight;
} judge;

#define BROKEN(j, rule, task, text, ...)                                                                              \
    sgi_fault((j)->error, SEGUE_E_PLAN, (rule), (task), "R%d: task %.*s " text, (rule), SGI_SHOW_TASK((j)->g, task),  \
              __VA_ARGS__)
#define NAME(j, member) SGI_SHOW_MEMBER((j)->g, member)

static uint32_t process_of(const judge *j, uint32_t member)
{
    return j->g->member_process[member];
}

static void lower_if(int counts, uint64_t *least, uint64_t lag)
{
    *least = counts && lag < *least ? lag : *least;
}

/* ---- gathering --------------------------------------------------------------------------------------------------- */

static void add_copy(judge *j, uint32_t member, uint32_t copy)
{
    facts *f = &j->facts[j->g->copy_task[copy]];
    int64_t lag = sgi_copy_lag(j->g, copy);
    if (j->g->copy_role[copy] == SEGUE_ACTIVE) {
        f->owner = member;
        f->owner_lag = lag;
        f->owners = (uint8_t)(f->owners == 0 ? 1 : 2);
    }
    if (lag == SEGUE_LAG_UNKNOWN) {
        return;
    }
    uint32_t process = process_of(j, member);
    int is_home = process == process_of(j, j->p->active[j->g->copy_task[copy]]);
    uint8_t process_bits = j->crowd.process[process];
    if (lag <= j->c->acceptable_recovery_lag &&
        ((j->crowd.member[member] & SGI_PRESENT) || (process_bits & SGI_STAYING))) {
        f->ready = 1;
        f->home_ready |= (uint8_t)is_home;
    }
    lower_if(is_home, &f->home_lag, (uint64_t)lag);
    lower_if(process_bits & SGI_PRESENT, &f->present_lag, (uint64_t)lag);
    lower_if(process_bits & SGI_STAYING, &f->staying_lag, (uint64_t)lag);
}

static void gather(judge *j)
{
    for (uint32_t t = 0; t < j->g->task_count; t++) {
        j->facts[t] = (facts){NO_LAG, NO_LAG, NO_LAG, SEGUE_LAG_UNKNOWN, SEGUE_NONE, 0, 0, 0};
    }
    for (uint32_t m = 0; m < j->g->member_count; m++) {
        for (uint32_t i = j->g->copy_start[m]; i < j->g->copy_start[m + 1]; i++) {
            add_copy(j, m, i);
        }
    }
}

/* ---- rules ------------------------------------------------------------------------------------------------------- */

/* False when the process has been seen for this task already. */
static int is_first_copy(judge *j, uint32_t member, uint32_t t)
{
    uint32_t *stamp = &j->stamp[process_of(j, member)];
    int first = *stamp != t + 1;
    *stamp = t + 1;
    return first;
}

static int32_t check_processes(judge *j, uint32_t t)
{
    const segue_plan *p = j->p;
    (void)is_first_copy(j, p->active[t], t);
    if (p->learner[t] != SEGUE_NONE && !is_first_copy(j, p->learner[t], t)) {
        return BROKEN(j, 2, t, "is active and learned in one process, by %.*s and %.*s", NAME(j, p->active[t]),
                      NAME(j, p->learner[t]));
    }
    for (uint32_t i = p->standby_start[t]; i < p->standby_start[t + 1]; i++) {
        if (!is_first_copy(j, p->standby_member[i], t)) {
            return BROKEN(j, 2, t, "has a standby on %.*s, whose process has another copy of it",
                          NAME(j, p->standby_member[i]));
        }
    }
    return SEGUE_OK;
}

static int32_t check_stateless(judge *j, uint32_t t)
{
    int has_copies = j->p->learner[t] != SEGUE_NONE || j->p->standby_start[t] != j->p->standby_start[t + 1];
    const char *copy = j->p->learner[t] != SEGUE_NONE ? "learner" : "standby";
    return has_copies ? BROKEN(j, 3, t, "is stateless and was given a %s", copy) : SEGUE_OK;
}

/* Is the home the nearest that this crowd has? When it knows no lag, each of its processes is as good as another. */
static int is_nearest(const judge *j, const facts *f, uint32_t home, uint64_t least_lag, uint8_t bit)
{
    return (j->crowd.process[home] & bit) && (least_lag == NO_LAG || f->home_lag == least_lag);
}

static int32_t check_orphan(judge *j, uint32_t t, const facts *f, uint32_t home)
{
    if (f->ready) {
        return f->home_ready ? SEGUE_OK
                             : BROKEN(j, 5, t, "went to %.*s, while a caught-up copy is elsewhere",
                                      NAME(j, j->p->active[t]));
    }
    int fits = j->crowd.present_members == 0 || is_nearest(j, f, home, f->present_lag, SGI_PRESENT) ||
               is_nearest(j, f, home, f->staying_lag, SGI_STAYING);
    return fits ? SEGUE_OK
                : BROKEN(j, 5, t, "went to %.*s, while a nearer copy is elsewhere", NAME(j, j->p->active[t]));
}

static int32_t check_owner(judge *j, uint32_t t)
{
    const facts *f = &j->facts[t];
    uint32_t home = process_of(j, j->p->active[t]);
    if (f->owners != 1 || !(j->crowd.member[f->owner] & SGI_PRESENT)) {
        return check_orphan(j, t, f, home);
    }
    if (f->owner_lag == SEGUE_LAG_UNKNOWN) {
        return SEGUE_OK;
    }
    if (f->owner_lag <= j->c->acceptable_recovery_lag) {
        return f->home_ready ? SEGUE_OK
                             : BROKEN(j, 4, t, "moves cold from %.*s, which is caught up, to %.*s", NAME(j, f->owner),
                                      NAME(j, j->p->active[t]));
    }
    if (f->ready) {
        return check_orphan(j, t, f, home);
    }
    int fits = home == process_of(j, f->owner) || f->home_lag < (uint64_t)f->owner_lag;
    return fits ? SEGUE_OK
                : BROKEN(j, 5, t, "left %.*s, which still restores it, for %.*s, which is no nearer",
                         NAME(j, f->owner), NAME(j, j->p->active[t]));
}

static int is_given_anew(const judge *j, uint32_t member, uint32_t t)
{
    return member != SEGUE_NONE && (j->crowd.member[member] & SGI_LEAVING) &&
           sgi_find_copy(j->g, member, t) == SEGUE_NONE;
}

static int32_t check_leaving(judge *j, uint32_t t)
{
    const segue_plan *p = j->p;
    if (j->crowd.staying_members == 0) {
        return SEGUE_OK;
    }
    if (j->crowd.member[p->active[t]] & SGI_EXPIRED) {
        return BROKEN(j, 6, t, "is active on %.*s, whose deadline has passed", NAME(j, p->active[t]));
    }
    uint32_t given = is_given_anew(j, p->active[t], t)    ? p->active[t]
                     : is_given_anew(j, p->learner[t], t) ? p->learner[t]
                                                          : SEGUE_NONE;
    for (uint32_t i = p->standby_start[t]; given == SEGUE_NONE && i < p->standby_start[t + 1]; i++) {
        given = is_given_anew(j, p->standby_member[i], t) ? p->standby_member[i] : SEGUE_NONE;
    }
    return given == SEGUE_NONE ? SEGUE_OK
                               : BROKEN(j, 6, t, "was given to %.*s, which is leaving and has no copy of it",
                                        NAME(j, given));
}

static int32_t check_threads(judge *j, uint32_t t)
{
    int fits = j->crowd.threaded_members == 0 || (j->crowd.member[j->p->active[t]] & SGI_THREADS);
    return fits ? SEGUE_OK : BROKEN(j, 7, t, "is active on %.*s, which has no thread", NAME(j, j->p->active[t]));
}

static int32_t check_learner(judge *j, uint32_t t)
{
    uint32_t learner = j->p->learner[t];
    if (learner == SEGUE_NONE) {
        return SEGUE_OK;
    }
    if (++j->in_flight > j->c->max_learners) {
        return BROKEN(j, 8, t,
                      "is learned by %.*s, one learner more than the %u in all (segue.max.learners, max.warmup.replicas)",
                      NAME(j, learner), j->c->max_learners);
    }
    if (++j->learning[learner] > j->c->max_learners_per_member) {
        return BROKEN(j, 8, t, "is learned by %.*s, one learner more than the %u it may have (segue.max.learners.per.member)",
                      NAME(j, learner), j->c->max_learners_per_member);
    }
    return SEGUE_OK;
}

static int is_staying_process(const judge *j, uint32_t member)
{
    return member != SEGUE_NONE && (j->crowd.process[process_of(j, member)] & SGI_STAYING);
}

static int was_standby(const judge *j, uint32_t member, uint32_t t)
{
    uint32_t copy = member == SEGUE_NONE ? SEGUE_NONE : sgi_find_copy(j->g, member, t);
    return copy != SEGUE_NONE && j->g->copy_role[copy] == SEGUE_STANDBY;
}

static int32_t check_standbys(judge *j, uint32_t t)
{
    const segue_plan *p = j->p;
    uint32_t taken = (uint32_t)(is_staying_process(j, p->active[t]) + is_staying_process(j, p->learner[t]));
    uint32_t room = j->crowd.staying_processes - taken;
    uint32_t wanted = j->c->num_standby_replicas < room ? j->c->num_standby_replicas : room;
    uint32_t staying = 0;
    for (uint32_t i = p->standby_start[t]; i < p->standby_start[t + 1]; i++) {
        staying += !(j->crowd.member[p->standby_member[i]] & SGI_LEAVING);
    }
    int fits = staying == wanted || (staying + 1 == wanted && was_standby(j, p->learner[t], t));
    return fits ? SEGUE_OK : BROKEN(j, 9, t, "has %u standbys on staying members and should have %u", staying, wanted);
}

static int32_t check_task(judge *j, uint32_t t)
{
    int32_t status = check_processes(j, t);
    if (status == SEGUE_OK && !j->g->task_stateful[t]) {
        status = check_stateless(j, t);
    }
    if (status == SEGUE_OK && j->facts != NULL && j->g->task_stateful[t]) {
        status = check_owner(j, t);
    }
    if (status == SEGUE_OK && j->facts != NULL && !j->loose) {
        status = check_leaving(j, t);
    }
    if (status == SEGUE_OK) {
        status = check_threads(j, t);
    }
    if (status == SEGUE_OK) {
        status = check_learner(j, t);
    }
    if (status == SEGUE_OK && j->facts != NULL && !j->loose && j->g->task_stateful[t]) {
        status = check_standbys(j, t);
    }
    return status;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* One block: facts first, since they are aligned widest. */
static void *make_scratch(judge *j, int cold)
{
    const segue_group *g = j->g;
    size_t facts_bytes = cold ? 0 : (size_t)g->task_count * sizeof(facts);
    size_t words = (size_t)g->process_count + g->member_count;
    size_t bytes = facts_bytes + words * sizeof(uint32_t) + g->member_count + g->process_count;
    char *block = malloc(bytes + 1);
    if (block == NULL) {
        return NULL;
    }
    j->facts = cold ? NULL : (facts *)(void *)block;
    j->stamp = (uint32_t *)(void *)(block + facts_bytes);
    j->learning = j->stamp + g->process_count;
    memset(j->stamp, 0, words * sizeof(uint32_t));
    j->crowd.member = (uint8_t *)(j->stamp + words);
    j->crowd.process = j->crowd.member + g->member_count;
    return block;
}

int32_t segue_plan_check(const segue_group *group, const segue_config *config, const segue_plan *plan, uint32_t traits,
                         segue_error *error)
{
    static const segue_bound any = {.size = sizeof any};
    segue_group group_room;
    segue_config config_room;
    segue_plan plan_room;
    group = sgi_known_group(group, &group_room);
    config = sgi_known_config(config, &config_room);
    plan = sgi_known_plan(plan, &plan_room);
    if (group == NULL || sgi_plan_ready(plan, group->task_count, &any) != SEGUE_OK) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "the group or the plan is missing, too small or without a column");
    }
    int32_t status = sgi_config_check(config, error);
    if (status == SEGUE_OK) {
        status = sgi_plan_shape(group, plan, error);
    }
    if (status != SEGUE_OK) {
        return status;
    }
    judge j = {.g = group, .c = config, .p = plan, .error = error};
    j.loose = (traits & SEGUE_TRAIT_LOOSE) != 0;
    void *scratch = make_scratch(&j, (traits & SEGUE_TRAIT_COLD) != 0);
    if (scratch == NULL) {
        return sgi_fail(error, SEGUE_E_MEMORY, "no memory to check a plan of %u tasks", group->task_count);
    }
    sgi_crowd_fill(&j.crowd, group, (traits & (SEGUE_TRAIT_LEAVING | SEGUE_TRAIT_LOOSE)) != 0, 0);
    if (j.facts != NULL) {
        gather(&j);
    }
    for (uint32_t t = 0; status == SEGUE_OK && t < group->task_count; t++) {
        status = check_task(&j, t);
    }
    free(scratch);
    return status;
}
