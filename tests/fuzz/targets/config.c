/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of "key=value" as a host sets them, one after the other: refused with a reason, and what is kept is in range. */
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "fuzz.h"

static void set_line(segue_config *config, char *line)
{
    fuzz_fault fault;
    char *value = strchr(line, '=');
    segue_config before = *config;
    if (value == NULL) {
        return;
    }
    *value++ = '\0';
    int32_t status = segue_config_set(config, line, value, fuzz_error(&fault));
    if (status != SEGUE_OK) {
        fuzz_hold_said(&fault, status);
        HOLD(memcmp(config, &before, sizeof before) == 0, "a value that is refused is kept: %s", line);
    }
    HOLD(sgi_config_check(config, fuzz_error(&fault)) == SEGUE_OK, "%s", fault.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    segue_config config = {.size = sizeof config};
    segue_config_init(&config);
    for (size_t at = 0; at < size;) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        size_t length = end == NULL ? size - at : (size_t)(end - data) - at;
        char *line = malloc(length + 1);
        HOLD(line != NULL, "no memory");
        memcpy(line, data + at, length);
        line[length] = '\0';
        set_line(&config, line);
        free(line);
        at += length + 1;
    }
    return 0;
}
