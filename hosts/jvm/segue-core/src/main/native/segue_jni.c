/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segue_jni.c - libsegue for io.segue.Natives: bytes in, bytes and a status out.
 *
 * Every argument is a direct buffer, taken from its first byte to its capacity, or a number. No Java object is looked
 * into, no lock of the JVM is held, and no state is kept; assign calls back where the assignor is a Java object (upcall.h).
 * Thread class: as libsegue's.
 */
#include <jni.h>
#include <string.h>

#include "config.h"
#include "frame.h"
#include "segue/host.h"
#include "texts.h"
#include "upcall.h"

#define COUNT_FIELD_(field, type, key, initial, least, greatest) +1
enum { config_words = 0 SEGUE_CONFIG_FIELDS(COUNT_FIELD_) };
#undef COUNT_FIELD_

static segue_host *host_of(jlong handle)
{
    return (segue_host *)(intptr_t)handle;
}

static jint JNICALL host_open(JNIEnv *env, jclass type, jobject plugin_path, jobject record_path,
                              jboolean only_path, jobject isolation_buffer, jint max_faults, jobject frame_buffer)
{
    (void)type;
    frame f = frame_at(env, frame_buffer);
    span path = span_at(env, plugin_path);
    span record = span_at(env, record_path);
    span isolation = span_at(env, isolation_buffer);
    if (!span_is_text(path) || !span_is_text(record) || !span_is_text(isolation)) {
        return frame_refuse(&f, "no text of a path, or of an isolation");
    }
    segue_host_options options = {.size = sizeof options,
                                  .only_path = only_path ? 1u : 0u,
                                  .plugin_path = path.bytes,
                                  .record_path = record.bytes[0] != '\0' ? record.bytes : NULL,
                                  .isolation = isolation.bytes[0] != '\0' ? isolation.bytes : NULL,
                                  .max_faults = (uint32_t)max_faults};
    segue_host *host = NULL;
    int32_t status = segue_host_open(&options, &host, &f.error);
    frame_value(&f, (int64_t)(intptr_t)host);
    return frame_end(&f, status);
}

static void JNICALL host_close(JNIEnv *env, jclass type, jlong handle)
{
    (void)env;
    (void)type;
    segue_host_close(host_of(handle));
}

static jint JNICALL host_reinstate(JNIEnv *env, jclass type, jlong handle, jobject name_buffer, jobject frame_buffer)
{
    (void)type;
    frame f = frame_at(env, frame_buffer);
    span name = span_at(env, name_buffer);
    if (!span_is_text(name)) {
        return frame_refuse(&f, "no text of an assignor's name");
    }
    return frame_end(&f, segue_host_reinstate(host_of(handle), *name.bytes == '\0' ? NULL : name.bytes, &f.error));
}

static jint JNICALL host_metrics(JNIEnv *env, jclass type, jlong handle, jobject counts_buffer, jobject frame_buffer)
{
    (void)type;
    frame f = frame_at(env, frame_buffer);
    span counts = span_at(env, counts_buffer);
    segue_metrics m = {.size = sizeof m};
    int32_t status = segue_host_metrics(host_of(handle), &m, &f.error);
    const uint64_t values[] = {m.plans,       m.fallbacks, m.errors,  m.refused,   m.late,   m.died,
                               m.unstarted,   m.passed_over, m.aside, m.started, m.processes, m.threads};
    if (counts.size < sizeof values) {
        return frame_refuse(&f, "no room for the counts");
    }
    memcpy(counts.bytes, values, sizeof values);
    frame_value(&f, (int64_t)(sizeof values / sizeof values[0]));
    return frame_end(&f, status);
}

/* Of the plugin at a path; an empty name where there is none, which cannot be. */
static segue_plugin_row plugin_at(segue_host *host, const char *path)
{
    for (uint32_t index = 0;; index++) {
        segue_plugin_row row = {.size = sizeof row};
        if (segue_host_plugin(host, index, &row, NULL) != SEGUE_OK) {
            return (segue_plugin_row){.name = "", .version = ""};
        }
        if (strcmp(row.path, path) == 0) {
            return row;
        }
    }
}

static jint JNICALL host_assignors(JNIEnv *env, jclass type, jlong handle, jobject out_buffer, jobject frame_buffer)
{
    (void)type;
    frame f = frame_at(env, frame_buffer);
    texts out = texts_in(span_at(env, out_buffer));
    int32_t status = SEGUE_OK;
    for (uint32_t index = 0; status == SEGUE_OK; index++) {
        segue_assignor_row row = {.size = sizeof row};
        status = segue_host_assignor(host_of(handle), index, &row, &f.error);
        if (status == SEGUE_OK) {
            texts_add(&out, row.name);
            texts_add(&out, row.version);
            texts_add(&out, row.summary);
            texts_add(&out, row.plugin);
            texts_add(&out, row.traits & SEGUE_TRAIT_COLD ? "cold" : "");
            segue_plugin_row plugin = plugin_at(host_of(handle), row.plugin);
            texts_add(&out, plugin.name);
            texts_add(&out, plugin.version);
        }
    }
    return frame_end_texts(&f, status == SEGUE_E_NAME ? SEGUE_OK : status, &out);
}

/* Takes key, value, key, value … up to an empty key. */
static int32_t set_pairs(segue_config *config, span pairs, frame *f)
{
    const char *at = pairs.bytes;
    const char *end = pairs.bytes + pairs.size;
    while (at < end && *at != '\0') {
        const char *key = at;
        const char *value = key + strlen(key) + 1;
        if (value >= end) {
            return frame_refuse(f, "a key without a value");
        }
        int32_t status = segue_config_set(config, key, value, &f->error);
        if (status != SEGUE_OK) {
            return status;
        }
        at = value + strlen(value) + 1;
    }
    return SEGUE_OK;
}

/* One 64-bit word of a field: integers are extended, doubles go as their bits. */
#define WORD_OF_uint32_t(value) ((int64_t)(value))
#define WORD_OF_int64_t(value) (value)
#define WORD_OF_double(value) double_word(value)

static int64_t double_word(double value)
{
    int64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static jint JNICALL configure(JNIEnv *env, jclass type, jobject pairs_buffer, jobject words_buffer, jobject frame_buffer)
{
    (void)type;
    frame f = frame_at(env, frame_buffer);
    span pairs = span_at(env, pairs_buffer);
    span words = span_at(env, words_buffer);
    if (!span_is_text(pairs) || words.size < config_words * sizeof(int64_t)) {
        return frame_refuse(&f, "no room for the configuration's words");
    }
    segue_config config = {.size = sizeof config};
    segue_config_init(&config);
    int32_t status = set_pairs(&config, pairs, &f);
    const int64_t values[] = {
#define FIELD_WORD_(field, kind, key, initial, least, greatest) WORD_OF_##kind(config.field),
        SEGUE_CONFIG_FIELDS(FIELD_WORD_)
#undef FIELD_WORD_
    };
    memcpy(words.bytes, values, sizeof values);
    frame_value(&f, config_words);
    return frame_end(&f, status);
}

static jlong JNICALL plan_room(JNIEnv *env, jclass type, jobject group_buffer, jboolean decisions)
{
    (void)type;
    span group = span_at(env, group_buffer);
    return (jlong)segue_wire_plan_room(group.bytes, group.size, decisions ? 1u : 0u);
}

static jint JNICALL assign(JNIEnv *env, jclass type, jlong handle, jobject name_buffer, jboolean decisions,
                           jobject group_buffer, jobject plan_buffer, jobject frame_buffer)
{
    (void)type;
    frame f = frame_at(env, frame_buffer);
    span name = span_at(env, name_buffer);
    span group = span_at(env, group_buffer);
    span plan = span_at(env, plan_buffer);
    if (!span_is_text(name)) {
        return frame_refuse(&f, "no text of an assignor's name");
    }
    size_t size = 0;
    segue_report report = {.size = sizeof report, .text = f.error.text, .text_size = f.error.text_size};
    int32_t status = segue_host_assign_wire(host_of(handle), name.bytes, decisions ? 1u : 0u, group.bytes, group.size,
                                            plan.bytes, plan.size, &size, &report, &f.error);
    frame_value(&f, (int64_t)size);
    return status == SEGUE_OK ? frame_end_report(&f, &report) : frame_end(&f, status);
}

static void explain_decision(texts *out, const segue_group *group, const segue_plan *plan, uint32_t decision)
{
    char text[1024];
    segue_decision_text(group, plan, decision, text, sizeof text);
    texts_add(out, segue_kind_word(plan->decision_kind[decision]));
    texts_add(out, segue_reason_word(plan->decision_reason[decision]));
    texts_add(out, text);
}

static jint JNICALL explain(JNIEnv *env, jclass type, jobject group_buffer, jobject plan_buffer, jobject out_buffer,
                            jobject frame_buffer)
{
    (void)type;
    frame f = frame_at(env, frame_buffer);
    span group_bytes = span_at(env, group_buffer);
    span plan_bytes = span_at(env, plan_buffer);
    segue_group group = {.size = sizeof group};
    segue_config config = {.size = sizeof config};
    segue_plan plan = {.size = sizeof plan};
    int32_t status = segue_wire_decode_group(group_bytes.bytes, group_bytes.size, &group, &config, &f.error);
    if (status == SEGUE_OK) {
        status = segue_wire_decode_plan(plan_bytes.bytes, plan_bytes.size, &plan, &f.error);
    }
    if (status != SEGUE_OK) {
        return frame_end(&f, status);
    }
    texts out = texts_in(span_at(env, out_buffer));
    texts_add(&out, segue_followup_word(plan.followup_reason));
    for (uint32_t decision = 0; decision < plan.decision_count; decision++) {
        explain_decision(&out, &group, &plan, decision);
    }
    return frame_end_texts(&f, SEGUE_OK, &out);
}

static jint JNICALL host_register(JNIEnv *env, jclass type, jlong handle, jobject said_buffer, jint traits,
                                  jobject upcall, jobject frame_buffer)
{
    (void)type;
    frame f = frame_at(env, frame_buffer);
    span said = span_at(env, said_buffer);
    const char *end = said.bytes + said.size;
    const char *name = said.bytes;
    const char *version = span_is_text(said) ? name + strlen(name) + 1 : end;
    const char *summary = version < end ? version + strlen(version) + 1 : end;
    if (summary >= end || upcall == NULL) {
        return frame_refuse(&f, "no texts of an assignor's name, version and summary");
    }
    segue_callback callback = {.traits = (uint32_t)traits, .name = name, .version = version, .summary = summary};
    return frame_end(&f, upcall_register(env, host_of(handle), callback, upcall, &f.error));
}

/* A call that takes an assignor's name and nothing else. */
static jint call_by_name(JNIEnv *env, jlong handle, jobject name_buffer, jobject frame_buffer,
                         int32_t (*call)(segue_host *, const char *, segue_error *))
{
    frame f = frame_at(env, frame_buffer);
    span name = span_at(env, name_buffer);
    if (!span_is_text(name)) {
        return frame_refuse(&f, "no text of an assignor's name");
    }
    return frame_end(&f, call(host_of(handle), name.bytes, &f.error));
}

static jint JNICALL host_unregister(JNIEnv *env, jclass type, jlong handle, jobject name_buffer, jobject frame_buffer)
{
    (void)type;
    return call_by_name(env, handle, name_buffer, frame_buffer, segue_host_unregister);
}

static jint JNICALL host_serve(JNIEnv *env, jclass type, jlong handle, jobject name_buffer, jobject frame_buffer)
{
    (void)type;
    return call_by_name(env, handle, name_buffer, frame_buffer, segue_host_serve);
}

static jint JNICALL configured(JNIEnv *env, jclass type, jobject group_buffer, jobject out_buffer, jobject frame_buffer)
{
    (void)type;
    frame f = frame_at(env, frame_buffer);
    span message = span_at(env, group_buffer);
    segue_group group = {.size = sizeof group};
    segue_config config = {.size = sizeof config};
    int32_t status = segue_wire_decode_group(message.bytes, message.size, &group, &config, &f.error);
    status = status == SEGUE_OK ? sgi_config_check(&config, &f.error) : status;
    texts out = texts_in(span_at(env, out_buffer));
    const char *key = NULL;
    char value[32];
    for (uint32_t at = 0; status == SEGUE_OK && sgi_config_next(&config, &at, &key, value, sizeof value);) {
        texts_add(&out, key);
        texts_add(&out, value);
    }
    return frame_end_texts(&f, status, &out);
}

static jint JNICALL followup_code(JNIEnv *env, jclass type, jobject word_buffer)
{
    (void)type;
    span word = span_at(env, word_buffer);
    for (uint32_t code = 0; span_is_text(word) && code <= SEGUE_FOLLOWUP_FALLBACK; code++) {
        if (strcmp(segue_followup_word(code), word.bytes) == 0) {
            return (jint)code;
        }
    }
    return -1;
}

static jint JNICALL version(JNIEnv *env, jclass type, jobject out_buffer, jobject frame_buffer)
{
    (void)type;
    frame f = frame_at(env, frame_buffer);
    texts out = texts_in(span_at(env, out_buffer));
    texts_add(&out, segue_version());
    return frame_end_texts(&f, SEGUE_OK, &out);
}

#define BUFFER "Ljava/nio/ByteBuffer;"
/* JNI's table wants texts that it could write to, and functions without their types. */
#define METHOD(name, signature, function) {(char *)(uintptr_t)(name), (char *)(uintptr_t)(signature), (void *)(uintptr_t)(function)}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    (void)reserved;
    const JNINativeMethod methods[] = {
        METHOD("open", "(" BUFFER BUFFER "Z" BUFFER "I" BUFFER ")I", host_open),
        METHOD("reinstate", "(J" BUFFER BUFFER ")I", host_reinstate),
        METHOD("metrics", "(J" BUFFER BUFFER ")I", host_metrics),
        METHOD("close", "(J)V", host_close),
        METHOD("assignors", "(J" BUFFER BUFFER ")I", host_assignors),
        METHOD("register", "(J" BUFFER "ILio/segue/Upcall;" BUFFER ")I", host_register),
        METHOD("unregister", "(J" BUFFER BUFFER ")I", host_unregister),
        METHOD("serve", "(J" BUFFER BUFFER ")I", host_serve),
        METHOD("configured", "(" BUFFER BUFFER BUFFER ")I", configured),
        METHOD("followupCode", "(" BUFFER ")I", followup_code),
        METHOD("configure", "(" BUFFER BUFFER BUFFER ")I", configure),
        METHOD("planRoom", "(" BUFFER "Z)J", plan_room),
        METHOD("assign", "(J" BUFFER "Z" BUFFER BUFFER BUFFER ")I", assign),
        METHOD("explain", "(" BUFFER BUFFER BUFFER BUFFER ")I", explain),
        METHOD("version", "(" BUFFER BUFFER ")I", version),
    };
    JNIEnv *env = NULL;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_10) != JNI_OK) {
        return JNI_ERR;
    }
    jclass natives = (*env)->FindClass(env, "io/segue/Natives");
    if (natives == NULL) {
        return JNI_ERR;
    }
    if ((*env)->RegisterNatives(env, natives, methods, (jint)(sizeof methods / sizeof methods[0])) != JNI_OK) {
        return JNI_ERR;
    }
    return JNI_VERSION_10;
}
