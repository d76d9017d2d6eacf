/* SPDX-License-Identifier: Apache-2.0 */
/* A configuration as the texts that make it again. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "segue/host.h"

static void write_uint32_t(char *text, size_t size, uint32_t value)
{
    snprintf(text, size, "%" PRIu32, value);
}

static void write_int64_t(char *text, size_t size, int64_t value)
{
    snprintf(text, size, "%" PRId64, value);
}

/* printf's decimal point is the locale's, and may have several bytes. */
static void write_double(char *text, size_t size, double value)
{
    snprintf(text, size, "%.17g", value);
    char *point = text + strspn(text, "0123456789-");
    size_t bytes = strcspn(point, "0123456789e");
    if (bytes > 0) {
        *point = '.';
        memmove(point + 1, point + bytes, strlen(point + bytes) + 1);
    }
}

/* Keys whose text is a word, or of another unit, have that instead of the number. */
static void write_special(char *text, size_t size, const char *key, uint64_t number)
{
    const char *const *words = sgi_config_words(key);
    if (words != NULL) {
        snprintf(text, size, "%s", words[number]);
    } else if (strcmp(key, "segue.max.compute.ms") == 0) {
        snprintf(text, size, "%" PRIu64, (number + 999) / 1000);
    }
}

int sgi_config_next(const segue_config *config, uint32_t *at, const char **name, char *text, size_t size)
{
    segue_config usual = {.size = sizeof usual};
    uint32_t row = 0;
    segue_config_init(&usual);
#define NEXT(field, type, key, initial, least, greatest)                                                              \
    if (row++ >= *at && memcmp(&config->field, &usual.field, sizeof usual.field) != 0) {                              \
        *at = row;                                                                                                    \
        *name = key;                                                                                                  \
        write_##type(text, size, config->field);                                                                      \
        write_special(text, size, key, (uint64_t)config->field);                                                      \
        return 1;                                                                                                     \
    }
    SEGUE_CONFIG_FIELDS(NEXT)
#undef NEXT
    return 0;
}
