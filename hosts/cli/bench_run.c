/* SPDX-License-Identifier: Apache-2.0 */
/* Times the slot `assign` itself, and in the same run a copy of the same columns, turn by turn. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

enum { REPEATS_LEAST = 5, REPEATS_MOST = 1000, WARM_UPS = 2 };

#define BUDGET_NS 1000000000u

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

const segue_slots *bench_slots(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library == NULL ? NULL : dlsym(library, SEGUE_ENTRY_SYMBOL);
    segue_entry_function enter = NULL;
    memcpy(&enter, &symbol, sizeof enter);
    segue_entry entry = {.size = sizeof entry, .version = SEGUE_ABI_VERSION, .floor = SEGUE_ABI_FLOOR};
    if (enter == NULL || enter(&entry) != SEGUE_OK) {
        cli_complain("%s: the plugin's entry is not there or refuses", path);
        return NULL;
    }
    return entry.slots;
}

static size_t copy(char *room, const void *column, size_t bytes)
{
    if (column == NULL) {
        return 0;
    }
    if (room != NULL) {
        memcpy(room, column, bytes);
    }
    return bytes;
}

size_t bench_copy_columns(const segue_group *g, const segue_plan *p, char *room)
{
    size_t bytes = 0;
#define COPY(id, field, type, count, need) \
    bytes += copy(room == NULL ? NULL : room + bytes, g->field, (count) * sizeof(type));
    SEGUE_GROUP_COLUMNS(COPY)
#undef COPY
#define COPY(id, field, type, used, capacity) \
    bytes += copy(room == NULL ? NULL : room + bytes, p->field, (used) * sizeof(type));
    SEGUE_PLAN_COLUMNS(COPY)
#undef COPY
    return bytes;
}

size_t bench_column_bytes(const segue_group *group, const segue_plan *plan)
{
    return bench_copy_columns(group, plan, NULL);
}

static int compare_times(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static double median_us(uint64_t *times, uint32_t count)
{
    qsort(times, count, sizeof *times, compare_times);
    /* NOLINTNEXTLINE(bugprone-integer-division): they are indices */
    double middle = ((double)times[(count - 1) / 2] + (double)times[count / 2]) / 2;
    return middle / 1000;
}

/* What is run again and again. */
typedef struct subject {
    const segue_slots *slots;
    segue_instance *instance;
    const segue_group *group;
    const segue_config *config;
    segue_plan *plan;
    char *room;
} subject;

static int32_t time_assign(const subject *it, uint64_t *elapsed, segue_error *error)
{
    uint64_t begin = now_ns();
    int32_t status = it->slots->assign(it->instance, it->group, it->config, it->plan, error);
    *elapsed = now_ns() - begin;
    return status;
}

static uint64_t time_copy(const subject *it)
{
    uint64_t begin = now_ns();
    bench_copy_columns(it->group, it->plan, it->room);
    /* The copy is never read; without this the compiler may leave it out. */
    __asm__ volatile("" : : "r"(it->room) : "memory");
    return now_ns() - begin;
}

/* The first calls fill caches and the instance's memory; their plan says how much there is to copy. */
static int32_t warm_up(subject *it, bench_result *result, segue_error *error)
{
    uint64_t ignored;
    int32_t status = SEGUE_OK;
    for (int i = 0; status == SEGUE_OK && i < WARM_UPS; i++) {
        status = time_assign(it, &ignored, error);
    }
    if (status != SEGUE_OK) {
        return status;
    }
    result->copied_bytes = bench_column_bytes(it->group, it->plan);
    it->room = malloc(result->copied_bytes + 1);
    if (it->room == NULL) {
        error->code = SEGUE_E_MEMORY;
        return SEGUE_E_MEMORY;
    }
    time_copy(it);
    return SEGUE_OK;
}

static int32_t measure(const subject *it, int64_t repeats, bench_result *result, segue_error *error)
{
    uint64_t assigns[REPEATS_MOST];
    uint64_t copies[REPEATS_MOST];
    uint32_t wanted = repeats > 0 ? (uint32_t)repeats : REPEATS_MOST;
    uint32_t count = 0;
    uint64_t begin = now_ns();
    for (; count < wanted; count++) {
        if (repeats == 0 && count >= REPEATS_LEAST && now_ns() - begin > BUDGET_NS) {
            break;
        }
        int32_t status = time_assign(it, &assigns[count], error);
        if (status != SEGUE_OK) {
            return status;
        }
        copies[count] = time_copy(it);
    }
    result->repeats = count;
    result->median_us = median_us(assigns, count);
    result->min_us = (double)assigns[0] / 1000;
    result->memcpy_us = median_us(copies, count);
    return SEGUE_OK;
}

int32_t bench_run(const segue_slots *slots, const char *assignor, const segue_group *group, const segue_config *config,
                  segue_plan *plan, int64_t repeats, bench_result *result, segue_error *error)
{
    subject it = {.slots = slots, .group = group, .config = config, .plan = plan};
    int32_t status = slots->create(assignor, &it.instance, error);
    status = status == SEGUE_OK ? warm_up(&it, result, error) : status;
    status = status == SEGUE_OK ? measure(&it, repeats, result, error) : status;
    free(it.room);
    slots->destroy(it.instance);
    return status;
}
