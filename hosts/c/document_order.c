/* SPDX-License-Identifier: Apache-2.0 */
/* Subtopologies, tasks and racks into the canonical order of segue/group.h. */
#include <stdlib.h>
#include <string.h>

#include "document_reader.h"
#include "group.h"

typedef struct sort_key {
    uint64_t key;
    uint32_t row;
} sort_key;

static int compare_keys(const void *a, const void *b)
{
    uint64_t left = ((const sort_key *)a)->key;
    uint64_t right = ((const sort_key *)b)->key;
    return (left > right) - (left < right);
}

static sgi_text text_of(const sgi_names *names, uint32_t name)
{
    return (sgi_text){sgi_names_text(names, name), names->rows[name].length};
}

static int compare_subtopologies(const void *a, const void *b, void *context)
{
    const sgi_reader *reader = context;
    const sgi_subtopology *left = &reader->subtopologies[*(const uint32_t *)a];
    const sgi_subtopology *right = &reader->subtopologies[*(const uint32_t *)b];
    return sgi_compare_subtopologies(text_of(&reader->names, left->name), text_of(&reader->names, right->name));
}

static int32_t order_subtopologies(sgi_reader *reader)
{
    segue_document *document = reader->document;
    uint32_t count = reader->subtopology_count;
    uint32_t *order = sgi_region_take(&reader->scratch, count, sizeof *order);
    uint32_t *name = sgi_region_take(&document->region, count, sizeof *name);
    if (order == NULL || name == NULL) {
        return sgi_complain_memory(&reader->complaint);
    }
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    qsort_r(order, count, sizeof *order, compare_subtopologies, reader);
    for (uint32_t rank = 0; rank < count; rank++) {
        reader->subtopologies[order[rank]].rank = rank;
        name[rank] = sgi_write_string(reader, reader->subtopologies[order[rank]].name);
    }
    document->group.subtopology_count = count;
    document->group.subtopology_name = name;
    return SEGUE_OK;
}

/* Sorts the rows themselves, and tells each task's name its handle. */
static int32_t sort_tasks(sgi_reader *reader)
{
    uint32_t count = reader->task_count;
    sort_key *keys = sgi_region_take(&reader->scratch, count, sizeof *keys);
    sgi_task *sorted = sgi_region_take(&reader->scratch, count, sizeof *sorted);
    if (keys == NULL || sorted == NULL) {
        return sgi_complain_memory(&reader->complaint);
    }
    for (uint32_t i = 0; i < count; i++) {
        const sgi_task *task = &reader->tasks[i];
        keys[i].key = (uint64_t)reader->subtopologies[task->subtopology].rank << 32 | task->partition;
        keys[i].row = i;
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = reader->tasks[keys[i].row];
        sorted[i].subtopology = (uint32_t)(keys[i].key >> 32);
        reader->names.rows[sorted[i].name].row[SGI_TASK] = i;
    }
    reader->tasks = sorted;
    return SEGUE_OK;
}

static int32_t write_required(sgi_reader *reader)
{
    sgi_region *region = &reader->document->region;
    segue_group *group = &reader->document->group;
    uint32_t count = reader->task_count;
    uint32_t *name = sgi_region_take(region, count, sizeof *name);
    uint32_t *subtopology = sgi_region_take(region, count, sizeof *subtopology);
    uint32_t *partition = sgi_region_take(region, count, sizeof *partition);
    uint8_t *stateful = sgi_region_take(region, count, sizeof *stateful);
    if (name == NULL || subtopology == NULL || partition == NULL || stateful == NULL) {
        return sgi_complain_memory(&reader->complaint);
    }
    for (uint32_t i = 0; i < count; i++) {
        const sgi_task *task = &reader->tasks[i];
        name[i] = sgi_write_string(reader, task->name);
        subtopology[i] = task->subtopology;
        partition[i] = task->partition;
        stateful[i] = task->stateful;
    }
    group->task_count = count;
    group->task_name = name;
    group->task_subtopology = subtopology;
    group->task_partition = partition;
    group->task_stateful = stateful;
    return SEGUE_OK;
}

/* Optional columns are left out when all their rows have the default. */
static int32_t write_optional(sgi_reader *reader)
{
    segue_group *group = &reader->document->group;
    uint32_t count = reader->task_count;
    double *weight = sgi_region_take(&reader->document->region, count, sizeof *weight);
    int64_t *bytes = sgi_region_take(&reader->document->region, count, sizeof *bytes);
    if (weight == NULL || bytes == NULL) {
        return sgi_complain_memory(&reader->complaint);
    }
    for (uint32_t i = 0; i < count; i++) {
        const sgi_task *task = &reader->tasks[i];
        weight[i] = task->weight;
        bytes[i] = task->state_bytes;
        group->task_weight = task->weight < 1 || task->weight > 1 ? weight : group->task_weight;
        group->task_state_bytes = task->state_bytes != SEGUE_BYTES_UNKNOWN ? bytes : group->task_state_bytes;
    }
    return SEGUE_OK;
}

int32_t sgi_order_tasks(sgi_reader *reader)
{
    int32_t status = order_subtopologies(reader);
    status = status == SEGUE_OK ? sort_tasks(reader) : status;
    status = status == SEGUE_OK ? write_required(reader) : status;
    return status == SEGUE_OK ? write_optional(reader) : status;
}
