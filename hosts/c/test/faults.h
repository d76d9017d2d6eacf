/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faults.h - memory that runs out, and a system that refuses, when a test says so.
 *
 * The linker puts these in front of the functions listed below (see hosts/c/CMakeLists.txt): those of the C library as
 * libsegue and the test itself call them, and one of libsegue's own. They pass everything on until their turn has come. The
 * count is of the whole process, whichever thread calls.
 */
#ifndef SEGUE_HOSTS_C_TEST_FAULTS_H
#define SEGUE_HOSTS_C_TEST_FAULTS_H

#include <stdint.h>

/* Functions that answer `failure`, with errno `code`, instead of doing anything; waitpid, that the
 * child is still there. FAULT_MEMORY stands for everything that
 * gives memory: malloc, calloc, realloc, aligned_alloc, strdup, strndup, asprintf, realpath. */
#define FAULTS(X)                                                                                                     \
    X(dladdr, int, 0, 0, (const void *address, Dl_info *about), (address, about))                                     \
    X(dlopen, void *, NULL, 0, (const char *path, int flags), (path, flags))                                          \
    X(flock, int, -1, EWOULDBLOCK, (int file, int operation), (file, operation))                                      \
    X(fstat, int, -1, EIO, (int file, struct stat *about), (file, about))                                             \
    X(ftruncate, int, -1, EIO, (int file, off_t bytes), (file, bytes))                                                \
    X(getrandom, ssize_t, -1, EAGAIN, (void *bytes, size_t size, unsigned flags), (bytes, size, flags))               \
    X(memfd_create, int, -1, EMFILE, (const char *name, unsigned flags), (name, flags))                               \
    X(mmap, void *, MAP_FAILED, ENOMEM, (void *at, size_t size, int protection, int flags, int file, off_t offset),   \
      (at, size, protection, flags, file, offset))                                                                    \
    X(newlocale, locale_t, (locale_t)0, ENOMEM, (int mask, const char *name, locale_t base), (mask, name, base))      \
    X(opendir, DIR *, NULL, EMFILE, (const char *path), (path))                                                       \
    X(posix_spawn, int, EAGAIN, 0,                                                                                    \
      (pid_t * pid, const char *path, const posix_spawn_file_actions_t *files, const posix_spawnattr_t *attributes,   \
       char *const *arguments, char *const *variables),                                                               \
      (pid, path, files, attributes, arguments, variables))                                                           \
    X(posix_spawn_file_actions_adddup2, int, ENOMEM, 0, (posix_spawn_file_actions_t * files, int from, int to),       \
      (files, from, to))                                                                                              \
    X(posix_spawn_file_actions_init, int, ENOMEM, 0, (posix_spawn_file_actions_t * files), (files))                   \
    X(posix_spawnattr_init, int, ENOMEM, 0, (posix_spawnattr_t * attributes), (attributes))                           \
    X(posix_spawnattr_setflags, int, EINVAL, 0, (posix_spawnattr_t * attributes, short flags), (attributes, flags))   \
    X(pread, ssize_t, -1, EIO, (int file, void *bytes, size_t size, off_t at), (file, bytes, size, at))               \
    X(pthread_create, int, EAGAIN, 0,                                                                                 \
      (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument),                   \
      (thread, attributes, run, argument))                                                                            \
    X(recv, ssize_t, -1, ECONNRESET, (int socket, void *bytes, size_t size, int flags), (socket, bytes, size, flags)) \
    X(sendmsg, ssize_t, -1, EPIPE, (int socket, const struct msghdr *message, int flags), (socket, message, flags))   \
    X(sgi_names_add, uint32_t, SEGUE_NONE, 0, (sgi_names * names, const char *text, size_t length),                   \
      (names, text, length))                                                                                          \
    X(socketpair, int, -1, EMFILE, (int domain, int type, int protocol, int *ends), (domain, type, protocol, ends))   \
    X(waitpid, pid_t, 0, 0, (pid_t child, int *status, int options), (child, status, options))                        \
    X(write, ssize_t, -1, ENOSPC, (int file, const void *bytes, size_t size), (file, bytes, size))

/* FAULT_JSON: memory for jansson. FAULT_pidfd_open: syscall, of that number alone. */
#define FAULT_NAME_(name, ...) FAULT_##name,
enum fault_kind { FAULT_MEMORY, FAULT_JSON, FAULT_fcntl, FAULT_open, FAULT_pidfd_open, FAULTS(FAULT_NAME_) FAULT_KINDS };

/* The nth call from now on, from 1, fails; so do all behind it where `lasts` is 1. Another kind goes on as before. */
void fault_at(enum fault_kind kind, uint32_t nth, int lasts);

/* Ends it. 1: it has struck. */
int fault_end(void);

/* Blocks of memory that were given and not given back. */
int64_t memory_held(void);

#endif
