/* SPDX-License-Identifier: Apache-2.0 */
/* Members, processes and tags into the canonical order of segue/group.h. */
#include <stdlib.h>

#include "document_reader.h"

static int compare_members(const void *a, const void *b, void *context)
{
    return sgi_names_compare(context, ((const sgi_member *)a)->name, ((const sgi_member *)b)->name);
}

static int32_t sort_members(sgi_reader *reader)
{
    segue_document *document = reader->document;
    qsort_r(reader->members, reader->member_count, sizeof *reader->members, compare_members, &reader->names);
    document->member_order = sgi_region_take(&document->region, reader->member_count, sizeof *document->member_order);
    if (document->member_order == NULL) {
        return sgi_complain_memory(&reader->complaint);
    }
    for (uint32_t i = 0; i < reader->member_count; i++) {
        document->member_order[reader->members[i].index] = i;
    }
    document->group.member_count = reader->member_count;
    return SEGUE_OK;
}

static int32_t write_required(sgi_reader *reader)
{
    sgi_region *region = &reader->document->region;
    segue_group *group = &reader->document->group;
    uint32_t *name = sgi_region_take(region, reader->member_count, sizeof *name);
    uint32_t *threads = sgi_region_take(region, reader->member_count, sizeof *threads);
    if (name == NULL || threads == NULL) {
        return sgi_complain_memory(&reader->complaint);
    }
    for (uint32_t i = 0; i < reader->member_count; i++) {
        name[i] = sgi_write_string(reader, reader->members[i].name);
        threads[i] = reader->members[i].threads;
    }
    group->member_name = name;
    group->member_threads = threads;
    return SEGUE_OK;
}

static int32_t write_processes(sgi_reader *reader)
{
    sgi_region *region = &reader->document->region;
    segue_group *group = &reader->document->group;
    uint32_t *process = sgi_region_take(region, reader->member_count, sizeof *process);
    uint32_t *name = sgi_region_take(region, reader->member_count, sizeof *name);
    if (process == NULL || name == NULL) {
        return sgi_complain_memory(&reader->complaint);
    }
    for (uint32_t i = 0; i < reader->member_count; i++) {
        uint32_t *row = &reader->names.rows[reader->members[i].process].row[SGI_PROCESS];
        if (*row == SEGUE_NONE) {
            name[group->process_count] = sgi_write_string(reader, reader->members[i].process);
            *row = group->process_count++;
        }
        process[i] = *row;
    }
    group->member_process = process;
    group->process_name = name;
    return SEGUE_OK;
}

/* Optional columns are left out when all their rows have the default. */
static int32_t write_optional(sgi_reader *reader)
{
    sgi_region *region = &reader->document->region;
    segue_group *group = &reader->document->group;
    uint32_t *rack = sgi_region_take(region, reader->member_count, sizeof *rack);
    int64_t *leaving = sgi_region_take(region, reader->member_count, sizeof *leaving);
    int64_t *deadline = sgi_region_take(region, reader->member_count, sizeof *deadline);
    if (rack == NULL || leaving == NULL || deadline == NULL) {
        return sgi_complain_memory(&reader->complaint);
    }
    for (uint32_t i = 0; i < reader->member_count; i++) {
        const sgi_member *member = &reader->members[i];
        rack[i] = member->rack == SEGUE_NONE ? SEGUE_NONE : reader->names.rows[member->rack].row[SGI_RACK];
        leaving[i] = member->leaving_ms;
        deadline[i] = member->deadline_ms;
        group->member_rack = rack[i] != SEGUE_NONE ? rack : group->member_rack;
        group->member_leaving_ms = leaving[i] != SEGUE_TIME_NONE ? leaving : group->member_leaving_ms;
        group->member_deadline_ms = deadline[i] != SEGUE_TIME_NONE ? deadline : group->member_deadline_ms;
    }
    return SEGUE_OK;
}

static int32_t write_tags(sgi_reader *reader)
{
    sgi_region *region = &reader->document->region;
    segue_group *group = &reader->document->group;
    size_t members = reader->member_count;
    uint32_t *name = sgi_region_take(region, reader->tag_count, sizeof *name);
    uint32_t *value = sgi_region_take(region, reader->tag_count * members, sizeof *value);
    if (name == NULL || value == NULL) {
        return sgi_complain_memory(&reader->complaint);
    }
    for (uint32_t tag = 0; tag < reader->tag_count; tag++) {
        name[tag] = sgi_write_string(reader, reader->tags[tag]);
        for (size_t i = 0; i < members; i++) {
            uint32_t from = reader->tag_values[tag * members + reader->members[i].index];
            value[tag * members + i] = from == SEGUE_NONE ? SEGUE_NONE : sgi_write_string(reader, from);
        }
    }
    group->tag_count = reader->tag_count;
    group->tag_name = name;
    group->member_tag = reader->tag_count > 0 ? value : NULL;
    return SEGUE_OK;
}

int32_t sgi_order_members(sgi_reader *reader)
{
    int32_t status = sort_members(reader);
    status = status == SEGUE_OK ? write_required(reader) : status;
    status = status == SEGUE_OK ? write_processes(reader) : status;
    status = status == SEGUE_OK ? write_optional(reader) : status;
    return status == SEGUE_OK ? write_tags(reader) : status;
}
