/* SPDX-License-Identifier: Apache-2.0 */
#include "faults.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "error.h"

enum { DELAY_MOST = 3600000 };

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static int is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static int read_status(const char *text, size_t length, int32_t *status)
{
#define COMPARE(name, value, word)                                                                                    \
    if (is_word(text, length, word)) {                                                                                \
        *status = (value);                                                                                            \
        return 1;                                                                                                     \
    }
    SEGUE_STATUSES(COMPARE)
#undef COMPARE
    return 0;
}

static int read_kind(const char *text, size_t length, sgx_fault *fault)
{
    static const char delay[] = "delay:";
    char *end = NULL;
    if (length > sizeof delay - 1 && memcmp(text, delay, sizeof delay - 1) == 0) {
        unsigned long ms = strtoul(text + sizeof delay - 1, &end, 10);
        fault->kind = SGX_DELAY;
        fault->delay_ms = (uint32_t)ms;
        return end == text + length && ms <= DELAY_MOST;
    }
    /* The plan's own status word is what libsegue says; the fault of that name makes the plan that earns it. */
    fault->kind = is_word(text, length, "bad-plan") ? SGX_BAD_PLAN
                  : is_word(text, length, "crash")  ? SGX_CRASH
                  : is_word(text, length, "abort")  ? SGX_ABORT
                  : is_word(text, length, "hang")   ? SGX_HANG
                                                    : SGX_STATUS;
    return fault->kind != SGX_STATUS || read_status(text, length, &fault->status);
}

/* "assign#3=internal", `length` bytes. */
static int read_fault(const char *text, size_t length, sgx_fault *fault)
{
    const char *equals = memchr(text, '=', length);
    if (equals == NULL) {
        return 0;
    }
    size_t left = (size_t)(equals - text);
    const char *hash = memchr(text, '#', left);
    size_t name = hash == NULL ? left : (size_t)(hash - text);
    if (name == 0 || name >= sizeof fault->slot) {
        return 0;
    }
    memcpy(fault->slot, text, name);
    if (hash != NULL) {
        char *end = NULL;
        fault->number = strtoull(hash + 1, &end, 10);
        if (end != equals || fault->number == 0) {
            return 0;
        }
    }
    return read_kind(equals + 1, length - left - 1, fault);
}

int32_t sgx_faults_read(sgx_faults *faults, const char *text, segue_error *error)
{
    *faults = (sgx_faults){.count = 0};
    for (const char *part = text == NULL ? "" : text; *part != '\0';) {
        size_t length = strcspn(part, ",");
        if (faults->count == SGX_FAULTS_MOST) {
            return sgi_fail(error, SEGUE_E_SYNTAX, "more than %d faults are given", SGX_FAULTS_MOST);
        }
        if (!read_fault(part, length, &faults->rows[faults->count++])) {
            return sgi_fail(error, SEGUE_E_SYNTAX,
                            "\"%.*s\" is no fault; SLOT[#N]=FAULT is, with a status such as internal, delay:MS, bad-plan, "
                            "crash, abort or hang",
                            (int)(length < 80 ? length : 80), part);
        }
        part += length + (part[length] == ',');
    }
    return SEGUE_OK;
}

/* ---- doing ------------------------------------------------------------------------------------------------------- */

static int is_meant(const sgx_fault *fault, const sgx_call *call)
{
    return (fault->number == 0 || fault->number == call->number) && strcmp(fault->slot, call->slot->name) == 0;
}

static void sleep_ms(uint32_t ms)
{
    struct timespec left = {ms / 1000, (long)(ms % 1000) * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

/* No core file, and none of the host's handlers. */
static void crash(void)
{
    const struct rlimit none = {0, 0};
    sigset_t nothing;
    sigemptyset(&nothing);
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGABRT, SIG_DFL);
    sigprocmask(SIG_SETMASK, &nothing, NULL);
    raise(SIGABRT);
    _exit(EXIT_FAILURE);
}

/* _Fork runs nobody's fork handlers: the host may have threads that hold the locks these want. */
static int32_t crash_in_a_child(segue_error *error)
{
    pid_t child = _Fork();
    if (child == 0) {
        crash();
    }
    if (child < 0) {
        return sgi_fail(error, SEGUE_E_SYSTEM, "no child can be forked to crash: %s", strerror(errno));
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    return sgi_fail(error, SEGUE_E_INTERNAL, "the child of this call was ended by signal %d (Aborted)", SIGABRT);
}

/* Where a fault has to be explained; NULL where the slot has no such place. */
static segue_error *error_of(const sgx_call *call)
{
    static const struct {
        const char *slot;
        uint32_t index;
    } places[] = {{"create", 2}, {"assign", 4}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (strcmp(call->slot->name, places[i].slot) == 0 && call->arguments > places[i].index) {
            return *(segue_error **)call->values[places[i].index];
        }
    }
    return NULL;
}

/* 0: answered. */
static int strike(const sgx_fault *fault, sgx_call *call)
{
    switch (fault->kind) {
    case SGX_STATUS:
        call->fault = "status";
        call->result = sgi_fail(error_of(call), fault->status, "a fault that SEGUE_INTERPOSE_FAULTS puts in here");
        return 0;
    case SGX_DELAY:
        call->fault = "delay";
        sleep_ms(fault->delay_ms);
        return 1;
    case SGX_CRASH:
        call->fault = "crash";
        call->result = crash_in_a_child(error_of(call));
        return 0;
    case SGX_ABORT:
        abort();
    case SGX_HANG:
        for (;;) {
            pause();
        }
    default:
        return 1;
    }
}

int sgx_faults_before(const sgx_faults *faults, sgx_call *call)
{
    int goes_on = 1;
    for (uint32_t i = 0; goes_on && i < faults->count; i++) {
        goes_on = !is_meant(&faults->rows[i], call) || strike(&faults->rows[i], call);
    }
    return goes_on;
}

void sgx_faults_after(const sgx_faults *faults, sgx_call *call)
{
    enum { PLAN = 3 };
    for (uint32_t i = 0; i < faults->count; i++) {
        int meant = faults->rows[i].kind == SGX_BAD_PLAN && is_meant(&faults->rows[i], call);
        if (meant && strcmp(call->slot->name, "assign") == 0 && call->arguments > PLAN && call->result == SEGUE_OK) {
            segue_plan *plan = *(segue_plan **)call->values[PLAN];
            call->fault = "bad-plan";
            if (plan->task_count > 0) {
                plan->active[0] = SEGUE_NONE;
            }
        }
    }
}
