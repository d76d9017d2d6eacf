/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segue/base.h - what every other header of the border leans on.
 *
 * Contents: version numbers, status codes, the error record, sentinels, thread classes.
 * Since: 1 unless a line says otherwise. Read CONVENTIONS.md for the rules that hold everywhere.
 */
#ifndef SEGUE_BASE_H
#define SEGUE_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The border's version. It grows by one when slots or fields are added; nothing that exists ever changes. */
#define SEGUE_ABI_VERSION 1u
/* The oldest version that this header's host or plugin still speaks. */
#define SEGUE_ABI_FLOOR 1u

/* A handle (index of a task, member, process, rack, string) that stands for "none". */
#define SEGUE_NONE UINT32_MAX
/* A limit that is not set: no bound. */
#define SEGUE_NO_LIMIT UINT32_MAX
/* A lag that a copy's holder could not tell. Known lags are >= 0 and count records. */
#define SEGUE_LAG_UNKNOWN ((int64_t)-1)
/* A time that is not set. Times are milliseconds of the leader's clock. */
#define SEGUE_TIME_NONE INT64_MIN
/* A size that is not known. Sizes are bytes. */
#define SEGUE_BYTES_UNKNOWN ((int64_t)-1)

/*
 * Status codes, returned by every slot that can fail. 0 is success, faults are negative, so that a later version
 * can add positive answers. X(name, value, word): the word is what JSON, logs and other languages call it.
 */
#define SEGUE_STATUSES(X)                                                                                             \
    X(OK, 0, "ok")                                                                                                    \
    X(E_ARGUMENT, -1, "bad-argument")      /* a null pointer, a size below the floor */                               \
    X(E_VERSION, -2, "version")            /* no version that both sides speak */                                     \
    X(E_NAME, -3, "no-such-name")          /* no assignor, plugin or extension of that name */                        \
    X(E_GROUP, -4, "bad-group")            /* the group breaks a rule of group.h; error.row says which row */         \
    X(E_CONFIG, -5, "bad-config")          /* a configuration value outside its range */                              \
    X(E_SPACE, -6, "too-small")            /* an output has fewer rows than plan_bound states */                      \
    X(E_MEMORY, -7, "no-memory")           /* the allocator gave nothing */                                           \
    X(E_DEADLINE, -8, "deadline")          /* no plan that holds the rules within max_compute_us */                   \
    X(E_INTERNAL, -9, "internal")          /* a defect of the plugin itself */                                        \
    X(E_PLAN, -10, "bad-plan")             /* host side: the plan breaks a rule R1-R9 */                              \
    X(E_SYNTAX, -11, "bad-document")       /* host side: the text is no document of the kind */                       \
    X(E_WIRE, -12, "bad-wire")             /* host side: the buffer is no well-formed wire message */                 \
    X(E_PLUGIN, -13, "bad-plugin")         /* host side: the file is no plugin, or a broken one */                    \
    X(E_SYSTEM, -14, "system")             /* host side: the operating system refused */

enum segue_status {
#define SEGUE_STATUS_ENUM(name, value, word) SEGUE_##name = (value),
    SEGUE_STATUSES(SEGUE_STATUS_ENUM)
#undef SEGUE_STATUS_ENUM
    SEGUE_STATUS_LIMIT_ = 0x7fffffff
};

/* Thread classes. Each slot has exactly one; the host keeps to it, the plugin may rely on it. */
enum segue_thread {
    SEGUE_THREAD_ANY = 1,   /* any thread, at any time, also at the same time as every other call */
    SEGUE_THREAD_SERIAL = 2 /* any thread, but never two calls on one instance at the same time */
};

/*
 * Error record. Owned by the caller, filled by the callee only when it returns a fault.
 *
 * size       in: sizeof of the caller's struct. The callee writes no byte beyond it.
 * code       the status again.
 * rule       number of the rule that was broken (1 for R1 ...), or 0.
 * row        index of the offending row in the column that the text names, or SEGUE_NONE.
 * text       caller's buffer for a NUL-terminated sentence, or NULL. Cut to fit; never more than text_size bytes.
 * text_size  bytes in `text`; 0 is allowed and means that no text is wanted.
 */
typedef struct segue_error {
    uint32_t size;
    int32_t code;
    uint32_t rule;
    uint32_t row;
    char *text;
    uint32_t text_size;
    uint32_t reserved;
} segue_error;

/* One strategy instance. Opaque: made by `create`, given back to `destroy`, owned by the host in between. */
typedef struct segue_instance segue_instance;

/* Refuses to compile when the condition is false; works in C99, C11 and C++ alike. */
#define SEGUE_ASSERT_JOIN_(a, b) a##b
#define SEGUE_ASSERT_NAME_(a, b) SEGUE_ASSERT_JOIN_(a, b)
#if defined(__cplusplus) && __cplusplus >= 201103L
#define SEGUE_ASSERT(condition) static_assert(condition, #condition)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define SEGUE_ASSERT(condition) _Static_assert(condition, #condition)
#else
#define SEGUE_ASSERT(condition)                                                                                       \
    typedef char SEGUE_ASSERT_NAME_(segue_assert_line_, __LINE__)[(condition) ? 1 : -1]
#endif

/* True when `field` lies wholly inside the first `bytes` bytes of a `type`: the test before any field is read. */
#define SEGUE_HAS(type, field, bytes) (offsetof(type, field) + sizeof(((type *)0)->field) <= (size_t)(bytes))

#ifdef __cplusplus
}
#endif
#endif
