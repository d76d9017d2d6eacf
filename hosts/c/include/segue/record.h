/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segue/record.h - the file in which a host writes down what it was asked and what it answered.
 *
 * A file is a sequence of frames, nothing before, between or behind them. A frame is this head, then the assignor's name,
 * the group's wire message (segue/wire.h) and the plan's, each padded with zeros to a multiple of 8. Little-endian. Frames
 * are appended whole, so several processes may write one file; what a crash has cut off ends it, until the next host that
 * opens the file takes that away. Since: 1.0.
 */
#ifndef SEGUE_RECORD_H
#define SEGUE_RECORD_H

#include "segue/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SEGUE_RECORD_MAGIC "SEGUEREC"
#define SEGUE_RECORD_VERSION 1u
/* Bytes after which a file becomes PATH.1, in the place of an older one, unless the host was opened with another bound. */
#define SEGUE_RECORD_BYTES 67108864u

/*
 *  head_size      bytes of the head; a later version may have more behind these
 *  wall_ms        when the plan was asked for, milliseconds since 1970
 *  elapsed_ns     time inside the plugin
 *  status, rule   of the plugin's own answer, as in segue_report
 *  fallback       1: the plan is the fallback's
 *  assignor_size  bytes of the name, without padding
 *  group_size, plan_size  bytes of the messages, with padding
 */
typedef struct segue_record_head {
    char magic[8];
    uint32_t version;
    uint32_t head_size;
    int64_t wall_ms;
    uint64_t elapsed_ns;
    int32_t status;
    uint32_t rule;
    uint32_t fallback;
    uint32_t assignor_size;
    uint64_t group_size;
    uint64_t plan_size;
} segue_record_head;

SEGUE_ASSERT(sizeof(segue_record_head) == 64);

#ifdef __cplusplus
}
#endif
#endif
