/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame.h - the buffer in which one native call says how it went.
 *
 *   offset  bytes  what
 *   0       4      status
 *   4       4      rule, or 0
 *   8       4      row, or SEGUE_NONE
 *   12      4      1: the plan is the fallback's
 *   16      8      nanoseconds inside the plugin
 *   24      8      value: a handle, or a count of bytes
 *   32      24     the status as a word, NUL-terminated
 *   56      4      faults of the assignor
 *   60      4      1: it is put aside
 *   64      1472   a sentence, NUL-terminated
 *   1536    512    the path of the plugin that was asked, NUL-terminated; cut to fit
 *
 * io.segue.Frame reads it. The buffer is little-endian, as is every machine that this library is built for.
 */
#ifndef SEGUE_JNI_FRAME_H
#define SEGUE_JNI_FRAME_H

#include <jni.h>

#include "segue/host.h"
#include "texts.h"

enum { FRAME_WORD = 32, FRAME_FAULTS = 56, FRAME_TEXT = 64, FRAME_PLUGIN = 1536, FRAME_LEAST = 2048 };

typedef struct frame {
    span bytes;
    segue_error error; /* its text is the frame's own */
} frame;

/* A frame with status ok and no text; one that is too small takes nothing and refuses everything. */
frame frame_at(JNIEnv *env, jobject buffer);

void frame_value(frame *f, int64_t value);

/* Writes the status and what `error` has collected. All of them return the status. */
int32_t frame_end(frame *f, int32_t status);
int32_t frame_end_report(frame *f, const segue_report *report);
int32_t frame_end_texts(frame *f, int32_t status, const texts *out);

/* E_ARGUMENT with that text. */
int32_t frame_refuse(frame *f, const char *text);

#endif
