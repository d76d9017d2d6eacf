/* SPDX-License-Identifier: Apache-2.0 */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "ask.h"

enum { STACK_BYTES = 65536, SAID_MOST = 120, FAULT_EXIT = 70 };

void *child_share(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* ---- in the child ------------------------------------------------------------------------------------------------ */

static probe *running;

static const char *way_of(const void *context)
{
#if defined(__x86_64__)
    const ucontext_t *machine = context;
    return machine->uc_mcontext.gregs[REG_ERR] & 2 ? "writes" : "reads";
#else
    (void)context;
    return "reads or writes";
#endif
}

/* A fault at a guarded column is a finding about it; any other ends the child in the usual way. */
static void on_fault(int signal_number, siginfo_t *info, void *context)
{
    int behind = 0;
    const char *part = asking_find(asking_now, info->si_addr, &behind);
    if (part != NULL) {
        probe_hold(running, 0, "%s %s%s (%s)", way_of(context), behind ? "beyond " : "", part, running->verdict->doing);
        atomic_store(&running->verdict->ended, 1);
        _exit(FAULT_EXIT);
    }
    signal(signal_number, SIG_DFL);
}

static void catch_faults(void)
{
    static char stack[STACK_BYTES];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaltstack(&other, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

/* Whatever the plugin says goes into `said`; nobody is asked anything, and nothing is left behind. */
static void shut_off(int said)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    dup2(said, STDOUT_FILENO);
    dup2(said, STDERR_FILENO);
    close(nothing);
    close(said);
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
}

static void live(probe *p, void (*run)(probe *p), int said, const sigset_t *mask)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    shut_off(said);
    running = p;
    catch_faults();
    sigprocmask(SIG_SETMASK, mask, NULL);
    run(p);
    atomic_store(&p->verdict->ended, 1);
    _exit(0);
}

/* ---- in the parent ----------------------------------------------------------------------------------------------- */

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* SIGCHLD is blocked, so that none is missed between looking and waiting. 0: the time has passed. */
static int wait_for(pid_t child, int64_t until_ms, int *status)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    while (waitpid(child, status, WNOHANG) == 0) {
        int64_t left = until_ms - now_ms();
        if (left <= 0) {
            return 0;
        }
        struct timespec wait = {left / 1000, left % 1000 * 1000000};
        sigtimedwait(&ends, NULL, &wait);
    }
    return 1;
}

/* The first line of what the child said, for crashes that explain themselves. */
static void read_said(int said, char *text)
{
    ssize_t got = pread(said, text, SAID_MOST, 0);
    text[got < 0 ? 0 : got] = '\0';
    char *first = text + strspn(text, "\n=");
    memmove(text, first, strlen(first) + 1);
    text[strcspn(text, "\n")] = '\0';
}

static void file_end(probe *p, int status, int said)
{
    char text[SAID_MOST + 1];
    read_said(said, text);
    const char *doing = p->verdict->doing;
    if (WIFSIGNALED(status)) {
        probe_hold(p, 0, "is ended by signal %d (%s): %s%s%s", WTERMSIG(status), strsignal(WTERMSIG(status)), doing,
                   text[0] == '\0' ? "" : ": ", text);
    } else {
        probe_hold(p, 0, "ends the process with exit status %d: %s%s%s", WEXITSTATUS(status), doing,
                   text[0] == '\0' ? "" : ": ", text);
    }
}

static void watch(probe *p, pid_t child, int said, uint32_t timeout_s)
{
    int status = 0;
    int in_time = wait_for(child, now_ms() + (int64_t)timeout_s * 1000, &status);
    /* Also what the plugin may have started. */
    kill(-child, SIGKILL);
    if (!in_time) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        p->verdict->timed_out = 1;
        probe_hold(p, 0, "does not come back within %u s: %s", timeout_s, p->verdict->doing);
    } else if (atomic_load(&p->verdict->ended) == 0) {
        file_end(p, status, said);
    }
}

int child_run(probe *p, void (*run)(probe *p), uint32_t timeout_s)
{
    sigset_t ends, mask;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, &mask);
    fflush(NULL);
    int said = memfd_create("said", MFD_CLOEXEC);
    pid_t child = said < 0 ? -1 : fork();
    if (child == 0) {
        live(p, run, said, &mask);
    }
    if (child > 0) {
        setpgid(child, child);
        watch(p, child, said, timeout_s);
    }
    if (said >= 0) {
        close(said);
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return child > 0;
}
