/* SPDX-License-Identifier: Apache-2.0 */
/* The final string table: names in the order in which the columns use them, so that it is canonical as well. */
#include <string.h>

#include "document_reader.h"

int32_t sgi_begin_strings(sgi_reader *reader)
{
    segue_document *document = reader->document;
    uint32_t *offsets = sgi_region_take(&document->region, (size_t)reader->names.count + 1, sizeof *offsets);
    char *bytes = sgi_region_take(&document->region, reader->names.used, 1);
    document->group.string_offset = offsets;
    document->group.string_bytes = bytes;
    return offsets == NULL || bytes == NULL ? sgi_complain_memory(&reader->complaint) : SEGUE_OK;
}

/* The columns are const to their readers; here they are still being written. */
static void *writable(const void *column)
{
    return (void *)(uintptr_t)column;
}

uint32_t sgi_write_string(sgi_reader *reader, uint32_t name)
{
    sgi_name *row = &reader->names.rows[name];
    if (row->written == SEGUE_NONE) {
        segue_group *group = &reader->document->group;
        row->written = reader->written_count++;
        ((uint32_t *)writable(group->string_offset))[row->written] = reader->written_bytes;
        memcpy((char *)writable(group->string_bytes) + reader->written_bytes, sgi_names_text(&reader->names, name),
               row->length);
        reader->written_bytes += row->length;
    }
    return row->written;
}

void sgi_end_strings(sgi_reader *reader)
{
    segue_group *group = &reader->document->group;
    ((uint32_t *)writable(group->string_offset))[reader->written_count] = reader->written_bytes;
    group->string_count = reader->written_count;
    group->string_bytes_size = reader->written_bytes;
}
