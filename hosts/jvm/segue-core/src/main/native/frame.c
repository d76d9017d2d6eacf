/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"

#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the wire format is little-endian, and so are the columns that libsegue reads in place"
#endif

typedef struct head {
    int32_t status;
    uint32_t rule, row, fallback;
    uint64_t elapsed_ns;
    int64_t value;
    char word[FRAME_FAULTS - FRAME_WORD];
    uint32_t faults, aside;
} head;

SEGUE_ASSERT(offsetof(head, value) == 24);
SEGUE_ASSERT(offsetof(head, word) == FRAME_WORD);
SEGUE_ASSERT(offsetof(head, faults) == FRAME_FAULTS);
SEGUE_ASSERT(sizeof(head) == FRAME_TEXT);

static head head_of(const frame *f)
{
    head h;
    memcpy(&h, f->bytes.bytes, sizeof h);
    return h;
}

static int32_t write_head(frame *f, head h)
{
    if (f->bytes.size == 0) {
        return SEGUE_E_ARGUMENT;
    }
    strncpy(h.word, segue_status_word(h.status), sizeof h.word - 1);
    memcpy(f->bytes.bytes, &h, sizeof h);
    return h.status;
}

frame frame_at(JNIEnv *env, jobject buffer)
{
    frame f = {.bytes = span_at(env, buffer), .error = {.size = sizeof f.error, .row = SEGUE_NONE}};
    if (f.bytes.size < FRAME_LEAST) {
        f.bytes.size = 0;
        return f;
    }
    memset(f.bytes.bytes, 0, FRAME_TEXT + 1);
    f.bytes.bytes[FRAME_PLUGIN] = '\0';
    f.error.text = f.bytes.bytes + FRAME_TEXT;
    f.error.text_size = FRAME_PLUGIN - FRAME_TEXT;
    return f;
}

void frame_value(frame *f, int64_t value)
{
    if (f->bytes.size > 0) {
        memcpy(f->bytes.bytes + offsetof(head, value), &value, sizeof value);
    }
}

int32_t frame_end(frame *f, int32_t status)
{
    if (f->bytes.size == 0) {
        return SEGUE_E_ARGUMENT;
    }
    head h = head_of(f);
    h.status = status;
    h.rule = status == SEGUE_OK ? 0 : f->error.rule;
    h.row = status == SEGUE_OK ? SEGUE_NONE : f->error.row;
    return write_head(f, h);
}

int32_t frame_end_report(frame *f, const segue_report *report)
{
    if (f->bytes.size == 0) {
        return SEGUE_E_ARGUMENT;
    }
    head h = head_of(f);
    h.status = report->status;
    h.rule = report->rule;
    h.row = report->row;
    h.fallback = report->fallback;
    h.elapsed_ns = report->elapsed_ns;
    h.faults = report->faults;
    h.aside = report->aside;
    strncpy(f->bytes.bytes + FRAME_PLUGIN, report->plugin == NULL ? "" : report->plugin, FRAME_LEAST - FRAME_PLUGIN - 1);
    f->bytes.bytes[FRAME_LEAST - 1] = '\0';
    write_head(f, h);
    return SEGUE_OK;
}

int32_t frame_end_texts(frame *f, int32_t status, const texts *out)
{
    if (status != SEGUE_OK) {
        return frame_end(f, status);
    }
    frame_value(f, (int64_t)out->needed);
    return frame_end(f, out->needed > out->room.size ? SEGUE_E_SPACE : SEGUE_OK);
}

int32_t frame_refuse(frame *f, const char *text)
{
    if (f->error.text_size > 0) {
        strncpy(f->error.text, text, f->error.text_size - 1);
    }
    return frame_end(f, SEGUE_E_ARGUMENT);
}
