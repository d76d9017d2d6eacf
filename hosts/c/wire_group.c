/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "config.h"
#include "error.h"
#include "segue/host.h"
#include "wire_message.h"

#define ONE(...) +1
enum {
    SCALARS = 0 SEGUE_GROUP_SCALARS(ONE),
    FIELDS = 0 SEGUE_CONFIG_FIELDS(ONE),
    SECTIONS = 2 SEGUE_GROUP_COLUMNS(ONE),
};

/* The columns of `g`, and place for the words; with no group at hand, only ids and element sizes mean something. */
static void list_sections(const segue_group *g, const uint64_t *scalars, const uint64_t *config, sgi_section *sections)
{
    sgi_section *next = sections;
#define LIST(id, field, type, count, need) *next++ = (sgi_section){id, sizeof(type), (count), g->field};
    SEGUE_GROUP_COLUMNS(LIST)
#undef LIST
    *next++ = (sgi_section){SEGUE_WIRE_SCALARS, sizeof(uint64_t), SCALARS, scalars};
    *next++ = (sgi_section){SEGUE_WIRE_CONFIG, sizeof(uint64_t), FIELDS, config};
}

int32_t segue_wire_encode_group(const segue_group *group, const segue_config *config, void *buffer, size_t capacity,
                                size_t *size, segue_error *error)
{
    if (group == NULL || group->size < sizeof *group || config == NULL || config->size < sizeof *config ||
        size == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "encoding needs a group, a configuration and a place for the size");
    }
    uint64_t scalars[SCALARS], words[FIELDS];
    uint64_t *next = scalars;
#define WRITE(field, type) *next++ = sgi_word_of_##type(group->field);
    SEGUE_GROUP_SCALARS(WRITE)
#undef WRITE
    next = words;
#define WRITE(field, type, key, initial, least, greatest) *next++ = sgi_word_of_##type(config->field);
    SEGUE_CONFIG_FIELDS(WRITE)
#undef WRITE
    sgi_section sections[SECTIONS];
    list_sections(group, scalars, words, sections);
    return sgi_wire_write(SEGUE_WIRE_GROUP_MAGIC, sections, SECTIONS, buffer, capacity, size, error);
}

static int32_t read_scalars(const void *buffer, segue_group *g, segue_error *error)
{
    sgi_section section = sgi_wire_find(buffer, SEGUE_WIRE_SCALARS);
    const uint64_t *words = section.data;
    uint64_t at = 0;
    memset(g, 0, sizeof *g);
    g->size = sizeof *g;
#define READ(field, type)                                                                                             \
    if (at < section.count && !sgi_##type##_of_word(words[at], &g->field)) {                                          \
        return sgi_fail(error, SEGUE_E_WIRE, #field " does not fit 32 bits");                                         \
    }                                                                                                                 \
    at++;
    SEGUE_GROUP_SCALARS(READ)
#undef READ
    return SEGUE_OK;
}

static int32_t read_config(const void *buffer, segue_config *config, segue_error *error)
{
    sgi_section section = sgi_wire_find(buffer, SEGUE_WIRE_CONFIG);
    const uint64_t *words = section.data;
    uint64_t at = 0;
    segue_config_init(config);
#define READ(field, type, key, initial, least, greatest)                                                              \
    if (at < section.count && !sgi_##type##_of_word(words[at], &config->field)) {                                     \
        return sgi_fail(error, SEGUE_E_WIRE, #field " does not fit 32 bits");                                         \
    }                                                                                                                 \
    at++;
    SEGUE_CONFIG_FIELDS(READ)
#undef READ
    return SEGUE_OK;
}

static int32_t read_columns(const void *buffer, segue_group *g, segue_error *error)
{
    sgi_section section;
#define READ(id, field, type, wanted, need)                                                                           \
    section = sgi_wire_find(buffer, id);                                                                              \
    if (section.data != NULL && section.count != (uint64_t)(wanted)) {                                                \
        return sgi_fail(error, SEGUE_E_WIRE, "section %d (" #field ") has %llu rows, the scalars say %llu", id,       \
                        (unsigned long long)section.count, (unsigned long long)(wanted));                             \
    }                                                                                                                 \
    g->field = section.data;
    SEGUE_GROUP_COLUMNS(READ)
#undef READ
    return SEGUE_OK;
}

int32_t segue_wire_decode_group(const void *buffer, size_t size, segue_group *group, segue_config *config,
                                segue_error *error)
{
    if (group == NULL || config == NULL) {
        return sgi_fail(error, SEGUE_E_ARGUMENT, "decoding needs places for a group and a configuration");
    }
    static const segue_group nothing;
    sgi_section known[SECTIONS];
    list_sections(&nothing, NULL, NULL, known);
    int32_t status = sgi_wire_check(SEGUE_WIRE_GROUP_MAGIC, known, SECTIONS, buffer, size, error);
    if (status == SEGUE_OK) {
        status = read_scalars(buffer, group, error);
    }
    if (status == SEGUE_OK) {
        status = read_config(buffer, config, error);
    }
    return status == SEGUE_OK ? read_columns(buffer, group, error) : status;
}
