/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program_note.h - an assignor that is a program of its own, in whatever language: the file NAME.assignor, which may be
 * executed and answers questions by segue_host_serve. What a plugin's note says is said by its name. Any thread.
 */
#ifndef SEGUE_HOSTS_C_PROGRAM_NOTE_H
#define SEGUE_HOSTS_C_PROGRAM_NOTE_H

#include "elf_note.h"

#define SGI_PROGRAM_SUFFIX ".assignor"

/* By its name. */
int sgi_is_program(const char *path);

/* Nothing of it is run. E_NAME: there is no file; E_PLUGIN: one that cannot be run, or whose name no assignor may have. */
int32_t sgi_program_note(const char *path, sgi_note *note, segue_error *error);

#endif
