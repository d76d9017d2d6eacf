/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segue/wire.h - group and plan as one flat buffer, for hosts in other languages.
 *
 * A message is a header, a directory, and the same columns as in group.h and plan.h. A host encodes once; libsegue
 * checks every count, offset and alignment, points a segue_group into the buffer and copies nothing.
 *
 *   offset  bytes  what
 *   0       4      magic: "SGRP" for a group, "SPLN" for a plan
 *   4       4      version, 1
 *   8       8      bytes of the whole message
 *   16      4      sections in the directory
 *   20      4      0
 *   24      24*n   directory: {u32 id, u32 element bytes, u64 offset from the start, u64 count}, ids strictly ascending
 *   ...            sections, each at a multiple of 8, in the order of the directory, not overlapping; gaps are 0
 *
 * Section ids: the columns' own from SEGUE_GROUP_COLUMNS or SEGUE_PLAN_COLUMNS; SEGUE_WIRE_SCALARS holds the scalars in
 * the order of SEGUE_GROUP_SCALARS or SEGUE_PLAN_SCALARS, each as one 64-bit word (integers sign- or zero-extended,
 * doubles as their bits); SEGUE_WIRE_CONFIG, in a group only, holds the configuration's fields in the order of
 * SEGUE_CONFIG_FIELDS likewise. A message may have fewer scalar or configuration words than the reader knows (the rest
 * have their defaults) or more (ignored). Unknown section ids above 1023 are ignored, others refused. An absent section
 * is a NULL column. Everything is little-endian; the buffer starts at an address that is a multiple of 8.
 */
#ifndef SEGUE_WIRE_H
#define SEGUE_WIRE_H

#include "segue/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SEGUE_WIRE_GROUP_MAGIC 0x50524753u /* "SGRP" read as a little-endian number */
#define SEGUE_WIRE_PLAN_MAGIC 0x4e4c5053u  /* "SPLN" */
#define SEGUE_WIRE_VERSION 1u
#define SEGUE_WIRE_SCALARS 256u
#define SEGUE_WIRE_CONFIG 257u
#define SEGUE_WIRE_OPTIONAL_FROM 1024u
#define SEGUE_WIRE_ALIGNMENT 8u
/* In a plan message, UTF-8: there is no plan, for this reason. Answers of assignors in other processes and languages. */
#define SEGUE_WIRE_FAULT 65536u

typedef struct segue_wire_header {
    uint32_t magic;
    uint32_t version;
    uint64_t bytes;
    uint32_t section_count;
    uint32_t reserved;
} segue_wire_header;

typedef struct segue_wire_section {
    uint32_t id;
    uint32_t element_bytes;
    uint64_t offset;
    uint64_t count;
} segue_wire_section;

SEGUE_ASSERT(sizeof(segue_wire_header) == 24);
SEGUE_ASSERT(sizeof(segue_wire_section) == 24);

#ifdef __cplusplus
}
#endif
#endif
