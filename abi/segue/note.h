/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segue/note.h - the ELF note by which a plugin is listed without running it.
 *
 * Section ".note.segue", owner "segue", type 1. The description is a segue_note, then assignor names, each with a NUL,
 * then one more NUL. Numbers are little-endian. A registry reads it from the file; nothing of the plugin is executed. A
 * plugin whose assignors nobody knows before it is loaded, since something outside of the file says them, has the one name
 * SEGUE_NOTE_ANY_NAME.
 */
#ifndef SEGUE_NOTE_H
#define SEGUE_NOTE_H

#include "segue/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SEGUE_NOTE_OWNER "segue"
#define SEGUE_NOTE_TYPE 1u
#define SEGUE_NOTE_SECTION ".note.segue"
#define SEGUE_NOTE_ANY_NAME "*"

typedef struct segue_note {
    uint32_t abi_floor;      /* oldest version that the plugin speaks */
    uint32_t abi_newest;     /* newest */
    uint32_t plugin_version; /* major * 65536 + minor * 256 + patch */
    uint32_t name_bytes;     /* bytes of the names that follow, both kinds of NUL included */
} segue_note;

SEGUE_ASSERT(sizeof(segue_note) == 16);

/*
 * Emits the note. `names` is one string literal with "\0" behind each name; the literal's own terminator is the last
 * NUL. Use once, at file scope:  SEGUE_DECLARE_NOTE(1, 1, 0x010000, "eager\0" "sticky\0")
 */
#define SEGUE_DECLARE_NOTE(floor_, newest_, version_, names_)                                                         \
    __attribute__((used, aligned(4), section(SEGUE_NOTE_SECTION))) static const struct {                              \
        uint32_t owner_size, description_size, type;                                                                  \
        char owner[8];                                                                                                \
        segue_note note;                                                                                              \
        char names[(sizeof(names_) + 3) / 4 * 4];                                                                     \
    } segue_note_record = {sizeof(SEGUE_NOTE_OWNER), sizeof(segue_note) + (sizeof(names_) + 3) / 4 * 4,               \
                           SEGUE_NOTE_TYPE,          SEGUE_NOTE_OWNER,                                                \
                           {floor_, newest_, version_, sizeof(names_)},                                               \
                           names_}

#ifdef __cplusplus
}
#endif
#endif
