/* SPDX-License-Identifier: Apache-2.0 */
/* state.h - what of a process a plugin has to leave alone, and what it may use up. Linux. */
#ifndef SEGUE_HOSTS_CLI_CHECK_STATE_H
#define SEGUE_HOSTS_CLI_CHECK_STATE_H

#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/time.h>

enum { STATE_SIGNALS = 65, STATE_LIMITS = 16, STATE_TIMERS = 3, STATE_TEXT = 256, STATE_FILES = 64, STATE_FILE_TEXT = 64 };

/* Signals: handlers by number, this thread's mask and alternate stack, and timers. */
typedef struct state_signals {
    struct sigaction action[STATE_SIGNALS];
    sigset_t mask;
    stack_t stack;
    struct itimerval timer[STATE_TIMERS];
    uint64_t made_timers; /* by timer_create, in lines that tell of them */
} state_signals;

void state_read_signals(state_signals *s);
/* A handler for each signal that is ignored or left alone: it would not be seen that a plugin ignores what is ignored
 * here. */
void state_handle_signals(void);
/* What has changed, as words in `text`; 0: nothing. */
int state_signals_differ(const state_signals *a, const state_signals *b, char *text, size_t size);

/* Everything in one text, so that the names of what has changed can be said. */
typedef struct state_settings {
    char locale[STATE_TEXT];
    locale_t thread_locale;
    char folder[STATE_TEXT];
    char thread_name[STATE_TEXT];
    unsigned umask;
    int rounding;
    unsigned float_control; /* masks and modes of the processor's arithmetic */
    int priority, policy;   /* of this thread */
    cpu_set_t processors;   /* on which this thread may run */
    struct rlimit limit[STATE_LIMITS];
} state_settings;

void state_read_settings(state_settings *s);
int state_settings_differ(const state_settings *a, const state_settings *b, char *text, size_t size);

/* Open descriptors, what they lead to, and their flags: who waits on one that no longer blocks does not wait. */
typedef struct state_files {
    int descriptor[STATE_FILES];
    int status_flags[STATE_FILES], own_flags[STATE_FILES];
    char target[STATE_FILES][STATE_FILE_TEXT];
    uint32_t count;
} state_files;

void state_read_files(state_files *s);
int state_files_differ(const state_files *a, const state_files *b, char *text, size_t size);

/* A number that stands for all environment variables, in their order. */
uint64_t state_environment(void);

uint32_t state_threads(void);
uint32_t state_mappings(void);
/* Bytes of addresses in all mappings: neighbours of one kind are one. 0 where a sanitizer maps what it likes. */
uint64_t state_mapped(void);

/* Bytes of the C library's heap in use; UINT64_MAX where nobody counts them. */
uint64_t state_heap(void);
/* Bytes of private memory that the process has touched; UINT64_MAX where a sanitizer makes that mean nothing. */
uint64_t state_touched(void);

#endif
