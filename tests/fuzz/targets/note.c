/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as a plugin's file and as the bytes of its notes: nothing outside of them is read, and what is taken is well
 * formed. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_note.h"
#include "fuzz.h"

static void hold_names(const sgi_note *note)
{
    uint32_t at = 0;
    HOLD(note->record.abi_floor <= note->record.abi_newest, "versions %u to %u", note->record.abi_floor,
         note->record.abi_newest);
    while (note->names[at] != '\0') {
        size_t length = strlen(note->names + at);
        HOLD(length <= 64, "a name of %zu bytes", length);
        at += (uint32_t)length + 1;
    }
    HOLD(at + 1 == note->record.name_bytes, "the names end at %u of %u", at, note->record.name_bytes);
}

/* A file that has no name anywhere, and that not everybody may write to: such a one would be refused unread. */
static void read_file(const uint8_t *data, size_t size)
{
    char path[64];
    sgi_note note;
    fuzz_fault fault;
    int file = memfd_create("note", MFD_CLOEXEC);
    HOLD(file >= 0 && fchmod(file, S_IRUSR | S_IWUSR) == 0 && write(file, data, size) == (ssize_t)size, "no file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int32_t status = sgi_note_read(path, &note, fuzz_error(&fault));
    if (status == SEGUE_OK) {
        hold_names(&note);
    } else {
        fuzz_hold_said(&fault, status);
        HOLD(strncmp(fault.text, path, strlen(path)) == 0, "the path is not named: %s", fault.text);
        HOLD(strstr(fault.text, "everybody may write") == NULL, "nothing was read: %s", fault.text);
    }
    sgi_note_free(&note);
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = fuzz_copy(data, size);
    for (size_t alignment = 4; alignment <= 8; alignment += 4) {
        size_t found_size = 0;
        const char *found = sgi_note_find(bytes, size, alignment, &found_size);
        HOLD(found == NULL || (found >= bytes && found_size <= size - (size_t)(found - bytes)), "a note outside of the bytes");
    }
    free(bytes);
    read_file(data, size);
    return 0;
}
