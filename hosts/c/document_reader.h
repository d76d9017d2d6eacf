/* SPDX-License-Identifier: Apache-2.0 */
/*
 * document_reader.h - the rows of a group document on their way into columns.
 *
 * The reader takes rows in the document's order (sgi_read_*), then puts them into the canonical order of segue/group.h
 * (sgi_order_*), then reads what members claim, which needs the tasks' final handles. One thread at a time.
 */
#ifndef SEGUE_HOSTS_C_DOCUMENT_READER_H
#define SEGUE_HOSTS_C_DOCUMENT_READER_H

#include "document_names.h"
#include "document_region.h"
#include "document_value.h"
#include "segue/host.h"

/* What segue_document_read gives out. */
struct segue_document {
    sgi_region region; /* everything below lives in it */
    segue_group group;
    segue_config config;
    uint32_t *member_order; /* the handle of each member, in the document's order */
};

typedef struct sgi_subtopology {
    uint32_t name;
    uint32_t lone; /* it is that of a single task whose id is not SUBTOPOLOGY_PARTITION */
    uint32_t rank;
} sgi_subtopology;

typedef struct sgi_task {
    uint32_t name;
    uint32_t subtopology;
    uint32_t partition;
    uint8_t stateful;
    uint8_t listed; /* it stands in tasks[], which overrides a shorthand */
    double weight;
    int64_t state_bytes;
    json_t *inputs; /* borrowed; NULL: none */
} sgi_task;

typedef struct sgi_member {
    uint32_t name;
    uint32_t process;
    uint32_t rack;
    uint32_t threads;
    size_t index; /* in the document's members[] */
    int64_t leaving_ms;
    int64_t deadline_ms;
    json_t *object; /* borrowed */
} sgi_member;

typedef struct sgi_reader {
    segue_document *document;
    sgi_complaint complaint;
    sgi_names names;
    sgi_region scratch; /* the rows below live in it */

    sgi_subtopology *subtopologies;
    uint32_t subtopology_count;
    sgi_task *tasks;
    uint32_t task_count;
    sgi_member *members;
    uint32_t member_count;

    uint32_t *racks; /* names; in order of their bytes once ordered */
    uint32_t rack_count;
    uint32_t rack_room;
    uint32_t *tags; /* names of the dimensions */
    uint32_t tag_count;
    uint32_t *tag_values; /* names, by dimension, then by member in the document's order */

    uint32_t written_count; /* strings of the final table */
    uint32_t written_bytes;
} sgi_reader;

/* A text as a tree, which the caller gives back: E_SYNTAX with line and column. */
int32_t sgi_document_parse(const sgi_complaint *complaint, const char *text, size_t size, json_t **root);

/* Is it an object that says to be of that kind ("group/1")? */
int32_t sgi_document_kind(const sgi_complaint *complaint, const json_t *root, const char *kind);

/* The parts of the document, in the order in which they are called. `root` is the document's object. */
int32_t sgi_read_config(sgi_reader *reader, json_t *root);
int32_t sgi_read_tasks(sgi_reader *reader, json_t *root);
int32_t sgi_read_members(sgi_reader *reader, json_t *root);
int32_t sgi_order_racks(sgi_reader *reader);
int32_t sgi_order_tasks(sgi_reader *reader);
int32_t sgi_order_inputs(sgi_reader *reader);
int32_t sgi_order_members(sgi_reader *reader);
int32_t sgi_read_copies(sgi_reader *reader);

/* Begins the final string table, and gives a name its number in it. */
int32_t sgi_begin_strings(sgi_reader *reader);
uint32_t sgi_write_string(sgi_reader *reader, uint32_t name);
void sgi_end_strings(sgi_reader *reader);

/* Checks the shape of one task's partitions[] and notes their racks. */
int32_t sgi_read_inputs(sgi_reader *reader, const sgi_place *place, json_t *inputs);

/* The name's row in reader->racks, added if it is new. */
int32_t sgi_note_rack(sgi_reader *reader, const char *text, uint32_t *rack);

/* The least and greatest time that a document may hold: differences of two stay inside 64 bits. */
#define SGI_TIME_LEAST (-(INT64_C(1) << 62))
#define SGI_TIME_MOST (INT64_C(1) << 62)

#endif
