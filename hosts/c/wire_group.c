/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "config.h"
#include "error.h"
#include "known.h"
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
    sgi_wire_sort(sections, SECTIONS);
}

int32_t segue_wire_encode_group(const segue_group *group, const segue_config *config, void *buffer, size_t capacity,
                                size_t *size, segue_error *error)
{
    segue_group group_room;
    segue_config config_room;
    group = sgi_known_group(group, &group_room);
    config = sgi_known_config(config, &config_room);
    if (group == NULL || config == NULL || size == NULL) {
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
    const char *misfit = NULL;
    uint64_t at = 0;
    memset(g, 0, sizeof *g);
    g->size = sizeof *g;
#define READ(field, type)                                                                                             \
    if (at < section.count) {                                                                                         \
        sgi_##type##_of_word(words[at], &g->field, #field, &misfit);                                                  \
    }                                                                                                                 \
    at++;
    SEGUE_GROUP_SCALARS(READ)
#undef READ
    return sgi_wire_fit(misfit, error);
}

static int32_t read_config(const void *buffer, segue_config *config, segue_error *error)
{
    sgi_section section = sgi_wire_find(buffer, SEGUE_WIRE_CONFIG);
    const uint64_t *words = section.data;
    const char *misfit = NULL;
    uint64_t at = 0;
    config->size = sizeof *config;
    segue_config_init(config);
#define READ(field, type, key, initial, least, greatest)                                                              \
    if (at < section.count) {                                                                                         \
        sgi_##type##_of_word(words[at], &config->field, #field, &misfit);                                             \
    }                                                                                                                 \
    at++;
    SEGUE_CONFIG_FIELDS(READ)
#undef READ
    return sgi_wire_fit(misfit, error);
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
    if (group == NULL || config == NULL || !SEGUE_HAS(segue_group, copy_lag, group->size) ||
        !SEGUE_HAS(segue_config, rebalancing_mode, config->size)) {
        return sgi_fail(error, SEGUE_E_ARGUMENT,
                        "decoding needs places for a group and a configuration, with their sizes set");
    }
    static const segue_group nothing;
    segue_group g;
    segue_config c;
    sgi_section known[SECTIONS];
    list_sections(&nothing, NULL, NULL, known);
    int32_t status = sgi_wire_check(SEGUE_WIRE_GROUP_MAGIC, known, SECTIONS, buffer, size, error);
    if (status == SEGUE_OK && (status = read_scalars(buffer, &g, error)) == SEGUE_OK &&
        (status = read_config(buffer, &c, error)) == SEGUE_OK &&
        (status = read_columns(buffer, &g, error)) == SEGUE_OK) {
        sgi_fill(group, group->size, &g, sizeof g);
        sgi_fill(config, config->size, &c, sizeof c);
    }
    return status;
}
