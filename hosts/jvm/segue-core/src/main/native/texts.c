/* SPDX-License-Identifier: Apache-2.0 */
#include "texts.h"

#include <string.h>

span span_at(JNIEnv *env, jobject buffer)
{
    span s = {NULL, 0};
    if (buffer == NULL) {
        return s;
    }
    jlong size = (*env)->GetDirectBufferCapacity(env, buffer);
    s.bytes = (*env)->GetDirectBufferAddress(env, buffer);
    s.size = s.bytes == NULL || size < 0 ? 0 : (size_t)size;
    return s;
}

int span_is_text(span text)
{
    return text.size > 0 && text.bytes[text.size - 1] == '\0';
}

texts texts_in(span room)
{
    texts out = {room, 0};
    return out;
}

void texts_add(texts *out, const char *text)
{
    size_t size = strlen(text == NULL ? "" : text) + 1;
    if (out->needed + size <= out->room.size) {
        memcpy(out->room.bytes + out->needed, text == NULL ? "" : text, size);
    }
    out->needed += size;
}
