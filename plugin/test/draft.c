/* SPDX-License-Identifier: Apache-2.0 */
#include "test/draft.h"

#include <stdlib.h>
#include <string.h>

/* A column with room for one row more: the capacity follows from the count, so that it need not be kept. */
static void *room_for(void *column, uint32_t count, size_t size)
{
    if ((count & (count - 1)) != 0) {
        return column;
    }
    void *larger = realloc(column, (count == 0 ? 1 : (size_t)count * 2) * size);
    if (larger == NULL) {
        abort();
    }
    return larger;
}

#define APPEND(column, count, value)                              \
    do {                                                          \
        (column) = room_for((column), (count), sizeof *(column)); \
        (column)[count] = (value);                                \
    } while (0)

draft *draft_new(void)
{
    draft *d = calloc(1, sizeof *d);
    if (d == NULL) {
        abort();
    }
    d->group.size = sizeof d->group;
    d->config.size = sizeof d->config;
#define DRAFT_DEFAULT(field, type, key, initial, least, greatest) d->config.field = (initial);
    SEGUE_CONFIG_FIELDS(DRAFT_DEFAULT)
#undef DRAFT_DEFAULT
    return d;
}

void draft_free(draft *d)
{
    if (d == NULL) {
        return;
    }
    void *columns[] = {d->subtopology, d->partition,  d->process,     d->threads,  d->stateful,
                       d->state_bytes, d->leaving_ms, d->deadline_ms, d->holdings, d->copy_start,
                       d->copy_task,   d->copy_role,  d->copy_lag,    d->names,     d->weight,     d->tags,
                       d->inputs,      d->inputs_in,  d->member_rack, d->rack_start, d->rack_column, d->rack_inputs};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        free(columns[i]);
    }
    free(d);
}

static void add_task(draft *d, uint32_t partition, int stateful)
{
    uint32_t task = d->group.task_count++;
    APPEND(d->subtopology, task, d->group.subtopology_count - 1);
    APPEND(d->partition, task, partition);
    APPEND(d->stateful, task, (uint8_t)stateful);
    APPEND(d->state_bytes, task, SEGUE_BYTES_UNKNOWN);
    APPEND(d->weight, task, 1);
}

uint32_t draft_tasks(draft *d, uint32_t count, int stateful)
{
    uint32_t first = d->group.task_count;
    d->group.subtopology_count++;
    for (uint32_t p = 0; p < count; p++) {
        add_task(d, p, stateful);
    }
    return first;
}

uint32_t draft_member(draft *d, uint32_t process, uint32_t threads)
{
    uint32_t member = d->group.member_count++;
    APPEND(d->process, member, process);
    APPEND(d->threads, member, threads);
    APPEND(d->leaving_ms, member, SEGUE_TIME_NONE);
    APPEND(d->deadline_ms, member, SEGUE_TIME_NONE);
    if (process >= d->group.process_count) {
        d->group.process_count = process + 1;
    }
    return member;
}

void draft_copy(draft *d, uint32_t member, uint32_t task, uint32_t role, int64_t lag)
{
    holding h = {member, task, role, d->holding_count, lag};
    APPEND(d->holdings, d->holding_count, h);
    d->holding_count++;
}

void draft_owns(draft *d, uint32_t member, uint32_t first, uint32_t count)
{
    for (uint32_t t = first; t < first + count; t++) {
        draft_copy(d, member, t, SEGUE_ACTIVE, 0);
    }
}

void draft_leaves(draft *d, uint32_t member, int64_t deadline_ms)
{
    d->leaving_ms[member] = 0;
    d->deadline_ms[member] = deadline_ms;
}

void draft_tag_dimensions(draft *d, uint32_t dimensions)
{
    size_t values = (size_t)dimensions * d->group.member_count;
    free(d->tags);
    d->tags = malloc((values + 1) * sizeof *d->tags);
    if (d->tags == NULL) {
        abort();
    }
    memset(d->tags, 0xff, values * sizeof *d->tags);
    d->group.tag_count = dimensions;
}

/* Values are strings; number 0 is the name of everything. */
void draft_tag(draft *d, uint32_t dimension, uint32_t member, uint32_t value)
{
    d->tags[(size_t)dimension * d->group.member_count + member] = value + 1;
}

static void copy_tags(draft *to, const draft *from)
{
    if (from->tags != NULL) {
        draft_tag_dimensions(to, from->group.tag_count);
        memcpy(to->tags, from->tags, (size_t)from->group.tag_count * from->group.member_count * sizeof *to->tags);
    }
}

static void *fresh(void *old, size_t count, size_t size)
{
    free(old);
    void *column = calloc(count == 0 ? 1 : count, size);
    if (column == NULL) {
        abort();
    }
    return column;
}

void draft_racks(draft *d, uint32_t racks)
{
    uint32_t tasks = d->group.task_count, members = d->group.member_count;
    d->racks = racks;
    d->inputs = fresh(d->inputs, tasks, sizeof *d->inputs);
    d->inputs_in = fresh(d->inputs_in, (size_t)tasks * racks, sizeof *d->inputs_in);
    d->member_rack = fresh(d->member_rack, members, sizeof *d->member_rack);
    memset(d->member_rack, 0xff, members * sizeof *d->member_rack);
}

void draft_input(draft *d, uint32_t task, uint64_t racks)
{
    d->inputs[task]++;
    for (uint32_t r = 0; r < d->racks; r++) {
        d->inputs_in[(size_t)task * d->racks + r] += (uint32_t)(racks >> r & 1);
    }
}

static void copy_racks(draft *to, const draft *from)
{
    if (from->inputs != NULL) {
        size_t tasks = from->group.task_count;
        draft_racks(to, from->racks);
        memcpy(to->inputs, from->inputs, tasks * sizeof *to->inputs);
        memcpy(to->inputs_in, from->inputs_in, tasks * from->racks * sizeof *to->inputs_in);
        memcpy(to->member_rack, from->member_rack, from->group.member_count * sizeof *to->member_rack);
    }
}

draft *draft_clone(const draft *d)
{
    draft *copy = draft_new();
    copy->seed = d->seed;
    copy->config = d->config;
    copy->group.now_ms = d->group.now_ms;
    for (uint32_t t = 0; t < d->group.task_count; t++) {
        copy->group.subtopology_count = d->subtopology[t] + 1;
        add_task(copy, d->partition[t], d->stateful[t]);
        copy->state_bytes[t] = d->state_bytes[t];
        copy->weight[t] = d->weight[t];
    }
    copy->group.subtopology_count = d->group.subtopology_count;
    for (uint32_t m = 0; m < d->group.member_count; m++) {
        draft_member(copy, d->process[m], d->threads[m]);
        copy->leaving_ms[m] = d->leaving_ms[m];
        copy->deadline_ms[m] = d->deadline_ms[m];
    }
    for (uint32_t i = 0; i < d->holding_count; i++) {
        draft_copy(copy, d->holdings[i].member, d->holdings[i].task, d->holdings[i].role, d->holdings[i].lag);
    }
    copy_tags(copy, d);
    copy_racks(copy, d);
    return copy;
}

static int compare_pairs(const void *one, const void *other)
{
    const holding *a = one, *b = other;
    if (a->member != b->member) {
        return a->member < b->member ? -1 : 1;
    }
    return a->task < b->task ? -1 : a->task > b->task;
}

static int compare_holdings(const void *one, const void *other)
{
    const holding *a = one, *b = other;
    int order = compare_pairs(one, other);
    return order != 0 ? order : (a->order < b->order ? -1 : 1);
}

/* Sorted by member and task; of each pair the last word. */
static void sort_holdings(draft *d)
{
    uint32_t kept = 0;
    if (d->holding_count > 0) {
        qsort(d->holdings, d->holding_count, sizeof *d->holdings, compare_holdings);
    }
    for (uint32_t i = 0; i < d->holding_count; i++) {
        if (i + 1 == d->holding_count || compare_pairs(&d->holdings[i], &d->holdings[i + 1]) != 0) {
            d->holdings[kept] = d->holdings[i];
            d->holdings[kept].order = kept;
            kept++;
        }
    }
    d->holding_count = kept;
}

static void write_copies(draft *d)
{
    uint32_t count = d->holding_count, members = d->group.member_count;
    d->copy_start = fresh(d->copy_start, (size_t)members + 1, sizeof *d->copy_start);
    d->copy_task = fresh(d->copy_task, count, sizeof *d->copy_task);
    d->copy_role = fresh(d->copy_role, count, sizeof *d->copy_role);
    d->copy_lag = fresh(d->copy_lag, count, sizeof *d->copy_lag);
    for (uint32_t i = 0; i < count; i++) {
        d->copy_start[d->holdings[i].member + 1]++;
        d->copy_task[i] = d->holdings[i].task;
        d->copy_role[i] = (uint8_t)d->holdings[i].role;
        d->copy_lag[i] = d->holdings[i].lag;
    }
    for (uint32_t m = 0; m < members; m++) {
        d->copy_start[m + 1] += d->copy_start[m];
    }
    d->group.copy_count = count;
}

/* Names are for people: everything has the same empty one. */
static void write_names(draft *d)
{
    segue_group *g = &d->group;
    size_t most =
        (size_t)g->task_count + g->member_count + g->subtopology_count + d->racks + DRAFT_VALUES + 2;
    d->names = fresh(d->names, most, sizeof *d->names);
    g->string_count = 1 + DRAFT_VALUES;
    g->tag_name = g->string_offset = g->subtopology_name = g->task_name = g->member_name = g->process_name = d->names;
    g->rack_name = d->names;
}

static void write_racks(draft *d)
{
    uint32_t tasks = d->group.task_count, row = 0;
    d->rack_start = fresh(d->rack_start, (size_t)tasks + 1, sizeof *d->rack_start);
    d->rack_column = fresh(d->rack_column, (size_t)tasks * d->racks, sizeof *d->rack_column);
    d->rack_inputs = fresh(d->rack_inputs, (size_t)tasks * d->racks, sizeof *d->rack_inputs);
    for (uint32_t t = 0; t < tasks; t++) {
        for (uint32_t r = 0; r < d->racks; r++) {
            if (d->inputs_in[(size_t)t * d->racks + r] > 0) {
                d->rack_column[row] = r;
                d->rack_inputs[row++] = d->inputs_in[(size_t)t * d->racks + r];
            }
        }
        d->rack_start[t + 1] = row;
    }
    d->group.task_rack_count = row;
    d->group.rack_count = d->racks;
}

const segue_group *draft_group(draft *d)
{
    segue_group *g = &d->group;
    sort_holdings(d);
    write_copies(d);
    write_names(d);
    if (d->inputs != NULL) {
        write_racks(d);
        g->task_inputs = d->inputs;
        g->task_rack_start = d->rack_start;
        g->task_rack = d->rack_column;
        g->task_rack_inputs = d->rack_inputs;
        g->member_rack = d->member_rack;
    }
    g->task_subtopology = d->subtopology;
    g->task_partition = d->partition;
    g->task_stateful = d->stateful;
    g->task_state_bytes = d->state_bytes;
    g->task_weight = d->weight;
    g->member_process = d->process;
    g->member_threads = d->threads;
    g->member_leaving_ms = d->leaving_ms;
    g->member_deadline_ms = d->deadline_ms;
    g->copy_start = d->copy_start;
    g->copy_task = d->copy_task;
    g->copy_role = d->copy_role;
    g->copy_lag = d->copy_lag;
    g->member_tag = d->tags;
    return g;
}

const holding *draft_find(const draft *d, uint32_t member, uint32_t task)
{
    holding key = {.member = member, .task = task};
    return d->holding_count == 0 ? NULL
                                 : bsearch(&key, d->holdings, d->holding_count, sizeof *d->holdings, compare_pairs);
}

draft *draft_of_one_owner(uint32_t tasks, uint32_t members)
{
    draft *d = draft_new();
    draft_tasks(d, tasks, 1);
    for (uint32_t m = 0; m < members; m++) {
        draft_member(d, m, 1);
    }
    draft_owns(d, 0, 0, tasks);
    return d;
}
