/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins whose plans break one of the rules R1 to R12 each. */
#include "sound.h"

/* Calls of `holds` for every task and member, until one does. */
typedef int (*suits)(const segue_group *g, const segue_plan *p, uint32_t task, uint32_t member);

__attribute__((unused)) static int find(const segue_group *g, const segue_plan *p, suits holds, uint32_t *task, uint32_t *member)
{
    for (*task = 0; *task < g->task_count; ++*task) {
        for (*member = 0; *member < g->member_count; ++*member) {
            if (holds(g, p, *task, *member)) {
                return 1;
            }
        }
    }
    return 0;
}

#if defined(BREAK_R1)
/* Two standbys of a task in the wrong order. */
static void damage(const segue_group *g, const segue_config *c, segue_plan *p)
{
    (void)c;
    for (uint32_t t = 0; t < g->task_count; t++) {
        uint32_t *row = p->standby_member + p->standby_start[t];
        if (p->standby_start[t + 1] - p->standby_start[t] > 1) {
            uint32_t first = row[0];
            row[0] = row[1];
            row[1] = first;
        }
    }
}

#elif defined(BREAK_R2)
static int suited(const segue_group *g, const segue_plan *p, uint32_t t, uint32_t m)
{
    return g->task_stateful[t] && p->active[t] == m;
}

#elif defined(BREAK_R3)
static int suited(const segue_group *g, const segue_plan *p, uint32_t t, uint32_t m)
{
    return !g->task_stateful[t] && stays(g, m) && is_elsewhere(g, p, m, t);
}

#elif defined(BREAK_R4)
/* A caught-up owner gives the task away to somebody without a copy. */
static int suited(const segue_group *g, const segue_plan *p, uint32_t t, uint32_t m)
{
    return g->task_stateful[t] && owner_of(g, t) == p->active[t] && stays(g, m) && is_elsewhere(g, p, m, t) &&
           !has_copy(g, m, t, -1);
}

#elif defined(BREAK_R5)
/* Nobody owns it, somebody has a copy, and it goes to somebody else. */
static int suited(const segue_group *g, const segue_plan *p, uint32_t t, uint32_t m)
{
    int owned = 0;
    for (uint32_t i = 0; i < g->member_count; i++) {
        owned |= has_copy(g, i, t, SEGUE_ACTIVE);
    }
    return g->task_stateful[t] && !owned && has_copy(g, p->active[t], t, -1) && stays(g, m) &&
           is_elsewhere(g, p, m, t) && !has_copy(g, m, t, -1);
}

#elif defined(BREAK_R6)
static int suited(const segue_group *g, const segue_plan *p, uint32_t t, uint32_t m)
{
    return g->task_stateful[t] && leaves(g, m) && is_elsewhere(g, p, m, t) &&
           (!has_copy(g, m, t, -1) || has_copy(g, m, t, SEGUE_LEARNER));
}

#elif defined(BREAK_R7)
static int suited(const segue_group *g, const segue_plan *p, uint32_t t, uint32_t m)
{
    (void)p;
    return !g->task_stateful[t] && g->member_threads[m] == 0 && !leaves(g, m);
}

#elif defined(BREAK_R8)
static int suited(const segue_group *g, const segue_plan *p, uint32_t t, uint32_t m)
{
    return g->task_stateful[t] && stays(g, m) && is_elsewhere(g, p, m, t);
}

#elif defined(BREAK_R9)
static void damage(const segue_group *g, const segue_config *c, segue_plan *p)
{
    (void)c;
    memset(p->standby_start, 0, ((size_t)g->task_count + 1) * sizeof *p->standby_start);
    p->standby_count = 0;
}

#elif defined(BREAK_R10)
/* Tasks without state go round. */
static void damage(const segue_group *g, const segue_config *c, segue_plan *p)
{
    (void)c;
    for (uint32_t t = 0; t < g->task_count; t++) {
        uint32_t m = p->active[t];
        do {
            m = (m + 1) % g->member_count;
        } while (m != p->active[t] && !stays(g, m));
        p->active[t] = g->task_stateful[t] ? p->active[t] : m;
    }
    recount(g, p);
}

#elif defined(BREAK_R11)
/* Where nobody owns a task without state, its name decides. */
static void damage(const segue_group *g, const segue_config *c, segue_plan *p)
{
    (void)c;
    for (uint32_t t = 0; t < g->task_count; t++) {
        uint32_t from = g->string_offset[g->task_name[t]], to = g->string_offset[g->task_name[t] + 1], sum = 0;
        for (uint32_t i = from; i < to; i++) {
            sum = sum * 31 + (unsigned char)g->string_bytes[i];
        }
        uint32_t m = sum % g->member_count;
        p->active[t] = !g->task_stateful[t] && owner_of(g, t) == SEGUE_NONE && stays(g, m) ? m : p->active[t];
    }
    recount(g, p);
}

#elif defined(BREAK_R12)
static void damage(const segue_group *g, const segue_config *c, segue_plan *p)
{
    (void)g;
    (void)c;
    p->followup_needed = 1;
}
#endif

#if defined(BREAK_R2) || defined(BREAK_R3) || defined(BREAK_R6) || defined(BREAK_R8)
/* A learner that there should not be. */
static void damage(const segue_group *g, const segue_config *c, segue_plan *p)
{
    uint32_t task, member;
#ifdef BREAK_R8
    int wanted = c->max_learners == 0 && c->num_standby_replicas == 0;
#else
    int wanted = 1;
    (void)c;
#endif
    if (wanted && find(g, p, suited, &task, &member)) {
        p->learner[task] = member;
        recount(g, p);
    }
}
#elif defined(BREAK_R4) || defined(BREAK_R5) || defined(BREAK_R7)
/* An owner that there should not be. */
static void damage(const segue_group *g, const segue_config *c, segue_plan *p)
{
    uint32_t task, member;
    (void)c;
    if (find(g, p, suited, &task, &member)) {
        p->active[task] = member;
        recount(g, p);
    }
}
#endif
#define DAMAGE damage

#include "table.h"
