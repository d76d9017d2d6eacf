/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* The clock is looked at now and then only: an event takes less than looking does. */
enum { EVENTS_BETWEEN = 4096 };

#define SECOND_NS INT64_C(1000000000)
#define SECOND_US 1e6

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

static void say(sim_progress_line *line, int64_t at_us)
{
    double part = line->until_us > 0 ? 100.0 * (double)at_us / (double)line->until_us : 100.0;
    fprintf(stderr, "\r%s: %.1f %% of %.0f s at the most, %" PRIu64 " rebalances \033[K", line->name, part,
            (double)line->until_us / SECOND_US, line->rebalances);
    line->is_there = 1;
}

static void tell(void *self, const sim_event *event)
{
    sim_progress_line *line = self;
    line->rebalances += event->kind == SIM_EVENT_REBALANCE;
    line->events++;
    if (line->is_wanted && line->events % EVENTS_BETWEEN == 0 && now_ns() >= line->next_ns) {
        say(line, event->at_us);
        line->next_ns = now_ns() + SECOND_NS;
    }
}

void sim_progress_open(sim_progress_line *line, const char *name, int64_t until_us, int always)
{
    *line = (sim_progress_line){.listener = {tell, line, NULL},
                                .until_us = until_us,
                                .next_ns = always ? 0 : now_ns() + SECOND_NS,
                                .name = name,
                                .is_wanted = always || isatty(STDERR_FILENO)};
}

void sim_progress_close(sim_progress_line *line)
{
    if (line->is_there) {
        fprintf(stderr, "\r\033[K");
    }
    line->is_there = 0;
}
