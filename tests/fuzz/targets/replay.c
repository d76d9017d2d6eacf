/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives a target the inputs that are kept, without libFuzzer. A target that finds something ends the process.
 *
 * fuzz_TARGET FILE|FOLDER...
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "fuzz.h"

enum { PATH_ROOM = 4096 };

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat about;
    if (file == NULL || fstat(fileno(file), &about) != 0) {
        perror(path);
        exit(2);
    }
    size_t size = (size_t)about.st_size;
    /* Where the process ends, the last line says at which input. */
    printf("%s\n", path);
    fflush(stdout);
    uint8_t *bytes = malloc(size + 1);
    HOLD(bytes != NULL && fread(bytes, 1, size, file) == size, "%s cannot be read", path);
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    return 1;
}

static int run(const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return run_file(path);
    }
    int count = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char inside[PATH_ROOM];
        if (entry->d_name[0] != '.') {
            snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
            count += run_file(inside);
        }
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++) {
        count += run(argv[i]);
    }
    printf("%d inputs\n", count);
    return count > 0 ? 0 : 2;
}
