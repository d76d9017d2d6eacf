/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>

#include "cli.h"
#include "error.h"

void cli_complain(const char *format, ...)
{
    char text[CLI_ERROR_TEXT + 256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* Arguments may hold anything; a message stays one line and cannot steer a terminal. */
    sgi_clean_line(text);
    fprintf(stderr, "segue: %s\n", text);
}

int cli_exit_of(int32_t status)
{
    switch (status) {
    case SEGUE_OK:
        return CLI_OK;
    case SEGUE_E_NAME:
    case SEGUE_E_PLUGIN:
    case SEGUE_E_VERSION:
        return CLI_NO_PLUGIN;
    default:
        return CLI_INPUT;
    }
}

const char *cli_why(const segue_error *error)
{
    return error->text[0] != '\0' ? error->text : segue_status_word(error->code);
}

int cli_fault(const segue_error *error)
{
    cli_complain("%s", cli_why(error));
    return cli_exit_of(error->code);
}

segue_error cli_error(char *text, size_t size)
{
    text[0] = '\0';
    return (segue_error){.size = sizeof(segue_error), .row = SEGUE_NONE, .text = text, .text_size = (uint32_t)size};
}
