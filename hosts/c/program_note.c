/* SPDX-License-Identifier: Apache-2.0 */
#include "program_note.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "segue/abi.h"

int sgi_is_program(const char *path)
{
    size_t length = strlen(path), suffix = sizeof SGI_PROGRAM_SUFFIX - 1;
    return length > suffix && strcmp(path + length - suffix, SGI_PROGRAM_SUFFIX) == 0;
}

int32_t sgi_program_note(const char *path, sgi_note *note, segue_error *error)
{
    struct stat about;
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    memset(note, 0, sizeof *note);
    if (stat(path, &about) != 0) {
        return sgi_fail(error, SEGUE_E_NAME, "%s: %s", path, strerror(errno));
    }
    if (!S_ISREG(about.st_mode) || access(path, X_OK) != 0) {
        return sgi_fail(error, SEGUE_E_PLUGIN, "%s: it is no program that can be run (chmod +x)", path);
    }
    /* As for a plugin (elf_note.c). */
    if ((about.st_mode & S_IWOTH) != 0) {
        return sgi_fail(error, SEGUE_E_PLUGIN, "%s: everybody may write to it, and so decide what runs here: chmod o-w", path);
    }
    note->names = calloc(1, strlen(base) + 2);
    if (note->names == NULL) {
        return sgi_fail(error, SEGUE_E_MEMORY, "%s: no memory to list it", path);
    }
    memcpy(note->names, base, strlen(base) - (sizeof SGI_PROGRAM_SUFFIX - 1));
    note->record = (segue_note){.abi_floor = SEGUE_ABI_VERSION, .abi_newest = SEGUE_ABI_VERSION};
    note->device = about.st_dev;
    note->file = about.st_ino;
    return sgi_is_assignor_name(note->names)
               ? SEGUE_OK
               : sgi_fail(error, SEGUE_E_PLUGIN, "%s: up to %d lower-case letters, digits and dashes name an assignor", path,
                          SGI_NAME_MOST);
}
