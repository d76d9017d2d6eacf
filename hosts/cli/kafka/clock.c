/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"

#include <time.h>

int64_t cli_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void cli_pause(void)
{
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
}
