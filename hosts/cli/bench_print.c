/* SPDX-License-Identifier: Apache-2.0 */
/* What `segue bench` prints: JSON lines for programs, a table for people. */
#include <jansson.h>
#include <stdio.h>

#include "bench.h"

enum { DIGITS = 6 };

static double ratio(const bench_result *result)
{
    return result->memcpy_us > 0 ? result->median_us / result->memcpy_us : 0.0;
}

static json_int_t count_leaving(const segue_group *group)
{
    json_int_t count = 0;
    for (uint32_t m = 0; group->member_leaving_ms != NULL && m < group->member_count; m++) {
        count += group->member_leaving_ms[m] != SEGUE_TIME_NONE;
    }
    return count;
}

void bench_print_line(const bench_case *it)
{
    const bench_result *result = it->result;
    const segue_group *group = it->group;
    const segue_plan *plan = it->plan;
    json_t *line = json_pack(
        "{s:s, s:I, s:I, s:s, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:I, s:I, s:b, s:I, s:b}",
        "assignor", it->assignor, "tasks", (json_int_t)group->task_count, "members", (json_int_t)group->member_count,
        "event", it->event, "median_us", result->median_us, "min_us", result->min_us, "memcpy_us", result->memcpy_us,
        "ratio", ratio(result), "copied_bytes", (json_int_t)result->copied_bytes, "repeats",
        (json_int_t)result->repeats, "moves", (json_int_t)plan->moves, "min_moves", (json_int_t)plan->min_moves,
        "learners", (json_int_t)plan->learners, "spread", plan->spread, "subtopologies",
        (json_int_t)group->subtopology_count, "standbys", (json_int_t)it->config->num_standby_replicas, "racks",
        (json_int_t)group->rack_count, "weights", group->task_weight != NULL, "leaving", count_leaving(group),
        "decisions", it->decisions);
    if (line == NULL) {
        cli_complain("bench: %s: no memory for the line, or a spread that is no number", it->assignor);
        return;
    }
    json_dumpf(line, stdout, JSON_REAL_PRECISION(DIGITS));
    fputc('\n', stdout);
    json_decref(line);
}

void bench_print_head(void)
{
    printf("%-17s %9s %8s %-10s %8s %5s %7s %7s %11s %8s %6s %9s %9s %9s\n", "assignor", "tasks", "members", "event",
           "standbys", "racks", "weights", "leaving", "median us", "ns/task", "ratio", "moves", "at least", "learners");
}

void bench_print_row(const bench_case *it)
{
    static const char *const weights[] = {[BENCH_EQUAL] = "-", [BENCH_LIGHT] = "1..8", [BENCH_HEAVY] = "heavy"};
    const bench_shape *shape = it->shape;
    printf("%-17s %9lld %8lld %-10s %8lld %5lld %7s %7lld %11.1f %8.1f %6.1f %9u %9u %9u\n", it->assignor,
           (long long)shape->tasks, (long long)shape->members, it->event, (long long)shape->standbys,
           (long long)shape->racks, weights[shape->weights], (long long)shape->leaving, it->result->median_us,
           it->result->median_us * 1000 / (double)shape->tasks, ratio(it->result), it->plan->moves,
           it->plan->min_moves, it->plan->learners);
}
