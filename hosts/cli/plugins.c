/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

int cli_open_host_apart(const char *plugin, const char *isolation, segue_host **host)
{
    char text[CLI_ERROR_TEXT];
    segue_error error = cli_error(text, sizeof text);
    segue_host_options options = {.size = sizeof options, .isolation = isolation};
    if (segue_host_open(&options, host, &error) != SEGUE_OK) {
        *host = NULL;
        return cli_fault(&error);
    }
    if (plugin != NULL && segue_host_load(*host, plugin, &error) != SEGUE_OK) {
        segue_host_close(*host);
        *host = NULL;
        return cli_fault(&error);
    }
    return CLI_OK;
}

int cli_open_host(const char *plugin, segue_host **host)
{
    unsetenv("SEGUE_RECORD_PATH");
    return cli_open_host_apart(plugin, NULL, host);
}

int cli_find_assignor(segue_host *host, const char *name, segue_assignor_row *row)
{
    for (uint32_t i = 0; segue_host_assignor(host, i, row, NULL) == SEGUE_OK; i++) {
        if (strcmp(row->name, name) == 0) {
            return 1;
        }
    }
    return 0;
}
