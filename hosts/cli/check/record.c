/* SPDX-License-Identifier: Apache-2.0 */
#include "record.h"

#include <string.h>

enum { PATTERN = 0xa5, ROOM = 512, TAIL = 24 };

static int all_are(const unsigned char *bytes, size_t from, size_t to, unsigned char value)
{
    for (size_t i = from; i < to; i++) {
        if (bytes[i] != value) {
            return 0;
        }
    }
    return 1;
}

static void check_size(probe *p, const record_case *it, uint32_t size)
{
    union {
        unsigned char bytes[ROOM];
        uint32_t size;
        uint64_t aligned;
    } record;
    memset(record.bytes, PATTERN, sizeof record.bytes);
    record.size = size;
    probe_doing(p, "giving %s a record of %u bytes", it->name, size);
    int32_t status = it->call(p, record.bytes);
    size_t end = size < sizeof size ? sizeof size : size;
    probe_hold(p, record.size == size, "%s: changes the size of its record from %u to %u", it->name, size, record.size);
    probe_hold(p, all_are(record.bytes, end, ROOM, PATTERN), "%s: writes beyond a record of %u bytes", it->name, size);
    if (size < it->floor) {
        probe_hold(p, status < 0, "%s: answers %d into a record of %u bytes; it needs %zu", it->name, status, size,
                   it->floor);
    }
    if (size >= it->bytes) {
        probe_hold(p, status == SEGUE_OK, "%s: answers %d to a record of %u bytes, which has room for all", it->name,
                   status, size);
        /* A plugin of a later version may know what is a tail here. */
        int known = p->subject.entry.version > SEGUE_ABI_VERSION;
        probe_hold(p, known || all_are(record.bytes, it->bytes, size, 0),
                   "%s: leaves the tail of a record of %u bytes as it was; zeroes are right for what it does not know",
                   it->name, size);
    }
}

void record_check(probe *p, const record_case *it)
{
    for (uint32_t size = 0; size <= it->bytes + TAIL; size += size < it->bytes ? 1 : 8) {
        check_size(p, it, size);
    }
}
