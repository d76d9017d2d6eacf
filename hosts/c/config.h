/* SPDX-License-Identifier: Apache-2.0 */
/* config.h - dotted names to segue_config, for texts (properties) and for typed values (JSON) alike. */
#ifndef SEGUE_HOSTS_C_CONFIG_H
#define SEGUE_HOSTS_C_CONFIG_H

#include "segue/config.h"

enum sgi_value_kind { SGI_TEXT = 0, SGI_INTEGER = 1, SGI_REAL = 2, SGI_BOOLEAN = 3 };

/* A configuration value as its document has it; the member that `kind` names counts (`integer` for a boolean). */
typedef struct sgi_value {
    enum sgi_value_kind kind;
    const char *text;
    int64_t integer;
    double real;
} sgi_value;

/* Sets one key; see segue_config_set. Texts are read as a properties file has them, other kinds must have the key's. */
int32_t sgi_config_set_value(segue_config *config, const char *key, const sgi_value *value, segue_error *error);

/* E_ARGUMENT for a record that is too small, E_CONFIG for a field outside its range. */
int32_t sgi_config_check(const segue_config *config, segue_error *error);

/* The words of a key whose values are words, by number and ended by NULL; NULL for any other key. */
const char *const *sgi_config_words(const char *key);

/* The next field behind row *at (0 at first) that is not at its default, as segue_config_set takes it: its name, and its
 * value in `text`, which 32 bytes hold. The configuration is one that sgi_config_check accepts. 0 behind the last. */
int sgi_config_next(const segue_config *config, uint32_t *at, const char **name, char *text, size_t size);

#endif
