/* SPDX-License-Identifier: Apache-2.0 */
#include "document_names.h"

#include "segue/base.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { FIRST_SLOTS = 64 };

/* Seeded, because ids come from strangers and must not be able to collide on purpose. */
static uint32_t hash_of(uint64_t seed, const char *text, size_t length)
{
    uint64_t hash = seed ^ length;
    while (length > 0) {
        size_t step = length < 8 ? length : 8;
        uint64_t word = 0;
        memcpy(&word, text, step);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
        text += step;
        length -= step;
    }
    hash *= 0xd6e8feb86659fd93u;
    return (uint32_t)(hash >> 32);
}

int sgi_names_init(sgi_names *names)
{
    memset(names, 0, sizeof *names);
    names->slots = calloc(FIRST_SLOTS, sizeof *names->slots);
    names->mask = FIRST_SLOTS - 1;
    if (getrandom(&names->seed, sizeof names->seed, GRND_NONBLOCK) != (ssize_t)sizeof names->seed) {
        names->seed = (uint64_t)(uintptr_t)names->slots;
    }
    return names->slots == NULL ? -1 : 0;
}

void sgi_names_free(sgi_names *names)
{
    free(names->rows);
    free(names->bytes);
    free(names->slots);
    memset(names, 0, sizeof *names);
}

const char *sgi_names_text(const sgi_names *names, uint32_t name)
{
    return names->bytes + names->rows[name].offset;
}

/* The slot that holds the name, or the empty one where it belongs. */
static uint32_t slot_of(const sgi_names *names, uint32_t hash, const char *text, size_t length)
{
    uint32_t slot = hash & names->mask;
    for (; names->slots[slot] != 0; slot = (slot + 1) & names->mask) {
        uint32_t name = names->slots[slot] - 1;
        const sgi_name *row = &names->rows[name];
        if (row->hash == hash && row->length == length && memcmp(names->bytes + row->offset, text, length) == 0) {
            break;
        }
    }
    return slot;
}

uint32_t sgi_names_find(const sgi_names *names, const char *text, size_t length)
{
    uint32_t slot = slot_of(names, hash_of(names->seed, text, length), text, length);
    return names->slots[slot] == 0 ? SEGUE_NONE : names->slots[slot] - 1;
}

static int grow_slots(sgi_names *names)
{
    uint32_t mask = names->mask * 2 + 1;
    uint32_t *slots = calloc((size_t)mask + 1, sizeof *slots);
    if (slots == NULL) {
        return -1;
    }
    for (uint32_t name = 0; name < names->count; name++) {
        uint32_t slot = names->rows[name].hash & mask;
        while (slots[slot] != 0) {
            slot = (slot + 1) & mask;
        }
        slots[slot] = name + 1;
    }
    free(names->slots);
    names->slots = slots;
    names->mask = mask;
    return 0;
}

static int grow_rows(sgi_names *names)
{
    uint32_t room = names->room == 0 ? FIRST_SLOTS : names->room * 2;
    sgi_name *rows = realloc(names->rows, room * sizeof *rows);
    if (rows == NULL) {
        return -1;
    }
    names->rows = rows;
    names->room = room;
    return 0;
}

static int grow_bytes(sgi_names *names, size_t more)
{
    size_t room = (names->used + more) * 2;
    char *bytes = realloc(names->bytes, room);
    if (bytes == NULL) {
        return -1;
    }
    names->bytes = bytes;
    names->bytes_room = room;
    return 0;
}

/* One byte is asked for even when a name is empty, so that `bytes` is never NULL once there is a name. */
static int make_room(sgi_names *names, size_t length)
{
    if (length > UINT32_MAX - 1 - names->used || names->count >= UINT32_MAX / 4) {
        return -1;
    }
    if (names->count == names->room && grow_rows(names) != 0) {
        return -1;
    }
    if (names->used + length + 1 > names->bytes_room && grow_bytes(names, length + 1) != 0) {
        return -1;
    }
    return names->count >= names->mask / 2 ? grow_slots(names) : 0;
}

uint32_t sgi_names_add(sgi_names *names, const char *text, size_t length)
{
    uint32_t found = sgi_names_find(names, text, length);
    if (found != SEGUE_NONE) {
        return found;
    }
    if (make_room(names, length) != 0) {
        return SEGUE_NONE;
    }
    sgi_name *row = &names->rows[names->count];
    row->offset = names->used;
    row->length = (uint32_t)length;
    row->hash = hash_of(names->seed, text, length);
    row->written = SEGUE_NONE;
    for (int kind = 0; kind < SGI_KINDS; kind++) {
        row->row[kind] = SEGUE_NONE;
    }
    memcpy(names->bytes + names->used, text, length);
    names->used += length;
    names->slots[slot_of(names, row->hash, text, length)] = names->count + 1;
    return names->count++;
}

int sgi_names_compare(const sgi_names *names, uint32_t a, uint32_t b)
{
    const sgi_name *left = &names->rows[a];
    const sgi_name *right = &names->rows[b];
    size_t common = left->length < right->length ? left->length : right->length;
    int order = memcmp(names->bytes + left->offset, names->bytes + right->offset, common);
    return order != 0 ? order : (left->length > right->length) - (left->length < right->length);
}
