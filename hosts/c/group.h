/* SPDX-License-Identifier: Apache-2.0 */
/* group.h - reading a checked group's columns with their defaults. Any thread; inline because every rule uses them. */
#ifndef SEGUE_HOSTS_C_GROUP_H
#define SEGUE_HOSTS_C_GROUP_H

#include "segue/group.h"

/* A string's bytes, not terminated. */
typedef struct sgi_text {
    const char *bytes;
    size_t length;
} sgi_text;

static inline sgi_text sgi_string(const segue_group *g, uint32_t string)
{
    uint32_t from = g->string_offset[string];
    sgi_text text = {g->string_bytes == NULL ? "" : g->string_bytes + from, g->string_offset[string + 1] - from};
    return text;
}

/* For "%.*s": names are shown up to 80 bytes. */
static inline int sgi_shown(sgi_text text)
{
    return text.length < 80 ? (int)text.length : 80;
}

#define SGI_SHOW(text) sgi_shown(text), (text).bytes
#define SGI_SHOW_TASK(g, task) SGI_SHOW(sgi_string((g), (g)->task_name[task]))
#define SGI_SHOW_MEMBER(g, member) SGI_SHOW(sgi_string((g), (g)->member_name[member]))

static inline int64_t sgi_copy_lag(const segue_group *g, uint32_t copy)
{
    if (g->copy_lag != NULL) {
        return g->copy_lag[copy];
    }
    return g->copy_role[copy] == SEGUE_ACTIVE ? 0 : SEGUE_LAG_UNKNOWN;
}

static inline int sgi_is_leaving(const segue_group *g, uint32_t member)
{
    return g->member_leaving_ms != NULL && g->member_leaving_ms[member] != SEGUE_TIME_NONE;
}

static inline int sgi_is_expired(const segue_group *g, uint32_t member)
{
    return sgi_is_leaving(g, member) && g->member_deadline_ms != NULL &&
           g->member_deadline_ms[member] != SEGUE_TIME_NONE && g->member_deadline_ms[member] <= g->now_ms;
}

/* The row in which `member` holds a copy of `task`, or SEGUE_NONE. */
uint32_t sgi_find_copy(const segue_group *g, uint32_t member, uint32_t task);

/* Order of subtopology ids: decimal numbers first, by value; the others after them, by bytes. As memcmp. */
int sgi_compare_subtopologies(sgi_text a, sgi_text b);

/* Order by unsigned bytes, a prefix first. As memcmp. */
int sgi_compare_texts(sgi_text a, sgi_text b);

#endif
