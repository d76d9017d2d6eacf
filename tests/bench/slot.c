/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_slot PLUGIN ASSIGNOR GROUP: times the public slot `assign` of a plugin on one group, whenever it is asked.
 *
 * The group is read and the plan's columns are made before anything is timed. Standard input says, a line each, how many
 * calls to make; each line is answered by one line with the nanoseconds of processor time of every call. ASSIGNOR "memcpy" copies the
 * group's columns instead. At the end of the input the last line says what came out: {"moves": .., "spread": .., ..}.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "segue/abi.h"
#include "segue/host.h"

#define MOST_CALLS 100000

typedef struct slot_bench {
    segue_document *document;
    const segue_slots *slots;
    segue_instance *instance; /* NULL: memcpy */
    segue_plan *plan;
    char *room;
    char text[256];
    segue_error error;
} slot_bench;

static int complain(const char *what, const char *text)
{
    fprintf(stderr, "bench_slot: %s: %s\n", what, text);
    return 1;
}

/* Processor time of this thread: on a busy machine others' turns are not ours. */
static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static const segue_slots *open_plugin(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library == NULL ? NULL : dlsym(library, SEGUE_ENTRY_SYMBOL);
    segue_entry_function enter = NULL;
    memcpy(&enter, &symbol, sizeof enter);
    segue_entry entry = {.size = sizeof entry, .version = SEGUE_ABI_VERSION, .floor = SEGUE_ABI_FLOOR};
    return enter != NULL && enter(&entry) == SEGUE_OK ? entry.slots : NULL;
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        long end = ftell(file);
        text = end < 0 ? NULL : malloc((size_t)end + 1);
        rewind(file);
        *size = text == NULL ? 0 : fread(text, 1, (size_t)end, file);
    }
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

static int read_group(slot_bench *b, const char *path)
{
    size_t size = 0;
    char *text = read_file(path, &size);
    if (text == NULL) {
        return complain(path, "cannot be read");
    }
    int32_t status = segue_document_read(text, size, path, &b->document, &b->error);
    free(text);
    return status == SEGUE_OK ? 0 : complain(path, b->text);
}

/* Copies every column of the group to `room`; NULL: only adds up the bytes. */
static size_t copy_columns(const segue_group *g, char *room)
{
    size_t bytes = 0, size;
#define COPY(id, field, type, count, need)           \
    size = g->field == NULL ? 0 : (size_t)(count) * sizeof(type); \
    if (room != NULL && size > 0) {                  \
        memcpy(room + bytes, g->field, size);        \
    }                                                \
    bytes += size;
    SEGUE_GROUP_COLUMNS(COPY)
#undef COPY
    return bytes;
}

static int prepare(slot_bench *b, const char *plugin, const char *assignor)
{
    const segue_group *g = segue_document_group(b->document);
    segue_bound bound = {.size = sizeof bound};
    if (segue_host_bound(g, segue_document_config(b->document), &bound) != SEGUE_OK ||
        segue_plan_new(g->task_count, &bound, 0, &b->plan) != SEGUE_OK) {
        return complain(assignor, "no memory for the plan");
    }
    if (strcmp(assignor, "memcpy") == 0) {
        b->room = malloc(copy_columns(g, NULL) + 1);
        return b->room == NULL ? complain(assignor, "no memory for a copy") : 0;
    }
    b->slots = open_plugin(plugin);
    if (b->slots == NULL) {
        return complain(plugin, "is no plugin of this version");
    }
    return b->slots->create(assignor, &b->instance, &b->error) == SEGUE_OK ? 0 : complain(assignor, b->text);
}

static int32_t call(slot_bench *b, const segue_group *g, const segue_config *config)
{
    if (b->instance == NULL) {
        copy_columns(g, b->room);
        return SEGUE_OK;
    }
    return b->slots->assign(b->instance, g, config, b->plan, &b->error);
}

static int answer(slot_bench *b, long calls)
{
    static uint64_t taken[MOST_CALLS];
    const segue_group *g = segue_document_group(b->document);
    const segue_config *config = segue_document_config(b->document);
    for (long i = 0; i < calls; i++) {
        uint64_t start = now_ns();
        int32_t status = call(b, g, config);
        taken[i] = now_ns() - start;
        if (status != SEGUE_OK) {
            return complain("assign", b->text);
        }
    }
    for (long i = 0; i < calls; i++) {
        printf("%" PRIu64 "%s", taken[i], i + 1 < calls ? " " : "");
    }
    putchar('\n');
    return fflush(stdout);
}

static int serve(slot_bench *b)
{
    char line[32];
    while (fgets(line, sizeof line, stdin) != NULL) {
        long calls = strtol(line, NULL, 10);
        if (calls < 1 || calls > MOST_CALLS) {
            return complain("calls", "has to be a number from 1 to 100000");
        }
        if (answer(b, calls) != 0) {
            return 1;
        }
    }
    printf("{\"moves\": %u, \"min_moves\": %u, \"spread\": %g, \"learners\": %u, \"bytes\": %zu}\n", b->plan->moves,
           b->plan->min_moves, b->plan->spread, b->plan->learners,
           copy_columns(segue_document_group(b->document), NULL));
    return 0;
}

int main(int count, char **arguments)
{
    static slot_bench b;
    if (count != 4) {
        return complain("usage", "bench_slot PLUGIN ASSIGNOR GROUP");
    }
    b.error = (segue_error){.size = sizeof b.error, .text = b.text, .text_size = sizeof b.text};
    int status = read_group(&b, arguments[3]);
    status = status == 0 ? prepare(&b, arguments[1], arguments[2]) : status;
    status = status == 0 ? serve(&b) : status;
    if (b.instance != NULL) {
        b.slots->destroy(b.instance);
    }
    segue_plan_free(b.plan);
    segue_document_free(b.document);
    free(b.room);
    return status;
}
