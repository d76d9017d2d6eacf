/* SPDX-License-Identifier: Apache-2.0 */
#include "isolation.h"

#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "config_number.h"
#include "error.h"

#define VARIABLE "SEGUE_ISOLATION"
#define PROGRAM_VARIABLE "SEGUE_ISOLATE_PROGRAM"
#define PROGRAM "segue-isolate"

enum { FAULTS_MOST = 5 };

/* No budget is longer than a day here: sums stay far from overflow. */
#define LONGEST_US (24ll * 3600 * 1000000)

uint64_t sgi_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t sgi_limit_ns(const segue_config *config, uint64_t otherwise_ns)
{
    int64_t budget_us = config->max_compute_us < LONGEST_US ? config->max_compute_us : LONGEST_US;
    return budget_us > 0 ? (uint64_t)budget_us * 1000 + SGI_GRACE_NS : otherwise_ns;
}

/* Nothing of the host's is flushed or run at its end: that is the first one's. Where nobody reads what is said it is not
 * waited for. */
void sgi_end_copy(pid_t before, const char *assignor)
{
    struct pollfd place = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (getpid() == before) {
        return;
    }
    if (poll(&place, 1, 0) == 1 && (place.revents & POLLOUT) != 0) {
        dprintf(STDERR_FILENO, "segue: %.64s has forked, and comes back in its child too: that ends here\n", assignor);
    }
    _exit(SGI_COPY_ENDED);
}

static int32_t read_kind(sgi_isolation *isolation, const char *word, segue_error *error)
{
    static const char *const words[] = {"none", "thread", "process"};
    for (int kind = 0; kind < 3; kind++) {
        if (sgi_same_word(word, words[kind])) {
            isolation->kind = (enum sgi_isolation_kind)kind;
            return SEGUE_OK;
        }
    }
    return sgi_fail(error, SEGUE_E_CONFIG, "segue.isolation is '%.100s': it must be none, thread or process", word);
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

/* Beside the file that this function is in: libsegue, or a library or program that has taken it in. */
static char *beside(void)
{
    Dl_info about;
    char *path = NULL;
    int known = dladdr((void *)(uintptr_t)sgi_isolation_open, &about) != 0 && about.dli_fname != NULL &&
                strchr(about.dli_fname, '/') != NULL;
    char *own = realpath(known ? about.dli_fname : "/proc/self/exe", NULL);
    char *slash = own == NULL ? NULL : strrchr(own, '/');
    if (slash != NULL && asprintf(&path, "%.*s/" PROGRAM, (int)(slash - own), own) < 0) {
        path = NULL;
    }
    free(own);
    return path;
}

/* A folder may be "executed" too. */
static int is_program(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

/* A path that somebody gave is the only one. */
static int32_t find_program(sgi_isolation *isolation, const char *given, segue_error *error)
{
    given = given != NULL && *given != '\0' ? given : secure_getenv(PROGRAM_VARIABLE);
    if (given != NULL && *given != '\0') {
        isolation->program = realpath(given, NULL);
        return isolation->program != NULL && is_program(isolation->program)
                   ? SEGUE_OK
                   : sgi_fail(error, SEGUE_E_SYSTEM, "segue.isolation=process: %.300s is no program that can be run",
                              given);
    }
    isolation->program = beside();
    if (isolation->program != NULL && is_program(isolation->program)) {
        return SEGUE_OK;
    }
    int32_t status = SEGUE_OK;
    if (!is_program(SEGUE_INSTALL_PLUGINS "/" PROGRAM)) {
        status = sgi_fail(error, SEGUE_E_SYSTEM,
                          "segue.isolation=process needs the program " PROGRAM
                          ", and it is neither beside libsegue (%.300s) nor in " SEGUE_INSTALL_PLUGINS
                          ": name it in " PROGRAM_VARIABLE,
                          isolation->program == NULL ? "whose place is not known" : isolation->program);
    }
    free(isolation->program);
    isolation->program = status == SEGUE_OK ? strdup(SEGUE_INSTALL_PLUGINS "/" PROGRAM) : NULL;
    return status == SEGUE_OK && isolation->program == NULL ? sgi_fail(error, SEGUE_E_MEMORY, "no memory for a host")
                                                            : status;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

int32_t sgi_isolation_open(sgi_isolation *isolation, const segue_host_options *options, segue_error *error)
{
    const char *word = options->isolation != NULL ? options->isolation : secure_getenv(VARIABLE);
    *isolation = (sgi_isolation){.kind = SGI_ISOLATION_THREAD,
                                 .max_faults = options->max_faults == 0 ? FAULTS_MOST : options->max_faults,
                                 .tally = sgi_tally_new()};
    if (isolation->tally == NULL) {
        return sgi_fail(error, SEGUE_E_MEMORY, "no memory for a host");
    }
    int32_t status = word == NULL || *word == '\0' ? SEGUE_OK : read_kind(isolation, word, error);
    if (status == SEGUE_OK && isolation->kind == SGI_ISOLATION_PROCESS) {
        status = find_program(isolation, options->isolate_program, error);
    }
    return status;
}

void sgi_isolation_close(sgi_isolation *isolation)
{
    free(isolation->program);
    sgi_tally_release(isolation->tally);
}
