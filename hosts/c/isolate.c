/* SPDX-License-Identifier: Apache-2.0 */
#include "isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "descriptor.h"
#include "error.h"
#include "file_limit.h"
#include "isolate_spawn.h"

/* How often one looks without a descriptor that says it, and how long a killed process is waited for: amid calls, and when
 * nobody will look for it any more. */
enum { LOOK_MS = 20, DYING_MS = 100, LEAVING_MS = 5000, FIRST_AREA = 1 << 16 };

static int pidfd_of(pid_t pid)
{
    return sgi_above_standard((int)syscall(SYS_pidfd_open, pid, 0));
}

static int open_pair(int *ends)
{
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return -1;
    }
    ends[0] = sgi_above_standard(ends[0]);
    ends[1] = ends[0] < 0 ? ends[1] : sgi_above_standard(ends[1]);
    if (ends[0] >= 0 && ends[1] >= 0) {
        return 0;
    }
    int code = errno;
    close(ends[0] < 0 ? ends[1] : ends[0]);
    errno = code;
    return -1;
}

/* What a machine may lack for a while (posix_spawn, execve), and a program that is being written. Any other fault lies in the
 * program itself: its interpreter is not there, or it has none. */
static int is_for_now(int fault)
{
    return fault == EAGAIN || fault == ENOMEM || fault == EMFILE || fault == ENFILE || fault == ETXTBSY;
}

int32_t sgi_isolate_start(const char *program, const char *plugin, sgi_isolate **isolate, segue_error *error)
{
    int ends[2];
    const char *of = plugin != NULL ? plugin : program;
    sgi_isolate *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return sgi_fail(error, SEGUE_E_MEMORY, "no memory for a process of %s", of);
    }
    if (open_pair(ends) != 0) {
        int32_t status = sgi_fail(error, SEGUE_E_SYSTEM, "no socket for a process of %s: %s", of, strerror(errno));
        free(made);
        return status;
    }
    int fault = sgi_spawn(program, plugin, ends[1], &made->pid);
    close(ends[1]);
    if (fault != 0) {
        close(ends[0]);
        free(made);
        return sgi_fail(error, plugin != NULL || is_for_now(fault) ? SEGUE_E_SYSTEM : SEGUE_E_PLUGIN,
                        "%s cannot be started%s%s: %s", program, plugin == NULL ? "" : " for ",
                        plugin == NULL ? "" : plugin, strerror(fault));
    }
    made->is_program = plugin == NULL;
    made->parent = getpid();
    made->alive = pidfd_of(made->pid);
    made->socket = ends[0];
    made->area = -1;
    *isolate = made;
    return SEGUE_OK;
}

/* ---- shared memory ----------------------------------------------------------------------------------------------- */

static void drop_area(sgi_isolate *isolate)
{
    if (isolate->shared != NULL) {
        munmap(isolate->shared, isolate->shared_bytes);
    }
    if (isolate->area >= 0) {
        close(isolate->area);
    }
    isolate->shared = NULL;
    isolate->area = -1;
}

static int grow(int file, size_t bytes)
{
    sigset_t before;
    sgi_file_limit_begin(&before);
    int status = ftruncate(file, (off_t)bytes);
    sgi_file_limit_end(&before);
    return status;
}

/* The size is sealed: an area that shrinks would be a fatal signal for whoever reads it. */
int32_t sgi_isolate_room(sgi_isolate *isolate, size_t bytes, segue_error *error)
{
    size_t room = FIRST_AREA;
    if (isolate->shared != NULL && bytes <= isolate->shared_bytes) {
        return SEGUE_OK;
    }
    while (room < bytes) {
        room *= 2;
    }
    drop_area(isolate);
    isolate->area = sgi_above_standard(memfd_create("segue-isolate", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    void *shared = MAP_FAILED;
    if (isolate->area >= 0 && grow(isolate->area, room) == 0 &&
        fcntl(isolate->area, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
        shared = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, isolate->area, 0);
    }
    if (shared == MAP_FAILED) {
        int32_t status =
            sgi_fail(error, SEGUE_E_SYSTEM, "no %zu bytes of memory to share with a process: %s", room, strerror(errno));
        drop_area(isolate);
        return status;
    }
    isolate->shared = shared;
    isolate->shared_bytes = room;
    isolate->area_is_new = 1;
    return SEGUE_OK;
}

/* ---- a question -------------------------------------------------------------------------------------------------- */

static int send_question(sgi_isolate *isolate, sgi_question *question)
{
    struct iovec whole = {question, sizeof *question};
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct msghdr message = {.msg_iov = &whole, .msg_iovlen = 1};
    if (isolate->area_is_new) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(head), &isolate->area, sizeof(int));
    }
    ssize_t sent = sendmsg(isolate->socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    isolate->area_is_new = 0;
    return sent == (ssize_t)sizeof *question;
}

/* Ended, or not to be told: somebody else in the host may have waited for it. */
static int has_ended(const sgi_isolate *isolate, siginfo_t *how)
{
    how->si_pid = 0;
    return waitid(P_PID, (id_t)isolate->pid, how, WEXITED | WNOHANG | WNOWAIT) != 0 || how->si_pid != 0;
}

/* 1: a message is there, or will never be. 0: time is up. A grandchild may hold the socket open, so that its end alone
 * says nothing about the process. */
static int wait_for_answer(const sgi_isolate *isolate, uint64_t until_ns)
{
    struct pollfd places[] = {{.fd = isolate->socket, .events = POLLIN}, {.fd = isolate->alive, .events = POLLIN}};
    for (;;) {
        uint64_t now = sgi_now_ns();
        siginfo_t how;
        int left_ms = now < until_ns ? (int)((until_ns - now + SGI_MILLISECOND - 1) / SGI_MILLISECOND) : 0;
        int ready = poll(places, 2, isolate->alive < 0 && left_ms > LOOK_MS ? LOOK_MS : left_ms);
        if (ready > 0 || (isolate->alive < 0 && has_ended(isolate, &how))) {
            return 1;
        }
        if (sgi_now_ns() >= until_ns) {
            return 0;
        }
    }
}

/* The socket may end before the process does: how that ended is worth waiting for as long as the call has time. */
static sgi_end tell_death(sgi_isolate *isolate, uint64_t until_ns, segue_error *fault)
{
    siginfo_t how = {0};
    while (!has_ended(isolate, &how) && sgi_now_ns() < until_ns) {
        struct pollfd place = {.fd = isolate->alive, .events = POLLIN};
        poll(&place, 1, isolate->alive < 0 ? 1 : DYING_MS);
    }
    if (how.si_pid == 0) {
        sgi_fail(fault, SEGUE_E_INTERNAL, "it closed the way to its host, or its process was ended by another");
    } else if (how.si_code == CLD_EXITED && !isolate->is_program && how.si_status == SGI_OTHER_VERSION) {
        sgi_fail(fault, SEGUE_E_SYSTEM, "the program for its process is not that of libsegue " SEGUE_VERSION);
    } else if (how.si_code == CLD_EXITED && !isolate->is_program && how.si_status == SGI_NOT_BEGUN) {
        sgi_fail(fault, SEGUE_E_SYSTEM, "its process could not begin: standard error says what the system refuses");
    } else if (how.si_code == CLD_EXITED) {
        sgi_fail(fault, SEGUE_E_INTERNAL, "its process ended with exit status %d", how.si_status);
    } else {
        sgi_fail(fault, SEGUE_E_INTERNAL, "its process was ended by signal %d (%s)", how.si_status,
                 sigdescr_np(how.si_status) == NULL ? "unknown" : sigdescr_np(how.si_status));
    }
    return SGI_DIED;
}

static sgi_end tell_lateness(uint64_t taken_ns, segue_error *fault)
{
    sgi_fail(fault, SEGUE_E_DEADLINE, "it gave no answer within %llu ms, and its process was killed",
             (unsigned long long)(taken_ns / SGI_MILLISECOND));
    return SGI_LATE;
}

sgi_end sgi_isolate_ask(sgi_isolate *isolate, sgi_question *question, uint64_t until_ns, sgi_answer *answer,
                        segue_error *fault)
{
    uint64_t began = sgi_now_ns();
    question->magic = SGI_ISOLATE_MAGIC;
    question->number = ++isolate->number;
    question->area_bytes = isolate->shared_bytes;
    question->limit_ms = (uint32_t)((until_ns > began ? until_ns - began : 0) / SGI_MILLISECOND) + 1000;
    if (!send_question(isolate, question)) {
        return tell_death(isolate, until_ns, fault);
    }
    if (!wait_for_answer(isolate, until_ns)) {
        return tell_lateness(sgi_now_ns() - began, fault);
    }
    ssize_t got = recv(isolate->socket, answer, sizeof *answer, MSG_DONTWAIT | MSG_TRUNC);
    if (got <= 0) {
        return tell_death(isolate, until_ns, fault);
    }
    if (got != (ssize_t)sizeof *answer || answer->magic != SGI_ISOLATE_MAGIC || answer->number != question->number) {
        sgi_fail(fault, SEGUE_E_INTERNAL, "its process said something that is no answer");
        return SGI_DIED;
    }
    answer->text[sizeof answer->text - 1] = '\0';
    return SGI_ANSWERED;
}

int sgi_isolate_is_sound(const sgi_isolate *isolate)
{
    struct pollfd places[] = {{.fd = isolate->socket, .events = POLLIN}, {.fd = isolate->alive, .events = POLLIN}};
    siginfo_t how;
    return isolate->parent == getpid() && poll(places, 2, 0) == 0 && (isolate->alive >= 0 || !has_ended(isolate, &how));
}

/* ---- its end ----------------------------------------------------------------------------------------------------- */

static void kill_it(const sgi_isolate *isolate)
{
    siginfo_t how;
    /* As long as nobody has waited for it, its number is nobody else's. */
    int ours = waitid(P_PID, (id_t)isolate->pid, &how, WEXITED | WNOHANG | WNOWAIT) == 0;
    if (ours) {
        kill(-isolate->pid, SIGKILL);
    }
    if (isolate->alive >= 0) {
        syscall(SYS_pidfd_send_signal, isolate->alive, SIGKILL, NULL, 0);
    } else if (ours) {
        kill(isolate->pid, SIGKILL);
    }
}

static int is_gone(const sgi_isolate *isolate)
{
    pid_t waited = waitpid(isolate->pid, NULL, WNOHANG);
    return waited == isolate->pid || (waited < 0 && errno != EINTR);
}

static int wait_for_end(const sgi_isolate *isolate, uint64_t ms)
{
    uint64_t until = sgi_now_ns() + ms * SGI_MILLISECOND;
    while (!is_gone(isolate)) {
        struct pollfd place = {.fd = isolate->alive, .events = POLLIN};
        if (sgi_now_ns() >= until) {
            return 0;
        }
        poll(&place, 1, isolate->alive < 0 ? 1 : DYING_MS);
    }
    return 1;
}

static void forget(sgi_isolate *isolate)
{
    if (isolate->alive >= 0) {
        close(isolate->alive);
    }
    free(isolate);
}

int sgi_isolate_end(sgi_isolate *isolate)
{
    drop_area(isolate);
    if (isolate->socket >= 0) {
        close(isolate->socket);
        isolate->socket = -1;
        if (isolate->parent == getpid()) {
            kill_it(isolate);
        }
    }
    if (isolate->parent == getpid() && !wait_for_end(isolate, DYING_MS)) {
        return 0;
    }
    forget(isolate);
    return 1;
}

void sgi_isolate_leave(sgi_isolate *isolate)
{
    if (!sgi_isolate_end(isolate)) {
        wait_for_end(isolate, LEAVING_MS);
        forget(isolate);
    }
}
