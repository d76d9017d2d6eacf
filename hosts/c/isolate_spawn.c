/* SPDX-License-Identifier: Apache-2.0 */
#include "isolate_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "descriptor.h"

enum { KEPT_MOST = 16 };

/* What a library may need in order to be found and to speak, and what a plugin in between is told. Everything else of a
 * host's environment, where passwords like to stand, stays with it. */
static int is_kept(const char *variable)
{
    static const char *const kept[] = {
        "LD_LIBRARY_PATH=", "LANG=",         "LC_ALL=",         "TZ=",
        "ASAN_OPTIONS=",    "UBSAN_OPTIONS=", "TSAN_OPTIONS=",  "SEGUE_INTERPOSE=",
        "SEGUE_INTERPOSE_TRACE=", "SEGUE_INTERPOSE_RECORD=", "SEGUE_INTERPOSE_FAULTS=",
    };
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        if (strncmp(variable, kept[i], strlen(kept[i])) == 0) {
            return 1;
        }
    }
    return 0;
}

static void list_kept(char **variables, int is_plugin)
{
    static char version[] = SGI_SERVE_VARIABLE "=" SEGUE_VERSION;
    int count = 0;
    if (!is_plugin) {
        variables[count++] = version;
    }
    for (char **variable = environ; variable != NULL && *variable != NULL && count < KEPT_MOST; variable++) {
        /* Shells find interpreters by it, and these themselves. */
        if (is_kept(*variable) || (!is_plugin && strncmp(*variable, "PATH=", 5) == 0)) {
            variables[count++] = *variable;
        }
    }
    variables[count] = NULL;
}

static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    int fault = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                                         POSIX_SPAWN_SETPGROUP);
    fault = fault == 0 ? posix_spawnattr_setsigdefault(attributes, &all) : fault;
    return fault == 0 ? posix_spawnattr_setsigmask(attributes, &none) : fault;
}

/* Standard error stays, for what a library says when it dies. Whether writing blocks there is said of what was opened,
 * for all that share it: where it can be opened once more, a process that changes that does not change it for the host.
 * A file cannot: two that write there each from its own place write over one another. -1 with errno 0: as the host has
 * it. */
static int open_error_again(void)
{
    struct stat about;
    errno = 0;
    if (fstat(STDERR_FILENO, &about) != 0) {
        return sgi_above_standard(open("/dev/null", O_WRONLY | O_CLOEXEC));
    }
    /* Without waiting for somebody who reads there. */
    int again = S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode)
                    ? open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
                    : -1;
    errno = 0;
    if (again >= 0 && fcntl(again, F_SETFL, 0) != 0) {
        int code = errno;
        close(again);
        errno = code;
        return -1;
    }
    return again;
}

/* No folder is held busy. */
static int set_files(posix_spawn_file_actions_t *files, int socket, int error, int is_plugin)
{
    int fault = posix_spawn_file_actions_adddup2(files, socket, STDIN_FILENO);
    if (fault == 0 && error >= 0) {
        fault = posix_spawn_file_actions_adddup2(files, error, STDERR_FILENO);
    }
    if (fault == 0) {
        fault = is_plugin ? posix_spawn_file_actions_addopen(files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
                          : posix_spawn_file_actions_adddup2(files, STDERR_FILENO, STDOUT_FILENO);
    }
    fault = fault == 0 ? posix_spawn_file_actions_addchdir_np(files, "/") : fault;
    return fault == 0 ? posix_spawn_file_actions_addclosefrom_np(files, STDERR_FILENO + 1) : fault;
}

int sgi_spawn(const char *program, const char *plugin, int socket, pid_t *pid)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    char *variables[KEPT_MOST + 1];
    char *arguments[] = {(char *)(uintptr_t)program, plugin == NULL ? NULL : (char *)(uintptr_t)SEGUE_VERSION,
                         (char *)(uintptr_t)plugin, NULL};
    int error = open_error_again();
    if (error < 0 && errno != 0) {
        return errno;
    }
    int fault = posix_spawnattr_init(&attributes);
    if (fault == 0) {
        fault = posix_spawn_file_actions_init(&files);
        if (fault == 0) {
            list_kept(variables, plugin != NULL);
            fault = set_attributes(&attributes);
            fault = fault == 0 ? set_files(&files, socket, error, plugin != NULL) : fault;
            fault = fault == 0 ? posix_spawn(pid, program, &files, &attributes, arguments, variables) : fault;
            posix_spawn_file_actions_destroy(&files);
        }
        posix_spawnattr_destroy(&attributes);
    }
    if (error >= 0) {
        close(error);
    }
    return fault;
}
