/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For builds with the thread sanitizer, in front of each file that joins by a clock. gcc 12's sanitizer does not know
 * pthread_clockjoin_np: to it such a thread is never joined, and the next one with the same pthread_t ends the process with
 * "dup thread with used id". It knows pthread_timedjoin_np, which goes by the time of day.
 */
#ifndef SEGUE_HOSTS_C_TEST_CLOCKJOIN_H
#define SEGUE_HOSTS_C_TEST_CLOCKJOIN_H

#include <pthread.h>
#include <time.h>

static inline int join_by_time_of_day(pthread_t thread, void **result, clockid_t clock, const struct timespec *until)
{
    const long second = 1000000000;
    struct timespec now, day;
    clock_gettime(clock, &now);
    clock_gettime(CLOCK_REALTIME, &day);
    day.tv_sec += until->tv_sec - now.tv_sec;
    day.tv_nsec += until->tv_nsec - now.tv_nsec;
    if (day.tv_nsec < 0 || day.tv_nsec >= second) {
        day.tv_sec += day.tv_nsec < 0 ? -1 : 1;
        day.tv_nsec += day.tv_nsec < 0 ? second : -second;
    }
    return pthread_timedjoin_np(thread, result, &day);
}
#define pthread_clockjoin_np join_by_time_of_day

#endif
