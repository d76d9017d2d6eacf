/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segue-isolate VERSION PLUGIN - the process in which an isolated plugin runs, started by libsegue alone: its standard
 * input is the socket over which isolate_message.h is spoken. It ends when the socket does.
 *
 * What a plugin does to this process is nobody's concern: it may crash it, hang it, close its files. Time is watched
 * by libsegue; the timer here is for the case that libsegue's process is gone meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "ask.h"
#include "plugin.h"

enum { USAGE = 64, MUTE = 75, HIGH = 100 };

typedef struct area {
    char *bytes;
    size_t size;
} area;

/* Standard error is the host's. */
static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "segue-isolate: %s: %s\n", what, strerror(errno));
    _exit(SGI_NOT_BEGUN);
}

/* No core file of a host's data, no new rights by programs that the plugin may start. */
static void drop_rights(void)
{
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (chdir("/") != 0) {
        give_up("it cannot change to the folder /");
    }
}

/* The socket leaves the place of standard input, where a plugin may look; far from it, unless RLIMIT_NOFILE is low. */
static int take_socket(void)
{
    int high = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, HIGH);
    high = high >= 0 ? high : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int nothing = open("/dev/null", O_RDONLY);
    if (high < 0 || nothing < 0 || dup2(nothing, STDIN_FILENO) != STDIN_FILENO) {
        give_up("no descriptor for its socket and /dev/null (RLIMIT_NOFILE)");
    }
    close(nothing);
    return high;
}

static void map_area(area *shared, int file, size_t size)
{
    if (shared->bytes != NULL) {
        munmap(shared->bytes, shared->size);
    }
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (bytes == MAP_FAILED) {
        give_up("the memory that it shares with its host cannot be mapped (RLIMIT_AS)");
    }
    *shared = (area){bytes, size};
}

/* Returns with a question, or not at all. */
static void receive(int channel, sgi_question *question, area *shared)
{
    struct iovec whole = {question, sizeof *question};
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {
        .msg_iov = &whole, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t got = recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
    if (got <= 0) {
        _exit(0);
    }
    if (got != (ssize_t)sizeof *question || question->magic != SGI_ISOLATE_MAGIC) {
        _exit(SGI_OTHER_VERSION);
    }
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (head != NULL && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
        int file = -1;
        memcpy(&file, CMSG_DATA(head), sizeof file);
        map_area(shared, file, question->area_bytes);
    }
    if (shared->bytes == NULL) {
        errno = EMFILE;
        give_up("no descriptor for the memory that it shares with its host (RLIMIT_NOFILE)");
    }
}

static void set_timer(uint32_t ms)
{
    const struct itimerval timer = {{0, 0}, {ms / 1000, (suseconds_t)(ms % 1000) * 1000}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

int main(int count, char *const *arguments)
{
    if (count != 3) {
        fputs("segue-isolate is started by libsegue (segue.isolation=process), and is of no use alone\n", stderr);
        return USAGE;
    }
    if (strcmp(arguments[1], SEGUE_VERSION) != 0) {
        return SGI_OTHER_VERSION;
    }
    area shared = {NULL, 0};
    sgi_plugin *plugin = NULL;
    sgi_question question;
    drop_rights();
    int channel = take_socket();
    for (;;) {
        receive(channel, &question, &shared);
        sgi_answer answer = {
            .magic = SGI_ISOLATE_MAGIC, .number = question.number, .status = SEGUE_OK, .row = SEGUE_NONE};
        segue_error error = {
            .size = sizeof error, .row = SEGUE_NONE, .text = answer.text, .text_size = sizeof answer.text};
        set_timer(question.limit_ms);
        answer.status = plugin == NULL ? sgi_plugin_list(arguments[2], &plugin, &error) : SEGUE_OK;
        if (answer.status == SEGUE_OK) {
            ask_plugin(plugin, &question, shared.bytes, &answer);
        }
        set_timer(0);
        if (send(channel, &answer, sizeof answer, MSG_NOSIGNAL) != (ssize_t)sizeof answer) {
            _exit(MUTE);
        }
    }
}
