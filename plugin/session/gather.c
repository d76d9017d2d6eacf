/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the group together: linear in members, tasks and copies. */
#include "session/session.h"

#include "core/buckets.h"
#include "core/fault.h"

#include <string.h>

/* The columns that change, to be filled. */
typedef struct columns {
    uint32_t *offset, *member_name, *process, *threads, *rack, *tag, *process_name, *start, *task;
    char *bytes;
    int64_t *leaving, *deadline, *lag;
    uint8_t *role;
} columns;

/* Members that joined bring their names along. */
static void count_names(const segue_session *s, uint32_t *strings, uint64_t *bytes)
{
    *strings = s->base.string_count;
    *bytes = s->base.string_bytes_size;
    for (uint32_t i = 0; i < s->members; i++) {
        const sgp_attendee *at = &s->member[s->order[i]];
        if (at->string == SEGUE_NONE) {
            ++*strings;
            *bytes += at->name_size;
        }
    }
}

static int32_t take_columns(segue_session *s, const segue_group *g, columns *c)
{
    sgp_region *region = &s->region;
    c->offset = SGP_TAKE(region, uint32_t, (size_t)g->string_count + 1);
    c->bytes = SGP_TAKE(region, char, g->string_bytes_size);
    c->member_name = SGP_TAKE(region, uint32_t, g->member_count);
    c->process = SGP_TAKE(region, uint32_t, g->member_count);
    c->threads = SGP_TAKE(region, uint32_t, g->member_count);
    c->rack = SGP_TAKE(region, uint32_t, g->member_count);
    c->tag = SGP_TAKE(region, uint32_t, (size_t)g->member_count * g->tag_count);
    c->leaving = SGP_TAKE(region, int64_t, g->member_count);
    c->deadline = SGP_TAKE(region, int64_t, g->member_count);
    c->process_name = SGP_TAKE(region, uint32_t, g->process_count);
    c->start = SGP_TAKE_ZERO(region, uint32_t, (size_t)g->member_count + 1);
    c->task = SGP_TAKE(region, uint32_t, g->copy_count);
    c->role = SGP_TAKE(region, uint8_t, g->copy_count);
    c->lag = SGP_TAKE(region, int64_t, g->copy_count);
    return region->failed ? SEGUE_E_MEMORY : SEGUE_OK;
}

static void copy_strings(const segue_session *s, columns *c)
{
    const segue_group *base = &s->base;
    memcpy(c->offset, base->string_offset, ((size_t)base->string_count + 1) * sizeof *c->offset);
    if (base->string_bytes_size > 0) {
        memcpy(c->bytes, base->string_bytes, base->string_bytes_size);
    }
}

/* The string of the member's name, which is added where the session's strings do not have it. */
static uint32_t name_of(const sgp_attendee *at, columns *c, uint32_t *strings)
{
    if (at->string != SEGUE_NONE) {
        return at->string;
    }
    uint32_t string = (*strings)++, begin = c->offset[string];
    memcpy(c->bytes + begin, at->name, at->name_size);
    c->offset[string + 1] = begin + at->name_size;
    return string;
}

static uint32_t process_of(segue_session *s, const sgp_attendee *at, uint32_t name, columns *c, uint32_t *processes)
{
    sgp_shared_disk *p = &s->process[at->process];
    if (p->handle == SEGUE_NONE) {
        p->handle = (*processes)++;
        c->process_name[p->handle] = p->string == SEGUE_NONE ? name : p->string;
    }
    return p->handle;
}

static void write_members(segue_session *s, columns *c)
{
    uint32_t strings = s->base.string_count, processes = 0;
    copy_strings(s, c);
    for (uint32_t i = 0; i < s->members; i++) {
        s->process[s->member[s->order[i]].process].handle = SEGUE_NONE;
    }
    for (uint32_t i = 0; i < s->members; i++) {
        const sgp_attendee *at = &s->member[s->order[i]];
        c->member_name[i] = name_of(at, c, &strings);
        c->process[i] = process_of(s, at, c->member_name[i], c, &processes);
        c->threads[i] = s->threads[i];
        c->rack[i] = at->rack;
        c->leaving[i] = at->leaving_ms;
        c->deadline[i] = at->deadline_ms;
        c->start[i + 1] = s->held[i];
        for (uint32_t d = 0; d < s->base.tag_count; d++) {
            c->tag[(size_t)d * s->members + i] = s->tags[(size_t)s->order[i] * s->base.tag_count + d];
        }
    }
}

/* Tasks are put in from the last to the first, so that they ascend inside each member. */
static void write_copies(const segue_session *s, columns *c)
{
    uint32_t rows = sgp_buckets_open(c->start, s->members);
    for (uint32_t t = s->base.task_count; t-- > 0;) {
        for (uint32_t r = s->first[t]; r != SEGUE_NONE; r = s->row[r].sibling) {
            uint32_t at = --c->start[s->rank[s->row[r].member] + 1];
            c->task[at] = t;
            c->role[at] = s->row[r].role;
            c->lag[at] = s->row[r].lag;
        }
    }
    sgp_buckets_close(c->start, s->members, rows);
}

static void point(segue_group *g, const columns *c, int has_racks)
{
    g->string_offset = c->offset;
    g->string_bytes = c->bytes;
    g->member_name = c->member_name;
    g->member_process = c->process;
    g->member_threads = c->threads;
    g->member_rack = has_racks ? c->rack : NULL;
    g->member_tag = g->tag_count > 0 ? c->tag : NULL;
    g->member_leaving_ms = c->leaving;
    g->member_deadline_ms = c->deadline;
    g->process_name = c->process_name;
    g->copy_start = c->start;
    g->copy_task = c->task;
    g->copy_role = c->role;
    g->copy_lag = c->lag;
}

int32_t sgp_gather(segue_session *s, int64_t now_ms, segue_group *group, segue_error *error)
{
    columns c;
    uint64_t bytes;
    *group = s->base;
    group->now_ms = now_ms;
    group->member_count = s->members;
    group->process_count = s->processes;
    group->copy_count = s->rows;
    count_names(s, &group->string_count, &bytes);
    group->string_bytes_size = (uint32_t)bytes;
    if (bytes > UINT32_MAX || take_columns(s, group, &c) != SEGUE_OK) {
        return sgp_fault(error, SEGUE_E_MEMORY, SEGUE_NONE, "no memory for the group of %u members",
                         (unsigned)s->members);
    }
    write_members(s, &c);
    write_copies(s, &c);
    point(group, &c, s->has_racks);
    return SEGUE_OK;
}
