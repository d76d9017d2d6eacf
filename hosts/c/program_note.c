/* SPDX-License-Identifier: Apache-2.0 */
#include "program_note.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "segue/abi.h"

#define REFUSE(...) return sgi_fail(error, SEGUE_E_PLUGIN, __VA_ARGS__)

int sgi_is_program(const char *path)
{
    size_t length = strlen(path), suffix = sizeof SGI_PROGRAM_SUFFIX - 1;
    return length > suffix && strcmp(path + length - suffix, SGI_PROGRAM_SUFFIX) == 0;
}

/* Its one name, and the NUL that ends them all. */
static char *names_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    char *names = calloc(1, strlen(base) + 2);
    return names == NULL ? NULL : memcpy(names, base, strlen(base) - (sizeof SGI_PROGRAM_SUFFIX - 1));
}

static int32_t refuse_missing(const char *path, segue_error *error)
{
    struct stat link;
    int why = errno;
    if (lstat(path, &link) == 0) {
        REFUSE("%s: it is a link that leads to no file: %s", path, strerror(why));
    }
    return sgi_fail(error, SEGUE_E_NAME, "%s: %s", path, strerror(why));
}

static int32_t refuse_to_run(const char *path, mode_t mode, segue_error *error)
{
    int why = errno;
    if ((mode & (S_IXUSR | S_IXGRP | S_IXOTH)) == 0) {
        REFUSE("%s: it is no program that can be run (chmod +x)", path);
    }
    REFUSE("%s: this user may not run it, or nobody may on its file system (noexec): %s", path, strerror(why));
}

int32_t sgi_program_note(const char *path, sgi_note *note, segue_error *error)
{
    struct stat about;
    memset(note, 0, sizeof *note);
    if (stat(path, &about) != 0) {
        return refuse_missing(path, error);
    }
    if (!S_ISREG(about.st_mode)) {
        REFUSE("%s: %s, where a program of that name is to be", path, S_ISDIR(about.st_mode) ? "it is a folder" : "it is no file");
    }
    if (access(path, X_OK) != 0) {
        return refuse_to_run(path, about.st_mode, error);
    }
    /* As for a plugin (elf_note.c). */
    if ((about.st_mode & S_IWOTH) != 0) {
        REFUSE("%s: everybody may write to it, and so decide what runs here: chmod o-w", path);
    }
    note->names = names_of(path);
    if (note->names == NULL) {
        return sgi_fail(error, SEGUE_E_MEMORY, "%s: no memory to list it", path);
    }
    note->record = (segue_note){.abi_floor = SEGUE_ABI_VERSION, .abi_newest = SEGUE_ABI_VERSION};
    note->device = about.st_dev;
    note->file = about.st_ino;
    return sgi_is_assignor_name(note->names)
               ? SEGUE_OK
               : sgi_fail(error, SEGUE_E_PLUGIN, "%s: up to %d lower-case letters, digits and dashes name an assignor", path,
                          SGI_NAME_MOST);
}
