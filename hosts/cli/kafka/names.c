/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include <stdarg.h>
#include <stdio.h>

enum { ITEM_MOST = 256, MORE_ROOM = 40 };

void cli_names_add(cli_names *list, const char *format, ...)
{
    char item[ITEM_MOST];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(item, sizeof item, format, arguments);
    va_end(arguments);
    /* The first of them always has room. */
    if (list->left_out > 0 || list->used + ITEM_MOST + MORE_ROOM > sizeof list->text) {
        list->left_out++;
        return;
    }
    list->used += (size_t)snprintf(list->text + list->used, sizeof list->text - list->used, "%s%s",
                                   list->count == 0 ? "" : ", ", item);
    list->count++;
}

const char *cli_names_end(cli_names *list)
{
    if (list->left_out > 0) {
        snprintf(list->text + list->used, sizeof list->text - list->used, " and %zu more", list->left_out);
    }
    return list->text;
}
