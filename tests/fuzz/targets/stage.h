/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stage.h - a cluster that an input tells of, in the place of hosts/cli/kafka/connection.c, fetch.c and clock.c. Each line of
 * the input is one thing that others have written:
 *
 *     GROUP TEXT      an entry committed in a group
 *     -CLIENT HOST    a member of the application's group
 *     =STATUS BODY    what any instance answers over HTTP; the first counts
 *     !               the brokers do not answer
 *     (empty)         what follows is there a second later, in place of what came before
 *
 * When all of it has passed, nothing of it is there any more. What a command writes is there as well, until the input tells
 * of the same group. One thread.
 */
#ifndef SEGUE_TESTS_FUZZ_STAGE_H
#define SEGUE_TESTS_FUZZ_STAGE_H

#include <stddef.h>

#define STAGE_APPLICATION "app"

/* Begins anew with these bytes, which stay where they are; what was written is forgotten. */
void stage_set(const char *text, size_t size);

#endif
