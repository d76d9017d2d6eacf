/* SPDX-License-Identifier: Apache-2.0 */
#include "made.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Widest element of a column. */
enum { ALIGNMENT = 8 };

void *made_take(size_t bytes)
{
    void *memory = calloc(1, bytes > 0 ? bytes : 1);
    if (memory == NULL) {
        fputs("segue: check: no memory\n", stderr);
        abort();
    }
    return memory;
}

static size_t rounded(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void made_take_columns(made_group *made)
{
    const segue_group *g = &made->group;
    size_t bytes = 0;
#define COUNT(id, field, type, count, need)                                                                           \
    made->rows[MADE_##field] = (count);                                                                               \
    bytes += rounded(made->rows[MADE_##field] * sizeof(type));
    SEGUE_GROUP_COLUMNS(COUNT)
#undef COUNT
    made->block = made_take(bytes);
    char *next = made->block;
#define PLACE(id, field, type, count, need)                                                                           \
    made->field = (type *)(void *)next;                                                                               \
    made->group.field = made->field;                                                                                  \
    next += rounded(made->rows[MADE_##field] * sizeof(type));
    SEGUE_GROUP_COLUMNS(PLACE)
#undef PLACE
}

void made_settle(made_group *made)
{
    const segue_group *g = &made->group;
#define ROWS(id, field, type, count, need) made->rows[MADE_##field] = (count);
    SEGUE_GROUP_COLUMNS(ROWS)
#undef ROWS
}

/* Columns of `from` that fit; one that it does not have is not had here either. */
static void copy_columns(made_group *to, const made_group *from)
{
#define COPY(id, field, type, count, need)                                                                            \
    if (from->group.field == NULL) {                                                                                  \
        to->group.field = NULL;                                                                                       \
    } else if (to->rows[MADE_##field] >= from->rows[MADE_##field]) {                                                  \
        memcpy(to->field, from->field, from->rows[MADE_##field] * sizeof(type));                                      \
    }
    SEGUE_GROUP_COLUMNS(COPY)
#undef COPY
}

/* The same group with room for `copies` rows of copies and `bytes` of text. */
static made_group *copy_with_room(const made_group *from, uint32_t copies, uint32_t bytes)
{
    made_group *to = made_take(sizeof *to);
    to->group = from->group;
    to->config = from->config;
    to->seed = from->seed;
    to->group.copy_count = copies;
    to->group.string_bytes_size = bytes;
    made_take_columns(to);
    copy_columns(to, from);
    return to;
}

made_group *made_copy(const made_group *from)
{
    return copy_with_room(from, from->group.copy_count, from->group.string_bytes_size);
}

void made_free(made_group *made)
{
    if (made != NULL) {
        free(made->block);
        free(made);
    }
}

/* ---- the next group ---------------------------------------------------------------------------------------------- */

enum { ABSENT = -2 };

/* What members have of tasks, as a table: the lag, or ABSENT. */
typedef struct held {
    const made_group *from;
    int64_t *lag; /* of each member and task */
} held;

static int64_t *lag_of(const held *h, uint32_t member, uint32_t task)
{
    return &h->lag[(size_t)member * h->from->group.task_count + task];
}

static void read_held(held *h)
{
    const segue_group *g = &h->from->group;
    size_t pairs = (size_t)g->member_count * g->task_count;
    h->lag = made_take(pairs * sizeof *h->lag);
    for (size_t i = 0; i < pairs; i++) {
        h->lag[i] = ABSENT;
    }
    for (uint32_t m = 0; m < g->member_count; m++) {
        for (uint32_t i = g->copy_start[m]; i < g->copy_start[m + 1]; i++) {
            int64_t usual = g->copy_role[i] == SEGUE_ACTIVE ? 0 : SEGUE_LAG_UNKNOWN;
            *lag_of(h, m, g->copy_task[i]) = g->copy_lag == NULL ? usual : g->copy_lag[i];
        }
    }
}

/* A copy that begins now starts from the nearest one on the same disk. */
static int64_t lag_of_held(const held *h, uint32_t member, uint32_t task)
{
    const segue_group *g = &h->from->group;
    int64_t own = *lag_of(h, member, task);
    int64_t least = MADE_FRESH_LAG;
    int known = 0;
    for (uint32_t m = 0; own == ABSENT && m < g->member_count; m++) {
        int64_t lag = g->member_process[m] == g->member_process[member] ? *lag_of(h, m, task) : ABSENT;
        if (lag >= 0 && (!known || lag < least)) {
            least = lag;
            known = 1;
        }
    }
    return own == ABSENT ? least : own;
}

static int is_standby(const segue_plan *plan, uint32_t member, uint32_t task)
{
    for (uint32_t i = plan->standby_start[task]; i < plan->standby_start[task + 1]; i++) {
        if (plan->standby_member[i] == member) {
            return 1;
        }
    }
    return 0;
}

static void add_copy(made_group *to, uint32_t task, uint8_t role, int64_t lag)
{
    uint32_t row = to->group.copy_count++;
    to->copy_task[row] = task;
    to->copy_role[row] = role;
    to->copy_lag[row] = lag;
}

static void add_next(made_group *to, const held *h, const segue_plan *plan, uint32_t m, uint32_t t, int caught_up)
{
    int role = plan->active[t] == m    ? SEGUE_ACTIVE
               : plan->learner[t] == m ? SEGUE_LEARNER
               : is_standby(plan, m, t) ? SEGUE_STANDBY
                                        : SEGUE_DORMANT;
    if (role != SEGUE_DORMANT) {
        int64_t lag = caught_up || !to->task_stateful[t] ? 0 : lag_of_held(h, m, t);
        add_copy(to, t, (uint8_t)role, lag);
    } else if (!caught_up && *lag_of(h, m, t) != ABSENT) {
        add_copy(to, t, SEGUE_DORMANT, *lag_of(h, m, t));
    }
}

made_group *made_next(const made_group *from, const segue_plan *plan, int caught_up)
{
    const segue_group *g = &from->group;
    held h = {.from = from};
    made_group *to = copy_with_room(from, g->member_count * g->task_count, g->string_bytes_size);
    to->group.copy_lag = to->copy_lag;
    read_held(&h);
    to->group.copy_count = 0;
    for (uint32_t m = 0; m < g->member_count; m++) {
        to->copy_start[m] = to->group.copy_count;
        for (uint32_t t = 0; t < g->task_count; t++) {
            add_next(to, &h, plan, m, t, caught_up);
        }
    }
    to->copy_start[g->member_count] = to->group.copy_count;
    made_settle(to);
    free(h.lag);
    return to;
}

/* ---- other texts ------------------------------------------------------------------------------------------------- */

/* Every string gets the same beginning, so that their order stays, and they lie the other way round. */
made_group *made_retold(const made_group *from)
{
    static const char beginning[] = "told otherwise-";
    const segue_group *g = &from->group;
    uint32_t more = (uint32_t)sizeof beginning - 1, last = g->string_count - 1, at = 0;
    made_group *to = copy_with_room(from, g->copy_count, g->string_bytes_size + g->string_count * more);
    for (uint32_t i = 0; i < g->string_count; i++) {
        uint32_t old = g->string_offset[last - i], bytes = g->string_offset[last - i + 1] - old;
        to->string_offset[i] = at;
        memcpy(to->string_bytes + at, beginning, more);
        memcpy(to->string_bytes + at + more, from->string_bytes + old, bytes);
        at += more + bytes;
    }
    to->string_offset[g->string_count] = at;
#define TURN(column)                                                                                                  \
    for (size_t i = 0; to->group.column != NULL && i < to->rows[MADE_##column]; i++) {                                \
        to->column[i] = to->column[i] == SEGUE_NONE ? SEGUE_NONE : last - to->column[i];                              \
    }
    TURN(subtopology_name)
    TURN(task_name)
    TURN(member_name)
    TURN(member_tag)
    TURN(process_name)
    TURN(rack_name)
    TURN(tag_name)
#undef TURN
    return to;
}
