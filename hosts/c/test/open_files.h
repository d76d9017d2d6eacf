/* SPDX-License-Identifier: Apache-2.0 */
/* open_files.h - the descriptors that this process has, and the one that counts them. */
#ifndef SEGUE_HOSTS_C_TEST_OPEN_FILES_H
#define SEGUE_HOSTS_C_TEST_OPEN_FILES_H

#include <dirent.h>

static inline int open_files(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder) != NULL) {
        count++;
    }
    closedir(folder);
    return count;
}

#endif
