/* SPDX-License-Identifier: Apache-2.0 */
/*
 * document_names.h - every name of a document once, with the row that each kind of thing has under that name.
 *
 * A name is a number; one hash table serves tasks, members, processes, subtopologies and racks alike, so that a claim
 * on a task is one look-up. One thread at a time.
 */
#ifndef SEGUE_HOSTS_C_DOCUMENT_NAMES_H
#define SEGUE_HOSTS_C_DOCUMENT_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* What a name can stand for. A lone subtopology is that of a task whose id is not SUBTOPOLOGY_PARTITION. */
enum sgi_kind { SGI_TASK, SGI_MEMBER, SGI_PROCESS, SGI_SUBTOPOLOGY, SGI_LONE_SUBTOPOLOGY, SGI_RACK, SGI_KINDS };

typedef struct sgi_name {
    size_t offset;
    uint32_t length;
    uint32_t hash;
    uint32_t row[SGI_KINDS]; /* SEGUE_NONE: no such thing has this name */
    uint32_t written;        /* its number in the final string table, or SEGUE_NONE */
} sgi_name;

typedef struct sgi_names {
    sgi_name *rows;
    uint32_t count;
    uint32_t room;
    char *bytes;
    size_t used;
    size_t bytes_room;
    uint32_t *slots; /* name + 1, or 0 */
    uint32_t mask;
    uint64_t seed;
} sgi_names;

/* 0, or -1 when there is no memory. */
int sgi_names_init(sgi_names *names);
void sgi_names_free(sgi_names *names);

/* The name's number, added if it is new. SEGUE_NONE: no memory, or all names together do not fit 32 bits. */
uint32_t sgi_names_add(sgi_names *names, const char *text, size_t length);

/* The name's number, or SEGUE_NONE. */
uint32_t sgi_names_find(const sgi_names *names, const char *text, size_t length);

/* Not terminated; valid until the next name is added. */
const char *sgi_names_text(const sgi_names *names, uint32_t name);

/* Order by unsigned bytes, as memcmp. */
int sgi_names_compare(const sgi_names *names, uint32_t a, uint32_t b);

#endif
