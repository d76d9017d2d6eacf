/* SPDX-License-Identifier: Apache-2.0 */
#include "strategy/settle.h"

#include "strategy/echo.h"

#include <string.h>

/* Rounds of echo that are looked at before the last plan is taken as it is. Two settle nearly every group. */
#define ECHOES 24u
/* From this round on, and from every power of two behind it, a plan is kept to see whether it comes back. */
#define FIRST_KEPT 4u

/* What plans are told apart by. */
typedef struct outline {
    uint32_t *active, *learner;
    const uint32_t *standby; /* all ranks */
} outline;

static outline outline_of(const sgp_course *c)
{
    return (outline){c->roles.active, c->roles.learner, c->standbys.member};
}

/* Any order will do that looks at nothing but the plans; 0 where they are the same. */
static int compare(const sgp_course *c, const outline *other)
{
    const size_t bytes = c->view.tasks * sizeof *other->active;
    int order = memcmp(c->roles.active, other->active, bytes);
    order = order != 0 ? order : memcmp(c->roles.learner, other->learner, bytes);
    return order == 0 && c->standbys.ranks > 0 ? memcmp(c->standbys.member, other->standby, bytes * c->standbys.ranks)
                                               : order;
}

/* What the echo decided, seen from the group as it is. */
static void adopt(sgp_course *c, const sgp_course *echo)
{
    size_t tasks = c->view.tasks;
    memcpy(c->roles.active, echo->roles.active, tasks * sizeof *c->roles.active);
    memcpy(c->roles.learner, echo->roles.learner, tasks * sizeof *c->roles.learner);
    c->roles.outcome = echo->roles.outcome;
    c->roles.learners = echo->roles.learners;
    c->roles.held_back = echo->roles.held_back;
    c->target = echo->target;
    c->held = NULL;
    memcpy(c->wanted, echo->wanted, sizeof c->wanted);
    c->cut = echo->cut;
    c->min_traffic = echo->min_traffic;
    c->standbys = echo->standbys;
}

/* Each member on a disk of its own, and no move for the spread of a subtopology. */
static int is_simple(const segue_group *group, const segue_config *config)
{
    return group->process_count == group->member_count && !config->spread_subtopologies;
}

int sgp_settles_anyway(const sgp_strategy *strategy, const segue_group *group, const segue_config *config)
{
    return is_simple(group, config) && config->max_learning_bytes < 0 && strategy->solve == NULL;
}

/* Groups in which everybody stays and only owners have state, each on a disk of its own, are settled by construction: what
 * is learned pulls at the same members in the next round. By weight, and under a cap on bytes, that is so where all is learned
 * at once: what a cap on bytes grants goes by size, and not in the order in which tasks are wished for. */
static int is_settled(const sgp_course *c)
{
    int plain = c->view.copy_start == NULL && c->view.staying == c->view.members &&
                is_simple(c->view.group, c->view.config) &&
                (c->roles.held_back == 0 || (c->weights.of == NULL && c->view.config->max_learning_bytes < 0));
    return plain || c->strategy->cold || c->strategy->solve != NULL || sgp_echo_is_group(c);
}

/* Plans that go round: what the one is told by that is looked out for, and the least of all since. */
typedef struct circle {
    outline from;
    sgp_course least;
} circle;

static int32_t take_roles(sgp_region *region, uint32_t tasks, uint32_t **active, uint32_t **learner)
{
    *active = SGP_TAKE(region, uint32_t, tasks);
    *learner = SGP_TAKE(region, uint32_t, tasks);
    return region->failed ? SEGUE_E_MEMORY : SEGUE_OK;
}

static int32_t start_circle(circle *o, const sgp_course *c)
{
    const uint32_t tasks = c->view.tasks;
    o->from = outline_of(c);
    o->least = *c;
    if (take_roles(c->region, tasks, &o->from.active, &o->from.learner) != SEGUE_OK ||
        take_roles(c->region, tasks, &o->least.roles.active, &o->least.roles.learner) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    memcpy(o->from.active, c->roles.active, tasks * sizeof *o->from.active);
    memcpy(o->from.learner, c->roles.learner, tasks * sizeof *o->from.learner);
    adopt(&o->least, c);
    return SEGUE_OK;
}

/* The next plan on the way: where it closes a circle, the least of that is taken. */
static int32_t go_on(sgp_course *c, circle *o, const sgp_course *echo, uint32_t round)
{
    adopt(c, echo);
    const outline least = outline_of(&o->least);
    if (round > FIRST_KEPT && compare(c, &o->from) == 0) {
        adopt(c, &o->least);
        c->settled = 1;
    } else if (round > FIRST_KEPT && compare(c, &least) < 0) {
        adopt(&o->least, c);
    }
    int keeps = round >= FIRST_KEPT && (round & (round - 1)) == 0 && !c->settled;
    return keeps ? start_circle(o, c) : SEGUE_OK;
}

int32_t sgp_settle_plan(sgp_course *c)
{
    uint32_t *active, *learner;
    circle o = {.from = outline_of(c), .least = *c};
    c->settled = is_settled(c);
    if (c->settled) {
        return SEGUE_OK;
    }
    int32_t status = sgp_course_part_owners(c);
    status = status == SEGUE_OK ? take_roles(c->region, c->view.tasks, &active, &learner) : status;
    for (uint32_t i = 1; status == SEGUE_OK && !c->settled && i <= ECHOES && !sgp_deadline_look(c->deadline); i++) {
        sgp_course echo = {.strategy = c->strategy, .region = c->region, .deadline = c->deadline, .is_echo = 1};
        echo.decides = c->decides;
        echo.buys_spread = c->buys_spread;
        echo.weights = c->weights;
        echo.costs = c->costs;
        status = sgp_echo(c, &echo.view);
        if (status == SEGUE_OK) {
            status = sgp_course_solve(&echo, active, learner);
        }
        const outline found = outline_of(&echo);
        c->settled = status == SEGUE_OK && compare(c, &found) == 0;
        if (status != SEGUE_OK || c->settled || c->deadline->passed) {
            return status;
        }
        status = go_on(c, &o, &echo, i);
    }
    return status;
}
