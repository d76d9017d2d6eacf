/* SPDX-License-Identifier: Apache-2.0 */
/* frame.h - reads the frames of a record (segue/record.h), one after the other. One thread. */
#ifndef SEGUE_HOSTS_CLI_REPLAY_FRAME_H
#define SEGUE_HOSTS_CLI_REPLAY_FRAME_H

#include <stdio.h>

#include "segue/host.h"
#include "segue/record.h"

/* What was asked and answered. The columns point into `bytes`. */
typedef struct frame {
    segue_record_head head;
    segue_group group;
    segue_config config;
    segue_plan plan;
    char *assignor; /* NUL-terminated */
    char *bytes;
} frame;

enum frame_status { FRAME_READ, FRAME_END, FRAME_FAULT };

/* The next frame, which the caller gives to frame_free. FRAME_FAULT: `why` says what is wrong, and at which byte. */
enum frame_status frame_read(FILE *file, frame *it, char *why, size_t why_size);
void frame_free(frame *it);

/* Why nothing with names can be made of it, be it a document, a page or a forecast; NULL where it can. */
const char *frame_untold(const frame *it);

#endif
