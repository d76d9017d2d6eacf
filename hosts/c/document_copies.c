/* SPDX-License-Identifier: Apache-2.0 */
/* What members hold: their claims and lags as one row for each member and task. */
#include <stdlib.h>
#include <string.h>

#include "document_reader.h"

enum { SHOWN_NAME = 44 };

/* The lists, with the roles that they stand for. */
static const struct {
    const char *key;
    uint8_t role;
} claim_lists[] = {{"active", SEGUE_ACTIVE}, {"standby", SEGUE_STANDBY}, {"learner", SEGUE_LEARNER}};

#define CLAIM_LISTS (sizeof claim_lists / sizeof claim_lists[0])

typedef struct copy {
    int64_t lag;
    uint32_t task;
    uint8_t role;
    uint8_t claimed; /* a bit for each role that a list has said */
    uint8_t has_lag;
} copy;

typedef struct gathering {
    sgi_reader *reader;
    copy *rows;
    uint32_t count;
    uint32_t member_start; /* first row of the member at hand */
    uint32_t *row_of;      /* by task: its latest row plus one; older than member_start: another member's */
} gathering;

/* The member's row for the task, new or not. */
static copy *row_for(gathering *all, uint32_t task)
{
    if (all->row_of[task] <= all->member_start) {
        all->rows[all->count] = (copy){.lag = SEGUE_LAG_UNKNOWN, .task = task, .role = SEGUE_DORMANT};
        all->row_of[task] = ++all->count;
    }
    return &all->rows[all->row_of[task] - 1];
}

/* SEGUE_NONE for a task that is gone: its claims mean nothing any more. */
static uint32_t task_named(const sgi_reader *reader, const char *id)
{
    uint32_t name = sgi_names_find(&reader->names, id, strlen(id));
    return name == SEGUE_NONE ? SEGUE_NONE : reader->names.rows[name].row[SGI_TASK];
}

static int32_t read_claim(gathering *all, const sgi_place *place, const json_t *value, uint8_t role)
{
    const sgi_complaint *complaint = &all->reader->complaint;
    const char *id = NULL;
    int32_t status = sgi_want_text(complaint, place, value, &id);
    uint32_t task = status == SEGUE_OK ? task_named(all->reader, id) : SEGUE_NONE;
    if (task == SEGUE_NONE) {
        return status;
    }
    copy *row = row_for(all, task);
    if (row->claimed & 1u << role) {
        char shown[SHOWN_NAME];
        return sgi_complain(complaint, SEGUE_E_SYNTAX, place, "\"%s\" is listed twice",
                            sgi_cut(shown, sizeof shown, id));
    }
    row->claimed = (uint8_t)(row->claimed | 1u << role);
    row->role = role > row->role ? role : row->role;
    return SEGUE_OK;
}

static int32_t read_claims(gathering *all, const sgi_place *place, const json_t *member, const char *key, uint8_t role)
{
    const json_t *list = json_object_get(member, key);
    sgi_place list_at = sgi_place_key(place, key);
    int32_t status = list == NULL ? SEGUE_OK : sgi_want_list(&all->reader->complaint, &list_at, list);
    for (size_t i = 0; status == SEGUE_OK && i < json_array_size(list); i++) {
        sgi_place at = sgi_place_row(&list_at, i);
        status = read_claim(all, &at, json_array_get(list, i), role);
    }
    return status;
}

static int32_t read_lag(gathering *all, const sgi_place *place, const json_t *value)
{
    int64_t lag = SEGUE_LAG_UNKNOWN;
    int32_t status =
        json_is_null(value) ? SEGUE_OK : sgi_want_whole(&all->reader->complaint, place, value, 0, INT64_MAX, &lag);
    uint32_t task = status == SEGUE_OK ? task_named(all->reader, place->key) : SEGUE_NONE;
    if (task != SEGUE_NONE) {
        copy *row = row_for(all, task);
        row->lag = lag;
        row->has_lag = 1;
    }
    return status;
}

static int32_t read_lags(gathering *all, const sgi_place *place, const json_t *member)
{
    json_t *lags = json_object_get(member, "lag");
    sgi_place map_at = sgi_place_key(place, "lag");
    int32_t status = lags == NULL ? SEGUE_OK : sgi_want_map(&all->reader->complaint, &map_at, lags);
    for (void *row = json_object_iter(lags); status == SEGUE_OK && row != NULL;
         row = json_object_iter_next(lags, row)) {
        sgi_place at = sgi_place_free_key(&map_at, json_object_iter_key(row));
        status = read_lag(all, &at, json_object_iter_value(row));
    }
    return status;
}

static int compare_copies(const void *a, const void *b)
{
    uint32_t left = ((const copy *)a)->task;
    uint32_t right = ((const copy *)b)->task;
    return (left > right) - (left < right);
}

static int32_t read_member(gathering *all, const sgi_member *member)
{
    sgi_place list_at = sgi_place_key(NULL, "members");
    sgi_place at = sgi_place_row(&list_at, member->index);
    int32_t status = SEGUE_OK;
    all->member_start = all->count;
    for (size_t i = 0; status == SEGUE_OK && i < CLAIM_LISTS; i++) {
        status = read_claims(all, &at, member->object, claim_lists[i].key, claim_lists[i].role);
    }
    status = status == SEGUE_OK ? read_lags(all, &at, member->object) : status;
    qsort(all->rows + all->member_start, all->count - all->member_start, sizeof *all->rows, compare_copies);
    return status;
}

static int32_t write_columns(const gathering *all, uint32_t *start)
{
    sgi_region *region = &all->reader->document->region;
    segue_group *group = &all->reader->document->group;
    uint32_t *task = sgi_region_take(region, all->count, sizeof *task);
    uint8_t *role = sgi_region_take(region, all->count, sizeof *role);
    int64_t *lag = sgi_region_take(region, all->count, sizeof *lag);
    if (task == NULL || role == NULL || lag == NULL) {
        return sgi_complain_memory(&all->reader->complaint);
    }
    for (uint32_t i = 0; i < all->count; i++) {
        const copy *row = &all->rows[i];
        task[i] = row->task;
        role[i] = row->role;
        lag[i] = row->role == SEGUE_ACTIVE && !row->has_lag ? 0 : row->lag;
    }
    group->copy_count = all->count;
    group->copy_start = start;
    group->copy_task = task;
    group->copy_role = role;
    group->copy_lag = lag;
    return SEGUE_OK;
}

/* Claims and lags of all members: an upper bound of the rows. */
static uint64_t count_claims(const sgi_reader *reader)
{
    uint64_t claims = 0;
    for (uint32_t i = 0; i < reader->member_count; i++) {
        const json_t *member = reader->members[i].object;
        for (size_t list = 0; list < CLAIM_LISTS; list++) {
            claims += json_array_size(json_object_get(member, claim_lists[list].key));
        }
        claims += json_object_size(json_object_get(member, "lag"));
    }
    return claims;
}

int32_t sgi_read_copies(sgi_reader *reader)
{
    uint64_t claims = count_claims(reader);
    if (claims > SEGUE_MAX_COPIES) {
        sgi_place at = sgi_place_key(NULL, "members");
        return sgi_complain(&reader->complaint, SEGUE_E_SYNTAX, &at, "more than %u claims and lags", SEGUE_MAX_COPIES);
    }
    uint32_t *start = sgi_region_take(&reader->document->region, (size_t)reader->member_count + 1, sizeof *start);
    gathering all = {.reader = reader,
                     .rows = sgi_region_take(&reader->scratch, (size_t)claims, sizeof *all.rows),
                     .row_of = sgi_region_take(&reader->scratch, reader->task_count, sizeof *all.row_of)};
    if (start == NULL || all.rows == NULL || all.row_of == NULL) {
        return sgi_complain_memory(&reader->complaint);
    }
    int32_t status = SEGUE_OK;
    for (uint32_t i = 0; status == SEGUE_OK && i < reader->member_count; i++) {
        status = read_member(&all, &reader->members[i]);
        start[i + 1] = all.count;
    }
    return status == SEGUE_OK ? write_columns(&all, start) : status;
}
