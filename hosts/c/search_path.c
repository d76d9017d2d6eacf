/* SPDX-License-Identifier: Apache-2.0 */
#include "search_path.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "error.h"
#include "program_note.h"

#define VARIABLE "SEGUE_PLUGIN_PATH"

static int add_place(sgi_search_path *search, const char *path, size_t length, enum sgi_place_kind kind)
{
    if (length == 0) {
        return 0;
    }
    sgi_place *places = realloc(search->places, (search->count + 1) * sizeof *places);
    if (places == NULL) {
        return -1;
    }
    search->places = places;
    char *copy = strndup(path, length);
    if (copy == NULL) {
        return -1;
    }
    places[search->count++] = (sgi_place){copy, kind};
    return 0;
}

static int add_list(sgi_search_path *search, const char *list)
{
    while (list != NULL && *list != '\0') {
        size_t length = strcspn(list, ":");
        if (add_place(search, list, length, SGI_ANY_LIBRARY) != 0) {
            return -1;
        }
        list += length + (list[length] == ':');
    }
    return 0;
}

/* Where this very library was loaded from. */
static int add_own_folder(sgi_search_path *search)
{
    static const char inside = 0;
    Dl_info info;
    if (dladdr(&inside, &info) == 0 || info.dli_fname == NULL) {
        return 0;
    }
    char *file = realpath(info.dli_fname, NULL);
    if (file == NULL) {
        return errno == ENOMEM ? -1 : 0;
    }
    char *nested = NULL;
    size_t folder = (size_t)(strrchr(file, '/') - file);
    int status = asprintf(&nested, "%.*s/segue", (int)folder, file) < 0 ? -1 : 0;
    if (status == 0) {
        status = add_place(search, file, folder, SGI_OUR_LIBRARIES);
        status = status == 0 ? add_place(search, nested, strlen(nested), SGI_ANY_LIBRARY) : status;
        free(nested);
    }
    free(file);
    return status;
}

int sgi_search_path_make(sgi_search_path *search, const char *extra, int only_extra)
{
    memset(search, 0, sizeof *search);
    if (only_extra) {
        return add_list(search, extra);
    }
    if (add_list(search, secure_getenv(VARIABLE)) != 0 || add_list(search, extra) != 0 || add_own_folder(search) != 0) {
        return -1;
    }
    return add_place(search, SEGUE_INSTALL_PLUGINS, strlen(SEGUE_INSTALL_PLUGINS), SGI_ANY_LIBRARY);
}

void sgi_search_path_free(sgi_search_path *search)
{
    for (size_t i = 0; i < search->count; i++) {
        free(search->places[i].path);
    }
    free(search->places);
    memset(search, 0, sizeof *search);
}

static int is_library(const char *name, enum sgi_place_kind kind)
{
    size_t length = strlen(name);
    int has_suffix = length > 3 && strcmp(name + length - 3, ".so") == 0;
    return name[0] != '.' && (kind == SGI_ANY_LIBRARY ? has_suffix || sgi_is_program(name)
                                                      : has_suffix && strncmp(name, "segue-", 6) == 0);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds behind `count` entries, and a NULL behind that; -1 when there is no memory. */
static int add_file(char ***files, size_t count, const char *folder, const char *name)
{
    char **list = realloc(*files, (count + 2) * sizeof *list);
    if (list == NULL) {
        return -1;
    }
    *files = list;
    list[count] = list[count + 1] = NULL;
    char *path = NULL;
    if (asprintf(&path, "%s%s%s", folder, *folder == '\0' ? "" : "/", name) < 0) {
        return -1;
    }
    list[count] = path;
    return 0;
}

static char **list_entries(DIR *folder, const sgi_place *place)
{
    char **files = calloc(1, sizeof *files);
    size_t count = 0;
    for (struct dirent *entry; files != NULL && (entry = readdir(folder)) != NULL;) {
        if (!is_library(entry->d_name, place->kind)) {
            continue;
        }
        if (add_file(&files, count, place->path, entry->d_name) != 0) {
            sgi_files_free(files);
            files = NULL;
        }
        count++;
    }
    if (files != NULL) {
        qsort(files, count, sizeof *files, by_name);
    }
    return files;
}

static char **list_itself(const sgi_place *place)
{
    char **files = calloc(1, sizeof *files);
    if (files != NULL && add_file(&files, 0, "", place->path) != 0) {
        sgi_files_free(files);
        return NULL;
    }
    return files;
}

int32_t sgi_place_files(const sgi_place *place, char ***files, segue_error *error)
{
    struct stat about;
    int is_folder = stat(place->path, &about) == 0 && S_ISDIR(about.st_mode);
    DIR *folder = is_folder ? opendir(place->path) : NULL;
    if (is_folder && folder == NULL && sgi_is_lack(errno)) {
        *files = NULL;
        return sgi_fail(error, SEGUE_E_SYSTEM, "%s: nobody can look for plugins there now: %s", place->path, strerror(errno));
    }
    *files = folder != NULL ? list_entries(folder, place) : is_folder ? calloc(1, sizeof **files) : list_itself(place);
    if (folder != NULL) {
        closedir(folder);
    }
    return *files != NULL ? SEGUE_OK
                          : sgi_fail(error, SEGUE_E_MEMORY, "%s: no memory to look for plugins there", place->path);
}

void sgi_files_free(char **files)
{
    for (size_t i = 0; files != NULL && files[i] != NULL; i++) {
        free(files[i]);
    }
    free(files);
}
