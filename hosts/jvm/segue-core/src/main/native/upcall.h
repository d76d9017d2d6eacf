/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upcall.h - assignors that are Java objects: a group's wire message goes up to io.segue.Upcall, a plan's comes back.
 * Any thread; one that the JVM does not know is attached for the call.
 */
#ifndef SEGUE_JNI_UPCALL_H
#define SEGUE_JNI_UPCALL_H

#include <jni.h>

#include "segue/host.h"

/* Registers `upcall` under what is `said` of it; it is kept until it was unregistered, replaced or its host closed. */
int32_t upcall_register(JNIEnv *env, segue_host *host, segue_callback said, jobject upcall, segue_error *error);

#endif
