/* SPDX-License-Identifier: Apache-2.0 */
/* search_path.h - where plugins are looked for, in order. Made once when a host opens; read-only after that. */
#ifndef SEGUE_HOSTS_C_SEARCH_PATH_H
#define SEGUE_HOSTS_C_SEARCH_PATH_H

#include <stddef.h>
#include <stdint.h>

#include "segue/base.h"

/* The folder that libsegue stands in holds other libraries too: there only "segue-*.so" counts. */
enum sgi_place_kind { SGI_ANY_LIBRARY = 0, SGI_OUR_LIBRARIES = 1 };

typedef struct sgi_place {
    char *path; /* a folder or a file */
    enum sgi_place_kind kind;
} sgi_place;

typedef struct sgi_search_path {
    sgi_place *places;
    size_t count;
} sgi_search_path;

/* SEGUE_PLUGIN_PATH, then `extra`, then beside libsegue and in "segue/" there, then the install folder; only_extra 1:
 * `extra` alone. 0, or -1 when there is no memory. */
int sgi_search_path_make(sgi_search_path *search, const char *extra, int only_extra);
void sgi_search_path_free(sgi_search_path *search);

/* The libraries and programs of a place, sorted by name: itself when it is no folder. NULL-terminated, one allocation for each
 * entry and one for the list. A folder that may not be read is empty. E_MEMORY, E_SYSTEM: for now nobody can look there. */
int32_t sgi_place_files(const sgi_place *place, char ***files, segue_error *error);
void sgi_files_free(char **files);

#endif
