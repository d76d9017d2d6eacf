/* SPDX-License-Identifier: Apache-2.0 */
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "error.h"
#include "isolation.h"
#include "plan.h"
#include "wire_message.h"

enum { HIGH = 100, TEXT_MOST = 255, NUMBER_MOST = 16, LAST_MS = 5000 };

typedef struct area {
    char *bytes;
    size_t size;
} area;

static int32_t refused(segue_error *error, const char *what)
{
    return sgi_fail(error, SEGUE_E_SYSTEM, "%s: %s", what, strerror(errno));
}

/* ---- the way ----------------------------------------------------------------------------------------------------- */

/* The same under a number where no plugin looks; far from it, unless RLIMIT_NOFILE is low. */
static int far_from(int file)
{
    int far = fcntl(file, F_DUPFD_CLOEXEC, HIGH);
    return far >= 0 ? far : fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

/* What says when the process ends that has started this one: a copy of it, made by fork, may hold the socket open. -1: the
 * kernel says nothing. */
static int watch_host(void)
{
    int host = (int)syscall(SYS_pidfd_open, getppid(), 0);
    int far = host < 0 ? -1 : far_from(host);
    if (host >= 0) {
        close(host);
    }
    return far;
}

/* The socket leaves the place of standard input. */
static int32_t take_socket(int *channel, segue_error *error)
{
    *channel = far_from(STDIN_FILENO);
    int nothing = open("/dev/null", O_RDONLY);
    if (*channel < 0 || nothing < 0 || dup2(nothing, STDIN_FILENO) != STDIN_FILENO) {
        return refused(error, "no descriptor for the socket to its host and /dev/null (RLIMIT_NOFILE)");
    }
    close(nothing);
    return SEGUE_OK;
}

static int32_t map_area(area *shared, int file, size_t size, segue_error *error)
{
    if (shared->bytes != NULL) {
        munmap(shared->bytes, shared->size);
    }
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (bytes == MAP_FAILED) {
        return refused(error, "the memory that it shares with its host cannot be mapped (RLIMIT_AS)");
    }
    *shared = (area){bytes, size};
    return SEGUE_OK;
}

/* 0: there will be none. Signals that the plugin has handlers for end no waiting. */
static int wait_for_question(int channel, int host)
{
    struct pollfd places[] = {{.fd = channel, .events = POLLIN}, {.fd = host, .events = POLLIN}};
    int ready;
    do {
        ready = poll(places, 2, -1);
    } while (ready < 0 && errno == EINTR);
    return ready > 0 && places[0].revents != 0;
}

/* *is_there 0: the host is gone, or has nothing more to ask. */
static int32_t receive(int channel, int host, sgi_question *question, area *shared, int *is_there, segue_error *error)
{
    struct iovec whole = {question, sizeof *question};
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {
        .msg_iov = &whole, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t got = wait_for_question(channel, host) ? recvmsg(channel, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) : 0;
    int32_t status = SEGUE_OK;
    *is_there = got > 0;
    if (!*is_there) {
        return SEGUE_OK;
    }
    if (got != (ssize_t)sizeof *question || question->magic != SGI_ISOLATE_MAGIC) {
        return sgi_fail(error, SEGUE_E_VERSION, "its host is of another version of libsegue than " SEGUE_VERSION);
    }
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (head != NULL && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
        int file = -1;
        memcpy(&file, CMSG_DATA(head), sizeof file);
        status = map_area(shared, file, question->area_bytes, error);
    }
    if (status == SEGUE_OK && (shared->bytes == NULL || shared->size != question->area_bytes)) {
        errno = EMFILE;
        status = refused(error, "no descriptor for the memory that it shares with its host (RLIMIT_NOFILE)");
    }
    return status;
}

/* By a signal that no plugin keeps out and that ends what was stopped, and with no timer of those that it may have set for
 * itself. */
static int32_t make_timer(timer_t *timer, segue_error *error)
{
    struct sigevent how = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    return timer_create(CLOCK_MONOTONIC, &how, timer) == 0 ? SEGUE_OK
                                                           : refused(error, "no timer for its end (RLIMIT_SIGPENDING)");
}

static void set_timer(timer_t timer, uint32_t ms)
{
    const struct itimerspec end = {{0, 0}, {ms / 1000, (long)(ms % 1000) * 1000000}};
    timer_settime(timer, 0, &end, NULL);
}

/* ---- what is offered --------------------------------------------------------------------------------------------- */

static void add_text(sgi_description *description, const char *text)
{
    char *place = description->area + description->used;
    size_t length = text == NULL ? 0 : strnlen(text, TEXT_MOST);
    if (description->used + length + 1 <= SGI_DESCRIPTION_MOST) {
        memcpy(place, length > 0 ? text : "", length);
        place[length] = '\0';
        sgi_clean_line(place);
        description->used += strlen(place) + 1;
    }
}

void sgi_describe_plugin(sgi_description *description, const char *name, const char *version, uint32_t abi_version)
{
    description->abi_version = abi_version;
    add_text(description, name);
    add_text(description, version);
}

void sgi_describe_assignor(sgi_description *description, const segue_assignor_info *info)
{
    char traits[NUMBER_MOST];
    snprintf(traits, sizeof traits, "%u", info->traits);
    add_text(description, info->name);
    add_text(description, info->version);
    add_text(description, info->summary);
    add_text(description, traits);
}

static int32_t describe(const sgi_served *served, char *bytes, sgi_answer *answer, segue_error *error)
{
    sgi_description description = {bytes, 0, 0};
    int32_t status = served->describe(served->context, &description, error);
    answer->bytes = description.used;
    answer->scalars[0] = description.abi_version;
    return status;
}

/* ---- a plan ------------------------------------------------------------------------------------------------------ */

static void write_scalars(const segue_plan *plan, uint64_t *words)
{
#define WRITE(field, type, way) *words++ = sgi_word_of_##type(plan->field);
    SEGUE_PLAN_SCALARS(WRITE)
#undef WRITE
}

/* The assignor writes into memory of this process alone. A child that it forks has the shared area too, and would write
 * there whenever it comes to it: amid the plan that the host reads, or the next one. */
static int32_t assign_into(segue_plan *plan, const sgi_served *served, const sgi_question *question, char *bytes,
                           sgi_answer *answer, segue_error *error)
{
    segue_group group = {.size = sizeof group};
    segue_config config = {.size = sizeof config};
    int32_t status = segue_wire_decode_group(bytes, question->group_bytes, &group, &config, error);
    if (status != SEGUE_OK) {
        return status;
    }
    pid_t own = getpid();
    uint64_t began = sgi_now_ns();
    status = served->assign(served->context, question->assignor, &group, &config, plan, error);
    answer->elapsed_ns = sgi_now_ns() - began;
    sgi_end_copy(own, question->assignor);
    write_scalars(plan, answer->scalars);
    return status;
}

static int32_t assign(const sgi_served *served, const sgi_question *question, char *bytes, sgi_answer *answer,
                      segue_error *error)
{
    const segue_bound room = {.size = sizeof room,
                              .standby_rows = question->standby_capacity,
                              .decision_rows = question->decision_capacity};
    segue_plan *own;
    int32_t status = segue_plan_new(question->task_count, &room, 1, &own);
    if (status != SEGUE_OK) {
        return sgi_fail(error, status, "no memory for a plan of %u tasks", question->task_count);
    }
    sgi_plan_clear(own);
    segue_plan given = *own, shared = *own; /* the first may come back with columns and capacities bent */
    status = assign_into(&given, served, question, bytes, answer, error);
    if (status >= 0) {
        sgi_plan_place(&shared, question->task_count, bytes + question->plan_offset);
        sgi_plan_take_scalars(&shared, &given);
        sgi_plan_take_columns(&shared, own, question->task_count);
    }
    segue_plan_free(own);
    return status;
}

static int say(int channel, timer_t timer, const sgi_served *served, const sgi_question *question, char *bytes)
{
    sgi_answer answer = {.magic = SGI_ISOLATE_MAGIC, .number = question->number, .status = SEGUE_OK};
    segue_error error = {
        .size = sizeof error, .row = SEGUE_NONE, .text = answer.text, .text_size = sizeof answer.text};
    set_timer(timer, question->limit_ms);
    answer.status = question->kind == SGI_ASK_DESCRIBE ? describe(served, bytes, &answer, &error)
                                                       : assign(served, question, bytes, &answer, &error);
    set_timer(timer, 0);
    answer.rule = error.rule;
    answer.row = error.row;
    return send(channel, &answer, sizeof answer, MSG_NOSIGNAL) == (ssize_t)sizeof answer;
}

int32_t sgi_serve(const sgi_served *served, segue_error *error)
{
    area shared = {NULL, 0};
    int channel = -1, is_there = 1, was_asked = 0;
    timer_t timer;
    int32_t status = take_socket(&channel, error);
    int host = watch_host();
    int has_timer = status == SEGUE_OK && (status = make_timer(&timer, error)) == SEGUE_OK;
    while (status == SEGUE_OK && is_there) {
        sgi_question question;
        status = receive(channel, host, &question, &shared, &is_there, error);
        was_asked |= status == SEGUE_OK && is_there;
        if (status == SEGUE_OK && is_there && !say(channel, timer, served, &question, shared.bytes)) {
            status = sgi_fail(error, SEGUE_E_INTERNAL, "its host does not take the answer, or an assignor has closed the way");
        }
    }
    if (was_asked) {
        set_timer(timer, LAST_MS); /* a runtime waits for threads that go on, for ever when nobody kills it */
    } else if (has_timer) {
        timer_delete(timer);
    }
    if (shared.bytes != NULL) {
        munmap(shared.bytes, shared.size);
    }
    if (channel >= 0) {
        close(channel);
    }
    if (host >= 0) {
        close(host);
    }
    return status;
}
