/* SPDX-License-Identifier: Apache-2.0 */
#include "crowd.h"

#include <string.h>

#include "group.h"

static uint8_t bits_of(const segue_group *g, uint32_t m, int knows_leaving, int all_can_work)
{
    int threads = all_can_work || g->member_threads[m] > 0;
    int leaving = knows_leaving && sgi_is_leaving(g, m);
    int expired = knows_leaving && sgi_is_expired(g, m);
    return (uint8_t)((leaving ? SGI_LEAVING : 0) | (expired ? SGI_EXPIRED : 0) | (threads ? SGI_THREADS : 0) |
                     (threads && !expired ? SGI_PRESENT : 0) | (threads && !leaving ? SGI_STAYING : 0));
}

void sgi_crowd_fill(sgi_crowd *crowd, const segue_group *g, int knows_leaving, int all_can_work)
{
    crowd->present_members = crowd->staying_members = crowd->staying_processes = crowd->threaded_members = 0;
    if (g->process_count > 0) {
        memset(crowd->process, 0, g->process_count);
    }
    for (uint32_t m = 0; m < g->member_count; m++) {
        uint8_t bits = bits_of(g, m, knows_leaving, all_can_work);
        uint8_t *process = &crowd->process[g->member_process[m]];
        crowd->member[m] = bits;
        crowd->present_members += (bits & SGI_PRESENT) != 0;
        crowd->staying_members += (bits & SGI_STAYING) != 0;
        crowd->threaded_members += (bits & SGI_THREADS) != 0;
        crowd->staying_processes += (bits & SGI_STAYING) && !(*process & SGI_STAYING);
        *process |= bits & (SGI_PRESENT | SGI_STAYING);
    }
}
