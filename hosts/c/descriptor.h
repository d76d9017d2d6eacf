/* SPDX-License-Identifier: Apache-2.0 */
/* descriptor.h - a host may have closed its standard files: what is opened next has their numbers, and gets what some
 * library says on standard output or standard error. Any thread. */
#ifndef SEGUE_HOSTS_C_DESCRIPTOR_H
#define SEGUE_HOSTS_C_DESCRIPTOR_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Takes over `file`, -1 too, and answers what is the same under a number that is no standard file's, closed by execve;
 * -1 with errno where there is none. */
static inline int sgi_above_standard(int file)
{
    if (file < 0 || file > STDERR_FILENO) {
        return file;
    }
    int high = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int code = errno;
    close(file);
    errno = code;
    return high;
}

#endif
