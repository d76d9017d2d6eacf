/* SPDX-License-Identifier: Apache-2.0 */
/* texts.h - direct buffers as spans of bytes, and NUL-terminated texts one after the other in them. */
#ifndef SEGUE_JNI_TEXTS_H
#define SEGUE_JNI_TEXTS_H

#include <jni.h>
#include <stddef.h>

typedef struct span {
    char *bytes;
    size_t size;
} span;

/* The whole buffer; empty for one that is not direct. The JVM keeps it alive while the call runs. */
span span_at(JNIEnv *env, jobject buffer);

/* True when the last byte is a NUL, so that every text that begins inside also ends inside. */
int span_is_text(span text);

/* Texts that are appended while there is room, and counted after that. */
typedef struct texts {
    span room;
    size_t needed;
} texts;

texts texts_in(span room);
void texts_add(texts *out, const char *text);

#endif
