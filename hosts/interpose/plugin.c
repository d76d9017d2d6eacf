/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segue-interpose.so: a plugin that is another one with somebody in between. Any host in any language loads it in the
 * other's place; nothing else changes. The environment says what it does:
 *
 *   SEGUE_INTERPOSE         path of the plugin that it stands for
 *   SEGUE_INTERPOSE_TRACE   a file to which it adds one JSON line for each call: slot, arguments, result, ns, thread
 *   SEGUE_INTERPOSE_RECORD  a file in which it writes down groups and plans, for `segue replay` (recorder.h)
 *   SEGUE_INTERPOSE_FAULTS  faults to put into calls (faults.h)
 *
 * A wrong value is said on standard error and the entry fails, so that the host refuses the plugin. Where the system gives
 * no memory that may be executed, that is said, and the other plugin works as if there were nobody in between.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "faults.h"
#include "interpose.h"
#include "recorder.h"

/* Which assignors there are is known when the other plugin is. */
SEGUE_DECLARE_NOTE(SEGUE_ABI_FLOOR, SEGUE_ABI_VERSION, 0x010000, SEGUE_NOTE_ANY_NAME "\0");

enum { TABLES_MOST = 8, LINE_MOST = 512, TEXT_MOST = 512 };

/* Made once, by the first call of the entry; only `tables` grows, under the lock. */
static struct {
    pthread_once_t once;
    segue_entry_function enter; /* of the other plugin; NULL: there is none, and it has been said why */
    sgx_faults faults;
    int trace; /* descriptor, or -1 */
    pthread_mutex_t lock;
    struct {
        const segue_slots *own, *wrapped;
    } tables[TABLES_MOST];
    uint32_t table_count;
} interposer = {.once = PTHREAD_ONCE_INIT, .trace = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- hooks ------------------------------------------------------------------------------------------------------- */

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static size_t write_argument(char *text, size_t room, char code, const void *value)
{
    int length = 0;
    switch (code) {
    case 'p':
        length = snprintf(text, room, "\"0x%" PRIxPTR "\"", *(const uintptr_t *)value);
        break;
    case 'i':
        length = snprintf(text, room, "%" PRId32, *(const int32_t *)value);
        break;
    case 'u':
        length = snprintf(text, room, "%" PRIu32, *(const uint32_t *)value);
        break;
    default:
        length = snprintf(text, room, "%" PRId64, *(const int64_t *)value);
    }
    return length < 0 ? 0 : (size_t)length;
}

/* One write a line, so that threads and processes may share the file. */
static void trace(const sgx_call *call, uint64_t took)
{
    char line[LINE_MOST];
    size_t used = (size_t)snprintf(line, sizeof line, "{\"slot\":\"%.32s\",\"call\":%" PRIu64 ",\"thread\":%ld,\"arguments\":[",
                                   call->slot->name, call->number, syscall(SYS_gettid));
    for (uint32_t i = 0; i < call->arguments; i++) {
        used += (size_t)snprintf(line + used, sizeof line - used, "%s", i == 0 ? "" : ",");
        used += write_argument(line + used, sizeof line - used, call->slot->signature[2 + i], call->values[i]);
    }
    used += (size_t)snprintf(line + used, sizeof line - used, "],\"result\":%" PRId64 ",\"ns\":%" PRIu64 "%s%s%s}\n",
                             call->result, took, call->fault == NULL ? "" : ",\"fault\":\"",
                             call->fault == NULL ? "" : call->fault, call->fault == NULL ? "" : "\"");
    ssize_t written = write(interposer.trace, line, used);
    (void)written;
}

static int before(sgx_call *call)
{
    call->began_ns = now_ns();
    sgx_recorder_before(call);
    return sgx_faults_before(&interposer.faults, call);
}

static void after(sgx_call *call)
{
    uint64_t took = now_ns() - call->began_ns;
    sgx_faults_after(&interposer.faults, call);
    sgx_recorder_after(call, took);
    if (interposer.trace >= 0) {
        trace(call, took);
    }
}

static const sgx_hooks hooks = {before, after};

/* ---- the other plugin -------------------------------------------------------------------------------------------- */

static void complain(const char *text)
{
    fprintf(stderr, "segue-interpose: %s\n", text);
}

/* What a host asks of a plugin's file it cannot ask of this one, which it does not know of. A pipe would be waited for. */
static int is_to_be_loaded(const char *path)
{
    struct stat status;
    const char *why = NULL;
    if (strchr(path, '/') == NULL) {
        why = "a path is needed, and no name alone";
    } else if (stat(path, &status) != 0) {
        why = strerror(errno);
    } else if (!S_ISREG(status.st_mode)) {
        why = "no regular file";
    } else if ((status.st_mode & S_IWOTH) != 0) {
        why = "everybody may write to it, and so decide what runs here: chmod o-w";
    }
    if (why != NULL) {
        fprintf(stderr, "segue-interpose: %s: %s\n", path, why);
    }
    return why == NULL;
}

static segue_entry_function find_entry(const char *path)
{
    segue_entry_function enter = NULL;
    if (path == NULL || *path == '\0') {
        complain("SEGUE_INTERPOSE has to name the plugin that is to be wrapped, by its path");
        return NULL;
    }
    if (!is_to_be_loaded(path)) {
        return NULL;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library == NULL ? NULL : dlsym(library, SEGUE_ENTRY_SYMBOL);
    if (symbol == NULL) {
        const char *why = dlerror();
        complain(why == NULL ? path : why);
    }
    memcpy(&enter, &symbol, sizeof enter);
    if (enter == segue_plugin_entry) {
        complain("SEGUE_INTERPOSE names the interposer itself, by whatever path; it has to name the plugin that is to be wrapped");
        return NULL;
    }
    return enter;
}

static void start(void)
{
    char text[TEXT_MOST] = "";
    segue_error error = {.size = sizeof error, .text = text, .text_size = sizeof text};
    const char *file = secure_getenv("SEGUE_INTERPOSE_TRACE");
    if (sgx_faults_read(&interposer.faults, secure_getenv("SEGUE_INTERPOSE_FAULTS"), &error) != SEGUE_OK ||
        sgx_recorder_open(secure_getenv("SEGUE_INTERPOSE_RECORD"), &error) != SEGUE_OK) {
        complain(text);
        return;
    }
    if (file != NULL && *file != '\0') {
        /* A pipe that nobody reads holds up no host: it has no trace, and a full one lacks lines. */
        interposer.trace = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600);
        if (interposer.trace < 0) {
            complain("the file that SEGUE_INTERPOSE_TRACE names cannot be written to");
            return;
        }
    }
    interposer.enter = find_entry(secure_getenv("SEGUE_INTERPOSE"));
}

/* Whoever made the system refuse executable memory wants the plugin to work: without anybody in between it does. */
static const segue_slots *wrap(const segue_entry *entry)
{
    char text[TEXT_MOST] = "";
    segue_error error = {.size = sizeof error, .text = text, .text_size = sizeof text};
    const segue_slots *wrapped = NULL;
    if (sgx_faults_check(&interposer.faults, entry->table, entry->table_count, &error) != SEGUE_OK) {
        complain(text);
        return NULL;
    }
    int32_t status = sgx_wrap(entry->slots, entry->table, entry->table_count, &hooks, &wrapped, &error);
    if (status == SEGUE_E_SYSTEM) {
        fprintf(stderr, "segue-interpose: %s; the plugin is asked directly: no call is traced, recorded or spoilt\n", text);
        return entry->slots;
    }
    if (status != SEGUE_OK) {
        complain(text);
    }
    return wrapped;
}

/* The same wrapped table for the same table, each time. */
static const segue_slots *wrapped_of(const segue_entry *entry)
{
    const segue_slots *found = NULL;
    pthread_mutex_lock(&interposer.lock);
    for (uint32_t i = 0; i < interposer.table_count; i++) {
        found = interposer.tables[i].own == entry->slots ? interposer.tables[i].wrapped : found;
    }
    if (found == NULL && interposer.table_count < TABLES_MOST) {
        found = wrap(entry);
        if (found != NULL) {
            interposer.tables[interposer.table_count].own = entry->slots;
            interposer.tables[interposer.table_count++].wrapped = found;
        }
    }
    pthread_mutex_unlock(&interposer.lock);
    return found;
}

int32_t segue_plugin_entry(segue_entry *entry)
{
    pthread_once(&interposer.once, start);
    if (interposer.enter == NULL) {
        return SEGUE_E_SYSTEM;
    }
    int32_t status = interposer.enter(entry);
    if (status != SEGUE_OK) {
        return status;
    }
    /* The caller's record may be too small for the description. */
    segue_entry whole = {.size = sizeof whole, .version = entry->version, .floor = entry->version};
    status = interposer.enter(&whole);
    if (status == SEGUE_OK && whole.slots != NULL && whole.table != NULL) {
        entry->slots = wrapped_of(&whole);
        status = entry->slots == NULL ? SEGUE_E_SYSTEM : SEGUE_OK;
    }
    return status;
}
