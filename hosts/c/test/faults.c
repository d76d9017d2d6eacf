/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <locale.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "document_names.h"
#include "segue/base.h"
#include "test/faults.h"

static atomic_int wanted = FAULT_KINDS, lasting, struck;
static atomic_uint left;
static atomic_int_least64_t held;

void fault_at(enum fault_kind kind, uint32_t nth, int lasts)
{
    atomic_store(&struck, 0);
    atomic_store(&lasting, lasts);
    atomic_store(&left, nth);
    atomic_store(&wanted, (int)kind);
}

int fault_end(void)
{
    atomic_store(&wanted, FAULT_KINDS);
    return atomic_load(&struck);
}

int64_t memory_held(void)
{
    return atomic_load(&held);
}

static int strikes(enum fault_kind kind, int code)
{
    if (atomic_load(&wanted) != (int)kind) {
        return 0;
    }
    uint32_t before = atomic_load(&left);
    if (before > 1 || (before == 0 && !atomic_load(&lasting))) {
        atomic_fetch_sub(&left, before > 1);
        return 0;
    }
    atomic_store(&left, 0);
    atomic_store(&struck, 1);
    errno = code;
    return 1;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void *given(void *memory)
{
    atomic_fetch_add(&held, memory != NULL);
    return memory;
}

#define WRAP_MEMORY(name, type, parameters, arguments)                                                                \
    type __real_##name parameters;                                                                                    \
    type __wrap_##name parameters;                                                                                    \
    type __wrap_##name parameters                                                                                     \
    {                                                                                                                 \
        return strikes(FAULT_MEMORY, ENOMEM) ? NULL : given(__real_##name arguments);                                 \
    }

WRAP_MEMORY(malloc, void *, (size_t size), (size))
WRAP_MEMORY(calloc, void *, (size_t count, size_t size), (count, size))
WRAP_MEMORY(aligned_alloc, void *, (size_t alignment, size_t size), (alignment, size))
WRAP_MEMORY(strdup, char *, (const char *text), (text))
WRAP_MEMORY(strndup, char *, (const char *text, size_t size), (text, size))
WRAP_MEMORY(realpath, char *, (const char *path, char *resolved), (path, resolved))

void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size)
{
    if (strikes(FAULT_MEMORY, ENOMEM)) {
        return NULL;
    }
    int was_there = memory != NULL;
    void *made = __real_realloc(memory, size);
    return was_there ? made : given(made);
}

int __wrap_asprintf(char **text, const char *format, ...);
int __wrap_asprintf(char **text, const char *format, ...)
{
    if (strikes(FAULT_MEMORY, ENOMEM)) {
        return -1;
    }
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(text, format, arguments);
    va_end(arguments);
    atomic_fetch_add(&held, length >= 0);
    return length;
}

void __real_free(void *memory);
void __wrap_free(void *memory);
void __wrap_free(void *memory)
{
    atomic_fetch_sub(&held, memory != NULL);
    __real_free(memory);
}

/* jansson is a library of its own, whose calls the linker does not turn. */
static void *give_jansson(size_t size)
{
    return strikes(FAULT_JSON, ENOMEM) ? NULL : given(__real_malloc(size));
}

__attribute__((constructor)) static void take_over_jansson(void)
{
    json_set_alloc_funcs(give_jansson, __wrap_free);
}

/* ---- the system -------------------------------------------------------------------------------------------------- */

#define WRAP(name, type, failure, code, parameters, arguments)                                                        \
    type __real_##name parameters;                                                                                    \
    type __wrap_##name parameters;                                                                                    \
    type __wrap_##name parameters                                                                                     \
    {                                                                                                                 \
        return strikes(FAULT_##name, code) ? failure : __real_##name arguments;                                       \
    }
FAULTS(WRAP)

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return strikes(FAULT_open, EMFILE) ? -1 : __real_open(path, flags, mode);
}

int __real_fcntl(int file, int operation, ...);
int __wrap_fcntl(int file, int operation, ...);
int __wrap_fcntl(int file, int operation, ...)
{
    va_list rest;
    va_start(rest, operation);
    int argument = va_arg(rest, int);
    va_end(rest);
    return strikes(FAULT_fcntl, EINVAL) ? -1 : __real_fcntl(file, operation, argument);
}

/* As the C library's own does, whatever there is. */
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
    va_list rest;
    va_start(rest, number);
    long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long), d = va_arg(rest, long);
    va_end(rest);
    return number == SYS_pidfd_open && strikes(FAULT_pidfd_open, ENOSYS) ? -1 : __real_syscall(number, a, b, c, d);
}
