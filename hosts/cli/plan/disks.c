/* SPDX-License-Identifier: Apache-2.0 */
#include "disks.h"

#include <stdlib.h>
#include <string.h>

#include "group.h"

int disks_open(disks *it, const segue_group *group)
{
    uint32_t processes = group->process_count;
    uint32_t members = group->member_count;
    *it = (disks){0};
    if (processes == members) {
        return 0;
    }
    it->start = calloc((size_t)processes + 1, sizeof *it->start);
    it->member = malloc(((size_t)members + 1) * sizeof *it->member);
    if (it->start == NULL || it->member == NULL) {
        return -1;
    }
    for (uint32_t member = 0; member < members; member++) {
        it->start[group->member_process[member] + 1]++;
    }
    for (uint32_t process = 0; process < processes; process++) {
        it->start[process + 1] += it->start[process];
    }
    for (uint32_t member = 0; member < members; member++) {
        it->member[it->start[group->member_process[member]]++] = member;
    }
    /* Each start has become the next process's. */
    memmove(it->start + 1, it->start, (size_t)processes * sizeof *it->start);
    it->start[0] = 0;
    return 0;
}

int disks_have(const disks *it, const segue_group *group, uint32_t member, uint32_t task)
{
    if (it->start == NULL) {
        return 0;
    }
    uint32_t process = group->member_process[member];
    for (uint32_t row = it->start[process]; row < it->start[process + 1]; row++) {
        if (sgi_find_copy(group, it->member[row], task) != SEGUE_NONE) {
            return 1;
        }
    }
    return 0;
}

void disks_close(disks *it)
{
    free(it->start);
    free(it->member);
    *it = (disks){0};
}
