/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_limit.h - a file that grows beyond the process's limit (RLIMIT_FSIZE), shared memory as well, raises a signal that would
 * end the host. Between these two it is a call that failed, of this thread. A signal that the host has blocked stays its own.
 */
#ifndef SEGUE_HOSTS_C_FILE_LIMIT_H
#define SEGUE_HOSTS_C_FILE_LIMIT_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

static inline void sgi_file_limit_begin(sigset_t *before)
{
    sigset_t limit;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &limit, before);
}

/* errno stays. */
static inline void sgi_file_limit_end(const sigset_t *before)
{
    const struct timespec now = {0};
    int code = errno;
    sigset_t limit;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    if (!sigismember(before, SIGXFSZ)) {
        sigtimedwait(&limit, NULL, &now);
    }
    pthread_sigmask(SIG_SETMASK, before, NULL);
    errno = code;
}

#endif
