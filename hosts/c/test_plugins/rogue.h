/* SPDX-License-Identifier: Apache-2.0 */
/* rogue.h - assignors that harm the process they run in, for the tests of isolation. For test_plugin.c alone. */
#ifndef SEGUE_TEST_PLUGINS_ROGUE_H
#define SEGUE_TEST_PLUGINS_ROGUE_H

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "segue/abi.h"

enum { DESCRIPTORS = 256, PAST_THE_END = 1 << 26, LONG_MS = 5000 };

#define ROGUE(name) static void name(const segue_group *g, segue_plan *p)

ROGUE(loop)
{
    (void)g;
    for (volatile uint32_t *active = p->active;;) {
        *active = *active;
    }
}

/* The same, after a word to the test. */
ROGUE(loop_aloud)
{
    if (write(STDERR_FILENO, "r", 1) == 1) {
        loop(g, p);
    }
}

/* Longer than budget and grace of the tests, and it does come back. */
ROGUE(doze)
{
    (void)g;
    (void)p;
    const struct timespec nap = {LONG_MS / 1000, LONG_MS % 1000 * 1000000};
    nanosleep(&nap, NULL);
}

/* Until the test writes something into the pipe whose other end the environment names. */
static void hear_a_word(void *unused)
{
    (void)unused;
    char word;
    const char *pipe = getenv("SEGUE_TEST_PIPE");
    while (pipe != NULL && read(atoi(pipe), &word, 1) < 0) {
    }
}

ROGUE(wait_for_a_word)
{
    (void)g;
    (void)p;
    hear_a_word(NULL);
}

/* Answers, and its thread does not come to its end before that. */
ROGUE(linger)
{
    (void)g;
    pthread_key_t key;
    if (pthread_key_create(&key, hear_a_word) == 0) {
        pthread_setspecific(key, p);
    }
}

ROGUE(crash)
{
    (void)g;
    (void)p;
    raise(SIGSEGV);
}

ROGUE(give_up)
{
    (void)g;
    (void)p;
    abort();
}

ROGUE(leave)
{
    (void)g;
    (void)p;
    exit(3);
}

ROGUE(stop)
{
    (void)g;
    (void)p;
    raise(SIGSTOP);
}

ROGUE(write_past_the_end)
{
    (void)g;
    for (volatile uint32_t i = 0; i < PAST_THE_END; i++) {
        p->active[i] = 7;
    }
}

ROGUE(close_everything)
{
    (void)g;
    (void)p;
    for (int i = 0; i < DESCRIPTORS; i++) {
        close(i);
    }
}

/* One level more for each call; the compiler cannot see that it never ends. */
static uint32_t dig(volatile uint32_t *above, uint32_t depth)
{
    volatile uint32_t here[1024];
    here[0] = above[0];
    return depth == UINT32_MAX ? depth : dig(here, depth + 1) + here[0];
}

ROGUE(overflow_the_stack)
{
    (void)g;
    volatile uint32_t top[1] = {1};
    p->active[0] = dig(top, 0);
}

/* Whatever it can find to say something into. */
ROGUE(babble)
{
    (void)g;
    (void)p;
    for (int i = 3; i < DESCRIPTORS; i++) {
        send(i, "nonsense", 8, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
}

/* Leaves a process behind that holds all its descriptors, and ends. */
ROGUE(breed)
{
    (void)g;
    (void)p;
    if (fork() == 0) {
        pause();
    }
    _exit(0);
}

/* Comes back twice. */
ROGUE(multiply)
{
    (void)g;
    p->moves = fork() < 0;
}

ROGUE(keep_still)
{
    (void)g;
    (void)p;
}

/* Its plan is whole; then a child of it writes there, and ends before the plan is given back. */
ROGUE(scribble)
{
    pid_t child = fork();
    for (uint32_t t = 0; child == 0 && t < g->task_count; t++) {
        p->active[t] = 0xdeadbeef;
    }
    if (child == 0) {
        _exit(0);
    }
    p->moves = waitpid(child, NULL, 0) < 0;
}

/* Leaves no descriptor for whatever comes next. */
ROGUE(hoard)
{
    (void)g;
    (void)p;
    while (open("/dev/null", O_RDONLY) >= 0) {
    }
}

/* Hears no signal that can be kept out, and does not come back. */
ROGUE(deafen)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    loop_aloud(g, p);
}

/* As runtimes do that wait for many files at once. */
ROGUE(hasten)
{
    (void)g;
    p->moves = fcntl(STDERR_FILENO, F_SETFL, fcntl(STDERR_FILENO, F_GETFL) | O_NONBLOCK) != 0;
}

ROGUE(fill_with_garbage)
{
    for (uint32_t t = 0; t < g->task_count; t++) {
        p->active[t] = p->learner[t] = 0xdeadbeef;
    }
    p->standby_start[g->task_count] = p->standby_count = 0xffffffff;
    p->decision_count = 0x7fffffff;
}

/* Dies when it finds what is the host's alone: its environment, or a file besides the three standard ones. */
ROGUE(look_around)
{
    (void)g;
    (void)p;
    for (int i = 3; i < 100; i++) {
        if (fcntl(i, F_GETFD) >= 0) {
            abort();
        }
    }
    if (getenv("SEGUE_TEST_SECRET") != NULL) {
        abort();
    }
}

#define ROGUES(X)                                                                                                     \
    X("loops", loop)                                                                                                  \
    X("loops-aloud", loop_aloud)                                                                                      \
    X("dozes", doze)                                                                                                  \
    X("waits-for-a-word", wait_for_a_word)                                                                            \
    X("lingers", linger)                                                                                              \
    X("crashes", crash)                                                                                               \
    X("aborts", give_up)                                                                                              \
    X("exits", leave)                                                                                                 \
    X("stops", stop)                                                                                                  \
    X("writes-past-the-end", write_past_the_end)                                                                      \
    X("closes-everything", close_everything)                                                                          \
    X("overflows-the-stack", overflow_the_stack)                                                                      \
    X("babbles", babble)                                                                                              \
    X("breeds", breed)                                                                                                \
    X("multiplies", multiply)                                                                                         \
    X("scribbles", scribble)                                                                                          \
    X("hoards", hoard)                                                                                                \
    X("deafens", deafen)                                                                                              \
    X("hastens", hasten)                                                                                              \
    X("multiplies-when-made", keep_still)                                                                             \
    X("gives-garbage", fill_with_garbage)                                                                             \
    X("looks-around", look_around)

#define ROGUE_NAME(name, damage) name "\0"
#define ROGUE_ROW(name, damage) {name, SEGUE_TRAIT_LEAVING, damage, SEGUE_OK},

#endif
