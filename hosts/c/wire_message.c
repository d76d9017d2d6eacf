/* SPDX-License-Identifier: Apache-2.0 */
#include "wire_message.h"

#include <string.h>

#include "error.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "messages are read in place, so the machine has to be little-endian"
#endif

static uint64_t rounded(uint64_t bytes)
{
    return (bytes + SEGUE_WIRE_ALIGNMENT - 1) / SEGUE_WIRE_ALIGNMENT * SEGUE_WIRE_ALIGNMENT;
}

static uint64_t directory_end(uint64_t section_count)
{
    return sizeof(segue_wire_header) + section_count * sizeof(segue_wire_section);
}

void sgi_wire_sort(sgi_section *sections, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        sgi_section moved = sections[i];
        uint32_t place = i;
        for (; place > 0 && sections[place - 1].id > moved.id; place--) {
            sections[place] = sections[place - 1];
        }
        sections[place] = moved;
    }
}

uint64_t sgi_wire_bytes(const sgi_section *sections, uint32_t count)
{
    uint64_t bytes = directory_end(count);
    for (uint32_t i = 0; i < count; i++) {
        bytes += rounded(sections[i].count * sections[i].element_bytes);
    }
    return bytes;
}

static void write_section(char *buffer, uint32_t place, uint64_t *offset, const sgi_section *section)
{
    uint64_t bytes = section->count * section->element_bytes;
    segue_wire_section row = {section->id, section->element_bytes, *offset, section->count};
    memcpy(buffer + directory_end(place), &row, sizeof row);
    if (bytes > 0) {
        memcpy(buffer + *offset, section->data, bytes);
    }
    memset(buffer + *offset + bytes, 0, rounded(bytes) - bytes);
    *offset += rounded(bytes);
}

int32_t sgi_wire_write(uint32_t magic, const sgi_section *sections, uint32_t count, void *buffer, size_t capacity,
                       size_t *size, segue_error *error)
{
    uint64_t bytes = sizeof(segue_wire_header);
    uint32_t present = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (sections[i].data != NULL) {
            bytes += sizeof(segue_wire_section) + rounded(sections[i].count * sections[i].element_bytes);
            present++;
        }
    }
    *size = bytes;
    if (buffer == NULL || capacity < bytes) {
        return sgi_fail(error, SEGUE_E_SPACE, "the message needs %llu bytes, the buffer has %zu",
                        (unsigned long long)bytes, capacity);
    }
    segue_wire_header header = {magic, SEGUE_WIRE_VERSION, bytes, present, 0};
    memcpy(buffer, &header, sizeof header);
    uint64_t offset = directory_end(present);
    uint32_t place = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (sections[i].data != NULL) {
            write_section(buffer, place++, &offset, &sections[i]);
        }
    }
    return SEGUE_OK;
}

#define REFUSE(...) return sgi_fail(error, SEGUE_E_WIRE, __VA_ARGS__)

static int32_t check_header(uint32_t magic, const void *buffer, size_t size, segue_error *error)
{
    const char *kind = magic == SEGUE_WIRE_GROUP_MAGIC ? "group" : "plan";
    if (buffer == NULL || (uintptr_t)buffer % SEGUE_WIRE_ALIGNMENT != 0) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "the message must start at an address that is a multiple of 8");
    }
    segue_wire_header header;
    if (size < sizeof header) {
        REFUSE("%zu bytes are no %s message: its header alone has %zu", size, kind, sizeof header);
    }
    memcpy(&header, buffer, sizeof header);
    if (header.magic != magic) {
        REFUSE("this is no %s message: it starts with 0x%08x instead of 0x%08x", kind, header.magic, magic);
    }
    if (header.version != SEGUE_WIRE_VERSION || header.reserved != 0) {
        REFUSE("the %s message has version %u, this libsegue reads version %u", kind, header.version,
               SEGUE_WIRE_VERSION);
    }
    if (header.bytes > size || directory_end(header.section_count) > header.bytes) {
        REFUSE("the %s message is cut: %zu bytes came, %llu are stated, with %u sections", kind, size,
               (unsigned long long)header.bytes, header.section_count);
    }
    return SEGUE_OK;
}

static int32_t check_known(const sgi_section *known, uint32_t known_count, const segue_wire_section *row,
                           segue_error *error)
{
    if (row->id >= SEGUE_WIRE_OPTIONAL_FROM) {
        return SEGUE_OK;
    }
    for (uint32_t i = 0; i < known_count; i++) {
        if (known[i].id == row->id) {
            if (known[i].element_bytes != row->element_bytes) {
                REFUSE("section %u has elements of %u bytes instead of %u", row->id, row->element_bytes,
                       known[i].element_bytes);
            }
            return SEGUE_OK;
        }
    }
    REFUSE("section %u is unknown, and ids below %u may not be", row->id, SEGUE_WIRE_OPTIONAL_FROM);
}

/* Sections follow the directory and each other, so none overlaps anything. */
static int32_t check_place(const segue_wire_section *row, uint64_t free_from, uint64_t bytes, segue_error *error)
{
    if (row->element_bytes == 0 || row->offset % SEGUE_WIRE_ALIGNMENT != 0) {
        REFUSE("section %u starts at %llu, which is no multiple of 8, or has elements without bytes", row->id,
               (unsigned long long)row->offset);
    }
    if (row->offset < free_from || row->offset > bytes || row->count > (bytes - row->offset) / row->element_bytes) {
        REFUSE("section %u, %llu elements of %u bytes at %llu, overlaps what is before it or ends behind byte %llu",
               row->id, (unsigned long long)row->count, row->element_bytes, (unsigned long long)row->offset,
               (unsigned long long)bytes);
    }
    return SEGUE_OK;
}

int32_t sgi_wire_check(uint32_t magic, const sgi_section *known, uint32_t known_count, const void *buffer, size_t size,
                       segue_error *error)
{
    int32_t status = check_header(magic, buffer, size, error);
    if (status != SEGUE_OK) {
        return status;
    }
    const segue_wire_header *header = buffer;
    const segue_wire_section *rows = (const void *)(header + 1);
    uint64_t free_from = directory_end(header->section_count);
    for (uint32_t i = 0; i < header->section_count; i++) {
        if (i > 0 && rows[i].id <= rows[i - 1].id) {
            REFUSE("section %u comes after section %u: ids must ascend", rows[i].id, rows[i - 1].id);
        }
        status = check_known(known, known_count, &rows[i], error);
        if (status == SEGUE_OK) {
            status = check_place(&rows[i], free_from, header->bytes, error);
        }
        if (status != SEGUE_OK) {
            return status;
        }
        free_from = rows[i].offset + rows[i].count * rows[i].element_bytes;
    }
    return SEGUE_OK;
}

sgi_section sgi_wire_find(const void *buffer, uint32_t id)
{
    const segue_wire_header *header = buffer;
    const segue_wire_section *rows = (const void *)(header + 1);
    for (uint32_t i = 0; i < header->section_count && rows[i].id <= id; i++) {
        if (rows[i].id == id) {
            sgi_section found = {id, rows[i].element_bytes, rows[i].count, (const char *)buffer + rows[i].offset};
            return found;
        }
    }
    sgi_section absent = {id, 0, 0, NULL};
    return absent;
}
