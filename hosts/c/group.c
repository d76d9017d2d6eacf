/* SPDX-License-Identifier: Apache-2.0 */
#include "group.h"

#include <string.h>

uint32_t sgi_find_copy(const segue_group *g, uint32_t member, uint32_t task)
{
    uint32_t low = g->copy_start[member], end = g->copy_start[member + 1], high = end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (g->copy_task[middle] < task) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && g->copy_task[low] == task ? low : SEGUE_NONE;
}

int sgi_compare_texts(sgi_text a, sgi_text b)
{
    size_t shared = a.length < b.length ? a.length : b.length;
    int order = shared == 0 ? 0 : memcmp(a.bytes, b.bytes, shared);
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

static int is_number(sgi_text text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (text.bytes[i] < '0' || text.bytes[i] > '9') {
            return 0;
        }
    }
    return text.length > 0;
}

static sgi_text without_zeros(sgi_text text)
{
    while (text.length > 1 && text.bytes[0] == '0') {
        text.bytes++;
        text.length--;
    }
    return text;
}

int sgi_compare_subtopologies(sgi_text a, sgi_text b)
{
    int a_number = is_number(a), b_number = is_number(b);
    if (a_number != b_number) {
        return a_number ? -1 : 1;
    }
    if (!a_number) {
        return sgi_compare_texts(a, b);
    }
    sgi_text x = without_zeros(a), y = without_zeros(b);
    int order = x.length != y.length ? (x.length > y.length) - (x.length < y.length) : sgi_compare_texts(x, y);
    return order != 0 ? order : sgi_compare_texts(a, b);
}
