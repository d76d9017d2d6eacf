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

enum { DELAY_MOST = 3600000, CALLS_MOST = 1000000000 };

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

/* Digits alone, up to `most`. */
static int read_number(const char *text, size_t length, uint64_t most, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || *number > most / 10) {
            return 0;
        }
        *number = *number * 10 + (uint64_t)(text[i] - '0');
    }
    return length > 0 && *number <= most;
}

static int read_kind(const char *text, size_t length, sgx_fault *fault)
{
    static const char delay[] = "delay:";
    if (length > sizeof delay - 1 && memcmp(text, delay, sizeof delay - 1) == 0) {
        uint64_t ms = 0;
        int is_number = read_number(text + sizeof delay - 1, length - (sizeof delay - 1), DELAY_MOST, &ms);
        fault->kind = SGX_DELAY;
        fault->delay_ms = (uint32_t)ms;
        return is_number;
    }
    /* The plan's own status word is what libsegue says; the fault of that name makes the plan that earns it. */
    fault->kind = is_word(text, length, "bad-plan") ? SGX_BAD_PLAN
                  : is_word(text, length, "crash")  ? SGX_CRASH
                  : is_word(text, length, "abort")  ? SGX_ABORT
                  : is_word(text, length, "hang")   ? SGX_HANG
                                                    : SGX_STATUS;
    if (fault->kind == SGX_BAD_PLAN) {
        return strcmp(fault->slot, "assign") == 0;
    }
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
    if (hash != NULL && !read_number(hash + 1, (size_t)(equals - hash) - 1, CALLS_MOST, &fault->number)) {
        return 0;
    }
    if (hash != NULL && fault->number == 0) {
        return 0;
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

static int has_slot(const segue_slot_info *table, uint32_t count, const char *slot)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(table[i].name, slot) == 0) {
            return 1;
        }
    }
    return 0;
}

int32_t sgx_faults_check(const sgx_faults *faults, const segue_slot_info *table, uint32_t count, segue_error *error)
{
    for (uint32_t i = 0; i < faults->count; i++) {
        if (!has_slot(table, count, faults->rows[i].slot)) {
            return sgi_fail(error, SEGUE_E_SYNTAX, "SEGUE_INTERPOSE_FAULTS: the plugin has no slot %s", faults->rows[i].slot);
        }
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

static int64_t answer_of(const sgx_call *call, int32_t status)
{
    return call->slot->signature[0] == 'p' ? 0 : status;
}

/* 0: answered. */
static int strike(const sgx_fault *fault, sgx_call *call)
{
    switch (fault->kind) {
    case SGX_STATUS:
        call->fault = "status";
        call->result =
            answer_of(call, sgi_fail(error_of(call), fault->status, "a fault that SEGUE_INTERPOSE_FAULTS puts in here"));
        return 0;
    case SGX_DELAY:
        call->fault = "delay";
        sleep_ms(fault->delay_ms);
        return 1;
    case SGX_CRASH:
        call->fault = "crash";
        call->result = answer_of(call, crash_in_a_child(error_of(call)));
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
