/* SPDX-License-Identifier: Apache-2.0 */
/* recorder.h - writes each plan of a plugin down as libsegue does (segue/record.h), for `segue replay`. Any thread. */
#ifndef SEGUE_HOSTS_INTERPOSE_RECORDER_H
#define SEGUE_HOSTS_INTERPOSE_RECORDER_H

#include "interpose.h"

/* E_SYSTEM: the file cannot be written to. NULL and "" record nothing. Once, before any call. */
int32_t sgx_recorder_open(const char *path, segue_error *error);

/* Around each call: which assignor an instance is stands in `create`; a plan is that of `assign`, faults and all. */
void sgx_recorder_before(const sgx_call *call);
void sgx_recorder_after(const sgx_call *call, uint64_t elapsed_ns);

#endif
