/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "config.h"
#include "document_reader.h"

/* Kafka allows five; a bound keeps tags times members small. */
enum { TAGS_MOST = 64, TAG_BYTES = 256 };

#define OUR_PREFIX "segue."
#define TAGS_KEY "rack.aware.assignment.tags"

static const char *const own_keys[] = {
#define KEY(field, type, key, initial, least, greatest) key,
    SEGUE_CONFIG_FIELDS(KEY)
#undef KEY
        NULL,
};

/* Where a value that is no scalar is a mistake; under any other key it is somebody else's affair. */
static int is_ours(const char *key)
{
    for (const char *const *own = own_keys; *own != NULL; own++) {
        if (strcmp(key, *own) == 0) {
            return 1;
        }
    }
    return strncmp(key, OUR_PREFIX, strlen(OUR_PREFIX)) == 0;
}

static int32_t read_scalar(sgi_reader *reader, const sgi_place *place, const sgi_value *value)
{
    char text[200] = "";
    segue_error error = {.size = sizeof error, .row = SEGUE_NONE, .text = text, .text_size = sizeof text};
    int32_t status = sgi_config_set_value(&reader->document->config, place->key, value, &error);
    return status == SEGUE_OK ? SEGUE_OK : sgi_complain(&reader->complaint, status, place->parent, "%s", text);
}

static int32_t read_value(sgi_reader *reader, const sgi_place *place, const json_t *json)
{
    sgi_value value = {.kind = SGI_TEXT};
    switch (json_typeof(json)) {
    case JSON_STRING:
        value.text = json_string_value(json);
        break;
    case JSON_INTEGER:
        value.kind = SGI_INTEGER;
        value.integer = json_integer_value(json);
        break;
    case JSON_REAL:
        value.real = json_real_value(json);
        value.kind = sgi_is_whole(json, &value.integer) ? SGI_INTEGER : SGI_REAL;
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        value.kind = SGI_BOOLEAN;
        value.integer = json_is_true(json);
        break;
    case JSON_OBJECT:
    case JSON_ARRAY:
    case JSON_NULL:
        return !is_ours(place->key) ? SEGUE_OK
                                    : sgi_complain(&reader->complaint, SEGUE_E_CONFIG, place,
                                                   "%s is given; a text, a number or true or false is needed",
                                                   json_is_null(json)    ? "null"
                                                   : json_is_array(json) ? "a list"
                                                                         : "an object");
    }
    return read_scalar(reader, place, &value);
}

/* One dimension; naming it twice adds nothing. */
static int32_t note_tag(sgi_reader *reader, const sgi_place *place, const char *text, size_t length)
{
    if (length == 0) {
        return SEGUE_OK;
    }
    uint32_t name = sgi_names_add(&reader->names, text, length);
    if (name == SEGUE_NONE) {
        return sgi_complain_memory(&reader->complaint);
    }
    for (uint32_t tag = 0; tag < reader->tag_count; tag++) {
        if (reader->tags[tag] == name) {
            return SEGUE_OK;
        }
    }
    if (reader->tag_count == TAGS_MOST) {
        return sgi_complain(&reader->complaint, SEGUE_E_CONFIG, place, "more than %d tags", TAGS_MOST);
    }
    reader->tags[reader->tag_count++] = name;
    return SEGUE_OK;
}

static int32_t read_tag_text(sgi_reader *reader, const sgi_place *place, const char *text)
{
    int32_t status = SEGUE_OK;
    while (status == SEGUE_OK && *text != '\0') {
        text += strspn(text, " \t\r\n,");
        size_t length = strcspn(text, ",");
        size_t kept = length;
        while (kept > 0 && strchr(" \t\r\n", text[kept - 1]) != NULL) {
            kept--;
        }
        status = note_tag(reader, place, text, kept);
        text += length;
    }
    return status;
}

/* Kafka's own type for the key is a list; as a property it is a text with commas. */
static int32_t read_tags(sgi_reader *reader, const sgi_place *place, const json_t *value)
{
    reader->tags = sgi_region_take(&reader->scratch, TAGS_MOST, sizeof *reader->tags);
    if (reader->tags == NULL) {
        return sgi_complain_memory(&reader->complaint);
    }
    if (json_is_string(value)) {
        return read_tag_text(reader, place, json_string_value(value));
    }
    int32_t status = sgi_want_list(&reader->complaint, place, value);
    for (size_t i = 0; status == SEGUE_OK && i < json_array_size(value); i++) {
        sgi_place at = sgi_place_row(place, i);
        const char *text = NULL;
        status = sgi_want_text(&reader->complaint, &at, json_array_get(value, i), &text);
        status = status == SEGUE_OK ? note_tag(reader, &at, text, strlen(text)) : status;
    }
    return status;
}

static int32_t read_entry(sgi_reader *reader, const sgi_place *place, const json_t *value)
{
    return strcmp(place->key, TAGS_KEY) == 0 ? read_tags(reader, place, value) : read_value(reader, place, value);
}

int32_t sgi_read_config(sgi_reader *reader, json_t *root)
{
    reader->document->config.size = sizeof reader->document->config;
    segue_config_init(&reader->document->config);
    json_t *config = json_object_get(root, "config");
    sgi_place place = sgi_place_key(NULL, "config");
    int32_t status = config == NULL ? SEGUE_OK : sgi_want_map(&reader->complaint, &place, config);
    for (void *row = json_object_iter(config); status == SEGUE_OK && row != NULL;
         row = json_object_iter_next(config, row)) {
        sgi_place at = sgi_place_free_key(&place, json_object_iter_key(row));
        status = read_entry(reader, &at, json_object_iter_value(row));
    }
    return status;
}
