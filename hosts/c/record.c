/* SPDX-License-Identifier: Apache-2.0 */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "descriptor.h"
#include "error.h"
#include "file_limit.h"
#include "segue/record.h"

#define VARIABLE "SEGUE_RECORD_PATH"

enum { PADDING = 8, MODE = 0600, LOCK_TRIES = 20, OPEN_TRIES = 4 };

/* Whether the file is empty or begins as a record does: what is anything else is not ours to write to. */
static int is_record(int file)
{
    char magic[] = SEGUE_RECORD_MAGIC;
    char begin[sizeof magic - 1];
    ssize_t got = pread(file, begin, sizeof begin, 0);
    return got >= 0 && memcmp(begin, magic, (size_t)got) == 0;
}

/* The file is opened for each frame: somebody may have moved it, and a rebalance is rare. A pipe would wait for a reader,
 * so only a regular file will do; errno says what is wrong: EINVAL that it is none, EEXIST that it holds something else. */
static int open_file(const char *path)
{
    struct stat about;
    int file = sgi_above_standard(open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, MODE));
    if (file >= 0 && (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))) {
        close(file);
        errno = EINVAL;
        return -1;
    }
    if (file >= 0 && !is_record(file)) {
        close(file);
        errno = EEXIST;
        return -1;
    }
    return file;
}

static size_t padded(size_t size)
{
    return (size + PADDING - 1) / PADDING * PADDING;
}

/* The kernel takes the lock from a dead process. From one that was stopped nobody does, so waiting has an end. */
static int lock(int file)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(file, LOCK_EX | LOCK_NB) == 0) {
            return 0;
        }
        nanosleep(&pause, NULL);
    }
    return -1;
}

/* Another writer may have moved the file between opening and locking. */
static int is_at_its_path(int file, const char *path, struct stat *about)
{
    struct stat there;
    return fstat(file, about) == 0 && stat(path, &there) == 0 && about->st_ino == there.st_ino &&
           about->st_dev == there.st_dev;
}

static void move_away(const char *path)
{
    char *older = NULL;
    if (asprintf(&older, "%s.1", path) >= 0) {
        rename(path, older);
        free(older);
    }
}

/* Where the frames end that are whole; -1 where something else stands between two, such as the rest of one behind which
 * another host has written. */
static off_t whole_end(int file, off_t size)
{
    off_t at = 0;
    while (at < size) {
        segue_record_head head;
        if (pread(file, &head, sizeof head, at) != (ssize_t)sizeof head) {
            return at;
        }
        if (memcmp(head.magic, SEGUE_RECORD_MAGIC, sizeof head.magic) != 0 || head.head_size < sizeof head) {
            return -1;
        }
        uint64_t left = (uint64_t)(size - at), bytes = head.head_size + padded(head.assignor_size);
        if (head.group_size > left || head.plan_size > left || bytes + head.group_size + head.plan_size > left) {
            return at;
        }
        at += (off_t)(bytes + head.group_size + head.plan_size);
    }
    return at;
}

/* What the crash of a host has left of a frame would keep readers from all that is written behind it. */
static void mend(int file, const char *path)
{
    struct stat about;
    if (lock(file) != 0 || !is_at_its_path(file, path, &about)) {
        return;
    }
    off_t end = whole_end(file, about.st_size);
    if (end < 0 || (end < about.st_size && ftruncate(file, end) != 0)) {
        move_away(path);
    }
}

int32_t sgi_record_open(sgi_record *record, const char *path, uint64_t most_bytes, segue_error *error)
{
    *record = (sgi_record){.most_bytes = most_bytes > 0 ? most_bytes : SEGUE_RECORD_BYTES};
    path = path != NULL ? path : secure_getenv(VARIABLE);
    if (path == NULL || *path == '\0') {
        return SEGUE_OK;
    }
    int file = open_file(path);
    if (file < 0) {
        return sgi_fail(error, SEGUE_E_SYSTEM, "%s, the file to record plans in, cannot be opened: %s", path,
                        errno == EINVAL || errno == ENXIO ? "it is no regular file"
                        : errno == EEXIST                 ? "it is there already, and is no record"
                                                          : strerror(errno));
    }
    mend(file, path);
    close(file);
    record->path = strdup(path);
    return record->path != NULL ? SEGUE_OK : sgi_fail(error, SEGUE_E_MEMORY, "no memory for a host");
}

void sgi_record_close(sgi_record *record)
{
    free(record->path);
    record->path = NULL;
}

/* A locked file with room for the frame, and where it ends; -1 where there is none. */
static int take_file(const sgi_record *record, size_t size, off_t *end)
{
    for (int i = 0; i < OPEN_TRIES; i++) {
        struct stat about;
        int file = open_file(record->path);
        if (file < 0 || lock(file) != 0) {
            return file < 0 ? -1 : (close(file), -1);
        }
        int is_ours = is_at_its_path(file, record->path, &about);
        if (is_ours && (about.st_size == 0 || (uint64_t)about.st_size + size <= record->most_bytes)) {
            *end = about.st_size;
            return file;
        }
        if (is_ours) {
            move_away(record->path);
        }
        close(file);
    }
    return -1;
}

static ssize_t write_quietly(int file, const char *frame, size_t size)
{
    sigset_t before;
    sgi_file_limit_begin(&before);
    ssize_t written = write(file, frame, size);
    sgi_file_limit_end(&before);
    return written;
}

/* A frame that was written in part is taken back, so that the next one stands behind a whole one. */
static void append(const sgi_record *record, const char *frame, size_t size)
{
    off_t end = 0;
    int file = take_file(record, size, &end);
    if (file < 0) {
        return;
    }
    ssize_t written = write_quietly(file, frame, size);
    if (written >= 0 && (size_t)written < size && ftruncate(file, end) != 0) {
        move_away(record->path);
    }
    close(file);
}

static int64_t wall_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

char *sgi_record_frame(const char *assignor, const segue_group *group, const segue_config *config, const segue_plan *plan,
                       const segue_report *report, size_t *size)
{
    size_t name = strlen(assignor);
    size_t group_size = 0;
    size_t plan_size = 0;
    segue_wire_encode_group(group, config, NULL, 0, &group_size, NULL);
    segue_wire_encode_plan(plan, NULL, 0, &plan_size, NULL);
    size_t at_group = sizeof(segue_record_head) + padded(name);
    size_t at_plan = at_group + padded(group_size);
    *size = at_plan + padded(plan_size);
    char *frame = calloc(1, *size);
    if (frame == NULL || group_size == 0 || plan_size == 0) {
        free(frame);
        return NULL;
    }
    segue_record_head head = {SEGUE_RECORD_MAGIC, SEGUE_RECORD_VERSION, sizeof head,        wall_ms(), report->elapsed_ns,
                              report->status,     report->rule,         report->fallback,   (uint32_t)name,
                              padded(group_size), padded(plan_size)};
    memcpy(frame, &head, sizeof head);
    memcpy(frame + sizeof head, assignor, name);
    int32_t status = segue_wire_encode_group(group, config, frame + at_group, group_size, &group_size, NULL);
    status = status == SEGUE_OK ? segue_wire_encode_plan(plan, frame + at_plan, plan_size, &plan_size, NULL) : status;
    if (status != SEGUE_OK) {
        free(frame);
        return NULL;
    }
    return frame;
}

void sgi_record_plan(const sgi_record *record, const char *assignor, const segue_group *group,
                     const segue_config *config, const segue_plan *plan, const segue_report *report)
{
    size_t size = 0;
    char *frame = record->path == NULL ? NULL : sgi_record_frame(assignor, group, config, plan, report, &size);
    if (frame != NULL) {
        append(record, frame, size);
    }
    free(frame);
}
