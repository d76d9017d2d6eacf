/* SPDX-License-Identifier: Apache-2.0 */
#include "upcall.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "texts.h"

enum { LOCAL_REFERENCES = 8 };

/* The context of a callback. */
typedef struct upcall {
    JavaVM *vm;
    jobject object; /* a global reference */
    jmethodID assign;
} upcall;

typedef struct entry {
    JNIEnv *env; /* NULL: the JVM takes no thread any more */
    int attached; /* by us */
} entry;

static entry enter(const upcall *u)
{
    entry e = {NULL, 0};
    if ((*u->vm)->GetEnv(u->vm, (void **)&e.env, JNI_VERSION_10) == JNI_EDETACHED) {
        e.env = NULL;
        e.attached = (*u->vm)->AttachCurrentThreadAsDaemon(u->vm, (void **)&e.env, NULL) == JNI_OK;
    }
    return e;
}

static void leave(const upcall *u, entry e)
{
    if (e.attached) {
        (*u->vm)->DetachCurrentThread(u->vm);
    }
}

/* The group's message in memory of its own, at a multiple of 8; NULL without memory. */
static span message_of(const segue_group *group, const segue_config *config)
{
    span message = {NULL, 0};
    segue_wire_encode_group(group, config, NULL, 0, &message.size, NULL);
    message.bytes = message.size > 0 ? malloc(message.size) : NULL;
    if (message.bytes != NULL &&
        segue_wire_encode_group(group, config, message.bytes, message.size, &message.size, NULL) != SEGUE_OK) {
        free(message.bytes);
        message.bytes = NULL;
    }
    return message;
}

/* Upcall catches whatever a strategy throws; what comes through, such as a lack of memory, ends here. */
static jobject call(JNIEnv *env, const upcall *u, span message)
{
    jobject buffer = (*env)->NewDirectByteBuffer(env, message.bytes, (jlong)message.size);
    jobject answer = buffer == NULL ? NULL : (*env)->CallObjectMethod(env, u->object, u->assign, buffer);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    return answer;
}

static int32_t ask(JNIEnv *env, const upcall *u, span message, const segue_group *group, segue_plan *plan,
                   segue_error *error)
{
    if ((*env)->PushLocalFrame(env, LOCAL_REFERENCES) != JNI_OK) {
        (*env)->ExceptionClear(env);
        return sgi_fail(error, SEGUE_E_MEMORY, "the JVM has no memory for a call of the assignor");
    }
    span answer = span_at(env, call(env, u, message));
    int32_t status = answer.bytes == NULL
                         ? sgi_fail(error, SEGUE_E_INTERNAL, "the JVM could not carry out a call of the assignor")
                         : segue_wire_read_plan(group, answer.bytes, answer.size, plan, error);
    (*env)->PopLocalFrame(env, NULL);
    return status;
}

static int32_t on_assign(void *context, const segue_group *group, const segue_config *config, segue_plan *plan,
                         segue_error *error)
{
    const upcall *u = context;
    span message = message_of(group, config);
    if (message.bytes == NULL) {
        return sgi_fail(error, SEGUE_E_MEMORY, "no memory for the group's message to the assignor");
    }
    entry e = enter(u);
    int32_t status = e.env == NULL ? sgi_fail(error, SEGUE_E_SYSTEM, "the JVM takes no thread: it is about to end")
                                   : ask(e.env, u, message, group, plan, error);
    leave(u, e);
    free(message.bytes);
    return status;
}

static void on_release(void *context)
{
    upcall *u = context;
    entry e = enter(u);
    if (e.env != NULL) {
        (*e.env)->DeleteGlobalRef(e.env, u->object);
    }
    leave(u, e);
    free(u);
}

int32_t upcall_register(JNIEnv *env, segue_host *host, segue_callback said, jobject object, segue_error *error)
{
    upcall *u = calloc(1, sizeof *u);
    if (u == NULL || (*env)->GetJavaVM(env, &u->vm) != JNI_OK) {
        free(u);
        return sgi_fail(error, SEGUE_E_MEMORY, "no memory to register an assignor");
    }
    u->assign = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, object), "assign",
                                    "(Ljava/nio/ByteBuffer;)Ljava/nio/ByteBuffer;");
    u->object = u->assign == NULL ? NULL : (*env)->NewGlobalRef(env, object);
    if (u->object == NULL) {
        free(u);
        return sgi_fail(error, SEGUE_E_MEMORY, "the JVM has no memory to register an assignor");
    }
    said.size = sizeof said;
    said.context = u;
    said.assign = on_assign;
    said.release = on_release;
    int32_t status = segue_host_register(host, &said, error);
    if (status != SEGUE_OK) {
        on_release(u);
    }
    return status;
}
