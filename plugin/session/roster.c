/* SPDX-License-Identifier: Apache-2.0 */
#include "session/session.h"

#include "core/fault.h"

#include <string.h>

int sgp_roster_has(const segue_session *s, uint32_t member)
{
    return member < s->numbers && s->rank[member] != SEGUE_NONE;
}

static int compare_names(const char *a, uint32_t a_size, const char *b, uint32_t b_size)
{
    uint32_t common = a_size < b_size ? a_size : b_size;
    int order = common == 0 ? 0 : memcmp(a, b, common);
    return order != 0 ? order : (a_size > b_size) - (a_size < b_size);
}

/* The rank of the first member whose name is not below. */
static uint32_t place_of(const segue_session *s, const char *name, uint32_t size, int *taken)
{
    uint32_t low = 0, high = s->members;
    *taken = 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const sgp_attendee *at = &s->member[s->order[middle]];
        int order = compare_names(at->name, at->name_size, name, size);
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
            *taken |= order == 0;
        }
    }
    return low;
}

static int32_t reserve_numbers(segue_session *s, uint32_t wanted)
{
    uint32_t before = s->numbers, rows = sgp_session_room(before, wanted);
    if (wanted <= before) {
        return SEGUE_OK;
    }
    const sgp_growth columns[] = {{&s->member, sizeof *s->member},
                                  {&s->rank, sizeof *s->rank},
                                  {&s->tags, sizeof *s->tags * s->base.tag_count}};
    if (sgp_session_grow(s, columns, 3, before, rows) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    memset(s->rank + before, 0xff, (rows - before) * sizeof *s->rank);
    s->numbers = rows;
    return SEGUE_OK;
}

static int32_t reserve_places(segue_session *s, uint32_t wanted)
{
    uint32_t before = s->places, rows = sgp_session_room(before, wanted);
    if (wanted <= before) {
        return SEGUE_OK;
    }
    const sgp_growth columns[] = {{&s->order, sizeof *s->order},
                                  {&s->threads, sizeof *s->threads},
                                  {&s->held, sizeof *s->held}};
    if (sgp_session_grow(s, columns, 3, before, rows) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    s->places = rows;
    return SEGUE_OK;
}

static int32_t reserve_processes(segue_session *s, uint32_t wanted)
{
    uint32_t before = s->process_rows, rows = sgp_session_room(before, wanted);
    if (wanted <= before) {
        return SEGUE_OK;
    }
    const sgp_growth column = {&s->process, sizeof *s->process};
    if (sgp_session_grow(s, &column, 1, before, rows) != SEGUE_OK) {
        return SEGUE_E_MEMORY;
    }
    for (uint32_t p = rows; p-- > before;) {
        s->process[p] = (sgp_shared_disk){.members = 0, .next = s->free_process};
        s->free_process = p;
    }
    s->process_rows = rows;
    return SEGUE_OK;
}

static int32_t reserve(segue_session *s, uint32_t numbers, uint32_t places, uint32_t processes)
{
    int32_t status = reserve_numbers(s, numbers);
    status = status == SEGUE_OK ? reserve_places(s, places) : status;
    return status == SEGUE_OK ? reserve_processes(s, processes) : status;
}

static uint32_t enter_process(segue_session *s, uint32_t process)
{
    if (process == SEGUE_NONE) {
        process = s->free_process;
        s->free_process = s->process[process].next;
        s->process[process] = (sgp_shared_disk){.string = SEGUE_NONE};
        s->processes++;
    }
    s->process[process].members++;
    return process;
}

static void leave_process(segue_session *s, uint32_t process)
{
    if (--s->process[process].members == 0) {
        s->process[process].next = s->free_process;
        s->free_process = process;
        s->processes--;
    }
}

/* Opens or closes a gap at a rank in the columns by rank. */
static void shift(segue_session *s, uint32_t from, uint32_t to, uint32_t count)
{
    memmove(s->order + to, s->order + from, count * sizeof *s->order);
    memmove(s->threads + to, s->threads + from, count * sizeof *s->threads);
    memmove(s->held + to, s->held + from, count * sizeof *s->held);
}

/* Whoever comes behind a rank moves by one, up (1) or down (-1 as a uint32_t). */
static void move_ranks(segue_session *s, uint32_t behind, uint32_t by)
{
    uint32_t *rank = s->rank;
    const uint32_t numbers = s->numbers;
    for (uint32_t n = 0; n < numbers; n++) {
        rank[n] += ((rank[n] >= behind) & (rank[n] != SEGUE_NONE)) ? by : 0;
    }
}

/* ---- opening ---- */

static int32_t find_name(const segue_group *g, uint32_t member, sgp_attendee *at, segue_error *error)
{
    uint32_t string = g->member_name[member];
    if (string >= g->string_count || g->string_offset[string + 1] < g->string_offset[string] ||
        g->string_offset[string + 1] > g->string_bytes_size) {
        return sgp_fault(error, SEGUE_E_GROUP, member, "member_name is no string of the group");
    }
    at->string = string;
    at->name = g->string_bytes_size == 0 ? "" : g->string_bytes + g->string_offset[string];
    at->name_size = g->string_offset[string + 1] - g->string_offset[string];
    return SEGUE_OK;
}

/* Names are looked at in the session's own strings. */
static int32_t enter(segue_session *s, const segue_group *g, uint32_t member, segue_error *error)
{
    segue_group own = s->base;
    sgp_attendee *at = &s->member[member];
    own.member_name = g->member_name;
    *at = (sgp_attendee){SEGUE_TIME_NONE, SEGUE_TIME_NONE, NULL, 0, SEGUE_NONE, 0, SEGUE_NONE, SEGUE_NONE};
    int32_t status = find_name(&own, member, at, error);
    if (status != SEGUE_OK) {
        return status;
    }
    if (member > 0 && compare_names(at[-1].name, at[-1].name_size, at->name, at->name_size) >= 0) {
        return sgp_fault(error, SEGUE_E_GROUP, member, "members' names are not strictly ascending");
    }
    at->process = g->member_process[member];
    at->rack = g->member_rack == NULL ? SEGUE_NONE : g->member_rack[member];
    at->leaving_ms = g->member_leaving_ms == NULL ? SEGUE_TIME_NONE : g->member_leaving_ms[member];
    at->deadline_ms = g->member_deadline_ms == NULL ? SEGUE_TIME_NONE : g->member_deadline_ms[member];
    for (uint32_t d = 0; d < g->tag_count; d++) {
        s->tags[(size_t)member * g->tag_count + d] =
            g->member_tag == NULL ? SEGUE_NONE : g->member_tag[(size_t)d * g->member_count + member];
    }
    s->rank[member] = s->order[member] = member;
    s->threads[member] = g->member_threads[member];
    s->held[member] = 0;
    s->marked += at->leaving_ms != SEGUE_TIME_NONE;
    return SEGUE_OK;
}

static int32_t open_processes(segue_session *s, const segue_group *g, segue_error *error)
{
    /* The list of free rows begins at row 0 and ascends. */
    for (uint32_t p = 0; p < g->process_count; p++) {
        s->process[enter_process(s, SEGUE_NONE)].string = g->process_name[p];
        s->process[p].members = 0;
    }
    for (uint32_t m = 0; m < g->member_count; m++) {
        s->process[g->member_process[m]].members++;
    }
    for (uint32_t p = 0; p < g->process_count; p++) {
        if (s->process[p].members == 0) {
            return sgp_fault(error, SEGUE_E_GROUP, p, "no member names this process");
        }
    }
    return SEGUE_OK;
}

int32_t sgp_roster_open(segue_session *s, const segue_group *g, segue_error *error)
{
    s->free_process = SEGUE_NONE;
    if (reserve(s, g->member_count, g->member_count, g->process_count) != SEGUE_OK) {
        return sgp_fault(error, SEGUE_E_MEMORY, SEGUE_NONE, "no memory for %u members", (unsigned)g->member_count);
    }
    int32_t status = open_processes(s, g, error);
    for (uint32_t m = 0; status == SEGUE_OK && m < g->member_count; m++) {
        status = enter(s, g, m, error);
    }
    s->members = g->member_count;
    return status;
}

/* ---- changes ---- */

static int32_t check_joiner(const segue_session *s, const segue_joiner *j, segue_error *error)
{
    if (j == NULL || !SEGUE_HAS(segue_joiner, name, j->size) || (j->name == NULL && j->name_size > 0)) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, SEGUE_NONE, "the joiner is NULL, too small or has no name");
    }
    if (j->member >= SEGUE_MAX_MEMBERS || s->members == SEGUE_MAX_MEMBERS || sgp_roster_has(s, j->member)) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, SEGUE_NONE, "member number %u is taken or not below %u",
                         (unsigned)j->member, SEGUE_MAX_MEMBERS);
    }
    if (j->threads > SEGUE_MAX_THREADS) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, SEGUE_NONE, "%u threads are above the border's limit",
                         (unsigned)j->threads);
    }
    if (j->process != j->member && !sgp_roster_has(s, j->process)) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, SEGUE_NONE, "there is no member %u to share a process with",
                         (unsigned)j->process);
    }
    if (j->rack != SEGUE_NONE && j->rack >= s->base.rack_count) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, SEGUE_NONE, "there is no rack %u", (unsigned)j->rack);
    }
    return SEGUE_OK;
}

static void seat(segue_session *s, const segue_joiner *j, uint32_t rank, const char *name)
{
    uint32_t shared = j->process == j->member ? SEGUE_NONE : s->member[j->process].process;
    s->member[j->member] = (sgp_attendee){
        SEGUE_TIME_NONE, SEGUE_TIME_NONE, name, j->name_size, SEGUE_NONE, enter_process(s, shared), j->rack, SEGUE_NONE};
    if (s->base.tag_count > 0) {
        memset(s->tags + (size_t)j->member * s->base.tag_count, 0xff, s->base.tag_count * sizeof *s->tags);
    }
    shift(s, rank, rank + 1, s->members - rank);
    move_ranks(s, rank, 1);
    s->members++;
    s->rank[j->member] = rank;
    s->order[rank] = j->member;
    s->threads[rank] = j->threads;
    s->held[rank] = 0;
}

int32_t sgp_roster_join(segue_session *s, const segue_joiner *j, segue_error *error)
{
    int taken;
    int32_t status = check_joiner(s, j, error);
    if (status != SEGUE_OK) {
        return status;
    }
    uint32_t rank = place_of(s, j->name, j->name_size, &taken);
    if (taken) {
        return sgp_fault(error, SEGUE_E_ARGUMENT, SEGUE_NONE, "another member has the name of member %u",
                         (unsigned)j->member);
    }
    char *name = sgp_arena_take(s->arena, j->name_size + (size_t)1);
    if (name == NULL || reserve(s, j->member + 1, s->members + 1, s->processes + 1) != SEGUE_OK) {
        sgp_arena_give(s->arena, name, j->name_size + (size_t)1);
        return sgp_fault(error, SEGUE_E_MEMORY, SEGUE_NONE, "no memory for member %u", (unsigned)j->member);
    }
    memcpy(name, j->name_size == 0 ? "" : j->name, j->name_size);
    seat(s, j, rank, name);
    return SEGUE_OK;
}

static int32_t no_such_member(uint32_t member, segue_error *error)
{
    return sgp_fault(error, SEGUE_E_ARGUMENT, SEGUE_NONE, "there is no member %u", (unsigned)member);
}

int32_t sgp_roster_leave(segue_session *s, uint32_t member, segue_error *error)
{
    if (!sgp_roster_has(s, member)) {
        return no_such_member(member, error);
    }
    sgp_attendee *at = &s->member[member];
    uint32_t rank = s->rank[member];
    sgp_ledger_drop(s, member);
    leave_process(s, at->process);
    s->marked -= at->leaving_ms != SEGUE_TIME_NONE;
    if (at->string == SEGUE_NONE) {
        char *own = NULL;
        memcpy(&own, &at->name, sizeof own); /* it was made by join */
        sgp_arena_give(s->arena, own, at->name_size + (size_t)1);
    }
    s->members--;
    shift(s, rank + 1, rank, s->members - rank);
    s->rank[member] = SEGUE_NONE;
    move_ranks(s, rank, (uint32_t)-1);
    return SEGUE_OK;
}

int32_t sgp_roster_mark(segue_session *s, uint32_t member, int64_t leaving_ms, int64_t deadline_ms, segue_error *error)
{
    if (!sgp_roster_has(s, member)) {
        return no_such_member(member, error);
    }
    sgp_attendee *at = &s->member[member];
    s->marked += (uint32_t)(leaving_ms != SEGUE_TIME_NONE) - (uint32_t)(at->leaving_ms != SEGUE_TIME_NONE);
    at->leaving_ms = leaving_ms;
    at->deadline_ms = deadline_ms;
    return SEGUE_OK;
}
