/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "config_number.h"
#include "error.h"
#include "known.h"
#include "nearest.h"
#include "segue/host.h"

enum storage { STORE_uint32_t, STORE_int64_t, STORE_double };

/* One field. Integers are compared with low and high, doubles with the same bounds as doubles. */
typedef struct field {
    const char *name;
    const char *key;
    size_t offset;
    enum storage storage;
    int64_t low, high;
} field;

static const field fields[] = {
#define FIELD(member, type, key, initial, least, greatest)                                                            \
    {#member, key, offsetof(segue_config, member), STORE_##type, (int64_t)(least), (int64_t)(greatest)},
    SEGUE_CONFIG_FIELDS(FIELD)
#undef FIELD
};

#define FIELD_COUNT (sizeof fields / sizeof fields[0])
#define OUR_PREFIX "segue."
#define LEARNERS_KEY "max.warmup.replicas"
#define OUR_LEARNERS_KEY "segue.max.learners"
#define COMPUTE_KEY "segue.max.compute.ms"
#define MICROSECONDS_PER_MILLISECOND 1000

/* Keys whose values are words: the word's place is the number. */
static const struct {
    const char *key;
    const char *words[4];
} word_keys[] = {
    {"learner.partial.rebalance", {"false", "true"}},
    {"segue.spread.subtopologies", {"false", "true"}},
    {"rack.aware.assignment.strategy", {"none", "min_traffic", "balance_subtopology"}},
    {"stream.rebalancing.mode", {"incremental", "upgrading"}},
};

/* Every key under "segue." that anybody reads. Those that are no field end at the host: no decision depends on them. */
static const char *const our_keys[] = {
    "segue.assignor",       "segue.fallback",        "segue.plugin.path",
    "segue.ready.batch.ms", "segue.record.path",     OUR_LEARNERS_KEY,
    COMPUTE_KEY,            "segue.max.learning.bytes", "segue.max.learners.per.member",
    "segue.spread.subtopologies", "segue.isolation",  "segue.max.faults",
    NULL,
};

void segue_config_init(segue_config *config)
{
    if (config == NULL) {
        return;
    }
    segue_config usual = {.size = sizeof usual};
#define INITIAL(member, type, key, initial, least, greatest) usual.member = (initial);
    SEGUE_CONFIG_FIELDS(INITIAL)
#undef INITIAL
    sgi_fill(config, config->size, &usual, sizeof usual);
}

static const field *find_field(const char *key)
{
    const char *name = strcmp(key, OUR_LEARNERS_KEY) == 0 ? LEARNERS_KEY : key;
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (strcmp(name, fields[i].key) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

const char *const *sgi_config_words(const char *key)
{
    for (size_t i = 0; i < sizeof word_keys / sizeof word_keys[0]; i++) {
        if (strcmp(key, word_keys[i].key) == 0) {
            return word_keys[i].words;
        }
    }
    return NULL;
}

static int is_our_key(const char *key)
{
    for (size_t i = 0; our_keys[i] != NULL; i++) {
        if (strcmp(key, our_keys[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

static void store_integer(segue_config *config, const field *f, int64_t number)
{
    char *place = (char *)config + f->offset;
    if (f->storage == STORE_uint32_t) {
        uint32_t narrow = (uint32_t)number;
        memcpy(place, &narrow, sizeof narrow);
    } else {
        memcpy(place, &number, sizeof number);
    }
}

static int32_t bad_value(const char *key, const sgi_value *value, const char *right, segue_error *error)
{
    if (value->kind == SGI_TEXT) {
        return sgi_fail(error, SEGUE_E_CONFIG, "%.100s is '%.100s': it must be %s", key, value->text, right);
    }
    if (value->kind == SGI_INTEGER) {
        return sgi_fail(error, SEGUE_E_CONFIG, "%.100s is %lld: it must be %s", key, (long long)value->integer, right);
    }
    if (value->kind == SGI_BOOLEAN) {
        return sgi_fail(error, SEGUE_E_CONFIG, "%.100s is %s: it must be %s", key, value->integer ? "true" : "false",
                        right);
    }
    return sgi_fail(error, SEGUE_E_CONFIG, "%.100s is a number out of range or with a fraction: it must be %s", key,
                    right);
}

static int32_t set_word(segue_config *config, const field *f, const char *const *words, const sgi_value *value,
                        segue_error *error)
{
    char right[96] = "";
    const char *text = value->kind == SGI_BOOLEAN ? (value->integer ? "true" : "false") : value->text;
    for (int i = 0; words[i] != NULL; i++) {
        if ((value->kind == SGI_TEXT || value->kind == SGI_BOOLEAN) && sgi_same_word(text, words[i])) {
            store_integer(config, f, i);
            return SEGUE_OK;
        }
        size_t used = strlen(right);
        snprintf(right + used, sizeof right - used, "%s%s", i == 0 ? "" : " or ", words[i]);
    }
    return bad_value(f->key, value, right, error);
}

static int32_t set_integer(segue_config *config, const field *f, const char *key, const sgi_value *value,
                           segue_error *error)
{
    int64_t scale = strcmp(key, COMPUTE_KEY) == 0 ? MICROSECONDS_PER_MILLISECOND : 1;
    int64_t high = f->high / scale;
    int64_t number = value->integer;
    int known = value->kind == SGI_INTEGER || (value->kind == SGI_TEXT && sgi_read_integer(value->text, &number));
    if (!known || number < f->low || number > high) {
        char right[96];
        snprintf(right, sizeof right, "a whole number from %lld to %lld", (long long)f->low, (long long)high);
        return bad_value(key, value, right, error);
    }
    if (f->offset == offsetof(segue_config, max_learners) && number > config->max_learners) {
        return SEGUE_OK; /* two keys limit the learners, and the smaller one counts */
    }
    store_integer(config, f, number * scale);
    return SEGUE_OK;
}

static int32_t set_double(segue_config *config, const field *f, const sgi_value *value, segue_error *error)
{
    double number = value->kind == SGI_INTEGER ? (double)value->integer : value->real;
    int known = value->kind == SGI_INTEGER || value->kind == SGI_REAL ||
                (value->kind == SGI_TEXT && sgi_read_real(value->text, &number));
    if (!known || !(number >= (double)f->low && number <= (double)f->high)) {
        char right[96];
        snprintf(right, sizeof right, "a number from %lld to %lld", (long long)f->low, (long long)f->high);
        return bad_value(f->key, value, right, error);
    }
    memcpy((char *)config + f->offset, &number, sizeof number);
    return SEGUE_OK;
}

static int32_t refuse_unknown(const char *key, segue_error *error)
{
    const char *near = sgi_nearest(key, our_keys);
    return sgi_fail(error, SEGUE_E_CONFIG, "%.100s is no known key%s%s%s", key, near ? ": did you mean " : "",
                    near ? near : "", near ? "?" : "");
}

int32_t sgi_config_set_value(segue_config *config, const char *key, const sgi_value *value, segue_error *error)
{
    const field *f = find_field(key);
    if (f == NULL) {
        int unknown = strncmp(key, OUR_PREFIX, strlen(OUR_PREFIX)) == 0 && !is_our_key(key);
        return unknown ? refuse_unknown(key, error) : SEGUE_OK;
    }
    const char *const *words = sgi_config_words(key);
    if (words != NULL) {
        return set_word(config, f, words, value, error);
    }
    return f->storage == STORE_double ? set_double(config, f, value, error)
                                      : set_integer(config, f, key, value, error);
}

int32_t segue_config_set(segue_config *config, const char *key, const char *value, segue_error *error)
{
    segue_config room, *known = (segue_config *)(uintptr_t)sgi_known_config(config, &room);
    if (known == NULL || key == NULL || value == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT,
                        "segue_config_set needs an initialised configuration, a key and a value");
    }
    sgi_value text = {SGI_TEXT, value, 0, 0};
    int32_t status = sgi_config_set_value(known, key, &text, error);
    sgi_known_return(config, known);
    return status;
}

static int in_range(const segue_config *config, const field *f)
{
    const char *place = (const char *)config + f->offset;
    uint32_t narrow;
    int64_t wide;
    double real;
    switch (f->storage) {
    case STORE_uint32_t:
        memcpy(&narrow, place, sizeof narrow);
        return narrow >= f->low && narrow <= f->high;
    case STORE_int64_t:
        memcpy(&wide, place, sizeof wide);
        return wide >= f->low && wide <= f->high;
    default:
        memcpy(&real, place, sizeof real);
        return real >= (double)f->low && real <= (double)f->high;
    }
}

int32_t sgi_config_check(const segue_config *config, segue_error *error)
{
    segue_config room;
    config = sgi_known_config(config, &room);
    if (config == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT,
                        "the configuration is missing or smaller than segue_config of version 1");
    }
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (!in_range(config, &fields[i])) {
            return sgi_fail(error, SEGUE_E_CONFIG, "%s (%s) is out of range: it must be from %lld to %lld",
                            fields[i].key, fields[i].name, (long long)fields[i].low, (long long)fields[i].high);
        }
    }
    return SEGUE_OK;
}
