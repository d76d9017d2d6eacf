/* SPDX-License-Identifier: Apache-2.0 */
#include "side_group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const infixes[] = {[CLI_SIDE_NONE] = "",
                                      [CLI_SIDE_PRESENCE] = ".segue.presence.",
                                      [CLI_SIDE_MARK] = ".segue.mark.",
                                      [CLI_SIDE_ASSIGNOR] = ".segue.assignor"};

int cli_instance_valid(const char *text)
{
    static const char shape[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    for (size_t i = 0; i < sizeof shape - 1; i++) {
        int fits = shape[i] == '-' ? text[i] == '-' : text[i] != '\0' && strchr("0123456789abcdef", text[i]) != NULL;
        if (!fits) {
            return 0;
        }
    }
    return text[sizeof shape - 1] == '\0';
}

cli_side cli_side_read(const char *application, const char *group, char instance[CLI_INSTANCE_ROOM])
{
    size_t length = strlen(application);
    if (strncmp(group, application, length) != 0) {
        return CLI_SIDE_NONE;
    }
    if (strcmp(group + length, infixes[CLI_SIDE_ASSIGNOR]) == 0) {
        return CLI_SIDE_ASSIGNOR;
    }
    for (int side = CLI_SIDE_PRESENCE; side <= CLI_SIDE_MARK; side++) {
        size_t more = strlen(infixes[side]);
        if (strncmp(group + length, infixes[side], more) == 0 && cli_instance_valid(group + length + more)) {
            memcpy(instance, group + length + more, CLI_INSTANCE_ROOM);
            return (cli_side)side;
        }
    }
    return CLI_SIDE_NONE;
}

char *cli_side_write(const char *application, cli_side side, const char *instance)
{
    size_t room = strlen(application) + strlen(infixes[side]) + strlen(instance) + 1;
    char *name = malloc(room);
    if (name != NULL) {
        snprintf(name, room, "%s%s%s", application, infixes[side], instance);
    }
    return name;
}
