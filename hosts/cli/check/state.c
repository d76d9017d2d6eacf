/* SPDX-License-Identifier: Apache-2.0 */
#include "state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

/* There in builds with an address sanitizer, whose allocator the C library's figures know nothing of. */
extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

/* ---- signals ----------------------------------------------------------------------------------------------------- */

static const int timers[STATE_TIMERS] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};

static void on_signal(int number)
{
    (void)number;
}

/* Reads a file of the kernel's in pieces, so that looking at memory takes none. */
static uint64_t count_lines(const char *path)
{
    char piece[4096];
    uint64_t lines = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    for (ssize_t got; file >= 0 && (got = read(file, piece, sizeof piece)) > 0;) {
        for (ssize_t i = 0; i < got; i++) {
            lines += piece[i] == '\n';
        }
    }
    if (file >= 0) {
        close(file);
    }
    return lines;
}

void state_handle_signals(void)
{
    const struct sigaction own = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    for (int i = 1; i < STATE_SIGNALS; i++) {
        struct sigaction action;
        int is_ours = sigaction(i, NULL, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0;
        if (is_ours && (action.sa_handler == SIG_IGN || action.sa_handler == SIG_DFL)) {
            sigaction(i, &own, NULL);
        }
    }
}

void state_read_signals(state_signals *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 1; i < STATE_SIGNALS; i++) {
        sigaction(i, NULL, &s->action[i]);
    }
    sigprocmask(SIG_BLOCK, NULL, &s->mask);
    sigaltstack(NULL, &s->stack);
    for (int i = 0; i < STATE_TIMERS; i++) {
        getitimer((__itimer_which_t)timers[i], &s->timer[i]);
    }
    s->made_timers = count_lines("/proc/self/timers");
}

static int is_set(const struct itimerval *timer)
{
    return timer->it_value.tv_sec != 0 || timer->it_value.tv_usec != 0;
}

int state_signals_differ(const state_signals *a, const state_signals *b, char *text, size_t size)
{
    for (int i = 1; i < STATE_SIGNALS; i++) {
        if (a->action[i].sa_handler != b->action[i].sa_handler || a->action[i].sa_flags != b->action[i].sa_flags) {
            const char *name = sigabbrev_np(i);
            snprintf(text, size, "the handler of signal %d (SIG%s)", i, name == NULL ? "?" : name);
            return 1;
        }
    }
    for (int i = 1; i < STATE_SIGNALS; i++) {
        if (sigismember(&a->mask, i) != sigismember(&b->mask, i)) {
            snprintf(text, size, "the thread's mask of signals, at %d", i);
            return 1;
        }
    }
    for (int i = 0; i < STATE_TIMERS; i++) {
        if (is_set(&a->timer[i]) != is_set(&b->timer[i])) {
            snprintf(text, size, "interval timer %d", i);
            return 1;
        }
    }
    if (a->made_timers != b->made_timers) {
        snprintf(text, size, "the timers (timer_create)");
        return 1;
    }
    snprintf(text, size, "the alternate stack for signals");
    return a->stack.ss_sp != b->stack.ss_sp || a->stack.ss_flags != b->stack.ss_flags;
}

/* ---- settings ---------------------------------------------------------------------------------------------------- */

static unsigned float_control(void)
{
#if defined(__x86_64__)
    unsigned control;
    __asm__ volatile("stmxcsr %0" : "=m"(control));
    return control & ~0x3fu; /* without the flags that arithmetic leaves behind */
#else
    return 0;
#endif
}

void state_read_settings(state_settings *s)
{
    memset(s, 0, sizeof *s);
    const char *locale = setlocale(LC_ALL, NULL);
    snprintf(s->locale, sizeof s->locale, "%s", locale == NULL ? "" : locale);
    s->thread_locale = uselocale((locale_t)0);
    if (getcwd(s->folder, sizeof s->folder) == NULL) {
        snprintf(s->folder, sizeof s->folder, "error %d", errno);
    }
    prctl(PR_GET_NAME, s->thread_name);
    s->umask = umask(0);
    umask(s->umask);
    s->rounding = fegetround();
    s->float_control = float_control();
    s->priority = getpriority(PRIO_PROCESS, 0);
    s->policy = sched_getscheduler(0);
    sched_getaffinity(0, sizeof s->processors, &s->processors);
    for (int i = 0; i < STATE_LIMITS; i++) {
        getrlimit((__rlimit_resource_t)i, &s->limit[i]);
    }
}

int state_settings_differ(const state_settings *a, const state_settings *b, char *text, size_t size)
{
    const char *what = strcmp(a->locale, b->locale) != 0               ? "the locale"
                       : a->thread_locale != b->thread_locale          ? "the thread's locale"
                       : strcmp(a->folder, b->folder) != 0             ? "the working folder"
                       : strcmp(a->thread_name, b->thread_name) != 0   ? "the thread's name"
                       : a->umask != b->umask                          ? "the umask"
                       : a->rounding != b->rounding                    ? "the rounding mode"
                       : a->float_control != b->float_control          ? "the modes of floating-point arithmetic"
                       : a->priority != b->priority                    ? "the thread's priority"
                       : a->policy != b->policy                        ? "how the thread is scheduled"
                       : !CPU_EQUAL(&a->processors, &b->processors)    ? "the processors on which the thread may run"
                       : memcmp(a->limit, b->limit, sizeof a->limit) != 0 ? "a limit of resources"
                                                                          : NULL;
    snprintf(text, size, "%s", what == NULL ? "" : what);
    return what != NULL;
}

/* ---- descriptors and environment --------------------------------------------------------------------------------- */

void state_read_files(state_files *s)
{
    memset(s, 0, sizeof *s);
    DIR *folder = opendir("/proc/self/fd");
    for (const struct dirent *entry; folder != NULL && s->count < STATE_FILES && (entry = readdir(folder)) != NULL;) {
        int number = entry->d_name[0] == '.' ? dirfd(folder) : (int)strtol(entry->d_name, NULL, 10);
        ssize_t length = readlinkat(dirfd(folder), entry->d_name, s->target[s->count], STATE_FILE_TEXT - 1);
        if (number != dirfd(folder) && length >= 0) {
            s->status_flags[s->count] = fcntl(number, F_GETFL);
            s->own_flags[s->count] = fcntl(number, F_GETFD);
            s->descriptor[s->count++] = number;
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

int state_files_differ(const state_files *a, const state_files *b, char *text, size_t size)
{
    for (uint32_t i = 0; i < a->count || i < b->count; i++) {
        int gone = i >= b->count || (i < a->count && a->descriptor[i] < b->descriptor[i]);
        int opened = i >= a->count || (i < b->count && b->descriptor[i] < a->descriptor[i]);
        if (gone || opened) {
            const state_files *in = gone ? a : b;
            snprintf(text, size, "descriptor %d (%s) was %s", in->descriptor[i], in->target[i],
                     gone ? "closed" : "opened and left open");
            return 1;
        }
        if (strcmp(a->target[i], b->target[i]) != 0) {
            snprintf(text, size, "descriptor %d leads to %s and led to %s", a->descriptor[i], b->target[i], a->target[i]);
            return 1;
        }
        if (a->status_flags[i] != b->status_flags[i] || a->own_flags[i] != b->own_flags[i]) {
            snprintf(text, size, "flags of descriptor %d (%s) were changed", a->descriptor[i], a->target[i]);
            return 1;
        }
    }
    return 0;
}

uint64_t state_environment(void)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
        for (const char *c = *variable;; c++) {
            digest = (digest ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
            if (*c == '\0') {
                break;
            }
        }
    }
    return digest;
}

/* ---- what is used up --------------------------------------------------------------------------------------------- */

uint32_t state_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    uint32_t count = 0;
    for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return count;
}

uint32_t state_mappings(void)
{
    return (uint32_t)count_lines("/proc/self/maps");
}

/* A short file of the kernel's; nothing where a sanitizer has memory of its own, of which it would tell as well. */
static void read_of_memory(const char *path, char *text, size_t size)
{
    int file = __sanitizer_get_current_allocated_bytes != NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? -1 : read(file, text, size - 1);
    if (file >= 0) {
        close(file);
    }
    text[got < 0 ? 0 : got] = '\0';
}

uint64_t state_mapped(void)
{
    char text[128];
    read_of_memory("/proc/self/statm", text, sizeof text);
    return strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t state_heap(void)
{
    if (__sanitizer_get_current_allocated_bytes != NULL) {
        return __sanitizer_get_current_allocated_bytes();
    }
    struct mallinfo2 info = mallinfo2();
    return (uint64_t)info.uordblks + info.hblkhd;
}

uint64_t state_touched(void)
{
    char text[4096];
    read_of_memory("/proc/self/smaps_rollup", text, sizeof text);
    const char *line = strstr(text, "\nAnonymous:");
    return line == NULL ? UINT64_MAX : strtoull(line + strlen("\nAnonymous:"), NULL, 10) * 1024;
}
