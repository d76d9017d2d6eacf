/* SPDX-License-Identifier: Apache-2.0 */
/* elf_file.h - what a linker would see of a shared object, without mapping it to run. No size in the file is trusted. */
#ifndef SEGUE_HOSTS_CLI_CHECK_ELF_FILE_H
#define SEGUE_HOSTS_CLI_CHECK_ELF_FILE_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

typedef struct elf_file {
    const char *bytes;
    size_t size;
    const ElfW(Ehdr) *header;
    const ElfW(Shdr) *sections; /* NULL: the file has none */
} elf_file;

/* 0: no file, or no shared object of this machine's kind. */
int elf_open(elf_file *f, const char *path);
void elf_close(elf_file *f);

/* The name of the exported symbol with that index among all of them, or NULL behind the last. */
const char *elf_exported(const elf_file *f, uint32_t index);

/* Flags of the dynamic section (DF_STATIC_TLS, DF_TEXTREL); DT_TEXTREL counts as its flag. */
uint64_t elf_flags(const elf_file *f);

/* Does a segment, or the stack, want to be written and executed? */
int elf_wants_writable_code(const elf_file *f);

#endif
