/* SPDX-License-Identifier: Apache-2.0 */
/*
 * liar VERSION PLUGIN - stands in for segue-isolate, and tells its host what the plugin's file is named after:
 * "no-version.so" describes itself without one. See isolate_liar_test.c.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "isolate_message.h"
#include "segue/base.h"
#include "segue/config.h"
#include "segue/host.h"

static char lie[64];

static unsigned is(const char *what)
{
    return strcmp(lie, what) == 0;
}

/* DESCRIPTION: "name\0version\0assignor\0version\0summary\0traits\0" */
#define HONEST "liar\0001.0\0liar\0001.0\0of a test\0001"

static const struct {
    const char *lie;
    const char *text;
    size_t bytes;
} descriptions[] = {
#define DESCRIPTION(word, text) {word, text, sizeof text}
    DESCRIPTION("no-version", "liar"),
    DESCRIPTION("no-text", "\xff"),
    DESCRIPTION("no-assignor-version", "liar\0001.0\0liar"),
    DESCRIPTION("no-summary", "liar\0001.0\0liar\0001.0"),
    DESCRIPTION("no-traits", "liar\0001.0\0liar\0001.0\0of a test"),
    DESCRIPTION("traits-of-words", "liar\0001.0\0liar\0001.0\0of a test\0one"),
    DESCRIPTION("traits-below-zero", "liar\0001.0\0liar\0001.0\0of a test\0-1"),
    DESCRIPTION("traits-too-large", "liar\0001.0\0liar\0001.0\0of a test\0004294967296"),
    DESCRIPTION("bad-assignor", "liar\0001.0\0Liar\0001.0\0of a test\0001"),
};

static size_t describe(char *area)
{
    for (size_t i = 0; i < sizeof descriptions / sizeof *descriptions; i++) {
        if (is(descriptions[i].lie)) {
            memcpy(area, descriptions[i].text, descriptions[i].bytes);
            return descriptions[i].bytes;
        }
    }
    memcpy(area, HONEST, sizeof HONEST);
    if (is("no-end")) {
        memset(area, 'x', sizeof HONEST);
    }
    return is("no-bytes") ? 0 : is("too-many-bytes") ? (size_t)SGI_DESCRIPTION_MOST + 1 : sizeof HONEST;
}

static void die_oddly(void)
{
    if (is("exits")) {
        _exit(3);
    } else if (is("other-version")) {
        _exit(SGI_OTHER_VERSION);
    } else if (is("unknown-signal")) {
        raise(SIGRTMIN + 3);
    } else if (is("hangs-up")) {
        close(STDIN_FILENO);
        pause();
    }
}

static void answer_question(const sgi_question *question, char *area)
{
    sgi_answer answer = {.magic = SGI_ISOLATE_MAGIC, .number = question->number, .row = SEGUE_NONE};
    size_t bytes = sizeof answer;
    int at_load = question->kind == SGI_ASK_DESCRIBE;
    if (at_load) {
        answer.bytes = describe(area);
        answer.scalars[0] = 1;
        answer.status = is("refuses") ? SEGUE_E_PLUGIN : is("lacks-memory") ? SEGUE_E_MEMORY : SEGUE_OK;
        snprintf(answer.text, sizeof answer.text, "%s", answer.status < 0 ? "not today" : "");
        if (is("other-version")) {
            die_oddly();
        }
    } else {
        die_oddly();
        answer.magic -= is("bad-magic");
        answer.number -= is("bad-number");
        bytes -= is("short") * 8;
        /* What the host reads of an answer is 64 bits wide; most of it has 32. */
        for (size_t i = 0; i < SGI_PLAN_SCALARS; i++) {
            answer.scalars[i] = is("too-wide") ? UINT64_MAX : is("rows") ? 1000000 : 0;
        }
        if (strncmp(lie, "wide-", 5) == 0) {
            answer.scalars[strtoul(lie + 5, NULL, 10)] = UINT64_MAX;
        }
    }
    if (send(STDIN_FILENO, &answer, bytes, MSG_NOSIGNAL) < 0) {
        _exit(1);
    }
}

int main(int count, char **arguments)
{
    char *area = NULL;
    const char *slash = count == 3 ? strrchr(arguments[2], '/') : NULL;
    if (slash == NULL || sscanf(slash + 1, "%63[^.].so", lie) != 1) {
        return 64;
    }
    for (;;) {
        sgi_question question;
        struct iovec whole = {&question, sizeof question};
        union {
            struct cmsghdr head;
            char bytes[CMSG_SPACE(sizeof(int))];
        } control = {.bytes = {0}};
        struct msghdr message = {
            .msg_iov = &whole, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
        if (recvmsg(STDIN_FILENO, &message, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof question) {
            return 0;
        }
        if (message.msg_controllen > 0) {
            int file;
            memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof file);
            area = mmap(NULL, question.area_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            close(file);
        }
        answer_question(&question, area);
    }
}
