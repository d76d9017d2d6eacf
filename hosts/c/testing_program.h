/* SPDX-License-Identifier: Apache-2.0 */
/* testing_program.h - assignors that are programs: the test's own, under the names of links, each of which behaves as it is
 * called. A test's main serves where is_program says so, and gives cmocka make_folder and remove_folder. */
#ifndef SEGUE_HOSTS_C_TESTING_PROGRAM_H
#define SEGUE_HOSTS_C_TESTING_PROGRAM_H

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include "isolate_spawn.h"
#include "program_note.h"
#include "testing_world.h"

#define BUDGET GROUP_WITH("'max.warmup.replicas': 1, 'segue.max.compute.ms': 1500")

/* ---- the programs ------------------------------------------------------------------------------------------------ */

static char own_name[64];

/* The two files by which a program that is being loaded and the test wait for each other. */
static inline int open_beside(const char *path, const char *file, int how)
{
    char beside[PATH_MAX];
    snprintf(beside, sizeof beside, "%.*s/%s", (int)(strrchr(path, '/') - path), path, file);
    return open(beside, how | O_CLOEXEC);
}

static inline void hear(int number)
{
    (void)number;
}

/* Signals from now on, whose handler no call is begun again behind: as runtimes have theirs. */
static inline void be_disturbed(void)
{
    const struct sigaction action = {.sa_handler = hear};
    const struct itimerval often = {{0, 1000}, {0, 1000}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

static inline void misbehave(void)
{
    if (strcmp(own_name, "is-disturbed") == 0) {
        be_disturbed();
    }
    if (strncmp(own_name, "crashes", 7) == 0) {
        abort();
    }
    if (strcmp(own_name, "stops") == 0) {
        raise(SIGSTOP);
    }
    if (strcmp(own_name, "multiplies") == 0 && fork() < 0) {
        abort();
    }
    if (strcmp(own_name, "prints") == 0 && (write(STDOUT_FILENO, "said\n", 5) != 5 || read(STDIN_FILENO, own_name, 1) != 0)) {
        abort();
    }
}

/* The safe plan, so that it can be told that it is not the fallback's by what it says of itself. */
static inline int32_t answer(void *context, const segue_group *group, const segue_config *config, segue_plan *plan,
                             segue_error *error)
{
    (void)context;
    misbehave();
    if (strcmp(own_name, "fails") == 0) {
        error->code = SEGUE_E_INTERNAL;
        snprintf(error->text, error->text_size, "not today");
        return SEGUE_E_INTERNAL;
    }
    int32_t status = segue_plan_fallback(group, config, plan);
    plan->followup_reason = SEGUE_FOLLOWUP_NONE;
    plan->followup_needed = 0;
    plan->active[0] = strcmp(own_name, "breaks-r1") == 0  ? group->member_count
                      : strcmp(own_name, "gives-none") == 0 ? SEGUE_NONE
                                                            : plan->active[0];
    return status;
}

static inline int serve(const char *path)
{
    fault f;
    segue_host *host = NULL;
    segue_host_options options = {.size = sizeof options, .only_path = 1, .plugin_path = ""};
    const char *slash = strrchr(path, '/');
    snprintf(own_name, sizeof own_name, "%.*s", (int)strcspn(slash + 1, "."), slash + 1);
    segue_callback callback = {.size = sizeof callback, .traits = SEGUE_TRAIT_COLD, .version = "2.1", .assign = answer,
                               .summary = "of a test", .name = strcmp(own_name, "another") == 0 ? "other" : own_name};
    if (strcmp(own_name, "hangs") == 0) {
        int begun = open_beside(path, "begun", O_WRONLY);
        if (write(begun, "b", 1) != 1) {
            abort();
        }
        close(open_beside(path, "word", O_RDONLY));
    }
    if (strcmp(own_name, "leaves") == 0 || segue_host_open(&options, &host, NULL) != SEGUE_OK ||
        segue_host_register(host, &callback, NULL) != SEGUE_OK) {
        return 9;
    }
    int32_t status = segue_host_serve(host, callback.name, fault_of(&f));
    segue_host_close(host);
    while (strcmp(own_name, "stays") == 0) {
        pause(); /* as a runtime does for a thread that goes on */
    }
    return status == SEGUE_OK ? 0 : 8;
}

/* ---- the host ---------------------------------------------------------------------------------------------------- */

static char folder[] = "/tmp/segue-programs-XXXXXX";
static char self[PATH_MAX];

/* Its path, which stays as it is until the next. */
static inline const char *path_of(const char *file)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return path;
}

static inline const char *program(const char *name)
{
    char file[80];
    snprintf(file, sizeof file, "%s" SGI_PROGRAM_SUFFIX, name);
    const char *path = path_of(file);
    unlink(path);
    assert_int_equal(symlink(self, path), 0);
    return path;
}

static inline world *open_program(const char *name, const char *isolation, const char *group)
{
    segue_host_options options = {
        .size = sizeof options, .only_path = 1, .plugin_path = program(name), .isolation = isolation};
    return open_world_with(&options, group);
}

static inline void assert_answers(world *w, const char *name)
{
    assert_int_equal(assign(w, name, NULL), SEGUE_OK);
    assert_string_equal(w->text, "");
    assert_int_equal(w->report.fallback, 0);
    assert_int_equal(w->plan->followup_reason, SEGUE_FOLLOWUP_NONE);
    assert_int_equal(w->plan->active[0], 0);
}

static inline int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL || realpath("/proc/self/exe", self) == NULL;
}

static inline int remove_folder(void **state)
{
    char command[sizeof folder + 16];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static inline int is_program(char *const *arguments, int count)
{
    return count == 1 && sgi_is_program(arguments[0]);
}

#endif
