/* SPDX-License-Identifier: Apache-2.0 */
/* elf_note.h - a plugin's note, read from its file without running or mapping anything of it. Any thread. */
#ifndef SEGUE_HOSTS_C_ELF_NOTE_H
#define SEGUE_HOSTS_C_ELF_NOTE_H

#include <sys/types.h>

#include "segue/note.h"

enum { SGI_NAME_MOST = 64 };

/* Lower-case letters, digits and dashes, at most SGI_NAME_MOST: a name that an assignor may have. */
int sgi_is_assignor_name(const char *name);

typedef struct sgi_note {
    segue_note record;
    char *names; /* each with a NUL, then one more NUL; owned by the note */
    dev_t device;
    ino_t file;
} sgi_note;

/*
 * Reads the note of the file and makes sure that all of the program is there: a loader that maps a truncated file dies
 * of SIGBUS. E_NAME: there is no file, or it is a library without a note; E_PLUGIN: refused; E_SYSTEM, E_MEMORY: it could
 * not be looked at, for want of descriptors or memory. The text begins with the path.
 */
int32_t sgi_note_read(const char *path, sgi_note *note, segue_error *error);
void sgi_note_free(sgi_note *note);

/* Finds the segue note in the bytes of a PT_NOTE segment: its description and size there, or NULL. No byte outside of
 * `bytes` is read, whatever the sizes in it say. */
const void *sgi_note_find(const void *bytes, size_t size, size_t alignment, size_t *description_size);

#endif
