/* SPDX-License-Identifier: Apache-2.0 */
#include "ask.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 4, PATTERN = 0xa5, BEFORE = 64 };

_Thread_local const asking *asking_now;

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static size_t page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static int is_input(int part)
{
    return part < ASK_plan;
}

/* Pages for `bytes`, with one before and one behind that nobody may touch. */
static int take_room(ask_memory *m, size_t bytes)
{
    size_t room = (bytes + BEFORE + page() - 1) / page() * page();
    room = room < PAGES * page() ? PAGES * page() : room;
    char *all = mmap(NULL, room + 2 * page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) {
        return 0;
    }
    m->base = all + page();
    m->room = room;
    return mprotect(m->base, room, PROT_READ | PROT_WRITE) == 0;
}

static void give_room(ask_memory *m)
{
    if (m->base != NULL) {
        munmap(m->base - page(), m->room + 2 * page());
        *m = (ask_memory){0};
    }
}

/* Guarded, at the very end of the room; else far from either end. A group that needs more gets larger pages. */
static char *lay(asking *a, int part, const void *content, size_t bytes)
{
    ask_memory *m = &a->part[part];
    int guarded = (a->guards & (is_input(part) ? ASK_GUARD_INPUT : ASK_GUARD_OUTPUT)) != 0;
    const size_t wanted = bytes + 2 * (size_t)BEFORE;
    if (m->room < wanted) {
        give_room(m);
        if (!take_room(m, wanted)) {
            return NULL;
        }
    }
    if (m->sealed && guarded && content != NULL && m->bytes == bytes && memcmp(m->at, content, bytes) == 0) {
        return m->at; /* most columns of a group that was spoilt in one are as they were */
    }
    if (m->sealed) {
        mprotect(m->base, m->room, PROT_READ | PROT_WRITE);
    }
    m->at = guarded ? m->base + m->room - bytes : m->base + BEFORE;
    m->bytes = bytes;
    memset(m->at - BEFORE, PATTERN, BEFORE + bytes);
    if (content != NULL) {
        memcpy(m->at, content, bytes);
    }
    m->sealed = guarded && is_input(part);
    if (m->sealed) {
        mprotect(m->base, m->room, PROT_READ);
    }
    return m->at;
}

int asking_open(asking *a, probe *p, const subject *s)
{
    *a = (asking){.probe = p, .subject = s};
    for (int i = 0; i < ASK_PARTS; i++) {
        if (!take_room(&a->part[i], 0)) {
            probe_block(p, "the system gives no memory for a group");
            asking_close(a);
            return 0;
        }
    }
    asking_now = a;
    return 1;
}

void asking_close(asking *a)
{
    asking_now = NULL;
    for (int i = 0; i < ASK_PARTS; i++) {
        give_room(&a->part[i]);
    }
}

/* ---- input and output -------------------------------------------------------------------------------------------- */

/* What plan.h says; for a group whose counts are no counts, something. */
static segue_bound bound_of(const made_group *made)
{
    const segue_group *g = &made->group;
    uint32_t tasks = (uint32_t)made->rows[MADE_task_name];
    segue_bound bound = {.size = sizeof bound};
    int plain = g->task_count == tasks && g->copy_count == made->rows[MADE_copy_task] &&
                g->process_count <= made->rows[MADE_process_name];
    if (!plain || segue_host_bound(g, &made->config, &bound) != SEGUE_OK) {
        bound.standby_rows = bound.decision_rows = tasks * 4;
    }
    return bound;
}

void asking_put(asking *a, const made_group *made, unsigned guards)
{
    segue_group group = made->group;
    segue_bound bound = bound_of(made);
    a->guards = guards;
#define PUT(id, field, type, count, need)                                                                             \
    if (group.field != NULL) {                                                                                        \
        group.field = (const type *)(void *)lay(a, ASK_##field, made->field, made->rows[MADE_##field] * sizeof(type)); \
    }
    SEGUE_GROUP_COLUMNS(PUT)
#undef PUT
    a->group = (segue_group *)(void *)lay(a, ASK_group, &group, sizeof group);
    a->config = (segue_config *)(void *)lay(a, ASK_config, &made->config, sizeof made->config);
    a->tasks = (uint32_t)made->rows[MADE_task_name];
    asking_make_plan(a, bound.standby_rows, bound.decision_rows);
}

void asking_make_plan(asking *a, uint32_t standby_rows, uint32_t decision_rows)
{
    uint32_t task_count = a->tasks, standby_capacity = standby_rows, decision_capacity = decision_rows;
    a->given = (segue_plan){.size = sizeof a->given, .standby_capacity = standby_rows, .decision_capacity = decision_rows};
#define MAKE(id, field, type, used, capacity)                                                                         \
    a->given.field = (type *)(void *)lay(a, ASK_##field, NULL, (size_t)(capacity) * sizeof(type));
    SEGUE_PLAN_COLUMNS(MAKE)
#undef MAKE
    a->plan = (segue_plan *)(void *)lay(a, ASK_plan, &a->given, sizeof a->given);
}

int32_t asking_assign(asking *a, segue_instance *instance)
{
    *a->plan = a->given;
    a->error = (segue_error){.size = sizeof a->error, .row = SEGUE_NONE, .text = a->text, .text_size = sizeof a->text};
    memset(a->text, 0, sizeof a->text);
    return slot_assign(a->subject, instance, a->group, a->config, a->plan, &a->error);
}

int32_t asking_once(asking *a, const char *assignor)
{
    segue_instance *instance = NULL;
    int32_t status = slot_create(a->subject, assignor, &instance, probe_error(a->probe));
    if (status == SEGUE_OK) {
        status = asking_assign(a, instance);
        slot_destroy(a->subject, instance);
    }
    return status;
}

/* ---- looking at the answer --------------------------------------------------------------------------------------- */

static int has_pattern(const char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if ((unsigned char)from[i] != PATTERN) {
            return 0;
        }
    }
    return 1;
}

void asking_check_output(asking *a, const char *assignor)
{
    const segue_plan *got = a->plan, *given = &a->given;
#define CHECK(id, field, type, used, capacity)                                                                        \
    probe_hold(a->probe, has_pattern(a->part[ASK_##field].at - BEFORE, BEFORE),                                       \
               "%s writes before the first row of " #field " of the plan", assignor);                                 \
    probe_hold(a->probe, got->field == given->field, "%s changes the pointer to " #field " in the plan", assignor);
    SEGUE_PLAN_COLUMNS(CHECK)
#undef CHECK
    probe_hold(a->probe, has_pattern(a->part[ASK_plan].at - BEFORE, BEFORE), "%s writes before the plan's record",
               assignor);
    probe_hold(a->probe, got->size == given->size && got->standby_capacity == given->standby_capacity &&
                             got->decision_capacity == given->decision_capacity,
               "%s changes size or capacities in the plan, which are the host's", assignor);
}

static int standbys_fit(const asking *a)
{
    const segue_plan *p = a->plan;
    if (p->standby_count > a->given.standby_capacity || p->standby_start[0] != 0 ||
        p->standby_start[a->tasks] != p->standby_count) {
        return 0;
    }
    for (uint32_t t = 0; t < a->tasks; t++) {
        if (p->standby_start[t] > p->standby_start[t + 1]) {
            return 0;
        }
    }
    for (uint32_t i = 0; i < p->standby_count; i++) {
        if (p->standby_member[i] >= a->group->member_count) {
            return 0;
        }
    }
    return 1;
}

int asking_plan_fits(const asking *a)
{
    const segue_plan *p = a->plan;
    uint32_t members = a->group->member_count;
    if (p->task_count != a->tasks || p->decision_count > a->given.decision_capacity) {
        return 0;
    }
    for (uint32_t t = 0; t < a->tasks; t++) {
        if (p->active[t] >= members || (p->learner[t] >= members && p->learner[t] != SEGUE_NONE)) {
            return 0;
        }
    }
    return standbys_fit(a);
}

/* FNV-1a */
static uint64_t mixed(uint64_t digest, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) {
        digest = (digest ^ byte[i]) * UINT64_C(0x100000001b3);
    }
    return digest;
}

static const uint64_t nothing = UINT64_C(0xcbf29ce484222325);

uint64_t asking_digest(const asking *a)
{
    const segue_plan *p = a->plan;
    uint64_t digest = nothing;
#define MIX(field, type, way) digest = mixed(digest, &p->field, sizeof p->field);
    SEGUE_PLAN_SCALARS(MIX)
#undef MIX
#define MIX(id, field, type, used, capacity) digest = mixed(digest, p->field, (size_t)(used) * sizeof(type));
    SEGUE_PLAN_COLUMNS(MIX)
#undef MIX
    return digest;
}

uint64_t asking_placement(const asking *a)
{
    const segue_plan *p = a->plan;
    uint64_t digest = mixed(nothing, p->active, (size_t)a->tasks * sizeof *p->active);
    digest = mixed(digest, p->learner, (size_t)a->tasks * sizeof *p->learner);
    digest = mixed(digest, p->standby_start, ((size_t)a->tasks + 1) * sizeof *p->standby_start);
    return mixed(digest, p->standby_member, p->standby_count * sizeof *p->standby_member);
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

static const char *const part_names[ASK_PARTS] = {
    "the group's record",
    "the configuration's record",
#define NAME(id, field, type, count, need) "the group's column " #field,
    SEGUE_GROUP_COLUMNS(NAME)
#undef NAME
    "the plan's record",
#define NAME(id, field, type, used, capacity) "the plan's column " #field,
    SEGUE_PLAN_COLUMNS(NAME)
#undef NAME
};

const char *asking_find(const asking *a, const void *address, int *behind)
{
    const char *at = address;
    for (int i = 0; a != NULL && i < ASK_PARTS; i++) {
        const ask_memory *m = &a->part[i];
        if (m->base != NULL && at >= m->base - page() && at < m->base + m->room + page()) {
            *behind = at < m->at || at >= m->at + m->bytes;
            return part_names[i];
        }
    }
    return NULL;
}
