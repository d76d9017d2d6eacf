/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int32_t sgp_fault(segue_error *error, int32_t code, uint32_t row, const char *format, ...)
{
    if (error == NULL) {
        return code;
    }
    if (SEGUE_HAS(segue_error, code, error->size)) {
        error->code = code;
    }
    if (SEGUE_HAS(segue_error, rule, error->size)) {
        error->rule = 0;
    }
    if (SEGUE_HAS(segue_error, row, error->size)) {
        error->row = row;
    }
    if (error->size > sizeof *error) {
        memset(error + 1, 0, error->size - sizeof *error);
    }
    if (SEGUE_HAS(segue_error, text_size, error->size) && error->text != NULL && error->text_size > 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, error->text_size, format, arguments);
        va_end(arguments);
    }
    return code;
}
